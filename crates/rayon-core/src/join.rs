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
///
/// # Example
/// ```
/// let words = ["a", "b", "c", "d"];
/// let (front, back) = words.split_at(2);
/// let (front, back) = rayon_core::join(|| front.concat(), || back.concat());
/// assert_eq!(front + &back, "abcd");
/// ```
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
///
/// # Example
/// ```
/// let (first, second) = rayon_core::join_context(|a| a.migrated(), |b| b.migrated());
/// // A thread that is not of the pool hands over both closures; then both have migrated.
/// assert!(second || !first);
/// ```
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
