//! A seat: what a thread is to itself while it takes part in a pool.
//!
//! The [`Desk`](crate::desk::Desk) is the public half of a worker; the seat is the private one. It lives on the stack of the thread that
//! sits there: for a pool thread as long as the thread, for a guest (a thread of the application that calls into
//! the pool) as long as its outermost call.

use crate::desk::Desk;
use crate::jobs::Jobs;
use crate::pool::Inner;
use std::cell::Cell;
use std::ptr;

pub(crate) struct Seat<'p> {
    pub(crate) pool: &'p Inner,
    pub(crate) index: usize,
    /// This worker's own fork-join jobs, oldest first.
    pub(crate) jobs: Jobs,
    /// How many pieces of work taken while waiting lie on this thread's stack.
    pub(crate) depth: Cell<usize>,
    outer: *const Seat<'static>,
}

thread_local! {
    /// The innermost seat of this thread, or null.
    static CURRENT: Cell<*const Seat<'static>> = const { Cell::new(ptr::null()) };
}

impl<'p> Seat<'p> {
    /// Runs `work` with this thread seated at desk `index`.
    pub(crate) fn take<R>(pool: &'p Inner, index: usize, work: impl FnOnce(&Seat<'p>) -> R) -> R {
        let seat = Seat { pool, index, jobs: Jobs::new(), depth: Cell::new(0), outer: CURRENT.get() };
        // The cast only forgets a lifetime; `current` gives it back bounded by the call.
        CURRENT.set((&raw const seat).cast());
        let leave = Leave(&seat);
        let result = work(leave.0);
        drop(leave);
        result
    }

    /// Runs `f` with this thread's innermost seat, or with none.
    #[inline(always)]
    pub(crate) fn current<R>(f: impl FnOnce(Option<&Seat<'_>>) -> R) -> R {
        // SAFETY: non-null only between `take` and its `Leave`, during which the seat is alive on this thread's stack;
        // the reference cannot outlive `f`.
        f(unsafe { CURRENT.get().as_ref() })
    }

    #[inline(always)]
    pub(crate) fn desk(&self) -> &'p Desk {
        &self.pool.desks[self.index]
    }
}

struct Leave<'s, 'p>(&'s Seat<'p>);

impl Drop for Leave<'_, '_> {
    fn drop(&mut self) {
        CURRENT.set(self.0.outer);
    }
}
