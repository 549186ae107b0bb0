//! Panics in any callback, on any thread: the run ends on all ranks, none hangs, and none gets a result that lacks a part.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use fusain_cluster::{Cluster, Distributed, Error, Remote, Store, Unsent};
use fusain_comm::{Communicator, World};
use fusain_pool::{Algorithm, Pool};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// The callback that panics.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Nowhere,
    Unit,
    Commit,
    Steal,
    Take,
    Merge,
    Resume,
    Travels,
    Weight,
    Accepts,
    Write,
    Read,
    DropState,
}
use At::*;

/// Panics at the third call at this place on this rank, on any thread.
fn come(at: At, fatal: At, times: &AtomicU64) {
    assert!(at != fatal || times.fetch_add(1, Relaxed) != 2, "planted: {at:?}");
}

/// Sums a range, with an accomplice in each state.
struct Sum<'a> {
    found: AtomicU64,
    fatal: At,
    times: &'a AtomicU64,
}

/// A part of a state. It contains the place where to panic, since its `Serialize`, `Deserialize` and `Drop` know nothing else.
struct Accomplice(u8);

static TIMES: AtomicU64 = AtomicU64::new(0);

impl Serialize for Accomplice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == Write as u8 {
            come(Write, Write, &TIMES);
        }
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Accomplice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fatal = u8::deserialize(deserializer)?;
        if fatal == Read as u8 {
            come(Read, Read, &TIMES);
        }
        Ok(Self(fatal))
    }
}

impl Drop for Accomplice {
    fn drop(&mut self) {
        if self.0 == DropState as u8 && !std::thread::panicking() {
            come(DropState, DropState, &TIMES);
        }
    }
}

type Part = (Range<u64>, Unsent<u64>, Accomplice);

impl Algorithm for Sum<'_> {
    type Local = Part;
    fn has_local_work(&self, (range, ..): &Part) -> bool {
        !range.is_empty()
    }
    fn do_unit(&self, (range, sum, _): &mut Part, grain: usize) {
        come(Unit, self.fatal, self.times);
        for number in range.by_ref().take(grain) {
            // Takes long enough that other ranks ask.
            *sum.0.get_or_insert(0) += (0..50).fold(number, |x, _| std::hint::black_box(x));
        }
    }
    fn commit(&self, (_, sum, _): &mut Part) {
        come(Commit, self.fatal, self.times);
        self.found.fetch_add(sum.0.take().unwrap_or(0), Relaxed);
    }
    fn split(&self, (range, ..): &mut Part) -> Option<Part> {
        come(Steal, self.fatal, self.times);
        let middle = range.start + (range.end - range.start) / 2;
        let stolen = middle..std::mem::replace(&mut range.end, middle);
        (!stolen.is_empty()).then(|| (stolen, Unsent(None), Accomplice(self.fatal as u8)))
    }
}

impl Distributed for Sum<'_> {
    type Output = u64;
    fn take(&self) -> u64 {
        come(Take, self.fatal, self.times);
        self.found.swap(0, Relaxed)
    }
    fn merge(&self, sum: &mut u64, part: u64) {
        come(Merge, self.fatal, self.times);
        *sum += part;
    }
    fn resume(&self) -> Option<Part> {
        come(Resume, self.fatal, self.times);
        None
    }
    fn can_migrate(&self, (_, sum, _): &Part) -> bool {
        come(Travels, self.fatal, self.times);
        sum.0.is_none()
    }
    fn weight(&self, (range, ..): &Part) -> Option<usize> {
        come(Weight, self.fatal, self.times);
        Some((range.end - range.start) as usize)
    }
    fn accepts(&self, _: &Part) -> bool {
        come(Accepts, self.fatal, self.times);
        true
    }
}

/// The cases run one after the other, since encoding and decoding share a counter.
#[test]
fn a_panic_in_any_callback_ends_all_ranks() {
    const NUMBERS: u64 = 20_000;
    let places = [Nowhere, Unit, Commit, Steal, Take, Merge, Resume, Travels, Weight, Accepts, Write, Read, DropState];
    for (fatal, workers) in places.into_iter().flat_map(|at| [(at, 1), (at, 2)]) {
        TIMES.store(0, Relaxed);
        let ends = World::threads(3).try_run(|comm| {
            let times = AtomicU64::new(0);
            let pool = Pool::builder().threads(workers).build().unwrap();
            let cluster = Cluster::over(comm).pool(&pool).heartbeat_timeout(Duration::from_secs(5));
            let algorithm = Sum { found: AtomicU64::new(0), fatal, times: &times };
            cluster.run(&algorithm, (0..NUMBERS, Unsent(None), Accomplice(fatal as u8)))
        });
        let panicked: Vec<usize> = (0..3).filter(|&rank| ends[rank].is_err()).collect();
        for (rank, end) in ends.iter().enumerate() {
            let is_told = match end {
                // The ranks decide how often a place is reached, so a run may end before the third time.
                Ok(Ok(sum)) => *sum == NUMBERS * (NUMBERS - 1) / 2,
                Ok(Err(Error::RankLost { rank: lost, .. })) => panicked.contains(lost),
                Ok(Err(_)) => false,
                Err(_) => true,
            };
            assert!(is_told, "{fatal:?}, rank {rank}: {ends:?}");
        }
        assert!(fatal != Nowhere || panicked.is_empty(), "{ends:?}");
        assert!(fatal != Unit || !panicked.is_empty(), "{ends:?}");
    }
}

