//! Sleeping workers are woken for work that turns up late.

mod common;

use common::PATIENCE;
use fusain_pool::{Algorithm, Pool, Wait, join};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// A search whose root has `LEAVES` children. Each leaf stays until `meet` threads have come to leaves. The root alone cannot be split.
struct Tree {
    meet: usize,
    started: Instant,
    threads: Mutex<Vec<ThreadId>>,
}

const LEAVES: usize = 8;

enum Node {
    Root,
    Leaf,
}

impl Algorithm for Tree {
    type Local = Vec<Node>;

    fn has_local_work(&self, nodes: &Self::Local) -> bool {
        !nodes.is_empty()
    }

    fn do_unit(&self, nodes: &mut Self::Local, _: usize) {
        match nodes.pop() {
            Some(Node::Root) => nodes.extend((0..LEAVES).map(|_| Node::Leaf)),
            Some(Node::Leaf) if !self.is_met() => nodes.push(Node::Leaf),
            Some(Node::Leaf) | None => {}
        }
    }

    fn commit(&self, _: &mut Self::Local) {}

    fn split(&self, nodes: &mut Self::Local) -> Option<Self::Local> {
        let stolen = nodes.split_off(nodes.len().div_ceil(2));
        (!stolen.is_empty()).then_some(stolen)
    }
}

impl Tree {
    /// Whether `meet` threads have come to leaves, or too much time has passed.
    fn is_met(&self) -> bool {
        let mut threads = self.threads.lock().expect("no panic happens under this lock");
        let here = thread::current().id();
        if !threads.contains(&here) {
            threads.push(here);
        }
        thread::yield_now();
        threads.len() >= self.meet || self.started.elapsed() >= PATIENCE
    }
}

/// How many threads work on the nodes, in a pool whose workers sleep when the call begins.
fn meet_on_sleepers(workers: usize, nodes: Vec<Node>) -> usize {
    let pool = Pool::builder().threads(workers).wait(Wait::Park).build().expect("a pool");
    let start = Instant::now();
    while pool.counters().parks < workers as u64 - 1 && start.elapsed() < PATIENCE {
        thread::yield_now();
    }
    let tree = Tree { meet: workers, started: Instant::now(), threads: Mutex::new(Vec::new()) };
    pool.run(&tree, nodes);
    tree.threads.into_inner().expect("no panic happens under this lock").len()
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_root_that_cannot_be_split_wakes_who_sleeps() {
    assert_eq!(meet_on_sleepers(2, vec![Node::Root]), 2, "it worked alone");
}

/// `others.rs` tests that each worker wakes only two. Here workers that have been woken may wake others for other reasons, too.
#[test]
#[cfg_attr(fusain_single, ignore = "needs started workers")]
fn all_sleepers_come_to_a_call_that_lasts() {
    let leaves = (0..2 * LEAVES).map(|_| Node::Leaf).collect();
    assert_eq!(meet_on_sleepers(LEAVES, leaves), LEAVES, "somebody slept on");
}

/// Two units, each of which waits until a task has run.
struct Waits<'a>(&'a AtomicBool);

impl Algorithm for Waits<'_> {
    type Local = usize;

    fn has_local_work(&self, units: &usize) -> bool {
        *units > 0
    }

    fn do_unit(&self, units: &mut usize, _: usize) {
        let started = Instant::now();
        while !self.0.load(Ordering::Acquire) {
            thread::yield_now();
            assert!(started.elapsed() < PATIENCE, "the task is run");
        }
        *units -= 1;
    }

    fn commit(&self, _: &mut usize) {}

    fn split(&self, units: &mut usize) -> Option<usize> {
        (*units > 1).then(|| std::mem::replace(units, 1) - 1)
    }
}

/// A worker that is woken for a task runs it before it takes part in a call whose units wait for that task. No other worker is told of the task: the other one sleeps on.
#[test]
#[cfg_attr(fusain_single, ignore = "needs started workers")]
fn who_is_woken_for_a_task_does_that_first() {
    let pool = Pool::builder().threads(3).wait(Wait::Park).build().unwrap();
    for round in 0..3_000 {
        let has_run = Arc::new(AtomicBool::new(false));
        let task = Arc::clone(&has_run);
        pool.spawn(move || task.store(true, Ordering::Release));
        // Now and then the call begins just as the worker arrives.
        for _ in 0..(7 * round) % 3_000 {
            std::hint::spin_loop();
        }
        pool.run(&Waits(&has_run), 2);
        thread::sleep(Duration::from_micros(100));
    }
}

