//! A calling thread that becomes a worker, rather than a thread that is started.

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use rayon_core::{ThreadPoolBuilder, current_num_threads, current_thread_index};

/// The two numbers that a handler is called with. The registry is never freed, since the thread that has built it stays a worker. So its handlers are not dropped and their
/// channel does not end: a third call is looked for instead.
fn two(calls: &Receiver<usize>) -> [usize; 2] {
    let mut numbers = [(); 2].map(|()| calls.recv_timeout(Duration::from_secs(60)).unwrap());
    numbers.sort_unstable();
    assert!(calls.try_recv().is_err(), "a third call");
    numbers
}

#[test]
fn handlers_are_called_for_started_threads_only() {
    let (on_start, starts) = mpsc::channel();
    let (on_exit, exits) = mpsc::channel();
    let builds = move || {
        let pool = ThreadPoolBuilder::new()
            .num_threads(3)
            .use_current_thread()
            .start_handler(move |index| on_start.send(index).unwrap())
            .exit_handler(move |index| on_exit.send(index).unwrap())
            .build()
            .unwrap();
        pool.broadcast(|_| ());
        current_thread_index()
    };
    assert_eq!(thread::spawn(builds).join().unwrap(), Some(0));
    assert_eq!(two(&starts), [1, 2]);
    assert_eq!(two(&exits), [1, 2]);
}

#[test]
fn its_name_is_asked_for() {
    let (on_name, names) = mpsc::channel();
    let name = move |index| {
        on_name.send(index).unwrap();
        format!("worker {index}")
    };
    let builds = move || {
        let _pool = ThreadPoolBuilder::new().num_threads(3).use_current_thread().thread_name(name).build().unwrap();
        thread::current().name().map(str::to_owned)
    };
    assert_eq!(thread::spawn(builds).join().unwrap(), None, "it keeps its own");
    assert_eq!(names.iter().collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn it_is_no_worker_of_a_pool_that_is_not_wanted() {
    let builds = || {
        let late = ThreadPoolBuilder::new().num_threads(3).use_current_thread().spawn_handler(|started| {
            thread::spawn(|| started.run());
            // Another build is quicker.
            let _ = ThreadPoolBuilder::new().num_threads(5).build_global();
            Ok(())
        });
        (late.build_global().is_err(), current_thread_index(), current_num_threads())
    };
    assert_eq!(thread::spawn(builds).join().unwrap(), (true, None, 5));
}

#[test]
fn it_is_no_worker_of_a_pool_whose_threads_do_not_start() {
    let builds = || {
        let builder = ThreadPoolBuilder::new().num_threads(3).use_current_thread();
        let fails = builder.spawn_handler(|_| Err(std::io::Error::other("no more threads")));
        (fails.build().is_err(), current_thread_index())
    };
    assert_eq!(thread::spawn(builds).join().unwrap(), (true, None));
}

/// The closures that name and start the threads of one pool build another pool on the same thread: the thread becomes a worker of the pool that claims it first.
#[test]
fn it_is_a_worker_of_one_pool() {
    fn one() -> (bool, Option<usize>) {
        let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        (pool.as_ref().is_ok_and(|pool| pool.install(|| true)), current_thread_index())
    }
    let on_a_thread = |builds: fn() -> [(bool, Option<usize>); 3]| thread::spawn(builds).join().unwrap();
    let by_spawn_handler = || {
        let mut inner = (true, None);
        let builder = ThreadPoolBuilder::new().num_threads(2).use_current_thread().spawn_handler(|started| {
            inner = one();
            thread::spawn(|| started.run());
            Ok(())
        });
        let outer = builder.build();
        let outer = (outer.as_ref().is_ok_and(|pool| pool.install(|| true)), current_thread_index());
        [outer, inner, one()]
    };
    assert_eq!(on_a_thread(by_spawn_handler), [(true, Some(0)), (false, None), (false, Some(0))]);
    let by_name = || {
        let (sender, inner) = mpsc::channel();
        let name = move |_| {
            sender.send(one()).unwrap();
            String::new()
        };
        let outer = ThreadPoolBuilder::new().num_threads(2).use_current_thread().thread_name(name).build();
        [(outer.is_ok(), current_thread_index()), inner.recv().unwrap(), one()]
    };
    assert_eq!(on_a_thread(by_name), [(false, Some(0)), (true, Some(0)), (false, Some(0))]);
}

/// A pool that could not be built does not keep the thread from the next pool.
#[test]
fn it_may_be_a_worker_after_a_pool_has_failed() {
    let builds = || {
        let builder = || ThreadPoolBuilder::new().num_threads(2).use_current_thread();
        let fails = builder().spawn_handler(|_| Err(std::io::Error::other("no more threads"))).build();
        (fails.is_err(), builder().build().is_ok(), current_thread_index())
    };
    assert_eq!(thread::spawn(builds).join().unwrap(), (true, true, Some(0)));
}
