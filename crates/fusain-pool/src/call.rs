//! A call in progress: what all who take part in it share.
//!
//! # Who is still at it
//!
//! Each participant but the caller is accounted for in one of two ways:
//!
//! * Those the caller has handed work with the announcement by their [errand](crate::errand), which comes back into the caller's frame.
//! * All others by a *share* in `active`, which counts two for each, the caller's own among them; bit 0 says that the caller sleeps.
//!
//! A giver adds a share before it delivers. It is accounted for itself, so the count cannot have been at its end: Relaxed. A worker that
//! has finished takes its share off (AcqRel) as its *last* touch of the call: the caller may return, and the call be gone, at
//! that moment. The caller waits until all errands are back and only its own share is left, in this order; each is an
//! Acquire that pairs with the Release of the one who left, so whatever the others wrote is seen, shares they added before they
//! left among it.
//!
//! To sleep, the caller sets bit 0 and marks its errands as awaited. Marking and leaving are read-modify-writes of one word
//! each, so one of the two sees the other: either the caller finds the participant gone, or that one finds the mark and unparks
//! the caller, which then looks again at all of them. Checked by `models::call`.

use crate::pace::{Grain, Timing};
use crate::seat::Seat;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering};
use crate::trace;
use std::any::Any;

const SHARE: usize = 2;
const CALLER_SLEEPS: usize = 1;

/// See the [module](self). Its address is the call's token.
#[repr(C, align(128))]
pub(crate) struct Call {
    active: AtomicUsize,
    stopped: AtomicBool,
    /// Whether sleeping workers are to be woken for it.
    wakes: AtomicBool,
    /// Whether nobody was awake to share it with. Relaxed: written and read by the caller.
    unshared: AtomicBool,
    /// The longest unit timed so far, as [`Timing::to_bits`]; 0: none. Relaxed: an estimate.
    timing: AtomicU64,
    /// Work the call was estimated to have, in elements; 0: unknown.
    pub(crate) work: usize,
    pub(crate) owner: usize,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Call {
    pub(crate) fn new(owner: usize, brief: Brief) -> Self {
        Self {
            active: AtomicUsize::new(SHARE),
            stopped: AtomicBool::new(false),
            wakes: AtomicBool::new(brief.wakes),
            unshared: AtomicBool::new(false),
            timing: AtomicU64::new(0),
            work: brief.work,
            owner,
            panic: Mutex::new(None),
        }
    }

    pub(crate) fn token(&self) -> usize {
        &raw const *self as usize
    }

    pub(crate) fn set_unshared(&self) {
        self.unshared.store(true, Ordering::Relaxed);
    }

    /// What the call has shown.
    pub(crate) fn outcome(&self) -> Outcome {
        Outcome { timing: self.timing(), unshared: self.unshared.load(Ordering::Relaxed) }
    }

    /// Notes a timed unit. Of two workers that note at once one is lost, which does no harm.
    pub(crate) fn note(&self, timing: Timing) {
        if self.timing().is_none_or(|longest| longest.elapsed_ns < timing.elapsed_ns) {
            self.timing.store(timing.to_bits(), Ordering::Relaxed);
        }
    }

    /// The longest unit timed so far: the one that says most.
    fn timing(&self) -> Option<Timing> {
        Timing::from_bits(self.timing.load(Ordering::Relaxed))
    }

    pub(crate) fn wakes(&self) -> bool {
        self.wakes.load(Ordering::Relaxed)
    }

    pub(crate) fn set_wakes(&self) {
        self.wakes.store(true, Ordering::Relaxed);
    }

    /// Relaxed: whoever must see it has been reached through [`Desk::ring`](crate::desk::Desk::ring) or through a delivery.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Keeps the first panic's payload and asks everybody to leave.
    #[cold]
    pub(crate) fn fail(&self, payload: Box<dyn Any + Send>, seat: &Seat<'_>) {
        seat.desk().tally().panics.add(1);
        trace::caught_panic(seat.index);
        let surplus = {
            let mut first = self.panic.lock().expect("no panic happens under this lock");
            match &*first {
                None => {
                    *first = Some(payload);
                    None
                }
                Some(_) => Some(payload),
            }
        };
        // A later payload is dropped like one that nobody joins; its own drop may panic again, and must not stop us.
        if let Some(payload) = surplus {
            std::mem::forget(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(payload))));
        }
        self.stopped.store(true, Ordering::Relaxed);
        for desk in seat.pool.desks.iter() {
            desk.ring();
        }
    }

    pub(crate) fn take_panic(&mut self) -> Option<Box<dyn Any + Send>> {
        if !self.is_stopped() {
            return None;
        }
        self.panic.lock().expect("no panic happens under this lock").take()
    }

    /// Giver, before a delivery.
    pub(crate) fn add_share(&self) {
        self.active.fetch_add(SHARE, Ordering::Relaxed);
    }

    /// Caller, all errands being back: whether nobody else is left. Acquire: pairs with the Release in [`drop_share`](Self::drop_share).
    #[inline(always)]
    pub(crate) fn is_alone(&self) -> bool {
        self.active.load(Ordering::Acquire) & !CALLER_SLEEPS == SHARE
    }

    /// Caller: asks to be unparked by the last who takes its share off. That may have happened, and the caller looks again.
    #[cold]
    pub(crate) fn await_shares(&self) {
        self.active.fetch_or(CALLER_SLEEPS, Ordering::AcqRel);
    }

    /// Worker: takes its share off. The call may be gone afterwards, hence the pointer.
    ///
    /// # Safety
    /// `this` is alive and a share in it is the caller's to give up.
    #[inline(always)]
    pub(crate) unsafe fn drop_share(this: *const Self, seat: &Seat<'_>) {
        // SAFETY: alive until the share is gone.
        let this = unsafe { &*this };
        let owner = this.owner;
        let before = this.active.fetch_sub(SHARE, Ordering::AcqRel);
        if before == SHARE + SHARE + CALLER_SLEEPS {
            seat.pool.desks[owner].unpark();
            seat.desk().tally().wakes.add(1);
        }
    }
}

/// What the caller knows about a call beforehand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brief {
    pub(crate) grain: Grain,
    pub(crate) work: usize,
    pub(crate) wakes: bool,
}

/// What a call has shown that may help the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The longest unit that was timed.
    pub(crate) timing: Option<Timing>,
    /// Whether workers could have helped, but slept.
    pub(crate) unshared: bool,
}
