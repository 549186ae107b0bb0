//! `join` and `scope`: results, drops, panics, depth, nesting.

mod common;

use common::{PATIENCE, given_away};
use fusain_pool::{Pool, Wait, join, scope};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

fn pool() -> Pool {
    Pool::builder().threads(3).build().unwrap()
}

/// The number of an expected panic.
fn caught<R>(f: impl FnOnce() -> R) -> u32 {
    let payload = catch_unwind(AssertUnwindSafe(f)).err().expect("panics");
    *payload.downcast::<u32>().expect("with a number")
}

/// Panics with a number and without a message.
fn fail(number: u32) -> u32 {
    resume_unwind(Box::new(number))
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn results_by_value() {
    let pool = pool();
    let (name, numbers) = (String::from("pool"), vec![1, 2, 3]);
    let (a, b) = pool.join(move || name + "!", move || numbers.into_boxed_slice());
    assert_eq!((a.as_str(), &*b), ("pool!", &[1, 2, 3][..]));
    let boxed = given_away(&pool, || Box::new(String::from("from afar")));
    assert_eq!(*boxed, "from afar");
    let large = given_away(&pool, || [7_u64; 1000]);
    assert_eq!(large.iter().sum::<u64>(), 7000);
}

/// Halves `closures` until there is one, which adds itself to `here` and waits until all have.
fn halved(closures: usize, all: usize, here: &AtomicUsize) {
    if closures > 1 {
        let half = closures / 2;
        join(|| halved(closures - half, all, here), || halved(half, all, here));
        return;
    }
    here.fetch_add(1, Ordering::Relaxed);
    let started = Instant::now();
    while here.load(Ordering::Relaxed) < all {
        std::thread::yield_now();
        assert!(started.elapsed() < PATIENCE, "a closure has not been begun");
    }
}

/// Closures of joins that wait for each other. All are begun, although most lie on the stacks of workers that are in a long closure, and although earlier closures were short.
#[test]
#[cfg_attr(fusain_single, ignore = "needs started workers")]
fn long_closures_are_all_begun() {
    fn fib(n: u64) -> u64 {
        if n < 2 {
            return n;
        }
        let (a, b) = join(|| fib(n - 1), || fib(n - 2));
        a + b
    }
    for threads in [3, 4, 16] {
        let pool = Pool::builder().threads(threads).wait(Wait::Park).build().unwrap();
        pool.install(|| {
            for _ in 0..10 {
                assert_eq!(fib(10), 55);
                (0..100).for_each(|_| _ = join(|| (), || ()));
                halved(threads, threads, &AtomicUsize::new(0));
            }
        });
        // Nested.
        let here = AtomicUsize::new(0);
        let come = || halved(1, threads.min(4), &here);
        match threads {
            3 => pool.join(|| join(come, come), come).1,
            _ => pool.join(|| join(|| join(come, come), come), come).1,
        };
    }
}

/// A scope's own closure, and a task, spawn something and then join closures that wait for each other.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn closures_that_are_joined_after_a_spawn_are_all_begun() {
    let pool = Pool::builder().threads(2).wait(Wait::Park).build().unwrap();
    for _ in 0..10 {
        pool.scope(|s| {
            s.spawn(|_| ());
            halved(2, 2, &AtomicUsize::new(0));
        });
        pool.scope(|s| {
            s.spawn(|s| {
                s.spawn(|_| ());
                halved(2, 2, &AtomicUsize::new(0));
            });
        });
    }
}

/// Each value that is alive adds one to the count.
struct Alive<'c>(&'c AtomicUsize);

impl<'c> Alive<'c> {
    fn new(count: &'c AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        // The count would fall below 0 if a value were dropped twice.
        assert_ne!(self.0.fetch_sub(1, Ordering::Relaxed), 0, "dropped twice");
    }
}

#[test]
fn everything_is_dropped_once() {
    fn tree<'c>(depth: usize, count: &'c AtomicUsize, panics_at: usize) -> Alive<'c> {
        if depth == panics_at {
            fail(1);
        }
        if depth > 0 {
            let (left, right) = (Alive::new(count), Alive::new(count));
            let _results = join(
                move || {
                    let _captured = left;
                    tree(depth - 1, count, usize::MAX)
                },
                move || {
                    let _captured = right;
                    tree(depth - 1, count, panics_at)
                },
            );
        }
        Alive::new(count)
    }
    let pool = pool();
    for round in 0..50 {
        let count = AtomicUsize::new(0);
        let panics_at = if round % 2 == 0 { usize::MAX } else { round % 8 };
        let outcome = catch_unwind(AssertUnwindSafe(|| drop(pool.join(|| tree(8, &count, panics_at), || ()))));
        assert_eq!(outcome.is_err(), panics_at <= 8);
        assert_eq!(count.into_inner(), 0, "round {round}");
    }
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn panics_on_either_side() {
    let pool = pool();
    assert_eq!(caught(|| pool.join(|| fail(1), || 2)), 1);
    assert_eq!(caught(|| pool.join(|| 1, || fail(2))), 2);
    assert_eq!(caught(|| pool.join(|| fail(1), || fail(2))), 1, "the first side's panic counts");
    // The same on another worker.
    assert_eq!(caught(|| given_away(&pool, || fail(3))), 3);
    let both = AtomicUsize::new(0);
    let a = || {
        let started = Instant::now();
        while both.load(Ordering::Acquire) == 0 {
            join(|| (), || ());
            assert!(started.elapsed() < PATIENCE, "no worker has come");
        }
        fail(1)
    };
    let b = || {
        both.store(1, Ordering::Release);
        fail(2)
    };
    assert_eq!(caught(|| pool.join(a, b)), 1, "the first side's panic counts here, too");
    // The pool is as good as before.
    assert_eq!(given_away(&pool, || 4), 4);
}