/// The progress loop encodes the values of a store.
#[test]
fn a_value_that_can_not_be_written_ends_all_ranks() {
    struct Unwritable;
    impl Serialize for Unwritable {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            panic!("planted")
        }
    }
    impl<'de> Deserialize<'de> for Unwritable {
        fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
            Ok(Self)
        }
    }
    let ends = World::threads(3).try_run(|comm| {
        let pool = Pool::builder().threads(1).build().unwrap();
        let rank = comm.rank();
        let cluster = Cluster::over(comm).pool(&pool).heartbeat_timeout(Duration::from_secs(2));
        let store = cluster.store::<Unwritable>();
        let mine = store.put(Unwritable);
        let of_zero = cluster.collect(0..1, |_| mine)?[0];
        // Rank 0 waits in a run while another rank fetches its value.
        if rank == 1 {
            return store.fetch(of_zero).map(drop);
        }
        // More work than can ever be done.
        let fold =
            |sum: &mut u64, run: Range<usize>| *sum += run.map(|i| std::hint::black_box(i as u64 % 7)).sum::<u64>();
        cluster.reduce(0..usize::MAX, || 0, fold, |a, b| a + b).map(drop)
    });
    for end in &ends {
        assert!(!matches!(end, Ok(Ok(()))), "{ends:?}");
    }
}

/// One thread of a rank decodes a value, and others wait for it.
#[test]
fn a_value_that_can_not_be_read_ends_all_who_wait_for_it() {
    #[derive(serde::Serialize)]
    struct Unreadable;
    impl<'de> Deserialize<'de> for Unreadable {
        fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
            panic!("planted")
        }
    }
    let ends = World::threads(2).run(|comm| {
        let pool = Pool::builder().threads(1).build().unwrap();
        let rank = comm.rank();
        let cluster = Cluster::over(comm).pool(&pool);
        let store = cluster.store::<Unreadable>();
        let mine = store.put(Unreadable);
        let of_zero = cluster.collect(0..1, |_| mine).unwrap()[0];
        if rank == 0 {
            let fold =
                |sum: &mut u64, run: Range<usize>| *sum += run.map(|i| std::hint::black_box(i as u64 % 7)).sum::<u64>();
            return vec![Some(cluster.reduce(0..usize::MAX, || 0, fold, |a, b| a + b).map(drop))];
        }
        std::thread::scope(|scope| {
            let all = [(); 3].map(|()| scope.spawn(|| store.fetch(of_zero).map(drop)));
            all.map(|fetches| fetches.join().ok()).into()
        })
    });
    let is_told = |end: &&_| matches!(end, Some(Err(Error::RankLost { rank: 1, .. })));
    let told = ends.iter().map(|ends| ends.iter().filter(is_told).count());
    assert_eq!(told.collect::<Vec<_>>(), [1, 2], "{ends:?}");
}

/// An algorithm that requests a value that the store does not have, in one callback.
struct Asks<'a> {
    store: &'a Store<u64>,
    handle: Remote<u64>,
    at: At,
}

impl Asks<'_> {
    fn come(&self, at: At) {
        if at == self.at {
            self.store.get(self.handle);
        }
    }
}

impl Algorithm for Asks<'_> {
    type Local = Range<u64>;
    fn has_local_work(&self, range: &Range<u64>) -> bool {
        !range.is_empty()
    }
    fn do_unit(&self, range: &mut Range<u64>, grain: usize) {
        self.come(Unit);
        for number in range.by_ref().take(grain) {
            // Takes long enough that other ranks ask.
            std::hint::black_box((0..50).fold(number, |x, _| std::hint::black_box(x)));
        }
    }
    fn commit(&self, _: &mut Range<u64>) {
        self.come(Commit);
    }
    fn split(&self, range: &mut Range<u64>) -> Option<Range<u64>> {
        self.come(Steal);
        let middle = range.start + (range.end - range.start) / 2;
        let stolen = middle..std::mem::replace(&mut range.end, middle);
        (!stolen.is_empty()).then_some(stolen)
    }
}

impl Distributed for Asks<'_> {
    type Output = ();
    fn take(&self) {
        self.come(Take);
    }
    fn merge(&self, (): &mut (), (): ()) {
        self.come(Merge);
    }
    fn resume(&self) -> Option<Range<u64>> {
        self.come(Resume);
        None
    }
    fn accepts(&self, _: &Range<u64>) -> bool {
        self.come(Accepts);
        true
    }
}

/// The error of `get` ends the run on all ranks, in any callback and with a store of any cluster.
#[test]
fn a_value_that_a_callback_does_not_get_is_an_error() {
    let places = [Unit, Commit, Steal, Take, Merge, Resume, Accepts];
    let cases = places.into_iter().flat_map(|at| [1, 2, 3].map(|ranks| (at, ranks)));
    for ((at, ranks), of_another) in cases.flat_map(|case| [(case, false), (case, true)]) {
        let ends = World::threads(ranks).run(|comm| {
            let pool = Pool::builder().threads(1).build().unwrap();
            let other = Cluster::over(comm.duplicate().unwrap()).pool(&pool);
            let cluster = Cluster::over(comm).pool(&pool);
            let store = if of_another { &other } else { &cluster }.store();
            // The store that is used is the first one of its cluster.
            let [_, second] = [(); 2].map(|()| cluster.store());
            let handle = second.put(7);
            cluster.run(&Asks { store: &store, handle, at }, 0..20_000)
        });
        // The ranks decide how often a place is reached.
        let is_always = matches!(at, Unit | Commit | Take);
        for (rank, end) in ends.iter().enumerate() {
            let is_told = matches!(end, Err(Error::Corrupt { .. } | Error::RankFailed { .. }));
            assert!(is_told || *end == Ok(()) && !is_always, "{at:?}, rank {rank}: {ends:?}");
        }
    }
}
