//! Tasks ask whether their thread is unwinding, as the guards of locks do. So no task may run on a thread that unwinds.

mod common;

use common::PATIENCE;
use fusain_pool::{Pool, Wait, join, scope};

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

/// How many tasks were run, and whether any of them was run by a thread that was unwinding.
#[derive(Default)]
struct Seen {
    run: AtomicUsize,
    unwinds: AtomicBool,
}

impl Seen {
    fn task(&self) {
        self.run.fetch_add(1, Ordering::Relaxed);
        self.unwinds.fetch_or(thread::panicking(), Ordering::Relaxed);
    }
}

fn fails(f: impl FnOnce()) {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("it panics");
    assert_eq!(payload.downcast_ref(), Some(&"as planned"));
}

/// The first closure of a join panics while the second one, on another worker, makes joins and spawns of its own, some of which the joiner runs.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn tasks_run_by_a_joiner_do_not_see_its_panic() {
    let pool = Pool::builder().threads(2).wait(Wait::Spin).build().unwrap();
    for _ in 0..100 {
        let seen = Seen::default();
        let (begin, begun) = mpsc::channel();
        fails(|| {
            pool.join(
                move || {
                    begun.recv_timeout(PATIENCE).expect("the other worker begins the second closure");
                    resume_unwind(Box::new("as planned"))
                },
                || {
                    begin.send(()).unwrap();
                    for _ in 0..20 {
                        join(thread::yield_now, || seen.task());
                        scope(|s| {
                            s.spawn(|_| seen.task());
                            thread::yield_now();
                        });
                    }
                },
            );
        });
        assert_eq!(seen.run.into_inner(), 40);
        assert!(!seen.unwinds.into_inner());
    }
}

/// A thread that leaves a pool by a panic has spawned tasks into another thread's scope.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn tasks_run_by_a_thread_that_leaves_do_not_see_its_panic() {
    let pool = Pool::builder().threads(2).build().unwrap();
    let seen = Seen::default();
    let (release, is_released) = mpsc::channel::<()>();
    // Keeps the only worker busy, so that it cannot take the tasks before that.
    pool.spawn(move || _ = is_released.recv());
    pool.scope(|s| {
        thread::scope(|threads| {
            threads.spawn(|| {
                fails(|| {
                    pool.install(|| {
                        (0..3).for_each(|_| s.spawn(|_| seen.task()));
                        resume_unwind(Box::new("as planned"))
                    });
                });
            });
        });
        drop(release);
    });
    assert_eq!(seen.run.into_inner(), 3);
    assert!(!seen.unwinds.into_inner());
}

/// A thread that leaves a pool by a panic has spawned into a scope, for whose end the pool's only worker waits.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_thread_that_leaves_by_a_panic_runs_what_others_wait_for() {
    let pool = Arc::new(Pool::builder().threads(2).build().unwrap());
    let (done, is_done) = mpsc::channel();
    let inner = Arc::clone(&pool);
    pool.spawn(move || {
        scope(|s| {
            thread::scope(|threads| {
                threads.spawn(|| {
                    fails(|| {
                        inner.install(|| {
                            s.spawn(|_| done.send(()).unwrap());
                            resume_unwind(Box::new("as planned"))
                        });
                    });
                });
            });
        });
    });
    is_done.recv_timeout(PATIENCE).expect("the task is run");
}
