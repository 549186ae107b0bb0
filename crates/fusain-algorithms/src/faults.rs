//! Faults that tests plant, to check that they detect them.

use std::ops::Range;

use fusain_pool::Algorithm;
use fusain_testkit::{Losing, Move, drive};

use crate::execution::executor::Executor;
use crate::execution::ranges::Ranges;

/// A unit, and then a steal from the state that did it: enough for [`Losing`] to lose a part.
pub(crate) const ONE_STEAL: [Move; 2] = [Move::Unit { state: 0, grain: 1 }, Move::steal(0)];

/// An executor that claims to have three workers. It is one thread, which follows a script in each step.
pub(crate) struct Scripted<'s> {
    script: &'s [Move],
    grain: Option<usize>,
    loses: bool,
}

impl<'s> Scripted<'s> {
    pub(crate) fn new(script: &'s [Move], grain: Option<usize>) -> Self {
        Scripted { script, grain, loses: false }
    }

    /// An executor that loses every stolen part.
    pub(crate) fn losing() -> Self {
        Scripted { script: &ONE_STEAL, grain: None, loses: true }
    }

    fn follow<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        if self.loses {
            drive(&Losing(algorithm), local, self.script);
        } else {
            drive(algorithm, local, self.script);
        }
    }
}

impl Executor for Scripted<'_> {
    fn workers(&self) -> usize {
        3
    }

    fn grain(&self) -> Option<usize> {
        self.grain
    }

    fn run_ranges(&self, len: usize, weight: usize, f: impl Fn(Range<usize>) + Sync) {
        self.follow(&Ranges::new(weight, f), 0..len);
    }

    fn elements_in(&self, _ns: f32) -> Option<usize> {
        None
    }

    fn run<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        self.follow(algorithm, local);
    }

    fn run_claims<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        self.follow(algorithm, local);
    }
}