/// Joins as deep as the thread's stack allows, with leaves on either side.
#[test]
fn deep_recursion() {
    fn left(depth: u64) -> u64 {
        if depth == 0 { 0 } else { join(|| left(depth - 1), || 1).0 + 1 }
    }
    fn right(depth: u64) -> u64 {
        if depth == 0 { 0 } else { join(|| 1, || right(depth - 1)).1 + 1 }
    }
    // Unoptimised frames are several times as large.
    let (depth, stack) = if cfg!(debug_assertions) { (100_000, 1 << 27) } else { (1_000_000, 1 << 29) };
    let pool = Pool::builder().threads(3).stack_size(stack).build().unwrap();
    let deep = || {
        pool.join(
            || {
                assert_eq!(left(depth), depth);
                assert_eq!(right(depth), depth);
            },
            || (),
        );
    };
    std::thread::scope(|threads| {
        std::thread::Builder::new().stack_size(stack).spawn_scoped(threads, deep).unwrap().join().unwrap();
    });
}

#[test]
fn nested_spawns_all_run() {
    fn spawn<'s>(s: &fusain_pool::Scope<'s>, depth: usize, count: &'s AtomicUsize) {
        count.fetch_add(1, Ordering::Relaxed);
        if depth > 0 {
            for _ in 0..3 {
                s.spawn(move |s| spawn(s, depth - 1, count));
            }
        }
    }
    let pool = pool();
    for _ in 0..20 {
        let count = AtomicUsize::new(0);
        let result = pool.scope(|s| {
            spawn(s, 6, &count);
            "done"
        });
        assert_eq!(result, "done");
        assert_eq!(count.into_inner(), (3_usize.pow(7) - 1) / 2);
    }
}

#[test]
fn panics_in_a_scope() {
    let pool = pool();
    let ran = AtomicUsize::new(0);
    let number = caught(|| {
        pool.scope(|s| {
            for task in 0..100 {
                let ran = &ran;
                s.spawn(move |s| {
                    s.spawn(move |_| {
                        ran.fetch_add(1, Ordering::Relaxed);
                    });
                    if task == 57 {
                        fail(57);
                    }
                });
            }
        });
    });
    assert_eq!(number, 57);
    assert_eq!(ran.load(Ordering::Relaxed), 100, "all the others run to their end");
    let number = caught(|| {
        pool.scope(|s| {
            s.spawn(|_| {
                fail(1);
            });
            fail(2);
        });
    });
    assert_eq!(number, 2, "what panics in the scope itself counts");
}

#[test]
fn tasks_of_a_scope_are_dropped_once() {
    let pool = pool();
    let count = AtomicUsize::new(0);
    for panics in [false, true] {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            pool.scope(|s| {
                for task in 0..200 {
                    let captured = Alive::new(&count);
                    s.spawn(move |_| {
                        let _captured = captured;
                        if panics && task % 7 == 0 {
                            fail(task);
                        }
                    });
                }
            });
        }));
        assert_eq!(outcome.is_err(), panics);
        assert_eq!(count.load(Ordering::Relaxed), 0);
    }
}

/// A closure of a broadcast spawns a task into the scope around it, and waits for the task, while no worker is idle but the scope's owner.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn who_waits_for_a_broadcast_runs_what_that_has_spawned_into_the_scope_around_it() {
    let pool = Pool::builder().threads(2).wait(Wait::Park).build().unwrap();
    let task = AtomicBool::new(false);
    let has_run = || {
        let started = Instant::now();
        while !task.load(Ordering::Relaxed) && started.elapsed() < PATIENCE {
            std::thread::yield_now();
        }
        task.load(Ordering::Relaxed)
    };
    let was_run = pool.scope(|s| {
        pool.broadcast(|worker| {
            if worker > 0 {
                return true;
            }
            s.spawn(|_| task.store(true, Ordering::Relaxed));
            has_run()
        })
    });
    assert_eq!(was_run, [true, true]);
}

/// Two pools that call into each other, and back.
#[test]
fn nested_pools() {
    fn bounce(here: &Pool, there: &Pool, depth: usize) -> usize {
        if depth == 0 {
            return 1;
        }
        let (a, b) = here.join(|| bounce(there, here, depth - 1), || bounce(there, here, depth - 1));
        let mut c = 0;
        there.scope(|s| s.spawn(|_| c = join(|| 1, || 1).0));
        a + b + c - 1
    }
    let (one, two) = (pool(), pool());
    std::thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(bounce(&one, &two, 6), 64);
                }
            });
        }
    });
}

/// More callers at once than a fixed number of slots would hold: all of them share their work, and get their results.
#[test]
fn many_callers_at_once() {
    const CALLERS: usize = 80;
    let pool = pool();
    let inside = std::sync::Barrier::new(CALLERS);
    std::thread::scope(|threads| {
        for caller in 0..CALLERS {
            let (pool, inside) = (&pool, &inside);
            threads.spawn(move || {
                let (a, b) = pool.join(
                    || {
                        // All of them are inside now.
                        inside.wait();
                        caller
                    },
                    || {
                        scope(|s| {
                            s.spawn(|_| ());
                            caller * 2
                        })
                    },
                );
                assert_eq!((a, b), (caller, caller * 2));
                let mut sum = 0;
                pool.scope(|s| s.spawn(|_| sum = caller));
                assert_eq!(sum, caller);
            });
        }
    });
}
