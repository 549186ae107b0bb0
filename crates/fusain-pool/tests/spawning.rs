//! Detached tasks, broadcasts, inheritance of pools, handlers.

mod common;

use common::PATIENCE;
use fusain_pool::{Pool, Wait, WorkerLocal, current_worker_index, current_workers, join, scope, spawn, yield_now};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::time::Duration;

fn pool(threads: usize) -> Pool {
    Pool::builder().threads(threads).build().unwrap()
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn detached_tasks_run() {
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        let (done, ends) = mpsc::channel();
        for task in 0..100 {
            let done = done.clone();
            pool.spawn(move || {
                // From within: on the same pool.
                let workers = current_workers();
                spawn(move || done.send((task, workers)).unwrap());
            });
        }
        drop(done);
        let ended: HashSet<_> = std::iter::from_fn(|| ends.recv_timeout(PATIENCE).ok()).collect();
        assert_eq!(ended, (0..100).map(|task| (task, threads)).collect());
    }
}

#[test]
fn a_pool_that_is_dropped_runs_what_was_spawned() {
    for threads in [1, 2, 3] {
        let ran = Arc::new(AtomicUsize::new(0));
        let pool = pool(threads);
        for _ in 0..50 {
            let ran = ran.clone();
            pool.spawn(move || {
                spawn(move || {
                    ran.fetch_add(1, Ordering::Relaxed);
                });
            });
        }
        drop(pool);
        assert_eq!(ran.load(Ordering::Relaxed), 50);
    }
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_task_may_own_the_pool() {
    let (done, is_done) = mpsc::channel();
    let pool = Arc::new(pool(2));
    let own = pool.clone();
    let gate = Arc::new(Barrier::new(2));
    let open = gate.clone();
    pool.spawn(move || {
        open.wait();
        drop(own);
        done.send(()).unwrap();
    });
    drop(pool);
    gate.wait();
    is_done.recv_timeout(PATIENCE).expect("the last owner leaves");
}

#[test]
fn panics_of_detached_tasks_go_to_the_handler() {
    let (told, panics) = mpsc::channel();
    let told = Mutex::new(told);
    let pool = Pool::builder()
        .threads(2)
        .panic_handler(move |payload| {
            told.lock().unwrap().send(*payload.downcast::<u32>().unwrap()).unwrap();
            resume_unwind(Box::new("a handler that panics"));
        })
        .build()
        .unwrap();
    for number in 0..3_u32 {
        pool.spawn(move || resume_unwind(Box::new(number)));
    }
    let mut numbers: Vec<_> = (0..3).map(|_| panics.recv_timeout(PATIENCE).unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2]);
    assert_eq!(pool.join(|| 1, || 2), (1, 2));
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn broadcasts_reach_everybody() {
    for wait in [Wait::Park, Wait::Spin] {
        let pool = Pool::builder().threads(4).wait(wait).build().unwrap();
        for _ in 0..50 {
            let threads = Mutex::new(HashSet::new());
            let numbers = pool.broadcast(|worker| {
                threads.lock().unwrap().insert(std::thread::current().id());
                assert_eq!(current_worker_index(), Some(worker));
                worker
            });
            assert_eq!(numbers, [0, 1, 2, 3]);
            assert_eq!(threads.into_inner().unwrap().len(), 4, "each on a thread of its own");
        }
        let end = catch_unwind(AssertUnwindSafe(|| {
            pool.broadcast(|worker| {
                if worker > 1 {
                    resume_unwind(Box::new(worker))
                }
            })
        }));
        assert_eq!(end.unwrap_err().downcast_ref(), Some(&2_usize), "the first panic in the order of workers");
    }
}

/// Workers that broadcast at the same time, each of which waits for the others to take part.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn broadcasts_from_workers_meet() {
    let pool = pool(3);
    for _ in 0..100 {
        let meet = Barrier::new(3);
        pool.broadcast(|_| {
            meet.wait();
            let results = pool.broadcast(|worker| worker);
            assert!(results.len() == 2 || results.len() == 3, "{results:?}");
        });
    }
}

/// Each of several broadcasts waits for all workers, so no worker may begin one of them while another worker begins another one.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn broadcasts_come_to_all_workers_in_one_order() {
    const ROUNDS: usize = 1_000;
    for threads in [2, 3, 5] {
        let pool = Pool::builder().threads(threads).wait(Wait::Park).build().unwrap();
        let (done, ends) = mpsc::channel();
        std::thread::scope(|callers| {
            for is_worker in [false, true, false] {
                let (pool, done) = (&pool, done.clone());
                let rounds = move || {
                    let all = Barrier::new(threads - usize::from(current_worker_index().is_some()));
                    (0..ROUNDS).for_each(|_| drop(pool.broadcast(|_| all.wait())));
                };
                callers.spawn(move || {
                    if is_worker {
                        // One of the workers broadcasts: then there is no caller beside the workers.
                        let rounds = Mutex::new(Some(rounds));
                        pool.broadcast(|worker| {
                            if worker == 0 {
                                rounds.lock().unwrap().take().unwrap()();
                            }
                        });
                    } else {
                        rounds();
                    }
                    done.send(()).unwrap();
                });
            }
            for _ in 0..3 {
                if ends.recv_timeout(PATIENCE).is_err() {
                    eprintln!("broadcasts to {threads} workers wait for each other");
                    std::process::abort();
                }
            }
        });
    }
}

