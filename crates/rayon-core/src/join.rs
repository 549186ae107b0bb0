//! Two closures, perhaps in parallel.

use crate::global::in_worker;
use std::marker::PhantomData;

/// Tells a closure of [`join_context`] where it runs.
#[derive(Debug)]
pub struct FnContext {
    migrated: bool,
    /// Ties it to this thread.
    marker: PhantomData<*mut ()>,
}

impl FnContext {
    fn new(migrated: bool) -> Self {
        Self { migrated, marker: PhantomData }
    }

    /// Whether the closure runs on a thread other than the calling one.
    #[inline]
    pub fn migrated(&self) -> bool {
        self.migrated
    }
}

/// Runs both closures, perhaps in parallel, and returns both results.
///
/// # Panics
/// With the panic of `oper_a`, or else of `oper_b`, after both have ended.
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

/// As [`join`], but both closures are told whether they run on the calling thread.
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
