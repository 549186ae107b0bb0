//! Safe code that does its worst: none of it may break memory, hang, or lose what it was given.

mod common;

use common::PATIENCE;
use fusain_pool::{Algorithm, Pool, Wait, broadcast, join, scope};

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::{Duration, Instant};

fn pool(threads: usize, wait: Wait) -> Pool {
    Pool::builder().threads(threads).wait(wait).build().unwrap()
}

/// Ends the process if `f` hangs: a test that waits for ever does not tell where.
fn ends<R>(what: &str, f: impl FnOnce() -> R) -> R {
    let (done, is_done) = mpsc::channel::<()>();
    let what = what.to_owned();
    let watch = std::thread::spawn(move || {
        if is_done.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            eprintln!("{what}: hangs");
            std::process::abort();
        }
    });
    let result = f();
    drop(done);
    watch.join().unwrap();
    result
}

/// A slot becomes free in the middle of a scope, and a scope within it takes the slot: what is spawned from there into the outer scope is awaited.
#[test]
fn a_scope_awaits_what_was_spawned_from_a_place_taken_later() {
    const CALLERS: usize = 100;
    let pool = pool(3, Wait::Spin);
    let (inside, seen, wrong) = (Barrier::new(CALLERS + 1), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|threads| {
        let mut callers: Vec<_> = (0..CALLERS)
            .map(|_| {
                let (leave, is_over) = mpsc::channel::<()>();
                let (pool, inside) = (&pool, &inside);
                let caller = threads.spawn(move || {
                    pool.scope(move |_| {
                        inside.wait();
                        // Ends as soon as the sender is dropped.
                        let _ = is_over.recv();
                    });
                });
                (caller, leave)
            })
            .collect();
        inside.wait();
        let data = vec![42_u64; 1 << 12];
        let (last, leave) = callers.pop().unwrap();
        pool.scope(|s| {
            drop(leave);
            last.join().unwrap();
            pool.scope(|_| {
                s.spawn(|_| {
                    std::thread::sleep(Duration::from_millis(20));
                    wrong.fetch_add(data.iter().filter(|&&x| x != 42).count(), Ordering::Relaxed);
                    seen.fetch_add(1, Ordering::Relaxed);
                });
            });
        });
        assert_eq!(seen.load(Ordering::Relaxed), 1, "the scope has awaited its task");
        drop(data);
    });
    assert_eq!(wrong.into_inner(), 0);
}

/// From pool `a` into pool `b` and back, on one thread: the inner call into `a` has another slot than the outer one.
#[test]
fn tasks_spawned_from_a_second_visit_to_a_pool_are_run() {
    for wait in [Wait::Park, Wait::Spin] {
        let (a, b) = (pool(1, wait), pool(1, wait));
        let ran = AtomicUsize::new(0);
        let task = |_: &fusain_pool::Scope<'_>| {
            ran.fetch_add(1, Ordering::Relaxed);
        };
        ends("a, b, a", || {
            a.scope(|s| {
                b.scope(|_| {
                    a.join(|| (), || s.spawn(task));
                    a.join(|| s.spawn(task), || ());
                });
            });
        });
        assert_eq!(ran.into_inner(), 2);
    }
}

/// From a thread that is no worker, inside its own join or outside any.
#[test]
fn tasks_spawned_from_another_thread_are_run() {
    for threads in [1, 2, 3] {
        let pool = pool(threads, Wait::Park);
        let ran = AtomicUsize::new(0);
        let task = |_: &fusain_pool::Scope<'_>| {
            ran.fetch_add(1, Ordering::Relaxed);
        };
        ends("another thread", || {
            pool.scope(|s| {
                std::thread::scope(|others| {
                    others.spawn(|| pool.join(|| (), || s.spawn(task)));
                    others.spawn(|| s.spawn(task));
                });
            });
        });
        assert_eq!(ran.into_inner(), 2);
    }
}

/// Each value that is alive adds one to the count.
struct Alive<'c>(&'c AtomicIsize);

