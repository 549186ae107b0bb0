//! What runs an algorithm that takes several steps: a team, or in tests one thread.

use std::ops::Range;

use fusain_pool::Algorithm;

use crate::execution::ranges::Ranges;
use crate::policy::Team;

/// What runs the steps of an algorithm that has several: a team of workers, or in tests one thread that acts as all workers.
pub(crate) trait Executor {
    /// How many workers can take part.
    fn workers(&self) -> usize;

    /// Elements a unit, where that was asked for.
    fn grain(&self) -> Option<usize>;

    /// Elements that take about `ns` in sequence, as far as that is known.
    fn elements_in(&self, ns: f32) -> Option<usize>;

    /// Runs `algorithm` from `local` to its end.
    fn run<A: Algorithm>(&self, algorithm: &A, local: A::Local);

    /// As [`run`](Self::run) for an algorithm whose workers claim their work from a common counter.
    fn run_claims<A: Algorithm>(&self, algorithm: &A, local: A::Local);

    /// Calls `f` with ranges that partition `0..len`; an index stands for `weight` elements. What `f` needs it should have captured by value: see [`ranges`](crate::execution::ranges).
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

/// Not generic: compiled with this crate, whatever is called for a range.
#[inline(never)]
fn visit(team: &Team<'_>, ranges: &Ranges<dyn Fn(Range<usize>) + Sync + '_>, len: usize) {
    team.run_directly(ranges, 0..len);
}
