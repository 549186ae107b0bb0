//! Runs over in-process ranks give the results of one thread, whatever the network does.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Barrier, OnceLock};
use std::time::{Duration, Instant};

use fusain_cluster::{Cluster, Distributed, Error, Level, RankReport, Report, Victims};
use fusain_comm::progress::{Progress, Settings};
use fusain_comm::{Communicator, LogGp, Network, Source, World};
use fusain_pool::{Algorithm, Pool};
use proptest::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Sums a function of a range, slowly.
#[derive(Default)]
struct Sum {
    found: AtomicU64,
    panics_at: Option<u64>,
}

fn weight(at: u64) -> u64 {
    // Uneven: some numbers take a hundred times as long as others.
    let turns = if at.is_multiple_of(64) { 2_000 } else { 20 };
    (0..turns).fold(at, |x, _| x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)) >> 32
}

fn expected(range: Range<u64>) -> u64 {
    range.map(weight).sum()
}

impl Algorithm for Sum {
    type Local = (Range<u64>, u64);
    fn has_local_work(&self, (range, _): &Self::Local) -> bool {
        !range.is_empty()
    }
    fn do_unit(&self, (range, sum): &mut Self::Local, grain: usize) {
        for at in range.by_ref().take(grain) {
            assert_ne!(Some(at), self.panics_at, "planted");
            *sum += weight(at);
        }
    }
    fn commit(&self, (_, sum): &mut Self::Local) {
        self.found.fetch_add(std::mem::take(sum), Relaxed);
    }
    fn split(&self, (range, _): &mut Self::Local) -> Option<Self::Local> {
        let middle = range.start + (range.end - range.start) / 2;
        let stolen = middle..std::mem::replace(&mut range.end, middle);
        (!stolen.is_empty()).then_some((stolen, 0))
    }
}

impl Distributed for Sum {
    type Output = u64;
    fn take(&self) -> u64 {
        self.found.swap(0, Relaxed)
    }
    fn merge(&self, sum: &mut u64, part: u64) {
        *sum += part;
    }
}

fn pool(workers: usize) -> Pool {
    Pool::builder().threads(workers).build().unwrap()
}

#[test]
fn any_number_of_ranks_and_workers_finds_the_same() {
    let wanted = expected(0..20_000);
    for ranks in [1, 2, 3, 8] {
        for workers in [1, 2, 4] {
            let sums = World::threads(ranks).run(|comm| {
                let pool = pool(workers);
                Cluster::over(comm).pool(&pool).run(&Sum::default(), (0..20_000, 0)).unwrap()
            });
            assert_eq!(sums, vec![wanted; ranks], "{ranks} ranks of {workers}");
        }
    }
}

/// Also shows that ranks do steal, in one of many runs: a rank may have done all work before another one has begun.
#[test]
fn reports_balance() {
    let (stolen, all) = (AtomicBool::new(false), Barrier::new(4));
    let reports = World::threads(4).run(|comm| {
        let pool = pool(2);
        let cluster = Cluster::over(comm).pool(&pool).watch(|status| assert!(status.idle <= status.ranks));
        let mut reports = Vec::new();
        for _ in 0..1_000 {
            cluster.run(&Sum::default(), (0..200_000, 0)).unwrap();
            reports.extend(cluster.report().unwrap());
            if reports.last().is_some_and(|report| taken(report) > 0) {
                stolen.store(true, Relaxed);
            }
            // Rank 0 has read the report.
            all.wait();
            if stolen.load(Relaxed) {
                break;
            }
        }
        reports
    });
    assert!(stolen.into_inner(), "nobody has stolen anything");
    for report in &reports[0] {
        let ranks = &report.ranks;
        assert_eq!(ranks.len(), 4);
        let sum = |f: fn(&RankReport) -> u64| ranks.iter().map(f).sum::<u64>();
        assert_eq!(taken(report), sum(|rank| rank.tasks_given), "{report}");
        assert!(sum(|rank| rank.requests) >= taken(report), "{report}");
        assert!(sum(|rank| rank.refusals) <= sum(|rank| rank.requests), "{report}");
        assert!(ranks.iter().all(|rank| (0.0..=1.0).contains(&rank.idle_share())), "{report}");
        let sent = |rank: &RankReport| rank.bytes_sent > 0 || rank.requests + rank.tasks_given == 0;
        assert!(ranks.iter().all(sent), "{report}");
        let worked = |rank: &RankReport| rank.units > 0 && !rank.busy.is_empty();
        assert!(ranks.iter().filter(|rank| rank.tasks_taken > 0).all(worked), "{report}");
    }
    assert!(reports[1..].iter().all(Vec::is_empty));
}

