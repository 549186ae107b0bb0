//! Jobs ask whether their thread is unwinding, as rayon's `panic_fuse` and the guards of locks do. So no job may run on a thread that unwinds.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use rayon_core::ThreadPoolBuilder;

const PATIENCE: Duration = Duration::from_secs(60);

/// A joiner has panicked while another thread runs its second closure, and it is the only thread that can run what is spawned meanwhile.
#[test]
fn a_joiner_that_has_panicked_goes_on_as_others_do() {
    const JOBS: usize = 10;
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (begin, begun) = mpsc::channel::<()>();
    let (panic, panics) = mpsc::channel::<()>();
    let (release, is_released) = mpsc::channel::<()>();
    let (begun, is_released) = (Mutex::new(begun), Mutex::new(is_released));
    let (run, unwinds) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|threads| {
        threads.spawn(|| {
            let joined = catch_unwind(AssertUnwindSafe(|| {
                pool.join(
                    || {
                        begun
                            .lock()
                            .unwrap()
                            .recv_timeout(PATIENCE)
                            .expect("the other thread begins the second closure");
                        panic.send(()).unwrap();
                        resume_unwind(Box::new("as planned"))
                    },
                    || {
                        begin.send(()).unwrap();
                        is_released.lock().unwrap().recv_timeout(PATIENCE).expect("all jobs are run meanwhile");
                    },
                )
            }));
            assert_eq!(joined.expect_err("it panics").downcast_ref(), Some(&"as planned"));
        });
        panics.recv_timeout(PATIENCE).expect("the first closure panics");
        for _ in 0..JOBS {
            pool.scope(|s| {
                s.spawn(|_| {
                    run.fetch_add(1, Ordering::Relaxed);
                    unwinds.fetch_or(thread::panicking(), Ordering::Relaxed);
                });
            });
        }
        release.send(()).unwrap();
    });
    assert_eq!(run.into_inner(), JOBS);
    assert!(!unwinds.into_inner());
}

/// As in rayon, the second closure is run even if the first one panics.
#[test]
fn a_second_closure_is_run_by_a_thread_that_does_not_unwind() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let unwinds = Mutex::new(None);
    let joined = catch_unwind(AssertUnwindSafe(|| {
        pool.join(|| resume_unwind(Box::new("as planned")), || *unwinds.lock().unwrap() = Some(thread::panicking()))
    }));
    assert_eq!(joined.expect_err("it panics").downcast_ref(), Some(&"as planned"));
    assert_eq!(unwinds.into_inner().unwrap(), Some(false));
}

/// Each of two broadcasts waits for all threads, so no thread may begin one of them while another thread begins the other.
#[test]
fn broadcasts_come_to_all_threads_in_one_order() {
    const STEPS: usize = 20;
    const ROUNDS: usize = 100;
    for n in [2, 3] {
        let pool = ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        let (done, is_done) = mpsc::channel();
        thread::scope(|threads| {
            for _ in 0..2 {
                let (pool, done) = (&pool, done.clone());
                threads.spawn(move || {
                    let all = std::sync::Barrier::new(n);
                    for _ in 0..STEPS {
                        (0..ROUNDS).for_each(|_| drop(pool.broadcast(|_| all.wait())));
                        done.send(()).unwrap();
                    }
                });
            }
            for _ in 0..2 * STEPS {
                if is_done.recv_timeout(PATIENCE).is_err() {
                    eprintln!("broadcasts on {n} threads wait for each other");
                    std::process::abort();
                }
            }
        });
    }
}

/// A thread that unwinds out of one pool drops another one, whose task waits for the first.
#[test]
fn a_worker_that_unwinds_serves_its_pool() {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        let outer = Arc::new(ThreadPoolBuilder::new().num_threads(1).build().unwrap());
        let from_inner = Arc::clone(&outer);
        let unwinds = catch_unwind(AssertUnwindSafe(|| {
            outer.install(|| {
                let inner = fusain_pool::Pool::builder().threads(2).build().unwrap();
                inner.spawn(move || {
                    thread::sleep(Duration::from_millis(20));
                    from_inner.install(|| ());
                });
                resume_unwind(Box::new("as planned"))
            });
        }));
        done.send(unwinds.is_err()).unwrap();
    });
    assert_eq!(is_done.recv_timeout(PATIENCE), Ok(true));
}
