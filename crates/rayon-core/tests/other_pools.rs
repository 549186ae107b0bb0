//! Registries beside pools of fusain's own: threads that are in several of them at a time.

mod support;

use std::sync::{Mutex, mpsc};
use std::thread;

use fusain_pool::Pool;
use rayon_core::{ThreadPool, ThreadPoolBuilder, current_num_threads, current_thread_index, join};
use support::ends;

fn registry(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

fn pool(threads: usize) -> Pool {
    Pool::builder().threads(threads).build().unwrap()
}

#[test]
fn a_worker_inside_of_a_pool_is_still_the_worker() {
    for threads in [1, 2] {
        let (a, p) = (registry(threads), pool(2));
        let inside = || (a.current_thread_index(), current_thread_index(), current_num_threads(), a.install(|| 1));
        let (own, index, count, result) = ends(|| a.install(|| p.install(inside)));
        assert!(own.is_some() && own == index);
        assert_eq!((count, result), (threads, 1));
    }
}

/// Workers of the pool wait for the only worker of the registry, which waits for them.
#[test]
fn a_worker_that_waits_in_a_pool_goes_on_working() {
    let (a, p) = (registry(1), pool(3));
    let sums = ends(|| {
        a.install(|| p.broadcast(|worker| a.install(|| join(|| worker, || 1))))
            .into_iter()
            .map(|(a, b)| a + b)
            .sum::<usize>()
    });
    assert_eq!(sums, 1 + 2 + 3);
    for _ in 0..20 {
        ends(|| a.install(|| p.broadcast(|_| a.broadcast(|context| context.index()))));
    }
}

/// The only thread of a registry waits in another pool, where a thread waits for what the first one has joined.
#[test]
fn a_worker_that_waits_runs_what_it_has_joined() {
    let (a, b, p) = (registry(1), registry(1), pool(2));
    let (send, receive) = mpsc::channel();
    let receive = Mutex::new(receive);
    let received = ends(|| a.join(|| b.install(|| receive.lock().unwrap().recv()), || send.send(1).unwrap()));
    assert_eq!(received, (Ok(1), ()));
    let waits = |worker| worker > 0 || receive.lock().unwrap().recv() == Ok(2);
    let received = ends(|| a.join(|| p.broadcast(waits), || send.send(2).unwrap()));
    assert_eq!(received, (vec![true; 2], ()));
}

#[test]
fn a_thread_that_is_in_a_pool_is_not_made_a_worker() {
    let builds = || ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().is_ok();
    assert!(!pool(2).install(builds));
    assert!(thread::spawn(builds).join().unwrap());
}
