//! Every collective schedule, checked against a direct computation.
//!
//! [`collectives`] runs all of them on the ranks of a communicator, with every algorithm, for the given numbers of elements. Each rank
//! computes the expected result from the elements of all ranks, which are a function of rank and place. [`choices()`] lets the size choose the
//! algorithm.
//!
//! ```
//! fusain_comm::World::threads(3).run(|comm| fusain_testkit_schedule::collectives(&comm, &[0, 5]));
//! ```

mod blocks;
mod choices;
mod drive;
mod reductions;

use std::cell::Cell;

use fusain_comm::{Communicator, Plain};
use fusain_schedule::{Region, Run, ScheduleBuilder};

pub use choices::choices;
pub use drive::drive;

/// Runs all checks and returns their number.
///
/// # Panics
/// On every rank where a result is wrong.
pub fn collectives<C: Communicator>(comm: &C, counts: &[usize]) -> usize {
    let suite = Suite { comm, runs: Cell::new(0) };
    for &count in counts {
        reductions::check(&suite, count);
        blocks::check(&suite, count);
    }
    suite.runs.get()
}

struct Suite<'a, C> {
    comm: &'a C,
    runs: Cell<usize>,
}

impl<C: Communicator> Suite<'_, C> {
    fn rank(&self) -> usize {
        self.comm.rank()
    }

    fn size(&self) -> usize {
        self.comm.size()
    }

    fn builder(&self) -> ScheduleBuilder {
        ScheduleBuilder::in_program_order(self.rank(), self.size())
    }

    /// Compiles the schedule and runs it twice, since the second run must not see anything of the first.
    fn run<T: Plain + PartialEq + std::fmt::Debug>(
        &self,
        builder: ScheduleBuilder,
        (input, given): (Region<T>, Vec<T>),
        output: Option<Region<T>>,
    ) -> Vec<T> {
        let once = |mut run: Run| {
            run.put(input, given.clone()).expect("the input fits");
            if let Some(output) = output {
                run.put(output, vec![T::zeroed(); output.len()]).expect("the output fits");
            }
            let number = self.runs.replace(self.runs.get() + 1);
            let mut run = drive(self.comm, run, number).expect("a collective runs");
            let result = run.take(output.unwrap_or(input));
            (run, result)
        };
        let run = builder.compile().expect("a collective compiles").prepare().expect("there is memory");
        let (run, first) = once(run);
        let (_, second) = once(run);
        assert_eq!(first, second, "the second run differs");
        first
    }
}

/// The element of rank `rank` at `place`.
fn element(rank: usize, place: usize) -> u64 {
    (rank as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (place as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

fn elements(rank: usize, count: usize) -> Vec<u64> {
    (0..count).map(|place| element(rank, place)).collect()
}

/// Lengths of blocks: different ones, some of them 0.
fn uneven(size: usize, count: usize) -> Vec<usize> {
    (0..size).map(|rank| if rank % 3 == 1 { 0 } else { count + rank % 4 }).collect()
}
