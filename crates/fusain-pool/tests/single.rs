//! Where there are no threads, everything runs in sequence, on the thread that calls.
#![cfg(fusain_single)]

use fusain_pool::{Error, Pool, Wait, current_workers, join, scope, spawn};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// As `Builder::threads` says.
const WORKERS_MAX: usize = 4096;

/// Every kind of call, on pools that were asked to have several sizes.
#[test]
fn everything_stays_on_the_calling_thread() {
    let own = thread::current().id();
    let here = || assert_eq!(thread::current().id(), own);
    for wait in [Wait::Spin, Wait::Park, Wait::SpinThenPark(Duration::from_secs(3600))] {
        for threads in [1, 2, 3, WORKERS_MAX] {
            let never = |_: usize| panic!("no worker starts");
            let pool = Pool::builder().threads(threads).wait(wait).start_handler(never).build().unwrap();
            assert_eq!(pool.workers(), 1);
            pool.install(|| {
                here();
                assert_eq!(current_workers(), 1);
                join(here, || join(here, here));
                scope(|s| s.spawn(|s| s.spawn(|_| here())));
            });
            assert_eq!(pool.broadcast(|worker| (worker, here()).0), [0]);
            assert_eq!(pool.in_worker(|| (1, here()).0), 1);
            assert_eq!(pool.counters().parks, 0);
        }
    }
    assert_eq!(Pool::global().workers(), 1);
}

/// There is no other thread to run the task later.
#[test]
fn a_detached_task_is_run_at_once() {
    static RAN: AtomicUsize = AtomicUsize::new(0);
    let pool = Pool::builder().threads(4).build().unwrap();
    let own = thread::current().id();
    let task = move || {
        assert_eq!(thread::current().id(), own);
        RAN.fetch_add(1, Ordering::Relaxed);
    };
    pool.spawn(move || {
        task();
        spawn(task);
    });
    assert_eq!(RAN.load(Ordering::Relaxed), 2);
}

#[test]
fn what_is_refused_elsewhere_is_refused_here() {
    assert!(matches!(Pool::builder().threads(0).build(), Err(Error::ThreadsOutOfRange { .. })));
    assert!(matches!(Pool::builder().threads(WORKERS_MAX + 1).build(), Err(Error::ThreadsOutOfRange { .. })));
    assert!(matches!(Pool::builder().threads(2).pin(true).build(), Err(Error::Pin)));
}