/// A long task of a kind that was always short before is seen by a sleeping worker, also where another one is kept busy.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_busy_worker_keeps_nobody_waiting() {
    let wait_for = |flag: &AtomicBool| {
        let started = Instant::now();
        while !flag.load(Ordering::Acquire) {
            assert!(started.elapsed() < PATIENCE, "the other side has not begun");
            thread::yield_now();
        }
    };
    let scope = |pool: &Pool, lasts: bool| {
        let has_run = AtomicBool::new(false);
        pool.scope(|s| {
            s.spawn(|_| has_run.store(true, Ordering::Release));
            if lasts {
                wait_for(&has_run);
            }
        });
    };
    for _ in 0..20 {
        let other = Pool::builder().threads(2).wait(Wait::Park).build().unwrap();
        (0..1000).for_each(|_| scope(&other, false));
        let pool = Pool::builder().threads(3).wait(Wait::Park).build().unwrap();
        let [is_kept, is_over] = [const { AtomicBool::new(false) }; 2];
        thread::scope(|threads| {
            threads.spawn(|| {
                let keep = || {
                    is_kept.store(true, Ordering::Release);
                    wait_for(&is_over);
                };
                pool.join(|| wait_for(&is_kept), keep);
            });
            wait_for(&is_kept);
            scope(&pool, true);
            is_over.store(true, Ordering::Release);
        });
    }
}

/// A task of a kind that was always short waits for the worker on watch. That worker is woken for a part of another call, which lasts until the task has been run.
#[test]
#[cfg_attr(fusain_single, ignore = "needs started workers")]
fn a_task_is_seen_though_the_worker_on_watch_is_given_a_part() {
    let scope = |pool: &Pool, has_run: &AtomicBool, lasts: &(dyn Fn() + Sync)| {
        pool.scope(|s| {
            s.spawn(|_| has_run.store(true, Ordering::Release));
            lasts();
        });
    };
    for _ in 0..20 {
        let other = Pool::builder().threads(2).wait(Wait::Park).build().unwrap();
        (0..1000).for_each(|_| scope(&other, &AtomicBool::new(false), &|| ()));
        let pool = Pool::builder().threads(3).wait(Wait::Park).build().unwrap();
        let [is_queued, has_run] = [const { AtomicBool::new(false) }; 2];
        thread::scope(|threads| {
            threads.spawn(|| {
                while !is_queued.load(Ordering::Acquire) {
                    std::hint::spin_loop();
                }
                pool.run(&Waits(&has_run), 2);
            });
            while pool.counters().parks < 2 {
                thread::yield_now();
            }
            let lasts = || {
                is_queued.store(true, Ordering::Release);
                let started = Instant::now();
                while !has_run.load(Ordering::Acquire) {
                    assert!(started.elapsed() < PATIENCE, "nobody has seen the task");
                    thread::yield_now();
                }
            };
            scope(&pool, &has_run, &lasts);
        });
    }
}

/// A pool of two workers, of which the started one has slept for so long that it does not look around any more.
fn resting() -> Pool {
    let pool = Pool::builder().threads(2).wait(Wait::Park).build().unwrap();
    while pool.counters().parks == 0 {
        thread::yield_now();
    }
    pool
}

fn rest() {
    thread::sleep(Duration::from_millis(300));
}

/// Returns when two threads are inside of it.
fn meet(here: &AtomicUsize) {
    here.fetch_add(1, Ordering::Relaxed);
    let started = Instant::now();
    while here.load(Ordering::Relaxed) < 2 {
        thread::yield_now();
        assert!(started.elapsed() < PATIENCE, "no other thread has come");
    }
}

/// A scope that begins with a join wakes a worker, as a join on its own does. So does one whose first join comes after one in another pool's scope.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_scope_that_begins_with_a_join_wakes_a_worker() {
    let (pool, other) = (resting(), resting());
    let joins = || {
        let here = AtomicUsize::new(0);
        join(|| meet(&here), || meet(&here));
    };
    rest();
    pool.scope(|_| joins());
    rest();
    pool.scope(|_| {
        other.scope(|_| joins());
        joins();
    });
}

/// Units of which the first panics.
struct Fails;

impl Algorithm for Fails {
    type Local = usize;

    fn has_local_work(&self, units: &usize) -> bool {
        *units > 0
    }

    fn do_unit(&self, _: &mut usize, _: usize) {
        resume_unwind(Box::new(()));
    }

    fn commit(&self, _: &mut usize) {}

    fn split(&self, _: &mut usize) -> Option<usize> {
        None
    }
}

/// A call that panics, and one without units, leave a request with their caller that is no worker's. The task that is spawned next wakes a worker all the same.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_task_after_a_call_that_came_to_nothing_wakes_a_worker() {
    for units in [0, 1] {
        let pool = resting();
        let outcome = catch_unwind(AssertUnwindSafe(|| pool.run(&Fails, units)));
        assert_eq!(outcome.is_err(), units > 0);
        rest();
        let here = AtomicUsize::new(0);
        pool.scope(|s| {
            s.spawn(|_| meet(&here));
            meet(&here);
        });
    }
}
