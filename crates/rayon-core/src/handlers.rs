//! A user's closures that a pool calls, and what happens when they panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::abort;
use std::sync::Arc;

pub(crate) type PanicHandler = dyn Fn(Box<dyn Any + Send>) + Send + Sync;
pub(crate) type NumberHandler = dyn Fn(usize) + Send + Sync;

/// Gives a payload to `handler`. Without a handler, or if it panics itself, the process is aborted.
pub(crate) fn handle_panic(handler: Option<&PanicHandler>, payload: Box<dyn Any + Send>) {
    let handled = handler.map(|handler| catch_unwind(AssertUnwindSafe(|| handler(payload))));
    if !matches!(handled, Some(Ok(()))) {
        eprintln!("rayon-core: a panic that nobody handles; aborting");
        abort();
    }
}

/// `handler`, whose panics are given to `panic`.
pub(crate) fn guarded(
    handler: Option<Box<NumberHandler>>,
    panic: Option<Arc<PanicHandler>>,
) -> impl Fn(usize) + Send + Sync + 'static {
    move |index| {
        if let Some(handler) = &handler
            && let Err(payload) = catch_unwind(AssertUnwindSafe(|| handler(index)))
        {
            handle_panic(panic.as_deref(), payload);
        }
    }
}
