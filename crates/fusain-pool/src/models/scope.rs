//! The count of a scope's tasks: see [`scope`](crate::scope).

use super::{Frame, Marks, check, finds, pool};
use crate::mailbox::ANY;
use crate::scope::scope_seated;
use crate::seat::Seat;
use crate::sync::faulty::Fault;
use loom::thread;

/// One task is announced to a worker; the scope ends when it has, and nobody touches it afterwards.
fn spawned() {
    let pool = pool(1, 1);
    let marks = Frame::new(Marks::new(1));
    pool.desks[0].front.open(ANY);
    let seat = Seat::new(&pool, 1);
    let thief = scope_seated(&pool, Some(&seat), |scope| {
        scope.push(&seat, move |_| marks.mark(0));
        thread::spawn(move || {
            let seat = Seat::new(&pool, 0);
            let mailbox = &seat.desk().front;
            // SAFETY: on the owner's thread.
            assert!(unsafe { mailbox.run_letter(&seat, ANY) }, "announced");
        })
    });
    marks.assert_all_done();
    thief.join().unwrap();
}

#[test]
fn scope_awaits_its_tasks() {
    check(3, spawned);
}

#[test]
fn scope_awaits_its_tasks_faults() {
    finds(&[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw], 3, spawned);
}
