//! A few calls in a row that are run the way that is thought the worse, to see whether it still is.

use std::cell::Cell;

/// Calls of a try, the best of which counts: in the first ones what they work on has to move between the caches of the cores.
pub(super) const TRY_CALLS: u8 = 4;

/// Calls that find nobody awake, until it is given up.
const IN_VAIN: u8 = 32;

/// See the [module](self).
pub(super) struct Trial {
    calls: Cell<u8>,
    left: Cell<u8>,
    shares: Cell<bool>,
    /// The best so far, in nanoseconds an element.
    best: Cell<f32>,
    in_vain: Cell<u8>,
}

/// What a timed call was.
pub(super) enum Took {
    /// No call of a trial, or of one that has no other call.
    Any,
    /// One of several.
    OneOf,
    /// The last of several, of which the best took so much.
    Last(f32),
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

    /// The next `calls` are shared, or run in sequence.
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

    /// A call that was run one way took `measured` nanoseconds an element.
    pub(super) fn took(&self, shares: bool, measured: f32) -> Took {
        if self.shares() != Some(shares) {
            return Took::Any;
        }
        let (best, left) = (self.best.get().min(measured), self.left.get() - 1);
        self.best.set(best);
        self.left.set(left);
        match (self.calls.get(), left) {
            (1, _) => Took::Any,
            (_, 0) => Took::Last(best),
            _ => Took::OneOf,
        }
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
