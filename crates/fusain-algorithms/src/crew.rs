//! What runs an algorithm that takes several steps ([`Crew`]: a team, or in tests one thread), and states of one type for all elements, whose run loop is compiled
//! once ([`Common`]).

use std::ops::Range;

use fusain_pool::Algorithm;

use crate::policy::{Steps, Team};
use crate::ranges::Ranges;

/// What runs the steps of an algorithm that has several: a team of workers, or in tests one thread that acts as all workers.
pub(crate) trait Crew {
    /// How many workers can take part.
    fn workers(&self) -> usize;

    /// Elements a unit, where that was asked for.
    fn grain(&self) -> Option<usize>;

    /// Runs `algorithm` from `local` to its end.
    fn run<A: Algorithm<Local: Common>>(&self, algorithm: &A, local: A::Local);

    /// Calls `f` with ranges that partition `0..len`; an index stands for `weight` elements. What `f` needs it should have captured by value: see [`ranges`](crate::ranges).
    fn run_ranges(&self, len: usize, weight: usize, f: impl Fn(Range<usize>) + Sync);
}

impl Crew for Team<'_> {
    fn workers(&self) -> usize {
        self.workers()
    }

    fn grain(&self) -> Option<usize> {
        self.grain()
    }

    fn run<A: Algorithm<Local: Common>>(&self, algorithm: &A, local: A::Local) {
        A::Local::run(self, algorithm, local);
    }

    #[inline(always)]
    fn run_ranges(&self, len: usize, weight: usize, f: impl Fn(Range<usize>) + Sync) {
        visit(self, &Ranges::new(weight, f), len);
    }
}

/// Not generic: the run loop is compiled with this crate.
#[inline(never)]
fn visit(team: &Team<'_>, ranges: &Ranges<dyn Fn(Range<usize>) + Sync + '_>, len: usize) {
    team.run(ranges, 0..len);
}

/// States that are of the same type for elements of all types.
///
/// What is generic is compiled where it is called: the pool's run loop, in each program, for each type of states. These are run by functions that are not generic, so
/// their loops are compiled once, with this crate.
pub(crate) trait Common: Send + Sized {
    fn run(team: &Team<'_>, algorithm: &Steps<'_, Self>, local: Self);
}