/// Counts its units, of which some are done to measure what a part is worth.
#[derive(Default)]
struct Units(AtomicU64);

impl Algorithm for Units {
    type Local = Range<u64>;
    fn has_local_work(&self, range: &Range<u64>) -> bool {
        !range.is_empty()
    }
    fn do_unit(&self, range: &mut Range<u64>, grain: usize) {
        self.0.fetch_add(1, Relaxed);
        range.by_ref().take(grain).for_each(|_| std::thread::sleep(Duration::from_micros(200)));
    }
    fn commit(&self, _: &mut Range<u64>) {}
    fn split(&self, range: &mut Range<u64>) -> Option<Range<u64>> {
        let middle = range.start + (range.end - range.start) / 2;
        let stolen = middle..std::mem::replace(&mut range.end, middle);
        (!stolen.is_empty()).then_some(stolen)
    }
}

impl Distributed for Units {
    type Output = ();
    fn take(&self) {}
    fn merge(&self, (): &mut (), (): ()) {}
    fn weight(&self, range: &Range<u64>) -> Option<usize> {
        Some((range.end - range.start) as usize)
    }
}

#[test]
fn reports_have_all_units() {
    let ends = World::threads(3).run(|comm| {
        let pool = pool(1);
        let cluster = Cluster::over(comm).pool(&pool);
        let units = Units::default();
        cluster.run(&units, 0..500).unwrap();
        (units.0.into_inner(), cluster.report().unwrap())
    });
    let report = ends[0].1.as_ref().unwrap();
    for ((units, _), rank) in ends.iter().zip(&report.ranks) {
        assert_eq!(rank.units, *units, "{report}");
    }
}

/// Tasks that ranks have taken from others.
fn taken(report: &Report) -> u64 {
    report.ranks.iter().map(|rank| rank.tasks_taken).sum()
}

#[test]
fn delays_change_nothing() {
    let wanted = expected(0..5_000);
    for seed in 0..4_u64 {
        // Links differ by up to half a millisecond, in no order.
        let link = move |from: usize, to: usize| LogGp {
            latency_ns: weight(seed * 1_000 + (from * 10 + to) as u64) % 500_000,
            ..LogGp::default()
        };
        for victims in [Victims::Random, Victims::Lifelines, Victims::Nearest(vec![Level::from(0..2)])] {
            let sums = World::threads(5).network(Network::with(link)).run(|comm| {
                let pool = pool(1);
                let cluster = Cluster::over(comm).pool(&pool).victims(victims.clone());
                // Runs follow each other closely, so slow ranks receive the ends of runs before they begin them.
                [(); 3].map(|()| cluster.run(&Sum::default(), (0..5_000, 0)).unwrap())
            });
            assert_eq!(sums, [[wanted; 3]; 5]);
        }
    }
}

#[test]
fn runs_without_work_end() {
    World::threads(4).run(|comm| {
        let pool = pool(1);
        let cluster = Cluster::over(comm).pool(&pool);
        for _ in 0..50 {
            assert_eq!(cluster.run(&Sum::default(), (0..0, 0)), Ok(0));
        }
    });
}

#[test]
fn a_panic_ends_all_ranks() {
    for panicking in [0, 7_000, 19_999] {
        let ends = World::threads(3).try_run(|comm| {
            let pool = pool(2);
            let algorithm = Sum { panics_at: Some(panicking), ..Sum::default() };
            Cluster::over(comm).pool(&pool).run(&algorithm, (0..20_000, 0))
        });
        let panicked: Vec<usize> = (0..3).filter(|&rank| ends[rank].is_err()).collect();
        assert_eq!(panicked.len(), 1, "{ends:?}");
        for end in ends.iter().flatten() {
            assert!(matches!(end, Err(Error::RankLost { rank, .. }) if *rank == panicked[0]), "{ends:?}");
        }
    }
}

