//! Everything at once: a worker's life and a caller's call, with the loops that really run.

use super::{Frame, Marks, check, finds, pool};
use crate::call::Brief;
use crate::idle::serve;
use crate::join::join_outermost;
use crate::mailbox::ANY;
use crate::pace::Grain;
use crate::run::run;
use crate::seat::Seat;
use crate::sync::current;
use crate::sync::faulty::Fault;
use loom::thread;

/// A worker that lives while a guest calls, and after that is told to end.
fn with_worker(guest: impl FnOnce(&Seat<'_>)) {
    let pool = pool(1, 1);
    let worker = thread::spawn(move || {
        let seat = Seat::new(&pool, 0);
        seat.desk().set_thread(current());
        seat.desk().front.open(ANY);
        serve(&seat);
    });
    guest(&Seat::new(&pool, pool.sit().expect("room for a guest")));
    pool.end();
    worker.join().unwrap();
}

/// A call of four units, some of which may come back to the caller's side mailbox, with a worker that is not there yet, awake, asleep or in between.
fn call() {
    with_worker(|seat| {
        let marks = Frame::new(Marks::new(4));
        run(seat, &*marks, 0..4, Brief { grain: Grain::Fixed(1), work: 0, wakes: true });
        marks.assert_all_done();
    });
}

#[test]
fn whole_call() {
    check(2, call);
}

#[test]
fn whole_call_faults() {
    finds(&[Fault::LostUnpark, Fault::WeakRmw, Fault::WeakLoad], 2, call);
}

/// Likewise for a join.
fn fork() {
    with_worker(|seat| {
        let marks = Frame::new(Marks::new(2));
        join_outermost(seat, || marks.mark(0), || marks.mark(1));
        marks.assert_all_done();
    });
}

#[test]
fn whole_join() {
    check(2, fork);
}

#[test]
fn whole_join_faults() {
    finds(&[Fault::LostUnpark, Fault::WeakStore, Fault::WeakLoad, Fault::LateTouch], 3, fork);
}
