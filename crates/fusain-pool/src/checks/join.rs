//! A job that another worker may take: see [`join`](crate::task::join).

use super::whole::with_worker;
use super::{Frame, Marks, check, finds, pool};
use crate::idle::tasks;
use crate::sync::faulty::Fault;
use crate::task::join::join_outermost;
use crate::worker::handle::Handle;
use loom::thread;

/// A worker may take `b` while the joiner runs `a` or takes `b` back. The joiner sees the result of `b`, and no worker accesses the job afterwards.
fn taken() {
    let pool = pool(1, 1);
    let marks = Frame::new(Marks::new(2));
    let thief = thread::spawn(move || {
        let handle = Handle::new(&pool, 0);
        if let Some(task) = tasks::take_from(&handle, 1, true) {
            tasks::run(&handle, task, None);
        }
    });
    let handle = Handle::new(&pool, 1);
    let mark = move |index| {
        marks.mark(index);
        index
    };
    let a = move || {
        loom::thread::yield_now();
        mark(0)
    };
    assert_eq!(join_outermost::<false, _, _, _, _>(&handle, a, move |_| mark(1)), (0, 1));
    marks.assert_all_done();
    thief.join().unwrap();
}

#[test]
fn job_comes_back() {
    check(3, taken);
}

#[test]
fn job_comes_back_faults() {
    finds(&[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw, Fault::WeakStore], 3, taken);
}

/// A join beside a worker's life, with the loops that really run.
fn beside_worker() {
    with_worker(|handle| {
        let marks = Frame::new(Marks::new(2));
        join_outermost::<false, _, _, _, _>(handle, || marks.mark(0), |_| marks.mark(1));
        marks.assert_all_done();
    });
}

#[test]
fn whole_join() {
    check(2, beside_worker);
}

#[test]
fn whole_join_faults() {
    finds(&[Fault::LostUnpark, Fault::WeakStore, Fault::WeakLoad, Fault::LateTouch], 3, beside_worker);
}
