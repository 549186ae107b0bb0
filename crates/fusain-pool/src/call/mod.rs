//! A call in progress: what all who take part in it share.
//!
//! # Who is still at it
//!
//! Each participant but the caller is accounted for in one of two ways:
//!
//! * Those who have a part in the caller's frame by the latch of that [part]. Some have it from the receiver of another one, who says so when it brings its own back.
//! * All others by a *share* of the call: they are counted by its own [latch](crate::handover::latch).
//!
//! A giver adds a share before it delivers. It is accounted for itself, so the latch may be open then only if the giver holds a part, and the caller looks at
//! the parts first. A worker that has finished takes its share off as its *last* touch of the call: the caller may return, and the call be
//! gone, at that moment. The caller waits until all parts are back and the latch is open, in this order; each is an Acquire that pairs with the
//! Release of the one who left, so whatever the others wrote is seen, shares they added before they left among it.
//!
//! To sleep, the caller says so to its own latch and to those of its parts, and looks again at all of them. Checked by `checks::call`.
//!
//! **What panics do.** Every callback runs inside `catch_unwind`. The first payload is kept and comes out of the call when all have left; later ones are
//! dropped, inside `catch_unwind` again. States at work are dropped where they are. Tested by `panics_reach_the_caller` (`tests/stress.rs`), `everything_within_everything`
//! (`tests/hostile.rs`), and for every callback of every algorithm by the hostile suite of `fusain-algorithms`.

pub(crate) mod pace;
pub(crate) mod part;

use crate::handover::latch::Latch;
use crate::panics::{FirstPanic, Payload};
use crate::sync::{AtomicBool, AtomicU64, Ordering};
use crate::trace;
use crate::worker::handle::Handle;
use pace::{Grain, Timing};

/// See the [module](self). Its address is the call's token.
#[repr(C, align(128))]
pub(crate) struct Call {
    shares: Latch,
    stopped: AtomicBool,
    /// Whether sleeping workers are to be woken for it.
    wakes: AtomicBool,
    /// Whether nobody was awake to share it with. Relaxed: written and read by the caller.
    unshared: AtomicBool,
    /// Whether somebody has been woken for it. Relaxed: a hint.
    woke: AtomicBool,
    /// Whether somebody has done a part of it. Relaxed, as above.
    helped: AtomicBool,
    /// The longest unit timed so far, as [`Timing::to_bits`]; 0: none. Relaxed: an estimate.
    timing: AtomicU64,
    /// Work the call was estimated to have, in elements; 0: unknown.
    pub(crate) work: usize,
    pub(crate) owner: usize,
    /// Whether parts of long elements are [offered](crate::run::offers).
    pub(crate) offers: bool,
    panic: FirstPanic,
}

impl Call {
    pub(crate) fn new(owner: usize, brief: Brief) -> Self {
        Self {
            shares: Latch::new(0),
            stopped: AtomicBool::new(false),
            wakes: AtomicBool::new(brief.wakes),
            unshared: AtomicBool::new(false),
            woke: AtomicBool::new(false),
            helped: AtomicBool::new(false),
            timing: AtomicU64::new(0),
            work: brief.work,
            owner,
            offers: brief.offers,
            panic: FirstPanic::new(),
        }
    }

    pub(crate) fn token(&self) -> usize {
        &raw const *self as usize
    }

    pub(crate) fn set_unshared(&self) {
        self.unshared.store(true, Ordering::Relaxed);
    }

    pub(crate) fn set_woke(&self) {
        self.woke.store(true, Ordering::Relaxed);
    }

    pub(crate) fn set_helped(&self) {
        self.helped.store(true, Ordering::Relaxed);
    }

    /// What the call has shown.
    pub(crate) fn outcome(&self) -> Outcome {
        Outcome {
            timing: self.timing(),
            unshared: self.unshared.load(Ordering::Relaxed),
            woke: self.woke.load(Ordering::Relaxed),
            helped: self.helped.load(Ordering::Relaxed),
        }
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

    /// Relaxed: whoever must see it has been reached through [`Slot::signal_stop`](crate::worker::slot::Slot::signal_stop) or through a delivery.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Keeps the first panic's payload and asks everybody to leave.
    #[cold]
    pub(crate) fn fail(&self, payload: Payload, handle: &Handle<'_>) {
        handle.slot().tally().panics.add(1);
        trace::caught_panic(handle.index);
        self.panic.keep(payload);
        self.stopped.store(true, Ordering::Relaxed);
        for slot in handle.pool.slots.iter() {
            slot.signal_stop();
        }
    }

    pub(crate) fn take_panic(&mut self) -> Option<Payload> {
        if self.is_stopped() { self.panic.take() } else { None }
    }

    /// Giver, before a delivery or an offer.
    pub(crate) fn add_share(&self) {
        self.shares.add();
    }

    /// Caller, all parts being back: whether nobody else is left.
    #[inline(always)]
    pub(crate) fn is_alone(&self) -> bool {
        self.shares.is_open()
    }

    /// Caller: asks to be unparked by the last who takes its share off. That may have happened, and the caller looks again.
    #[cold]
    pub(crate) fn await_shares(&self) {
        self.shares.sleep();
    }

    /// Worker: takes its share off. The call may be gone afterwards, hence the pointer.
    ///
    /// # Safety
    /// `this` is alive and a share in it is the caller's to give up.
    #[inline(always)]
    pub(crate) unsafe fn drop_share(this: *const Self, handle: &Handle<'_>) {
        // SAFETY: alive until the share is gone.
        let owner = unsafe { (*this).owner };
        // SAFETY: as above; this is the place of a field.
        let shares = unsafe { &raw const (*this).shares };
        // SAFETY: the share is the caller's to give up.
        if unsafe { Latch::count_down(shares) } {
            handle.unpark(owner);
        }
    }
}

/// What the caller knows about a call beforehand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brief {
    pub(crate) grain: Grain,
    pub(crate) work: usize,
    pub(crate) wakes: bool,
    /// Whether parts of long elements are [offered](crate::run::offers).
    pub(crate) offers: bool,
}

/// What a call has shown that may help the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The longest unit that was timed.
    pub(crate) timing: Option<Timing>,
    /// Whether nobody was awake and idle to share it with, or who seemed to be has not come.
    pub(crate) unshared: bool,
    /// Whether somebody has been woken for it.
    pub(crate) woke: bool,
    /// Whether somebody has done a part of it, who may have been woken by an earlier call and come late.
    pub(crate) helped: bool,
}
