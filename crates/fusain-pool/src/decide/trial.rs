//! A trial: a few calls in a row that are run the way that seems worse, to see whether it still is.

use std::cell::Cell;

/// The number of calls of a trial, and how many of them, the first ones, do not count: their data has to move between the caches of the cores, and the units for wide
/// vectors take a while to reach full speed.
pub(super) const TRY_CALLS: u8 = 12;
const EARLY: u8 = 6;

/// A trial ends after this many calls if none of them has come near the cost of the other way.
pub(super) const FEW_CALLS: u8 = 4;

/// A trial of sharing is given up when this many of its calls have found no worker awake.
const IN_VAIN: u8 = 32;

/// See the [module](self).
pub(super) struct Trial {
    calls: Cell<u8>,
    left: Cell<u8>,
    shares: Cell<bool>,
    /// The lowest cost so far.
    best: Cell<f32>,
    in_vain: Cell<u8>,
}

/// What a call was to a trial.
pub(super) enum Took {
    /// A call that counts like any other.
    Any,
    /// One of the first of a trial, which does not count.
    Early,
    /// The first of those that count.
    First,
    /// Number [`FEW_CALLS`] of a trial, with the lowest cost until now.
    Few(f32),
}

impl Trial {
    pub(super) const fn new() -> Self {
        Self {
            calls: Cell::new(0),
            left: Cell::new(0),
            shares: Cell::new(false),
            best: Cell::new(0.0),
            in_vain: Cell::new(0),
        }
    }

    /// Begins a trial: if `shares`, the next `calls` calls are shared, else they run in sequence.
    pub(super) fn begin(&self, shares: bool, calls: u8) {
        self.calls.set(calls);
        self.left.set(calls);
        self.shares.set(shares);
        self.best.set(f32::INFINITY);
        self.in_vain.set(0);
    }

    pub(super) fn end(&self) {
        self.left.set(0);
    }

    /// Whether the next call is shared, if it belongs to a trial.
    pub(super) fn shares(&self) -> Option<bool> {
        (self.left.get() > 0).then(|| self.shares.get())
    }

    /// A call that was shared, or run in sequence, took `measured` nanoseconds an element. All calls of a short trial count.
    pub(super) fn took(&self, shares: bool, measured: f32) -> Took {
        if self.shares() != Some(shares) {
            return Took::Any;
        }
        let left = self.left.get() - 1;
        self.left.set(left);
        let best = self.best.get().min(measured);
        self.best.set(best);
        match self.calls.get() - left {
            _ if self.calls.get() < TRY_CALLS => Took::Any,
            FEW_CALLS => Took::Few(best),
            made if made <= EARLY => Took::Early,
            made if made == EARLY + 1 => Took::First,
            _ => Took::Any,
        }
    }

    /// A call that was to be shared has found no worker awake.
    pub(super) fn was_in_vain(&self) {
        let in_vain = self.in_vain.get() + 1;
        self.in_vain.set(in_vain);
        if in_vain >= IN_VAIN {
            self.end();
        }
    }
}
