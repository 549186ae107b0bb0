//! Searches, recursions and loops over in-process ranks.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fusain_cluster::{Cluster, Error, ForkJoin, Search, Step, Table, Victims};
use fusain_comm::progress::{Settings, run_funneled};
use fusain_comm::{Communicator, LogGp, Network, World};
use fusain_pool::Pool;
use fusain_testkit_cluster::programs;
use serde::{Deserialize, Serialize};

/// Worlds and pools of several sizes, with and without message delays.
#[test]
fn programs_find_what_their_sequential_twins_find() {
    for (ranks, workers, micros) in [(1, 1, 0), (1, 4, 0), (2, 1, 0), (3, 2, 200), (5, 1, 50), (8, 3, 0)] {
        let link = LogGp { latency_ns: micros * 1_000, ..LogGp::default() };
        let world = World::threads(ranks);
        let world = if micros > 0 { world.network(Network::flat(link)) } else { world };
        world.run(|comm| {
            let pool = Pool::builder().threads(workers).build().unwrap();
            programs(&Cluster::over(comm).pool(&pool))
        });
    }
}

/// On a loop that the caller drives, two clusters one after the other.
#[test]
fn a_loop_that_is_driven_already_serves() {
    World::threads(3).run(|comm| {
        let (checks, end) = run_funneled(comm, Settings::default(), |handle| {
            let pool = Pool::builder().threads(1).build().unwrap();
            [(); 2].map(|()| programs(&Cluster::on(handle.clone()).pool(&pool)))
        });
        assert_eq!(checks[0], checks[1]);
        assert!(end.abandoned.is_empty() && end.unreported.is_empty(), "{:?} {:?}", end.abandoned, end.unreported);
    });
}

#[test]
fn a_report_can_be_asked_for_before_any_run() {
    let reports = World::threads(3).run(|comm| Cluster::over(comm).report().unwrap());
    assert_eq!(reports[0].as_ref().map(|report| report.ranks.len()), Some(3));
}

/// The silent rank's first report and those of other ranks may be under way, but its second report never comes.
#[test]
fn a_rank_that_leaves_instead_of_reporting_is_named() {
    for ranks in 2..=5 {
        let silent = ranks - 1;
        let ends = World::threads(ranks).run(|comm| {
            let cluster = Cluster::over(comm);
            cluster.report().unwrap();
            if cluster.rank() == silent { Ok(None) } else { cluster.report() }
        });
        assert!(matches!(ends[0], Err(Error::RankLost { rank, .. }) if rank == silent), "{ends:?}");
    }
}

/// With lifelines a rank asks only once, and perhaps before rank 0 wants the reports.
#[test]
fn a_rank_that_runs_instead_of_reporting_is_an_error() {
    for (ranks, victims) in (2..=5).flat_map(|ranks| [(ranks, Victims::Random), (ranks, Victims::Lifelines)]) {
        let other = ranks - 1;
        let ends = World::threads(ranks).run(|comm| {
            let cluster = Cluster::over(comm).victims(victims.clone());
            cluster.report()?;
            if cluster.rank() == 0 {
                sleep(Duration::from_millis(20));
            }
            if cluster.rank() != other {
                return cluster.report().map(drop);
            }
            cluster.collect(0..10, |at| at).map(drop)
        });
        // The error may name the other rank, or a rank that has reported and does not come to that run.
        assert!(matches!(ends[0], Err(Error::RankLost { rank, .. }) if rank > 0), "{ends:?}");
        assert!(ends[other].is_err(), "{ends:?}");
    }
}

/// The last value that a rank raised is sent before the rank leaves.
#[test]
fn a_raise_is_told_although_its_rank_leaves() {
    let seen = World::threads(3).run(|comm| {
        let cluster = Cluster::over(comm);
        let table = cluster.table(&[0]);
        cluster.collect(0..3, |at| at).unwrap();
        if cluster.rank() == 1 {
            table.raise(0, 1);
            table.raise(0, 2);
            return 2;
        }
        let begun = Instant::now();
        while table.get(0) < 2 && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        table.get(0)
    });
    assert_eq!(seen, [2, 2, 2]);
}

/// The greatest of some numbers of two digits, to the base 100. The search ends once it is large enough.
struct LargeEnough<'a>(&'a Table);

