//! A call in progress: what all its participants share.
//!
//! # Which participants are left
//!
//! Each participant but the caller is accounted for in one of two ways:
//!
//! * One that has a part in the caller's frame, by the latch of that [part]. It may have got the part from the receiver of another part, which says so when it brings its own back.
//! * Any other one, by a *share* of the call: the shares are counted by the call's own [latch](crate::handover::latch).
//!
//! A giver adds a share before it delivers. It is accounted for itself, so the latch can be open at that moment only if the giver holds a part, and the caller looks at
//! the parts first. A worker that has finished drops its share as its *last* touch of the call: at that moment the caller may return, and the call be
//! gone. The caller waits until all parts are back and the latch is open, in this order. Each of the two is an Acquire that pairs with the
//! Release of the participant that left, so the caller sees whatever the participants wrote, including shares that they added before they left.
//!
//! To sleep, the caller says so to its own latch and to those of its parts, and then looks at all of them again. Checked by `checks::call`.
//!
//! **What panics do.** Every callback runs inside `catch_unwind`. The first payload is kept and comes out of the call when all participants have left; later ones are
//! dropped, inside `catch_unwind` again. A state that is being worked on is dropped by its worker. Tested by `panics_reach_the_caller` (`tests/stress.rs`),
//! `everything_within_everything` (`tests/hostile.rs`), and for every callback of every algorithm by the hostile suite of `fusain-algorithms`.

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
    /// Whether no worker was awake to share it with. Relaxed: written and read by the caller.
    unshared: AtomicBool,
    /// Whether a worker has been woken for it. Relaxed: a hint.
    woke: AtomicBool,
    /// Whether a receiver has done a part of it. Relaxed, as above.
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
    pub(crate) fn new(owner: usize, options: CallOptions) -> Self {
        Self {
            shares: Latch::new(0),
            stopped: AtomicBool::new(false),
            wakes: AtomicBool::new(options.wakes),
            unshared: AtomicBool::new(false),
            woke: AtomicBool::new(false),
            helped: AtomicBool::new(false),
            timing: AtomicU64::new(0),
            work: options.work,
            owner,
            offers: options.offers,
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

    /// Notes a timed unit. If two workers do so at once, one of the two is lost, which does no harm.
    pub(crate) fn note(&self, timing: Timing) {
        if self.timing().is_none_or(|longest| longest.elapsed_ns < timing.elapsed_ns) {
            self.timing.store(timing.to_bits(), Ordering::Relaxed);
        }
    }

    /// The longest unit timed so far, which tells most.
    fn timing(&self) -> Option<Timing> {
        Timing::from_bits(self.timing.load(Ordering::Relaxed))
    }

    pub(crate) fn wakes(&self) -> bool {
        self.wakes.load(Ordering::Relaxed)
    }

    pub(crate) fn set_wakes(&self) {
        self.wakes.store(true, Ordering::Relaxed);
    }

    /// Relaxed: a participant that must see it has been told through [`Slot::signal_stop`](crate::worker::slot::Slot::signal_stop) or by a delivery.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Keeps the first panic's payload and asks all participants to leave.
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

    /// Giver, before a delivery or an offer: adds a share.
    pub(crate) fn add_share(&self) {
        self.shares.add();
    }

    /// Caller, when all parts are back: whether no other participant is left.
    #[inline(always)]
    pub(crate) fn is_alone(&self) -> bool {
        self.shares.is_open()
    }

    /// Caller: asks to be unparked by the last participant that drops its share. That may have happened already, so the caller looks again.
    #[cold]
    pub(crate) fn await_shares(&self) {
        self.shares.sleep();
    }

    /// Worker: drops its share. The call may be gone afterwards, hence the pointer.
    ///
    /// # Safety
    /// `this` is alive, and the calling worker holds a share in it, which it gives up.
    #[inline(always)]
    pub(crate) unsafe fn drop_share(this: *const Self, handle: &Handle<'_>) {
        // SAFETY: alive until the share is gone.
        let owner = unsafe { (*this).owner };
        // SAFETY: as above; this is the place of a field.
        let shares = unsafe { &raw const (*this).shares };
        // SAFETY: the share is given up here, by the caller's contract.
        if unsafe { Latch::count_down(shares) } {
            handle.unpark(owner);
        }
    }
}

/// What the caller knows about a call beforehand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallOptions {
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
    /// Whether no worker was awake and idle to share it with, or one that seemed to be has not come.
    pub(crate) unshared: bool,
    /// Whether a worker has been woken for it.
    pub(crate) woke: bool,
    /// Whether a receiver has done a part of it; it may have been woken by an earlier call, and have come late.
    pub(crate) helped: bool,
}
