//! Programs over ranks, checked against sequential programs.
//!
//! [`programs`] runs all of them on the ranks of a cluster: a search, a search with a bound, a recursion, loops.
//!
//! ```
//! use fusain_cluster::Cluster;
//! fusain_comm::World::threads(3).run(|comm| fusain_testkit_cluster::programs(&Cluster::over(comm)));
//! ```

mod knapsack;
mod phases;
mod queens;

use std::ops::Range;

use fusain_cluster::{Cluster, ForkJoin, Step};
use fusain_comm::Communicator;

pub use knapsack::Knapsack;
pub use phases::{Level, Phases};
pub use queens::Queens;

/// Runs all checks and returns their number.
///
/// # Panics
/// On every rank where a result is wrong or a run fails.
pub fn programs<C: Communicator>(cluster: &Cluster<'_, C>) -> usize {
    let mut checks = 0;
    for (n, solutions) in [(1, 1), (8, 92), (10, 724)] {
        assert_eq!(cluster.search(&Queens { n }), Ok(solutions), "{n} queens");
        checks += 1;
    }
    for (n, number) in [(0, 0), (2, 1), (20, 6_765)] {
        assert_eq!(cluster.fork_join(&Fib, n), Ok(number), "number {n}");
        checks += 1;
    }
    assert_eq!(cluster.fork_join(&Phases, Level::Root), Ok(Phases::LEAVES), "two phases");
    checks += 1;
    let text = |range: Range<usize>| range.map(|i| format!("{i} ")).collect::<String>();
    let fold = |all: &mut String, run: Range<usize>| *all += &text(run);
    assert_eq!(cluster.reduce(3..3_000, String::new, fold, |a, b| a + &b), Ok(text(3..3_000)));
    assert_eq!(cluster.collect(5..5, |i| i as u8), Ok(Vec::new()));
    assert_eq!(cluster.collect(0..2_000, |i| (i * i) as u64), Ok((0..2_000).map(|i| i * i).collect()));
    let best = cluster.table(&[0]);
    let (things, limit) = Knapsack::things();
    let found = cluster.search(&Knapsack { things: &things, limit, best: &best });
    let most = Knapsack::most(&things, limit);
    assert_eq!(found, Ok(most));
    assert!(best.get(0) <= most, "nobody has heard of more than there is");
    checks + 4
}

/// Fibonacci numbers, down to the last call.
struct Fib;

impl ForkJoin for Fib {
    type Task = u32;
    type Tasks = [u32; 2];
    type Value = u64;
    type Frame = ();
    fn begin(&self, n: u32) -> Step<Self> {
        if n < 2 { Step::Done(n.into()) } else { Step::Fork { tasks: [n - 1, n - 2], frame: () } }
    }
    fn join(&self, (): (), [a, b]: [u64; 2]) -> Step<Self> {
        Step::Done(a + b)
    }
}
