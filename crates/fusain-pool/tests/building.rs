//! Pools are built, named, counted and ended as they say.

mod common;

use common::{PATIENCE, given_away};
use fusain_pool::{Algorithm, Error, Meter, Pool, Wait};
use std::cell::Cell;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

#[test]
fn no_or_too_many_threads() {
    for asked in [0, 4097, usize::MAX] {
        match Pool::builder().threads(asked).build() {
            Err(Error::ThreadsOutOfRange { asked: told }) => assert_eq!(told, asked),
            other => panic!("{asked} threads: {other:?}"),
        }
    }
}

#[test]
fn one_thread_is_enough() {
    let pool = Pool::builder().threads(1).build().unwrap();
    assert_eq!(pool.workers(), 1);
    assert_eq!(pool.join(|| 1, || 2), (1, 2));
    assert_eq!(pool.scope(|_| 3), 3);
}

#[cfg(target_pointer_width = "64")]
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_thread_that_cannot_start() {
    // More than the address space.
    let outcome = Pool::builder().threads(3).stack_size(1 << 47).build();
    assert!(matches!(outcome, Err(Error::Spawn { index: 1, .. })), "{outcome:?}");
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn pinning() {
    match Pool::builder().threads(2).pin(true).build() {
        Ok(pool) => assert_eq!(given_away(&pool, || 1), 1),
        Err(error) => assert!(matches!(error, Error::Pin), "{error}"),
    }
}

#[cfg(target_os = "linux")]
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_pinned_worker_has_one_core() {
    let (tell, told) = std::sync::mpsc::channel();
    let count = move |_| tell.send(rustix::thread::sched_getaffinity(None).unwrap().count()).unwrap();
    let _pool = Pool::builder().threads(3).pin(true).start_handler(count).build().unwrap();
    assert_eq!([told.recv().unwrap(), told.recv().unwrap()], [1, 1]);
}

#[cfg(target_os = "linux")]
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_worker_is_pinned_where_it_is_told() {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let numbers = |set: CpuSet| (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect::<Vec<_>>();
    let allowed = numbers(sched_getaffinity(None).unwrap());
    let (first, last) = (allowed[0], *allowed.last().unwrap());
    let (tell, told) = std::sync::mpsc::channel();
    let where_it_is = move |worker| tell.send((worker, numbers(sched_getaffinity(None).unwrap()))).unwrap();
    let _pool =
        Pool::builder().threads(3).pin(true).pin_to([first, last, first]).start_handler(where_it_is).build().unwrap();
    let mut told = [told.recv().unwrap(), told.recv().unwrap()];
    told.sort_unstable();
    assert_eq!(told, [(0, vec![last]), (1, vec![first])]);
}

#[test]
fn what_is_said_of_workers_fits_their_number() {
    let pinned = Pool::builder().threads(2).pin_to([0]).build();
    assert!(matches!(pinned, Err(Error::PinTo { named: 1, workers: 2 })), "{pinned:?}");
    let told = Pool::builder().threads(2).victims([vec![1], vec![1]]).build();
    assert!(matches!(told, Err(Error::Victims { worker: 1 })), "{told:?}");
}

/// One worker is still in its start handler, and the other one sleeps: the sleeping one is told of the task.
#[test]
#[cfg_attr(fusain_single, ignore = "needs started workers")]
fn a_start_handler_may_wait_for_a_task() {
    let (begins, has_begun) = mpsc::channel();
    let (run, has_run) = mpsc::channel();
    let has_run = Mutex::new(has_run);
    let start = move |worker| {
        if worker == 1 {
            begins.send(()).unwrap();
            has_run.lock().unwrap().recv_timeout(PATIENCE).expect("the task is run");
        }
    };
    let pool = Pool::builder().threads(3).wait(Wait::Park).start_handler(start).build().unwrap();
    has_begun.recv().unwrap();
    while pool.counters().parks == 0 {
        std::thread::yield_now();
    }
    pool.spawn(move || run.send(()).unwrap());
}

/// The order decides which worker is asked first, not which workers are asked.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn victims_in_any_order_find_all_work() {
    let far_first: Vec<Vec<usize>> =
        (0..4).map(|own: usize| (1..4).rev().map(|step| (own + step) % 4).collect()).collect();
    let by_number: Vec<Vec<usize>> = (0..4).map(|own| (0..4).filter(|&other| other != own).collect()).collect();
    for victims in [far_first, by_number] {
        for wait in [Wait::Park, Wait::Spin] {
            let pool = Pool::builder().threads(4).wait(wait).victims(victims.clone()).build().unwrap();
            for _ in 0..20 {
                assert_eq!(given_away(&pool, || 1), 1);
                let done = AtomicUsize::new(0);
                pool.scope(|scope| {
                    for _ in 0..100 {
                        scope.spawn(|_| {
                            done.fetch_add(1, Ordering::Relaxed);
                        });
                    }
                });
                assert_eq!(done.into_inner(), 100);
            }
        }
    }
}

const ROLE: &str = "FUSAIN_TEST_EXPECTS";

/// Runs `as_child` in its own process, with the variable set.
fn in_child(value: &str, expects: &str) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "as_child"])
        .env("FUSAIN_NUM_THREADS", value)
        .env(ROLE, expects)
        .output()
        .unwrap();
    assert!(output.status.success(), "{value:?}: {}", String::from_utf8_lossy(&output.stdout));
}

