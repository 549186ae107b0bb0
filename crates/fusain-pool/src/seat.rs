//! A seat: what a thread is to itself while it takes part in a pool.
//!
//! The [`Desk`](crate::desk::Desk) is the public half of a worker; the seat is the private one. It lives on the stack of the thread that
//! sits there: for a pool thread as long as the thread (where threads are lent, as long as a visit), for a guest (a thread of the application that calls into
//! the pool) as long as its outermost call.

use crate::desk::Desk;
use crate::jobs::Jobs;
use crate::pool::Inner;
use crate::trace;
use std::cell::Cell;
use std::ptr;

pub(crate) struct Seat<'p> {
    pub(crate) pool: &'p Inner,
    pub(crate) index: usize,
    desk: &'p Desk,
    /// This worker's own fork-join jobs, oldest first.
    pub(crate) jobs: Jobs,
    /// How many pieces of work taken while waiting lie on this thread's stack.
    pub(crate) depth: Cell<usize>,
}

type Erased = *const Seat<'static>;

thread_local! {
    /// The innermost seat of this thread, or null.
    static CURRENT: Cell<Erased> = const { Cell::new(ptr::null()) };
    /// The same while it is inside a join or scope, else null: all that the fast path of `join` has to look at.
    static FORKED: Cell<Erased> = const { Cell::new(ptr::null()) };
}

impl<'p> Seat<'p> {
    pub(crate) fn new(pool: &'p Inner, index: usize) -> Self {
        Seat { pool, index, desk: &pool.desks[index], jobs: Jobs::new(), depth: Cell::new(0) }
    }

    /// Runs `work` with this thread seated at desk `index`.
    pub(crate) fn take<R>(pool: &'p Inner, index: usize, work: impl FnOnce(&Seat<'p>) -> R) -> R {
        let seat = Seat::new(pool, index);
        // The cast only forgets a lifetime; the readers give it back bounded by a call.
        let _leave = Leave { current: CURRENT.replace((&raw const seat).cast()), forked: FORKED.replace(ptr::null()) };
        work(&seat)
    }

    /// Runs `f` with this thread's innermost seat, or with none.
    #[inline(always)]
    pub(crate) fn current<R>(f: impl FnOnce(Option<&Seat<'_>>) -> R) -> R {
        // SAFETY: non-null only between `take` and its `Leave`, during which the seat is alive on this thread's stack;
        // the reference cannot outlive `f`.
        f(unsafe { CURRENT.get().as_ref() })
    }

    /// Runs `f` with this thread's innermost seat if that is inside a join or scope, or with none.
    #[inline(always)]
    pub(crate) fn forked<R>(f: impl FnOnce(Option<&Seat<'_>>) -> R) -> R {
        // SAFETY: as in `current`: `Forked` ends before the seat does.
        f(unsafe { FORKED.get().as_ref() })
    }

    #[inline(always)]
    pub(crate) fn desk(&self) -> &'p Desk {
        self.desk
    }

    /// The desks of all other workers, from the next one on.
    #[inline(always)]
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let (index, workers) = (self.index, self.pool.workers);
        (index + 1..workers).chain(0..index.min(workers))
    }

    /// Notes that work has been handed over.
    #[inline(always)]
    pub(crate) fn gave(&self, to: usize) {
        self.desk().tally().steals_done.add(1);
        trace::gave(self.index, to);
    }
}

/// Puts back what was current before a seat was taken.
struct Leave {
    current: Erased,
    forked: Erased,
}

impl Drop for Leave {
    fn drop(&mut self) {
        CURRENT.set(self.current);
        FORKED.set(self.forked);
    }
}

/// While it lives, `seat` (this thread's innermost) is inside the outermost join or scope `token`, and its desk serves that.
pub(crate) struct Forked<'s, 'p> {
    seat: &'s Seat<'p>,
    outer: Erased,
    token: usize,
    served: usize,
}

impl<'s, 'p> Forked<'s, 'p> {
    pub(crate) fn begin(seat: &'s Seat<'p>, token: usize) -> Self {
        let served = seat.desk().serves();
        seat.desk().serve(token);
        let seat_ptr: *const Seat<'p> = seat;
        Self { seat, outer: FORKED.replace(seat_ptr.cast()), token: seat.jobs.root.replace(token), served }
    }
}

impl Drop for Forked<'_, '_> {
    fn drop(&mut self) {
        FORKED.set(self.outer);
        self.seat.jobs.root.set(self.token);
        self.seat.desk().serve(self.served);
    }
}
