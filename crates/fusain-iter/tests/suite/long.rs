//! Elements that take long, in calls without options that say so. Each worker gets one at once, even while the other workers are busy with theirs.

use std::collections::HashSet;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use fusain_algorithms::par;
use fusain_iter::iter::{Either, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator, once, repeat};
use fusain_pool::{Pool, Wait};

const WORKERS: usize = 4;

/// More time than any machine needs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A place where workers wait for each other.
#[derive(Default)]
struct Meeting {
    here: Mutex<usize>,
    all: Condvar,
}

impl Meeting {
    /// Returns when as many callers have come as there are workers. Each call takes at least a millisecond, also the last one: otherwise its element would count as short.
    fn come(&self) {
        let mut here = self.here.lock().expect("nobody panics with it");
        *here += 1;
        self.all.notify_all();
        let wait = |here: &mut usize| *here < WORKERS;
        let (here, timeout) = self.all.wait_timeout_while(here, PATIENCE, wait).expect("nobody panics with it");
        assert!(!timeout.timed_out(), "an element that another one waits for has not been begun");
        drop(here);
        thread::sleep(Duration::from_millis(1));
    }
}

/// Each call of `call` has as many elements as there are workers, and all elements wait for each other.
fn all_meet(call: impl Fn(&Pool, &(dyn Fn() + Sync))) {
    let pool = Pool::builder().threads(WORKERS).wait(Wait::Park).build().expect("threads can be started");
    for _ in 0..3 {
        let meeting = Meeting::default();
        call(&pool, &|| meeting.come());
        assert_eq!(*meeting.here.lock().expect("nobody has panicked"), WORKERS);
    }
}

#[test]
fn slices() {
    all_meet(|pool, come| par().on(pool).always().for_each(&[(); WORKERS], |()| come()));
    all_meet(|pool, come| {
        let one = |()| {
            come();
            1
        };
        assert_eq!(par().on(pool).always().map_reduce(&[(); WORKERS], 0, |&unit| one(unit), |a, b| a + b), WORKERS);
    });
    all_meet(|pool, come| {
        assert_eq!(par().on(pool).always().grain(1).map(&[(); WORKERS], |()| come()).len(), WORKERS);
    });
    let elements = vec![1; WORKERS];
    all_meet(|pool, come| {
        let stays = |_: &i32| {
            come();
            true
        };
        assert_eq!(par().on(pool).always().filter(&elements, stays), elements);
    });
    all_meet(|pool, come| {
        let mut elements = elements.clone();
        par().on(pool).always().retain(&mut elements, |_| {
            come();
            true
        });
        assert_eq!(elements.len(), WORKERS);
    });
}

#[test]
fn chains() {
    let elements = [(); WORKERS];
    all_meet(|pool, come| elements.par_iter().on(pool).always().for_each(|()| come()));
    all_meet(|pool, come| {
        assert_eq!(elements.par_iter().on(pool).always().map(|()| come()).collect::<Vec<_>>().len(), WORKERS);
    });
    all_meet(|pool, come| {
        // No element ends the search early.
        let is_other = |_: &&()| {
            come();
            false
        };
        assert_eq!(elements.par_iter().on(pool).always().find_any(is_other), None);
    });
}

/// An inner chain is a call of its own, each time: otherwise one worker would run all of it while the others wait.
#[test]
fn inner_chains() {
    // On a machine of one core, only what is forced is shared.
    if thread::available_parallelism().is_ok_and(|cores| cores.get() == 1) {
        return;
    }
    let pool = Pool::builder().threads(WORKERS).build().expect("threads can be started");
    let elements = [(); 2 * WORKERS];
    let one = || {
        thread::sleep(Duration::from_millis(1));
        thread::current().id()
    };
    let is_shared = || {
        let mapped = [()].par_iter().on(&pool).flat_map(|()| elements.par_iter().map(|()| one()));
        let by: HashSet<ThreadId> = mapped.collect();
        by.len() > 1
    };
    let folded_is_shared = || {
        let by = Mutex::new(HashSet::new());
        let note = |()| by.lock().expect("nobody panics with it").insert(one());
        let nested = [elements];
        nested.par_iter().on(&pool).map(|inner| inner.par_iter().map(|()| note(()))).flatten().count();
        by.into_inner().expect("nobody has panicked").len() > 1
    };
    // What is done with the elements is shared, too.
    let behind_is_shared = || {
        let mapped = [()].par_iter().on(&pool).flat_map(|()| elements.par_iter()).map(|()| one());
        let by: HashSet<ThreadId> = mapped.collect();
        by.len() > 1
    };
    for call in [&is_shared as &dyn Fn() -> bool, &folded_is_shared, &behind_is_shared] {
        call();
        assert!((0..50).any(|_| call()));
    }
}

