//! Many threads, tiny calls, panics everywhere: all calls end, and their results are complete.

use fusain_pool::{Algorithm, Pool, Wait};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts elements; panics at the one named.
struct Visit {
    seen: AtomicUsize,
    panics_at: usize,
}

impl Algorithm for Visit {
    type Local = (std::ops::Range<usize>, usize);

    fn has_local_work(&self, (range, _): &Self::Local) -> bool {
        !range.is_empty()
    }

    fn do_unit(&self, (range, seen): &mut Self::Local, grain: usize) {
        for index in range.by_ref().take(grain) {
            assert!(index != self.panics_at, "element {index}");
            *seen += 1;
        }
    }

    fn commit(&self, (_, seen): &mut Self::Local) {
        self.seen.fetch_add(std::mem::take(seen), Ordering::Relaxed);
    }

    fn split(&self, (range, _): &mut Self::Local) -> Option<Self::Local> {
        let middle = range.start + range.len() / 2;
        let stolen = middle..std::mem::replace(&mut range.end, middle);
        (!stolen.is_empty()).then_some((stolen, 0))
    }
}

/// Runs one call, and asserts that it panics exactly if element `panics_at` is one of its `n`.
fn visit(pool: &Pool, n: usize, panics_at: usize) {
    let visit = Visit { seen: AtomicUsize::new(0), panics_at };
    let outcome = catch_unwind(AssertUnwindSafe(|| pool.run(&visit, (0..n, 0))));
    if panics_at < n {
        let payload = outcome.expect_err("the panic reaches the caller");
        let message = payload.downcast_ref::<String>().expect("the payload of the assertion");
        assert_eq!(*message, format!("element {panics_at}"));
    } else {
        outcome.expect("nothing panics");
        assert_eq!(visit.seen.into_inner(), n);
    }
}

/// With more workers than a caller's frame has room for parts.
#[test]
fn crowds() {
    let pool = Pool::builder().threads(40).wait(Wait::Park).build().unwrap();
    let is_shared = || pool.counters().steals_done > 0 || cfg!(fusain_single);
    for call in 0..calls() {
        // The workers sleep, and a call may be over before one of them arrives.
        if call >= calls() / 1_000 && is_shared() {
            break;
        }
        visit(&pool, call * 37 % 3_000, usize::MAX);
    }
    assert!(is_shared(), "some of it was shared");
}

fn calls() -> usize {
    if cfg!(debug_assertions) { 50_000 } else { 1_000_000 }
}

/// 10^6 tiny calls from 8 threads on one pool (fewer in a debug build), each complete.
#[test]
fn tiny_calls_from_eight_threads() {
    let mut shared = 0;
    for wait in [Wait::SpinThenPark(std::time::Duration::from_micros(20)), Wait::Park, Wait::Spin] {
        let pool = Pool::builder().threads(3).wait(wait).build().unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let pool = &pool;
                scope.spawn(move || {
                    for call in 0..calls() / 24 {
                        visit(pool, (call + thread) % 40, usize::MAX);
                    }
                });
            }
        });
        let counters = pool.counters();
        assert_eq!(counters.panics, 0);
        shared += counters.steals_done;
    }
    // Not in each pool: eight callers can keep the workers off all cores for as long as they run.
    assert!(shared > 0 || cfg!(fusain_single), "some of it was shared");
}

/// 10^5 calls that panic at some element (fewer in a debug build); each payload arrives, and the pool goes on.
#[test]
fn panics_reach_the_caller() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let pool =
        Pool::builder().threads(3).wait(Wait::SpinThenPark(std::time::Duration::from_micros(20))).build().unwrap();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let pool = &pool;
                scope.spawn(move || {
                    for call in 0..calls() / 40 {
                        visit(pool, 50, (call * 7 + thread) % 50);
                        visit(pool, 50, usize::MAX);
                    }
                });
            }
        });
    }));
    std::panic::set_hook(hook);
    outcome.expect("all of it as expected");
    assert_eq!(pool.counters().panics, (calls() / 40 * 4) as u64);
}

fn sum(depth: usize) -> usize {
    if depth == 0 {
        return 1;
    }
    let (a, b) = fusain_pool::join(|| sum(depth - 1), || sum(depth - 1));
    a + b
}

#[test]
fn joins_from_many_threads() {
    let pool =
        Pool::builder().threads(4).wait(Wait::SpinThenPark(std::time::Duration::from_micros(20))).build().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..calls() / 1_000 {
                    let (a, b) = pool.join(|| sum(7), || sum(7));
                    assert_eq!(a + b, 256);
                }
            });
        }
    });
}

/// Calls in units, joins in units, units in joins: no deadlock, no lost work.
#[test]
fn nested_calls() {
    struct Nest<'p>(&'p Pool, AtomicUsize);
    impl Algorithm for Nest<'_> {
        type Local = std::ops::Range<usize>;
        fn has_local_work(&self, range: &Self::Local) -> bool {
            !range.is_empty()
        }
        fn do_unit(&self, range: &mut Self::Local, _: usize) {
            range.next();
            let (a, b) = fusain_pool::join(
                || {
                    visit(self.0, 100, usize::MAX);
                    1
                },
                || sum(3),
            );
            visit(self.0, 100, usize::MAX);
            self.1.fetch_add(a + b, Ordering::Relaxed);
        }
        fn commit(&self, _: &mut Self::Local) {}
        fn split(&self, range: &mut Self::Local) -> Option<Self::Local> {
            let middle = range.start + range.len() / 2;
            let stolen = middle..std::mem::replace(&mut range.end, middle);
            (!stolen.is_empty()).then_some(stolen)
        }
    }
    for wait in [Wait::SpinThenPark(std::time::Duration::from_micros(20)), Wait::Park] {
        let pool = Pool::builder().threads(4).wait(wait).build().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..calls() / 10_000 {
                        let nest = Nest(&pool, AtomicUsize::new(0));
                        pool.run(&nest, 0..40);
                        assert_eq!(nest.1.into_inner(), 40 * 9);
                    }
                });
            }
        });
    }
}
