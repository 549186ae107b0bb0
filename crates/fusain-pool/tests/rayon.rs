//! Workers on rayon's threads.
#![cfg(all(feature = "rayon", not(fusain_single)))]

mod common;

use common::{PATIENCE, given_away};
use fusain_pool::{Pool, current_workers, join};
use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

fn rayon(threads: usize) -> Arc<ThreadPool> {
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("rayon-{index}"));
    Arc::new(builder.build().unwrap())
}

fn sum(depth: usize) -> usize {
    if depth == 0 {
        return 1;
    }
    let (a, b) = join(|| sum(depth - 1), || sum(depth - 1));
    a + b
}

#[test]
fn work_is_done_on_rayons_threads() {
    let pool = Pool::on_rayon(rayon(2));
    assert_eq!(pool.workers(), 3);
    let name = given_away(&pool, || std::thread::current().name().map(str::to_owned));
    assert!(name.as_deref().is_some_and(|name| name.starts_with("rayon-")), "{name:?}");
}

/// Visits begin and end many times.
#[test]
fn visits_end_and_begin_again() {
    let pool = Pool::on_rayon(rayon(2));
    for round in 0..200 {
        assert_eq!(given_away(&pool, || round), round);
        if round % 20 == 0 {
            // Longer than a visit lasts without work.
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
    assert!(pool.counters().steals_done >= 200);
}

/// All of rayon's threads call, so that no visit can begin: each thread does its own work, and none waits for a visit.
#[test]
fn calls_from_all_of_rayons_threads() {
    for threads in [1, 2, 3] {
        let rayon = rayon(threads);
        let pool = Pool::on_rayon(rayon.clone());
        for _ in 0..50 {
            let sums = rayon.broadcast(|_| pool.join(|| sum(8), || sum(8)));
            assert!(sums.iter().all(|&(a, b)| a + b == 512));
        }
    }
}

/// All of rayon's threads wait for every worker, so visits can begin only on these waiting threads.
#[test]
fn broadcasts_from_all_of_rayons_threads() {
    for threads in [1, 2, 3] {
        let rayon = rayon(threads);
        let pool = Pool::on_rayon(rayon.clone());
        for _ in 0..20 {
            let all = rayon.broadcast(|_| pool.broadcast(|worker| worker).len());
            assert!(all.iter().all(|&workers| workers == threads + 1), "{all:?}");
        }
    }
}

/// A thread of rayon's waits for a closure that another thread has taken, and that one waits for every worker.
#[test]
fn a_broadcast_from_a_closure_that_one_of_rayons_threads_waits_for() {
    let rayon = rayon(1);
    let pool = &Pool::on_rayon(rayon.clone());
    let taken = &AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            pool.install(|| {
                while !taken.load(Ordering::Acquire) {
                    fusain_pool::yield_now();
                }
            });
        });
        let a = || {
            while !taken.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
        };
        let b = || {
            taken.store(true, Ordering::Release);
            pool.broadcast(|worker| worker).len()
        };
        assert_eq!(rayon.install(|| pool.join(a, b)).1, 2);
    });
}

/// rayon's joins within ours and ours within rayon's.
#[test]
fn both_kinds_of_join() {
    fn mixed(depth: usize) -> usize {
        if depth == 0 {
            return 1;
        }
        let (a, b) = if depth.is_multiple_of(2) {
            join(|| mixed(depth - 1), || mixed(depth - 1))
        } else {
            rayon_core::join(|| mixed(depth - 1), || mixed(depth - 1))
        };
        a + b
    }
    let rayon = rayon(3);
    let pool = Pool::on_rayon(rayon.clone());
    for _ in 0..50 {
        let (a, b) = rayon.install(|| pool.join(|| mixed(8), || mixed(8)));
        assert_eq!(a + b, 512);
    }
}

#[test]
fn panics_leave_rayon_alone() {
    let pool = Pool::on_rayon(rayon(2));
    for _ in 0..20 {
        let outcome = catch_unwind(AssertUnwindSafe(|| given_away(&pool, || -> () { resume_unwind(Box::new(7_u32)) })));
        let payload = outcome.expect_err("panics");
        assert_eq!(*payload.downcast::<u32>().unwrap(), 7);
    }
    assert_eq!(given_away(&pool, || 1), 1);
}

/// No thread waits for the task, and yet it is not lost.
#[test]
fn what_was_spawned_is_run_after_the_pool_has_been_dropped() {
    let rayon = rayon(1);
    let (open, gate) = mpsc::channel::<()>();
    let (done, is_done) = mpsc::channel();
    // rayon's only thread is busy until the gate is opened.
    rayon.spawn(move || _ = gate.recv());
    let pool = Pool::on_rayon(rayon);
    pool.spawn(move || fusain_pool::spawn(move || done.send(current_workers()).unwrap()));
    drop(pool);
    drop(open);
    assert_eq!(is_done.recv_timeout(PATIENCE), Ok(2));
}

#[test]
fn rayon_outlives_the_pool() {
    let rayon = rayon(2);
    for _ in 0..50 {
        let pool = Pool::on_rayon(rayon.clone());
        assert_eq!(given_away(&pool, || 1), 1);
    }
    let count = AtomicUsize::new(0);
    rayon.install(|| count.fetch_add(1, Ordering::Relaxed));
    assert_eq!(count.into_inner(), 1);
}
