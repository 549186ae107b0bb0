//! Two closures, perhaps in parallel.

use crate::global::in_worker;
use std::marker::PhantomData;

/// What a closure of [`join_context`] learns of where it runs.
#[derive(Debug)]
pub struct FnContext {
    migrated: bool,
    /// It is about this thread.
    marker: PhantomData<*mut ()>,
}

impl FnContext {
    fn new(migrated: bool) -> Self {
        Self { migrated, marker: PhantomData }
    }

    /// Whether the closure runs on another thread than the one that called.
    #[inline]
    pub fn migrated(&self) -> bool {
        self.migrated
    }
}

/// Runs both closures, perhaps in parallel, and returns both results.
///
/// # Panics
/// With the panic of the first, or else of the second, after both have ended.
#[inline]
pub fn join<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    in_worker(|worker, _| worker.join(oper_a, |_| oper_b()))
}

/// As [`join`]; both closures learn whether they run where it was called.
///
/// # Panics
/// As [`join`].
#[inline]
pub fn join_context<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    in_worker(|worker, injected| {
        worker.join(move || oper_a(FnContext::new(injected)), move |taken| oper_b(FnContext::new(injected || taken)))
    })
}