/// An option applies to the chains within a chain, wherever it stands.
#[test]
fn inner_chains_of_a_sequential_one() {
    let elements = [(); WORKERS];
    let one = |()| {
        thread::sleep(Duration::from_millis(1));
        thread::current().id()
    };
    let inner = |()| elements.into_par_iter().map(one);
    let me = thread::current().id();
    for _ in 0..3 {
        assert!([()].into_par_iter().sequential().flat_map(inner).all(|by| by == me));
        assert!([()].into_par_iter().flat_map(inner).sequential().all(|by| by == me));
        assert_eq!([()].into_par_iter().sequential().flat_map(inner).collect::<HashSet<_>>().len(), 1);
    }
}

/// Parts go to other workers and come back, and their results are combined in order.
#[test]
fn reductions_keep_their_order() {
    let pool = Pool::builder().threads(WORKERS).build().expect("threads can be started");
    let pairs: Vec<(usize, usize)> = (0..300).map(|i| (i, i + 1)).collect();
    // Joins two ranges; the second must begin where the first one ends.
    let joined = |a: (usize, usize), b: (usize, usize)| {
        thread::sleep(Duration::from_micros(20));
        assert_eq!(a.1, b.0);
        (a.0, b.1)
    };
    for _ in 0..20 {
        let chain = || pairs.par_iter().on(&pool).copied();
        assert_eq!(chain().reduce_with(joined), Some((0, 300)));
        let any = |a: Option<_>, b: Option<_>| match (a, b) {
            (Some(a), Some(b)) => Some(joined(a, b)),
            (a, b) => a.or(b),
        };
        assert_eq!(chain().map(Some).reduce(|| None, any), Some((0, 300)));
        assert_eq!(chain().fold(|| None, |a, b| any(a, Some(b))).reduce(|| None, any), Some((0, 300)));
        assert_eq!(chain().map(Some).try_reduce_with(|a, b| Some(joined(a, b))), Some(Some((0, 300))));
        let some: Vec<_> = pairs.iter().copied().map(Some).collect();
        let by = |a: Option<(usize, usize)>, b: Option<(usize, usize)>| any(a, b);
        assert_eq!(par().on(&pool).always().map_reduce(&some, None, |x| *x, by), Some((0, 300)));
    }
}

/// How many elements have been made, how many there are, and how many there were at most.
#[derive(Default)]
struct Count {
    made: AtomicUsize,
    alive: AtomicUsize,
    most: AtomicUsize,
}

struct Counted<'c>(&'c Count, usize);

impl Count {
    fn make(&self, i: usize) -> Counted<'_> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_micros(20) {
            spin_loop();
        }
        self.made.fetch_add(1, Ordering::Relaxed);
        self.most.fetch_max(self.alive.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        Counted(self, i)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One inner chain of such elements.
fn inner<'c>(count: &'c Count, pool: &'c Pool) -> impl ParallelIterator<Item = Counted<'c>> {
    let elements = move |()| (0..ELEMENTS).into_par_iter().map(move |i| count.make(i));
    [()].into_par_iter().on(pool).always().flat_map(elements)
}

const ELEMENTS: usize = 4_000;

/// A shared inner chain is computed in pieces: little of it in vain where the chain ends early, and little of it at the same time.
#[test]
fn inner_chains_come_in_pieces() {
    let pool = Pool::builder().threads(WORKERS).build().expect("threads can be started");
    for _ in 0..3 {
        let early = |run: &dyn Fn(&Count)| {
            let count = Count::default();
            run(&count);
            let made = count.made.into_inner();
            assert!(made < ELEMENTS / 4, "{made} of {ELEMENTS} elements were made for the first one");
        };
        early(&|count| assert!(inner(count, &pool).find_any(|x| x.1 == 0).is_some()));
        early(&|count| assert!(inner(count, &pool).find_first(|x| x.1 == 0).is_some()));
        early(&|count| {
            assert!(inner(count, &pool).map(|x| (x.1 > 0).then_some(())).collect::<Option<Vec<_>>>().is_none())
        });
        early(&|count| assert!(inner(count, &pool).try_for_each(|x| if x.1 == 0 { Err(()) } else { Ok(()) }).is_err()));

        let count = Count::default();
        inner(&count, &pool).for_each(drop);
        let most = count.most.into_inner();
        assert_eq!(count.made.into_inner(), ELEMENTS);
        assert!(most < ELEMENTS / 4, "{most} of {ELEMENTS} elements were in memory at the same time");
    }
}

/// The search has a flag of its own, which the elements within `flat_map` look at.
#[test]
fn a_missing_element_ends_an_endless_part_of_a_search() {
    let pool = Pool::builder().threads(2).build().expect("two threads");
    let parts = (0..2).into_par_iter().flat_map(|part| {
        if part == 0 {
            thread::sleep(Duration::from_millis(50));
            return Either::Left(once(None));
        }
        Either::Right(repeat(Some(1)))
    });
    assert!(!parts.while_some().on(&pool).always().any(|x| x == 2));
}
