//! The interface for running an algorithm that takes several steps: on a team, or in tests on one thread.

use std::ops::Range;

use fusain_pool::Algorithm;

use crate::execution::ranges::Ranges;
use crate::policy::Team;

/// Runs the steps of an algorithm that has several: a team of workers, or in tests one thread that acts as all workers.
pub(crate) trait Executor {
    /// How many workers can take part.
    fn workers(&self) -> usize;

    /// The number of elements in a unit, if the caller has set it.
    fn grain(&self) -> Option<usize>;

    /// How many elements take about `ns` nanoseconds in sequence, if that is known.
    fn elements_in(&self, ns: f32) -> Option<usize>;

    /// Runs `algorithm` from `local` to its end.
    fn run<A: Algorithm>(&self, algorithm: &A, local: A::Local);

    /// Like [`run`](Self::run), for an algorithm whose workers claim their work from a common counter.
    fn run_claims<A: Algorithm>(&self, algorithm: &A, local: A::Local);

    /// Calls `f` with ranges that partition `0..len`; an index stands for `weight` elements. `f` should capture by value what it reads: see [`ranges`](crate::execution::ranges).
    fn run_ranges(&self, len: usize, weight: usize, f: impl Fn(Range<usize>) + Sync);
}

impl Executor for Team<'_> {
    fn workers(&self) -> usize {
        self.workers()
    }

    fn grain(&self) -> Option<usize> {
        self.grain()
    }

    fn elements_in(&self, ns: f32) -> Option<usize> {
        self.elements_in(ns)
    }

    fn run<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        self.run(algorithm, local);
    }

    fn run_claims<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        self.run_claims(algorithm, local);
    }

    #[inline(always)]
    fn run_ranges(&self, len: usize, weight: usize, f: impl Fn(Range<usize>) + Sync) {
        visit(self, &Ranges::new(weight, f), len);
    }
}

/// Not generic, so it is compiled once, with this crate, and not for each closure.
#[inline(never)]
fn visit(team: &Team<'_>, ranges: &Ranges<dyn Fn(Range<usize>) + Sync + '_>, len: usize) {
    team.run_directly(ranges, 0..len);
}