/// Does nothing unless it is run by [`in_child`].
#[test]
fn as_child() {
    let Ok(expects) = std::env::var(ROLE) else { return };
    match (Pool::try_global(), expects.parse::<usize>()) {
        (Ok(pool), Ok(workers)) => assert_eq!(pool.workers(), workers),
        (Err(Error::BadThreadCount { value }), Err(_)) => {
            assert_eq!(*value, std::env::var("FUSAIN_NUM_THREADS").unwrap());
            // The variable is not read where the program sets a number.
            assert!(Pool::builder().threads(2).build().is_ok());
        }
        (outcome, _) => panic!("{expects:?} was expected, not {outcome:?}"),
    }
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn number_of_threads_by_environment() {
    for bad in ["0", "-3", "many", "", "2.5", "1000000"] {
        in_child(bad, "an error");
    }
    in_child("3", "3");
    in_child(" 1 ", "1");
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn threads_have_names() {
    let name = || std::thread::current().name().map(str::to_owned);
    let pool = Pool::builder().threads(2).name("render").build().unwrap();
    assert_eq!(given_away(&pool, name).as_deref(), Some("render-1"));
    let pool = Pool::builder().threads(2).build().unwrap();
    assert_eq!(given_away(&pool, name).as_deref(), Some("fusain-1"));
}

/// Counts the end of the thread that it belongs to.
struct Farewell(Arc<AtomicUsize>);

impl Drop for Farewell {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

thread_local! {
    static FAREWELL: Cell<Option<Farewell>> = const { Cell::new(None) };
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn dropping_a_pool_joins_its_threads() {
    for wait in [Wait::Spin, Wait::Park, Wait::SpinThenPark(std::time::Duration::from_micros(10))] {
        let ended = Arc::new(AtomicUsize::new(0));
        let pool = Pool::builder().threads(2).wait(wait).build().unwrap();
        let farewell = Farewell(ended.clone());
        given_away(&pool, move || FAREWELL.set(Some(farewell)));
        assert_eq!(ended.load(Ordering::SeqCst), 0);
        drop(pool);
        assert_eq!(ended.load(Ordering::SeqCst), 1, "{wait:?}");
    }
}

/// Such a phase never ends.
#[test]
fn a_pool_with_a_leaked_phase_ends() {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        for _ in 0..100 {
            let pool = Pool::builder().threads(3).wait(Wait::Park).build().unwrap();
            std::mem::forget(pool.phase());
            drop(pool);
        }
        tell.send(()).unwrap();
    });
    told.recv_timeout(PATIENCE).expect("all pools have ended");
}

#[test]
fn unused_pools_end() {
    for threads in [1, 2, 9] {
        for _ in 0..20 {
            drop(Pool::builder().threads(threads).build().unwrap());
        }
    }
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn counters_count() {
    let pool = Pool::builder().threads(2).build().unwrap();
    let before = pool.counters();
    assert_eq!((before.units, before.steals_done, before.panics), (0, 0, 0));
    given_away(&pool, || ());
    let after = pool.counters();
    assert!(after.steals_done > before.steals_done, "{after:?}");
    assert_eq!(after.panics, 0);
}

/// Reads the count in its last unit.
struct LooksOn(Meter);

impl Algorithm for LooksOn {
    type Local = (u64, u64);
    fn has_local_work(&self, (left, _): &(u64, u64)) -> bool {
        *left > 0
    }
    fn do_unit(&self, (left, counted): &mut (u64, u64), _grain: usize) {
        *left -= 1;
        *counted = self.0.counters().units;
    }
    fn commit(&self, (left, counted): &mut (u64, u64)) {
        assert!(*left > 0 || *counted >= 9_000, "{counted} of 10000 units are counted while the call is on");
    }
    fn split(&self, _: &mut (u64, u64)) -> Option<(u64, u64)> {
        None
    }
}

#[test]
fn units_are_counted_as_they_are_done() {
    let pool = Pool::builder().threads(1).build().unwrap();
    pool.run(&LooksOn(pool.meter()), (10_000, 0));
    assert_eq!(pool.counters().units, 10_000);
}