/// The caller may hold a lock that a task wants.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn who_waits_for_a_broadcast_runs_no_detached_tasks() {
    let pool = pool(2);
    let own = std::thread::current().id();
    let (release, is_released) = mpsc::channel::<()>();
    let (spawned, is_spawned) = mpsc::channel();
    let (done, ends) = mpsc::channel();
    pool.spawn(move || {
        // Into the worker's own queue.
        spawn(move || done.send(std::thread::current().id()).unwrap());
        spawned.send(()).unwrap();
        is_released.recv_timeout(PATIENCE).expect("a broadcast waits");
    });
    is_spawned.recv_timeout(PATIENCE).expect("the worker runs its task");
    std::thread::scope(|threads| {
        threads.spawn(move || {
            // In this time the broadcast waits.
            std::thread::sleep(Duration::from_millis(30));
            release.send(()).unwrap();
        });
        pool.broadcast(|_| ());
    });
    assert_ne!(ends.recv_timeout(PATIENCE).expect("the task is run"), own);
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_pool_is_inherited() {
    let (two, three) = (pool(2), pool(3));
    two.install(|| {
        assert_eq!(current_workers(), 2);
        join(
            || assert_eq!(current_workers(), 2),
            || {
                scope(|s| {
                    s.spawn(|_| assert_eq!(current_workers(), 2));
                });
            },
        );
        three.join(|| assert_eq!(current_workers(), 3), || assert_eq!(join(current_workers, current_workers), (3, 3)));
        assert_eq!(current_workers(), 2, "as before");
    });
    assert_eq!(three.broadcast(|_| current_workers()), [3, 3, 3]);
}

#[test]
fn numbers_of_workers_are_unique() {
    let pool = pool(3);
    let inside = Mutex::new(HashSet::new());
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                for _ in 0..200 {
                    pool.join(
                        || {
                            let index = current_worker_index().unwrap();
                            assert!(inside.lock().unwrap().insert(index), "{index} twice");
                            std::thread::yield_now();
                            assert!(inside.lock().unwrap().remove(&index));
                        },
                        || (),
                    );
                }
            });
        }
    });
    assert_eq!(current_worker_index(), None);
}

/// What the documentation of `broadcast` and `current_worker_index` says.
#[test]
fn callers_share_a_number_in_broadcasts_alone() {
    let (pool, all) = (pool(2), Barrier::new(2));
    let (started, callers) = (pool.workers() - 1, Mutex::new(Vec::new()));
    let call = || {
        pool.broadcast(|worker| {
            if worker == started {
                all.wait();
                callers.lock().unwrap().push(current_worker_index().unwrap());
                all.wait();
            }
        });
    };
    std::thread::scope(|threads| _ = [(); 2].map(|()| threads.spawn(call)));
    let mut callers = callers.into_inner().unwrap();
    callers.sort_unstable();
    assert_eq!(callers, [started, started + 1]);
}

#[test]
fn yielding_runs_what_waits() {
    assert!(!yield_now(), "outside of any pool");
    let pool = pool(1);
    let ran = AtomicUsize::new(0);
    pool.scope(|s| {
        for _ in 0..3 {
            s.spawn(|_| {
                ran.fetch_add(1, Ordering::Relaxed);
            });
        }
        assert!(yield_now());
        assert_eq!(ran.load(Ordering::Relaxed), 1);
        while yield_now() {}
        assert_eq!(ran.load(Ordering::Relaxed), 3);
    });
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn handlers_hear_of_every_worker() {
    let (started, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (start, end) = (started.clone(), ended.clone());
    let count = |of: Arc<AtomicUsize>| {
        move |index: usize| {
            of.fetch_add(10_usize.pow(index as u32), Ordering::Relaxed);
        }
    };
    let pool = Pool::builder().threads(4).start_handler(count(start)).exit_handler(count(end)).build().unwrap();
    pool.broadcast(|_| ());
    assert_eq!(started.load(Ordering::Relaxed), 111);
    drop(pool);
    assert_eq!(ended.load(Ordering::Relaxed), 111);
}

/// Nested calls that move to a worker: two pools with few threads each, which wait for each other in turn.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn workers_of_pools_that_call_each_other() {
    fn bounce(here: &Pool, there: &Pool, depth: usize) -> usize {
        if depth == 0 { 0 } else { here.in_worker(|| bounce(there, here, depth - 1)) + 1 }
    }
    for threads in [2, 3] {
        let (one, two) = (pool(threads), pool(threads));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        assert_eq!(bounce(&one, &two, 10), 10);
                    }
                });
            }
        });
        assert!(one.in_worker(current_worker_index).is_some_and(|index| index < threads - 1));
    }
}

