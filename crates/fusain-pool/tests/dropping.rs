//! Which threads wait for the threads of a pool that they drop, and which must not.

mod common;

use common::PATIENCE;
use fusain_pool::{Pool, Wait};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

/// A pool with one thread, which sends a message when it ends.
fn pool(exits: &Sender<&'static str>) -> Arc<Pool> {
    let exits = exits.clone();
    // The receiver may be gone: not all tests wait for the message.
    let exits = move |_| _ = exits.send("exit");
    let pool = Pool::builder().threads(2).wait(Wait::Park).exit_handler(exits);
    Arc::new(pool.build().unwrap())
}

/// In each of two pools a task is the last owner of the other pool. All spawned tasks are run, and both threads end.
#[test]
#[cfg_attr(fusain_single, ignore = "needs started workers")]
fn two_pools_may_drop_each_other() {
    let (done, is_done) = mpsc::channel();
    let (a, b) = (pool(&done), pool(&done));
    let gate = Arc::new(Barrier::new(3));
    for (own, other) in [(&a, &b), (&b, &a)] {
        let (gate, done, other) = (Arc::clone(&gate), done.clone(), Arc::clone(other));
        let last = done.clone();
        own.spawn(move || {
            gate.wait();
            other.spawn(move || last.send("spawned").unwrap());
            drop(other);
            done.send("dropped").unwrap();
        });
    }
    drop((a, b, done));
    gate.wait();
    let mut told: Vec<_> = std::iter::from_fn(|| is_done.recv_timeout(PATIENCE).ok()).collect();
    told.sort_unstable();
    assert_eq!(told, ["dropped", "dropped", "exit", "exit", "spawned", "spawned"]);
}

/// A task of a pool waits for a broadcast, and a closure of the broadcast drops that pool.
#[test]
#[cfg_attr(fusain_single, ignore = "needs started workers")]
fn a_pool_may_be_dropped_by_what_its_task_waits_for() {
    let (done, is_done) = mpsc::channel();
    let (a, b) = (pool(&done), pool(&done));
    let gate = Arc::new(Barrier::new(2));
    let last = Mutex::new(Some(Arc::clone(&a)));
    let (open, task) = (Arc::clone(&gate), done.clone());
    a.spawn(move || {
        open.wait();
        let is_started = |worker| worker == 0;
        b.broadcast(|worker| drop(is_started(worker).then(|| last.lock().unwrap().take())));
        task.send("task").unwrap();
    });
    drop((a, done));
    gate.wait();
    let told: Vec<_> = std::iter::from_fn(|| is_done.recv_timeout(PATIENCE).ok()).collect();
    assert_eq!(told.len(), 3, "{told:?}");
}

/// A worker drops a pool while a task of that pool waits for the worker.
#[test]
#[cfg_attr(fusain_single, ignore = "needs started workers")]
fn a_broadcast_reaches_a_worker_that_drops_another_pool() {
    let (done, is_done) = mpsc::channel();
    let (a, b) = (pool(&done), pool(&done));
    let (drops, is_dropped) = mpsc::channel();
    let (of_task, told) = (Arc::clone(&a), done.clone());
    b.spawn(move || {
        is_dropped.recv().unwrap();
        // Until then the worker should have dropped this pool.
        thread::sleep(Duration::from_millis(20));
        assert_eq!(of_task.broadcast(|worker| worker), [0, 1]);
        told.send("task").unwrap();
    });
    a.spawn(move || {
        drops.send(()).unwrap();
        drop(b);
    });
    assert_eq!(is_done.recv_timeout(PATIENCE), Ok("task"));
}

/// A calling thread is not a worker, also where it is inside a pool.
#[test]
#[cfg_attr(fusain_single, ignore = "needs started workers")]
fn a_thread_that_calls_waits_for_the_pool_that_it_drops() {
    let (exits, is_over) = mpsc::channel();
    let (a, b) = (pool(&exits), pool(&exits));
    let has_run = Arc::new(AtomicBool::new(false));
    let task = Arc::clone(&has_run);
    a.install(|| {
        b.spawn(move || {
            thread::sleep(Duration::from_millis(20));
            task.store(true, Ordering::Relaxed);
        });
        drop(b);
        assert!(has_run.load(Ordering::Relaxed));
        assert_eq!(is_over.try_recv(), Ok("exit"));
    });
}