#[test]
fn a_rank_that_leaves_is_named() {
    let ends = World::threads(3).run(|comm| {
        if comm.rank() == 2 {
            return None;
        }
        let pool = pool(1);
        let cluster = Cluster::over(comm).pool(&pool).heartbeat_timeout(Duration::from_secs(5));
        // More work than can ever be done, so a loss is the only way out.
        Some(cluster.run(&Sum::default(), (0..u64::MAX, 0)))
    });
    for end in ends.into_iter().flatten() {
        assert!(matches!(end, Err(Error::RankLost { rank: 2, .. })), "{end:?}");
    }
}

/// The rank was there when the others began, and gets the end of their run, which it should have passed on.
#[test]
fn a_rank_that_leaves_late_is_named() {
    let done = AtomicBool::new(false);
    let ends = World::threads(4).run(|comm| {
        let rank = comm.rank();
        let pool = pool(1);
        let cluster = Cluster::over(comm).pool(&pool);
        assert_eq!(cluster.run(&Sum::default(), (0..100, 0)), Ok(expected(0..100)));
        if rank == 1 {
            while !done.load(Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            // Usually until the message has come.
            std::thread::sleep(Duration::from_millis(100));
            return None;
        }
        let end = cluster.run(&Sum::default(), (0..0, 0));
        done.fetch_or(rank == 0, Relaxed);
        Some(end)
    });
    assert_eq!(ends[0], Some(Ok(0)));
    assert!(matches!(ends[3], Some(Err(Error::RankLost { rank: 1, .. }))), "{ends:?}");
}

/// A process that is stopped says nothing, and nothing reports its loss. Here the progress thread sleeps instead.
#[test]
fn a_rank_that_falls_silent_is_named() {
    let ends = World::threads(4).run(|comm| {
        let silent = comm.rank() == 2;
        let pool = pool(1);
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let handle = progress.handle();
        // The first run exchanges heartbeats before the rank falls silent, since a rank may come late to its first run.
        let cluster = Cluster::on(handle.clone()).pool(&pool).heartbeat_timeout(Duration::from_secs(2));
        cluster.run(&Sum::default(), (0..20_000, 0)).unwrap();
        std::thread::sleep(Duration::from_millis(500));
        if silent {
            drop(handle.after(Duration::ZERO, || std::thread::sleep(Duration::from_secs(6))).unwrap());
        }
        let end = cluster.run(&Sum::default(), (0..u64::MAX, 0));
        drop(cluster);
        end
    });
    for (rank, end) in ends.into_iter().enumerate() {
        // When the silent rank wakes, the others have gone. It may see that first.
        let is_named = matches!(end, Err(Error::RankLost { rank: lost, .. }) if lost == 2 || rank == 2);
        assert!(is_named, "rank {rank}: {end:?}");
    }
}

#[test]
fn a_loop_driven_by_hand_is_refused() {
    for ranks in [1, 2] {
        World::threads(ranks).run(|comm| {
            let pool = pool(1);
            let progress = Progress::manual(comm, Settings::default());
            let cluster = Cluster::on(progress.handle()).pool(&pool);
            for _ in 0..2 {
                let end = cluster.run(&Sum::default(), (0..100, 0));
                // A single rank asks no other.
                assert_eq!(end, if ranks == 1 { Ok(expected(0..100)) } else { Err(Error::NoDriver) });
            }
        });
    }
}

/// How a rank is lost.
#[derive(Clone, Copy, Debug)]
enum Kill {
    /// The rank that processes a certain number panics, in this run.
    AtWork { run: usize, at: u64 },
    /// A rank panics, or leaves, before this run.
    Between { run: usize, rank: usize, panics: bool },
}

const RUNS: usize = 3;
const NUMBERS: u64 = 3_000;

fn kills() -> impl Strategy<Value = Option<Kill>> {
    let at_work = (0..RUNS, 0..NUMBERS).prop_map(|(run, at)| Kill::AtWork { run, at });
    let between =
        (0..RUNS, 0..8_usize, any::<bool>()).prop_map(|(run, rank, panics)| Kill::Between { run, rank, panics });
    prop::option::of(prop_oneof![at_work, between])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Never a wrong result, never a hang, and all other ranks name the lost one.
    #[test]
    fn any_delays_and_kills(ranks in 1..=8_usize, workers in 1..=4_usize, seed: u16, slow_us in 0..400_u64, which in 0..3, kill in kills()) {
        let wanted = expected(0..NUMBERS);
        let link = move |from: usize, to: usize| LogGp {
            latency_ns: weight(u64::from(seed) * 100 + (from * 10 + to) as u64) % (slow_us * 1_000 + 1),
            ..LogGp::default()
        };
        let ends = World::threads(ranks).network(Network::with(link)).try_run(|comm| {
            let me = comm.rank();
            let pool = pool(workers);
            let victims = [Victims::Random, Victims::Lifelines, Victims::Nearest(vec![Level::from(0..3)])];
            let cluster = Cluster::over(comm).pool(&pool).victims(victims[which as usize].clone());
            let mut ends = Vec::new();
            for run in 0..RUNS {
                let mut sum = Sum::default();
                match kill {
                    Some(Kill::Between { run: at, rank, panics }) if at == run && rank % ranks == me => {
                        assert!(!panics, "planted");
                        break;
                    }
                    Some(Kill::AtWork { run: of, at }) if of == run => sum.panics_at = Some(at),
                    _ => {}
                }
                ends.push(cluster.run(&sum, (0..NUMBERS, 0)));
            }
            ends
        });
        let lost: Vec<usize> = (0..ranks).filter(|&rank| ends[rank].is_err()).collect();
        let lost = match kill {
            Some(Kill::Between { rank, panics: false, .. }) => vec![rank % ranks],
            _ => lost,
        };
        prop_assert_eq!(lost.len(), usize::from(kill.is_some()), "{:?}", ends);
        for (rank, runs) in ends.iter().enumerate().filter_map(|(rank, end)| Some((rank, end.as_ref().ok()?))) {
            for (run, end) in runs.iter().enumerate() {
                let is_named = matches!(end, Err(Error::RankLost { rank, .. }) if lost == [*rank]);
                // The lost rank may have owed the end of an earlier run, or have had no part of a later one, so that it is not missed.
                let is_whole = *end == Ok(wanted) && !matches!(kill, Some(Kill::AtWork { run: of, .. }) if of == run);
                let goes_on = run == 0 || runs[run - 1].is_ok() || end.is_err();
                prop_assert!((is_named || is_whole) && goes_on, "rank {}: {:?}", rank, runs);
            }
        }
    }
}

#[test]
fn data_is_fetched_when_it_is_touched() {
    for (ranks, workers) in [(1, 2), (2, 1), (4, 3)] {
        World::threads(ranks).run(|comm| {
            let pool = pool(workers);
            let cluster = Cluster::over(comm).pool(&pool);
            let store = cluster.store::<Vec<u64>>();
            let mine = store.put((0..3_000).map(|i| i * cluster.rank() as u64 + i % 7).collect());
            // One index cannot be split: rank 0 does it.
            let root = cluster.collect(0..1, |_| mine).unwrap()[0];
            assert_eq!(root == mine, cluster.rank() == 0);
            // All workers of all ranks use the value at once.
            let fold = |sum: &mut u64, run: Range<usize>| {
                *sum += run.map(|i| (store.get(root)[i] - i as u64 % 7) + weight(i as u64)).sum::<u64>()
            };
            assert_eq!(cluster.reduce(0..3_000, || 0, fold, |a, b| a + b), Ok(expected(0..3_000)));
        });
    }
}

#[test]
fn nothing_is_fetched_before_the_first_run_or_after_the_cluster() {
    let handle = OnceLock::new();
    World::threads(2).run(|comm| {
        let pool = pool(1);
        let cluster = Cluster::over(comm).pool(&pool);
        let store = cluster.store::<u64>();
        let abandoned = |end| assert!(matches!(end, Err(Error::Transport(fusain_comm::Error::Abandoned))), "{end:?}");
        let mine = store.put(7);
        if cluster.rank() == 0 {
            handle.get_or_init(|| mine);
        } else {
            abandoned(store.fetch(*handle.wait()));
        }
        // The failed fetches did no harm.
        assert_eq!(cluster.run(&Sum::default(), (0..100, 0)), Ok(expected(0..100)));
        drop(cluster);
        assert_eq!(store.fetch(mine).as_deref(), Ok(&7));
        if handle.get() != Some(&mine) {
            abandoned(store.fetch(*handle.wait()));
        }
    });
}

/// The store may have no value under that key, or a different one.
#[test]
fn a_value_of_another_store_ends_the_run_with_an_error() {
    for (ranks, values) in [(1, 0), (1, 1), (2, 0), (2, 1)] {
        let ends = World::threads(ranks).run(|comm| {
            let pool = pool(2);
            let cluster = Cluster::over(comm).pool(&pool);
            let (store, other) = (cluster.store::<u64>(), cluster.store::<u64>());
            for value in 0..values {
                store.put(value);
            }
            let handle = other.put(7);
            [(); 2].map(|()| cluster.collect(0..100, |_| *store.get(handle)))
        });
        for end in ends.into_iter().flatten() {
            assert!(matches!(end, Err(Error::Corrupt { .. } | Error::RankFailed { .. })), "{end:?}");
        }
    }
}

/// No worker of rank 0 polls during its unit, which ends only when rank 1 has got what only rank 0 can send.
#[test]
fn a_rank_in_a_long_unit_still_serves() {
    const NUMBERS: u64 = 200_000;
    let (stolen, fetched) = (AtomicBool::new(false), AtomicBool::new(false));
    let ends = World::threads(2).run(|comm| {
        let pool = pool(1);
        let cluster = Cluster::over(comm).pool(&pool);
        let store = cluster.store::<u64>();
        let value = store.put(7);
        // Both ranks have put a value; `of_zero` is the handle of rank 0's value on all ranks.
        let of_zero = cluster.collect(0..1, |_| value).unwrap()[0];
        let rank = cluster.rank();
        let fold = |sum: &mut u64, run: Range<usize>| {
            if rank == 1 {
                stolen.store(true, Relaxed);
                *sum += run.map(|i| weight(i as u64) + *store.get(of_zero) - 7).sum::<u64>();
                fetched.store(true, Relaxed);
                return;
            }
            let begin = Instant::now();
            while stolen.load(Relaxed) && !fetched.load(Relaxed) {
                assert!(begin.elapsed() < Duration::from_secs(60), "rank 1 waits for rank 0");
                std::thread::yield_now();
            }
            *sum += run.map(|i| weight(i as u64)).sum::<u64>();
        };
        cluster.reduce(0..NUMBERS as usize, || 0, fold, |a, b| a + b)
    });
    assert_eq!(ends, [Ok(expected(0..NUMBERS)), Ok(expected(0..NUMBERS))]);
}

/// A value that cannot be encoded.
#[derive(Clone, Default)]
struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("as planned"))
    }
}