impl<'c> Alive<'c> {
    fn new(count: &'c AtomicIsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// If several tasks panic, the first panic is resumed, and no payload is leaked.
#[test]
fn payloads_are_dropped() {
    static PAYLOADS: AtomicIsize = AtomicIsize::new(0);
    let pool = pool(3, Wait::Park);
    let fail = || resume_unwind(Box::new(Alive::new(&PAYLOADS)));
    for _ in 0..100 {
        let scope = || {
            pool.scope(|s| {
                for _ in 0..3 {
                    s.spawn(move |_| fail());
                }
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(scope)).is_err());
        let with_own = || {
            pool.scope(|s| {
                s.spawn(move |_| fail());
                fail();
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(with_own)).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| pool.join(fail, fail))).is_err());
    }
    assert_eq!(PAYLOADS.load(Ordering::Relaxed), 0, "payloads are leaked");
}

/// A payload or a captured value that panics when it is dropped does not stop a worker.
#[test]
fn drops_that_panic() {
    struct Grenade;
    impl Drop for Grenade {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                resume_unwind(Box::new("dropped"));
            }
        }
    }
    let pool = pool(3, Wait::Park);
    for _ in 0..100 {
        let scope = || {
            pool.scope(|s| {
                for _ in 0..4 {
                    s.spawn(|_| resume_unwind(Box::new(Grenade)));
                }
            });
        };
        // The first payload is ours to drop.
        std::mem::forget(catch_unwind(AssertUnwindSafe(scope)));
        let captured = Grenade;
        let both = || pool.join(|| resume_unwind(Box::new(1)), move || drop(captured)).1;
        assert!(catch_unwind(AssertUnwindSafe(both)).is_err());
    }
    assert_eq!(pool.join(|| 1, || 2), (1, 2));
}

