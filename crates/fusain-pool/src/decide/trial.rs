//! A few calls in a row that are run the way that is thought the worse, to see whether it still is.

use std::cell::Cell;

/// Calls of a try. In the first ones what they work on has to move between the caches of the cores, and wide vectors get up to speed.
pub(super) const TRY_CALLS: u8 = 12;

/// After so many it ends if none has come near what is known of the other way.
pub(super) const FEW_CALLS: u8 = 4;

/// Calls that find nobody awake, until it is given up.
const IN_VAIN: u8 = 32;

/// See the [module](self).
pub(super) struct Trial {
    calls: Cell<u8>,
    left: Cell<u8>,
    shares: Cell<bool>,
    /// What comes near, in nanoseconds an element.
    near: Cell<f32>,
    /// The best so far.
    best: Cell<f32>,
    /// Of the calls of the second half what all have taken, and the longest.
    total: Cell<f32>,
    longest: Cell<f32>,
    in_vain: Cell<u8>,
}

/// What a timed call was.
pub(super) enum Took {
    /// No call of a trial, or of one that has no other call.
    Any,
    /// One of several.
    OneOf,
    /// The last of several, which take so much.
    Last(f32),
}

impl Trial {
    pub(super) const fn new() -> Self {
        Self {
            calls: Cell::new(0),
            left: Cell::new(0),
            shares: Cell::new(false),
            near: Cell::new(0.0),
            best: Cell::new(0.0),
            total: Cell::new(0.0),
            longest: Cell::new(0.0),
            in_vain: Cell::new(0),
        }
    }

    /// The next `calls` are shared, or run in sequence; fewer if none takes less than `near` nanoseconds an element.
    pub(super) fn begin(&self, shares: bool, calls: u8, near: f32) {
        self.calls.set(calls);
        self.left.set(calls);
        self.shares.set(shares);
        self.near.set(near);
        self.best.set(f32::INFINITY);
        self.total.set(0.0);
        self.longest.set(0.0);
        self.in_vain.set(0);
    }

    pub(super) fn end(&self) {
        self.left.set(0);
    }

    /// Whether the next call is shared, if it belongs to a trial.
    pub(super) fn shares(&self) -> Option<bool> {
        (self.left.get() > 0).then(|| self.shares.get())
    }

    /// A call that was run one way took `measured` nanoseconds an element. Where the trial comes near it `goes_on`, or a few calls are enough.
    pub(super) fn took(&self, shares: bool, measured: f32, goes_on: bool) -> Took {
        if self.shares() != Some(shares) {
            return Took::Any;
        }
        let (calls, left) = (self.calls.get(), self.left.get() - 1);
        self.left.set(left);
        if calls == 1 {
            return Took::Any;
        }
        let best = self.best.get().min(measured);
        self.best.set(best);
        if calls - left == FEW_CALLS && !(goes_on && best <= self.near.get()) {
            self.end();
            return Took::Last(best);
        }
        let half = calls / 2;
        if left < half {
            self.total.set(self.total.get() + measured);
            self.longest.set(self.longest.get().max(measured));
        }
        if left > 0 {
            return Took::OneOf;
        }
        // One may have been interrupted.
        Took::Last((self.total.get() - self.longest.get()) / f32::from(half - 1))
    }

    /// A call that was to be shared has found nobody awake.
    pub(super) fn was_in_vain(&self) {
        let in_vain = self.in_vain.get() + 1;
        self.in_vain.set(in_vain);
        if in_vain >= IN_VAIN {
            self.end();
        }
    }
}