impl Search for LargeEnough<'_> {
    type Node = Vec<i64>;
    type Choice = i64;
    type Choices = std::ops::Range<i64>;
    type Undo = usize;
    type Output = i64;
    fn root(&self) -> Vec<i64> {
        Vec::new()
    }
    fn choices(&self, digits: &Vec<i64>, found: &mut i64) -> Self::Choices {
        if let [first, second] = digits[..] {
            // Takes long enough that other ranks take a part.
            std::thread::sleep(Duration::from_micros(100));
            *found = (*found).max(100 * first + second);
            self.0.raise(0, *found);
        }
        if digits.len() < 2 && self.0.get(0) < 300 { 0..100 } else { 0..0 }
    }
    fn apply(&self, digits: &mut Vec<i64>, digit: &i64) -> usize {
        digits.push(*digit);
        digits.len() - 1
    }
    fn undo(&self, digits: &mut Vec<i64>, length: &usize) {
        digits.truncate(*length);
    }
    fn merge(&self, found: &mut i64, part: i64) {
        *found = part.max(*found);
    }
}

/// A rank that chose a part before it knew the bound has made no error.
#[test]
fn choices_may_be_left_out_by_a_bound() {
    for ranks in [1, 2, 5] {
        World::threads(ranks).run(|comm| {
            let pool = Pool::builder().threads(1).build().unwrap();
            let cluster = Cluster::over(comm).pool(&pool);
            let best = cluster.table(&[0]);
            let found = cluster.search(&LargeEnough(&best)).unwrap();
            assert!(found >= 300 && best.get(0) >= 300, "{found}");
        });
    }
}

/// A chain of tasks, each of which needs the one before it, then many that need nothing.
struct LateWork<'a> {
    rank: usize,
    /// How many of the independent tasks were done on this rank.
    done: &'a AtomicU64,
}

#[derive(Clone, Serialize, Deserialize)]
enum Late {
    /// The root of the chain, whose links are made one after the other, if `elsewhere` on another rank. Meanwhile no other rank can do anything.
    Root {
        elsewhere: bool,
    },
    Pause,
    Link(u32),
    Many,
}

impl ForkJoin for LateWork<'_> {
    type Task = Late;
    type Tasks = Vec<Late>;
    type Value = u64;
    /// Whether the independent tasks come after it.
    type Frame = bool;
    fn begin(&self, task: Late) -> Step<Self> {
        sleep(Duration::from_millis(1));
        match task {
            Late::Root { elsewhere: false } => Step::Fork { tasks: vec![Late::Link(50)], frame: true },
            Late::Root { elsewhere: true } => Step::Fork { tasks: vec![Late::Pause; 2], frame: true },
            Late::Pause if self.rank == 0 => {
                sleep(Duration::from_millis(20));
                Step::Done(0)
            }
            Late::Pause => Step::Fork { tasks: vec![Late::Link(50)], frame: false },
            Late::Link(0) => Step::Done(0),
            Late::Link(left) => Step::Fork { tasks: vec![Late::Link(left - 1)], frame: false },
            Late::Many => {
                self.done.fetch_add(1, Relaxed);
                Step::Done(1)
            }
        }
    }
    fn join(&self, is_root: bool, values: Vec<u64>) -> Step<Self> {
        if is_root {
            return Step::Fork { tasks: vec![Late::Many; 400], frame: false };
        }
        Step::Done(values.iter().sum())
    }
}

/// With lifelines a rank asks no more when it was refused by all. So a rank that refused it while there was nothing to split, or before a result came,
/// has to remember it.
#[test]
fn who_was_refused_along_lifelines_gets_what_comes_later() {
    for elsewhere in [false, true] {
        let done = World::threads(4).run(|comm| {
            let pool = Pool::builder().threads(1).build().unwrap();
            let (rank, done) = (comm.rank(), AtomicU64::new(0));
            let cluster = Cluster::over(comm).pool(&pool).victims(Victims::Lifelines);
            assert_eq!(cluster.fork_join(&LateWork { rank, done: &done }, Late::Root { elsewhere }), Ok(400));
            done.into_inner()
        });
        // Each rank gets a part of half a second's work, even on a machine that is busy with other things.
        assert!(done.iter().all(|&done| done > 0), "{done:?}");
    }
}
