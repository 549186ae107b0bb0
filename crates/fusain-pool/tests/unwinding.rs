//! Tasks ask whether their thread unwinds, as the guards of locks do: none is run by a thread that does.

mod common;

use common::PATIENCE;
use fusain_pool::{Pool, Wait, join, scope};

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// What was run, and whether any of it by a thread that unwound.
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

/// The first closure of a join panics while the second one, on another worker, makes joins and spawns of its own.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn who_waits_for_a_second_closure_runs_nothing_else() {
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

/// A thread that leaves a pool by a panic has spawned into somebody else's scope.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn who_leaves_a_pool_leaves_tasks_to_others() {
    let pool = Pool::builder().threads(2).build().unwrap();
    let seen = Seen::default();
    let (release, is_released) = mpsc::channel::<()>();
    // Nobody else is there to take them before that.
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