impl<'de> Deserialize<'de> for Unwritable {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Self)
    }
}

/// A message that is left over would be taken for one of the next cluster on that communicator, such as a bound of an old search, or a
/// failure.
#[test]
fn nothing_is_left_over_when_a_cluster_ends() {
    for (ranks, fails) in [(2, false), (4, false), (7, false), (2, true), (4, true), (7, true)] {
        for round in 0..30 {
            let left = World::threads(ranks).run(|comm| {
                let (rank, pool) = (comm.rank() as u64, Pool::builder().threads(1).build().unwrap());
                let progress = Progress::spawn(comm, Settings::default()).unwrap();
                let cluster = Cluster::on(progress.handle()).pool(&pool);
                let table = cluster.table(&[i64::MIN]);
                let fold = |_: &mut Unwritable, run: Range<usize>| {
                    std::hint::black_box(expected(run.start as u64..run.end as u64));
                };
                if fails {
                    // If no other rank has helped, nothing is sent.
                    let _ = cluster.reduce(0..300, Unwritable::default, fold, |a, _| a);
                } else {
                    assert_eq!(cluster.collect(0..3, |at| at), Ok(vec![0, 1, 2]));
                }
                // At different times, just before or while other ranks end.
                std::thread::sleep(Duration::from_micros(60 * ((rank + round) % 7)));
                table.raise(0, rank as i64);
                drop(cluster);
                let comm = progress.shutdown().comm;
                comm.barrier().unwrap();
                (0x9f00..0x9f10).filter_map(|tag| comm.iprobe(Source::Any, tag).unwrap()).collect::<Vec<_>>()
            });
            assert!(left.iter().all(Vec::is_empty), "{ranks} ranks, it fails: {fails}: {left:?}");
        }
    }
}