/// Joins, scopes and runs nested in each other on two pools, with panics anywhere.
#[test]
fn everything_within_everything() {
    struct Count<'a> {
        sum: AtomicUsize,
        fuse: AtomicIsize,
        pools: &'a [Pool; 2],
        depth: usize,
    }
    struct Local {
        left: usize,
        /// Makes the state large; `own` gives it memory on the heap.
        padding: [usize; 40],
        own: Box<usize>,
    }
    fn local(left: usize) -> Local {
        Local { left, padding: [left; 40], own: Box::new(left) }
    }
    impl Count<'_> {
        fn burn(&self) {
            if self.fuse.fetch_sub(1, Ordering::Relaxed) == 0 {
                resume_unwind(Box::new(()));
            }
        }
    }
    impl Algorithm for Count<'_> {
        type Local = Local;
        fn has_local_work(&self, local: &Local) -> bool {
            local.left > 0
        }
        fn do_unit(&self, local: &mut Local, grain: usize) {
            self.burn();
            let unit = local.left.min(grain % 8 + 1);
            local.left -= unit;
            *local.own = local.left;
            local.padding[39] = unit;
            self.sum.fetch_add(unit, Ordering::Relaxed);
            if self.depth > 0 && local.left % 61 == 7 {
                nest(self.pools, self.depth - 1, local.left as u64);
            }
        }
        fn commit(&self, local: &mut Local) {
            self.burn();
            assert!(*local.own <= local.padding[0]);
        }
        fn split(&self, victim: &mut Local) -> Option<Local> {
            self.burn();
            (victim.left > 1).then(|| {
                let half = victim.left / 2;
                victim.left -= half;
                local(half)
            })
        }
    }
    /// A step of a random sequence.
    fn draw(seed: &mut u64) -> usize {
        *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (*seed >> 33) as usize
    }
    fn nest(pools: &[Pool; 2], depth: usize, mut seed: u64) {
        let pool = &pools[draw(&mut seed) % 2];
        let fails = draw(&mut seed).is_multiple_of(12);
        let (first, second) = (draw(&mut seed) as u64, draw(&mut seed) as u64);
        let work = |seed: u64| {
            if depth > 0 {
                nest(pools, depth - 1, seed);
            }
            if fails && seed.is_multiple_of(2) {
                resume_unwind(Box::new(seed));
            }
        };
        let end = catch_unwind(AssertUnwindSafe(|| match draw(&mut seed) % 4 {
            0 => drop(pool.join(|| work(first), || work(second))),
            1 => {
                let tasks = 1 + first as usize % 6;
                let done = AtomicUsize::new(0);
                let end = catch_unwind(AssertUnwindSafe(|| {
                    pool.scope(|s| {
                        for task in 0..tasks as u64 {
                            let (work, done) = (&work, &done);
                            s.spawn(move |s| {
                                done.fetch_add(1, Ordering::Relaxed);
                                s.spawn(move |_| {
                                    done.fetch_add(1, Ordering::Relaxed);
                                });
                                work(first ^ task);
                            });
                        }
                    });
                }));
                assert_eq!(done.into_inner(), 2 * tasks, "every task is run");
                end.unwrap_or_else(|payload| resume_unwind(payload));
            }
            2 => {
                let total = 1 + first as usize % 2000;
                let fuse = if fails { second as isize % 300 } else { isize::MAX };
                let count =
                    Count { sum: AtomicUsize::new(0), fuse: AtomicIsize::new(fuse), pools, depth: depth.min(1) };
                pool.run(&count, local(total));
                assert_eq!(count.sum.into_inner(), total);
            }
            _ => drop(join(|| work(first), || scope(|s| s.spawn(|_| work(second))))),
        }));
        if let Err(payload) = end {
            assert!(
                payload.is::<u64>() || payload.is::<()>(),
                "a panic that was meant: {:?}",
                payload.downcast_ref::<String>()
            );
        }
    }
    let rounds = if cfg!(debug_assertions) { 150 } else { 600 };
    for wait in [Wait::Park, Wait::Spin, Wait::SpinThenPark(Duration::from_micros(20))] {
        let pools = [pool(3, wait), pool(2, wait)];
        ends("nested calls", || {
            std::thread::scope(|threads| {
                for caller in 0..3 {
                    let pools = &pools;
                    threads.spawn(move || {
                        for round in 0..rounds {
                            nest(pools, 4, caller << 32 | round);
                        }
                    });
                }
            });
        });
    }
}

/// A sleeping worker gets a part before it is woken. A caller that is done first takes back a part that has not been opened. Nothing is done twice or lost.
#[test]
fn parts_for_sleepers() {
    struct Marks(Vec<AtomicUsize>);
    impl Algorithm for Marks {
        type Local = std::ops::Range<usize>;
        fn has_local_work(&self, range: &Self::Local) -> bool {
            !range.is_empty()
        }
        fn do_unit(&self, range: &mut Self::Local, grain: usize) {
            for index in range.by_ref().take(grain) {
                self.0[index].fetch_add(1, Ordering::Relaxed);
            }
        }
        fn commit(&self, _: &mut Self::Local) {}
        fn split(&self, range: &mut Self::Local) -> Option<Self::Local> {
            let middle = range.start + range.len().div_ceil(2);
            let stolen = middle..std::mem::replace(&mut range.end, middle);
            (!stolen.is_empty()).then_some(stolen)
        }
    }
    let pool = pool(4, Wait::Park);
    for round in 0..3000 {
        let marks = Marks((0..1 + round % 40).map(|_| AtomicUsize::new(0)).collect());
        pool.run(&marks, 0..marks.0.len());
        assert!(marks.0.iter().all(|mark| mark.load(Ordering::Relaxed) == 1), "round {round}");
    }
}