#[test]
fn worker_local_values_are_lent_to_one_at_a_time() {
    let pool = Pool::builder().threads(3).build().unwrap();
    pool.install(|| {
        let made = AtomicUsize::new(0);
        let values = WorkerLocal::new(|| {
            made.fetch_add(1, Ordering::Relaxed);
            0_u64
        });
        fusain_pool::scope(|scope| {
            for _ in 0..1000 {
                scope.spawn(|_| {
                    values.with(|value| {
                        *value += 1;
                        // Asks for a value while the first one is lent.
                        values.with(|other| *other += 1);
                    });
                });
            }
        });
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            values.with(|value| {
                *value += 1;
                panic!("on purpose");
            })
        }));
        assert!(panicked.is_err());
        let values: Vec<u64> = values.into_values().collect();
        assert_eq!(values.len(), made.into_inner());
        assert_eq!(values.iter().sum::<u64>(), 2001);
    });
}

/// A first closure waits for second closures that no other thread can run: also for more than are published.
#[test]
fn yielding_runs_what_has_been_joined() {
    fn nest(joins: usize, done: &AtomicUsize, all: usize) {
        if joins > 0 {
            join(|| nest(joins - 1, done, all), || _ = done.fetch_add(1, Ordering::Relaxed));
            return;
        }
        while yield_now() {}
        assert_eq!(done.load(Ordering::Relaxed), all);
    }
    for joins in [0, 1, 2, 10] {
        pool(1).install(|| nest(joins, &AtomicUsize::new(0), joins));
    }
}

/// A worker of one pool waits inside another pool for something that needs that very worker.
#[test]
#[cfg_attr(fusain_single, ignore = "needs started workers")]
fn a_broadcast_reaches_workers_that_wait_in_another_pool() {
    for threads in [2, 3] {
        let (p, q) = (Arc::new(pool(threads)), Arc::new(pool(threads)));
        for _ in 0..20 {
            let all = p.broadcast(|_| q.broadcast(|_| p.broadcast(|index| index).len()));
            // A thread that is a worker of `p` already is not counted twice.
            assert!(all.iter().flatten().all(|workers| (threads - 1..=threads).contains(workers)), "{all:?}");
            let (done, is_done) = mpsc::channel();
            let (of_task, q) = (Arc::clone(&p), Arc::clone(&q));
            p.spawn(move || done.send(q.install(|| of_task.broadcast(|index| index).len())).unwrap());
            assert_eq!(is_done.recv(), Ok(threads - 1));
        }
    }
}

/// A worker that comes back to its pool by way of another pool is still the same worker.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_worker_is_the_same_by_way_of_another_pool() {
    let (p, q) = (pool(2), pool(2));
    let seen =
        p.in_worker(|| q.install(|| (current_workers(), p.install(|| (current_worker_index(), join(|| 1, || 2))))));
    assert_eq!(seen, (2, (Some(0), (1, 2))));
}

/// In a pool without started threads.
#[test]
fn tasks_that_spawn_the_next_one_do_not_fill_the_stack() {
    fn go_on(pool: &Arc<Pool>, left: usize, done: &Arc<AtomicUsize>) {
        done.fetch_add(1, Ordering::Relaxed);
        if left > 0 {
            let (next, done) = (Arc::clone(pool), Arc::clone(done));
            pool.spawn(move || go_on(&next, left - 1, &done));
        }
    }
    let (pool, done) = (Arc::new(pool(1)), Arc::new(AtomicUsize::new(0)));
    go_on(&pool, 300_000, &done);
    assert_eq!(done.load(Ordering::Relaxed), 300_001);
}

/// A worker that goes on to a task of another scope, or a detached one, has counted the tasks before it.
#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_scope_does_not_wait_for_what_its_worker_does_next() {
    for is_detached in [true, false] {
        let pool = pool(2);
        let (begin, has_begun) = mpsc::channel();
        let (end, has_ended) = mpsc::channel();
        let in_time = Arc::new(Mutex::new(None));
        let seen = in_time.clone();
        let long = move || {
            begin.send(()).unwrap();
            *seen.lock().unwrap() = Some(has_ended.recv_timeout(PATIENCE).is_ok());
        };
        pool.scope(move |outer| {
            let long = Mutex::new(Some(long));
            scope(move |inner| {
                // The caller waits in here, so the worker runs all of this, the newest task first.
                inner.spawn(move |inner| {
                    let long = long.lock().unwrap().take().unwrap();
                    if is_detached {
                        spawn(long)
                    } else {
                        outer.spawn(move |_| long())
                    };
                    inner.spawn(|_| ());
                });
                has_begun.recv_timeout(PATIENCE).unwrap();
            });
            end.send(()).unwrap();
        });
        drop(pool);
        assert_eq!(*in_time.lock().unwrap(), Some(true), "is_detached: {is_detached}");
    }
}