/// Long closures: an idle worker takes a published closure although its owner is busy and answers no requests.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_busy_owner_keeps_nobody_waiting() {
    let pool = pool(2, Wait::Park);
    for _ in 0..50 {
        let (a, b) = (AtomicBool::new(false), AtomicBool::new(false));
        let meet = |mine: &AtomicBool, other: &AtomicBool| {
            mine.store(true, Ordering::Release);
            let started = Instant::now();
            while !other.load(Ordering::Acquire) {
                assert!(started.elapsed() < PATIENCE, "the other side has not begun");
                std::thread::yield_now();
            }
        };
        pool.join(|| meet(&a, &b), || meet(&b, &a));
    }
}

/// A search whose caller never reaches the half where the hit is.
struct UpperHalf<'a> {
    begun: &'a AtomicBool,
    found: AtomicBool,
}

impl Algorithm for UpperHalf<'_> {
    type Local = Range<usize>;

    fn has_local_work(&self, local: &Range<usize>) -> bool {
        !self.found.load(Ordering::Relaxed) && !local.is_empty()
    }

    fn do_unit(&self, local: &mut Range<usize>, _: usize) {
        self.begun.store(true, Ordering::Relaxed);
        if local.start >= usize::MAX / 2 {
            self.found.store(true, Ordering::Relaxed);
        }
        local.start += 1;
    }

    fn commit(&self, _: &mut Range<usize>) {}

    fn split(&self, victim: &mut Range<usize>) -> Option<Range<usize>> {
        let middle = victim.start + victim.len() / 2;
        let end = std::mem::replace(&mut victim.end, middle);
        Some(middle..end)
    }
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_part_that_nobody_wanted_is_given_to_the_first_who_asks() {
    let pool = Pool::builder().threads(2).wait(Wait::Spin).build().unwrap();
    ends("a search whose hit is in a part that nobody wanted at first", || {
        for _ in 0..100 {
            // A worker that has taken the last part is thought to wait again, so a part is split off for it.
            pool.run(&UpperHalf { begun: &AtomicBool::new(false), found: AtomicBool::new(false) }, 0..usize::MAX);
            let (begun, is_busy) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
            let (release, busy) = (begun.clone(), is_busy.clone());
            pool.spawn(move || {
                busy.store(true, Ordering::Relaxed);
                while !release.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
            });
            while !is_busy.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            pool.run(&UpperHalf { begun: &begun, found: AtomicBool::new(false) }, 0..usize::MAX);
        }
    });
}

/// A range whose split waits for every worker of the pool.
struct WaitsInSplit<'p>(&'p Pool);

impl Algorithm for WaitsInSplit<'_> {
    type Local = Range<usize>;

    fn has_local_work(&self, local: &Range<usize>) -> bool {
        !local.is_empty()
    }

    fn do_unit(&self, local: &mut Range<usize>, _grain: usize) {
        local.start += 1;
        // Long enough to be asked.
        for _ in 0..200 {
            std::hint::spin_loop();
        }
    }

    fn commit(&self, _local: &mut Range<usize>) {}

    fn split(&self, victim: &mut Range<usize>) -> Option<Range<usize>> {
        self.0.broadcast(|_| ());
        let middle = victim.start + victim.len().div_ceil(2);
        (middle < victim.end).then(|| middle..std::mem::replace(&mut victim.end, middle))
    }
}

/// A user's code that a split calls, such as a comparison, may wait for the worker that is to get the part.
#[test]
fn a_split_may_wait_for_other_workers() {
    for wait in [Wait::Spin, Wait::Park] {
        let pool = pool(2, wait);
        ends("a split that waits", || {
            for _ in 0..50 {
                pool.run(&WaitsInSplit(&pool), 0..2000);
            }
        });
    }
}

/// Some units of work. Each commit makes a call of the same kind with one level less.
struct CallsWhenItCommits<'p> {
    pool: &'p Pool,
    levels: usize,
    done: &'p AtomicUsize,
}

impl Algorithm for CallsWhenItCommits<'_> {
    type Local = Range<usize>;

    fn has_local_work(&self, local: &Range<usize>) -> bool {
        !local.is_empty()
    }

    fn do_unit(&self, local: &mut Range<usize>, _grain: usize) {
        local.start += 1;
        self.done.fetch_add(1, Ordering::Relaxed);
        std::hint::black_box((0..100).fold(0_u64, |x, i| x ^ (i << 3)));
    }

    fn commit(&self, _local: &mut Range<usize>) {
        if self.levels > 0 {
            self.pool.run(&CallsWhenItCommits { levels: self.levels - 1, ..*self }, 0..8);
        }
    }

    fn split(&self, victim: &mut Range<usize>) -> Option<Range<usize>> {
        let middle = victim.start + victim.len().div_ceil(2);
        let stolen = middle..victim.end;
        victim.end = middle;
        (!stolen.is_empty()).then_some(stolen)
    }
}

/// A waiting caller commits what comes back, and is given another part at that moment: the call that the commit makes does not lose that part.
#[test]
fn a_commit_may_wait_for_a_call() {
    for wait in [Wait::Park, Wait::Spin] {
        let pool = pool(4, wait);
        ends("a call within a commit", || {
            for _ in 0..1_000 {
                let done = AtomicUsize::new(0);
                pool.run(&CallsWhenItCommits { pool: &pool, levels: 1, done: &done }, 0..32);
                let done = done.into_inner();
                assert!(done >= 32 && done.is_multiple_of(8), "{done}");
            }
        });
    }
}

/// The workers of a pool stay for tasks that need all of them, whichever thread drops the pool.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_task_may_need_all_workers_of_a_pool_that_has_been_dropped() {
    let count = || {
        // Time in which the other workers could leave.
        thread::sleep(Duration::from_millis(20));
        broadcast(|worker| worker).len()
    };
    ends("a broadcast while somebody drops the pool", || {
        let pool = pool(3, Wait::Park);
        let (done, is_done) = mpsc::channel();
        pool.spawn(move || done.send(count()).unwrap());
        drop(pool);
        assert_eq!(is_done.try_recv(), Ok(2), "what is spawned is run before a pool is gone");
    });
    ends("a broadcast of the task that drops the pool, and of another one", || {
        let pool = Arc::new(pool(3, Wait::Park));
        let own = pool.clone();
        let (done, is_done) = mpsc::channel();
        let other = done.clone();
        pool.spawn(move || {
            drop(own);
            done.send(count()).unwrap();
        });
        pool.spawn(move || other.send(count()).unwrap());
        drop(pool);
        assert_eq!((is_done.recv(), is_done.recv()), (Ok(2), Ok(2)));
    });
}

/// A call whose units wait for a task that the same worker has queued.
struct WaitsForTask<'a> {
    inside: &'a AtomicBool,
    has_run: &'a AtomicBool,
}

impl Algorithm for WaitsForTask<'_> {
    type Local = usize;

    fn has_local_work(&self, left: &usize) -> bool {
        *left > 0
    }

    fn do_unit(&self, left: &mut usize, _: usize) {
        self.inside.store(true, Ordering::Release);
        while !self.has_run.load(Ordering::Acquire) {
            thread::yield_now();
        }
        *left -= 1;
    }

    fn commit(&self, _: &mut usize) {}

    fn split(&self, _: &mut usize) -> Option<usize> {
        None
    }
}

/// A thread that waits for a scope takes what a worker has queued for that scope, also while the worker is busy with a call.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_task_does_not_wait_for_the_end_of_a_call_around_which_it_was_spawned() {
    let pool = pool(2, Wait::Park);
    let (inside, has_run) = (AtomicBool::new(false), AtomicBool::new(false));
    let (inside, has_run, within) = (&inside, &has_run, &pool);
    ends("a call that waits for a task of its worker's", || {
        pool.scope(|s| {
            s.spawn(move |s| {
                s.spawn(move |_| has_run.store(true, Ordering::Release));
                within.run(&WaitsForTask { inside, has_run }, 2);
            });
            while !inside.load(Ordering::Acquire) {
                thread::yield_now();
            }
        });
    });
}
