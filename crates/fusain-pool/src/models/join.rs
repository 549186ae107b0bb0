//! A job that is given away: see [`join`](crate::join).

use super::{Frame, Marks, check, finds, pool};
use crate::join::join_outermost;
use crate::mailbox::ANY;
use crate::seat::Seat;
use crate::sync::faulty::Fault;
use loom::thread;

/// `b` is announced to a worker that is awake; the joiner sees its result, and nobody touches the job afterwards.
fn given_away() {
    let pool = pool(1, 1);
    let marks = Frame::new(Marks::new(2));
    pool.desks[0].front.open(ANY);
    // The letter comes when it comes: the thief is started by `a`, after the announcement.
    let mut thief = None;
    let seat = Seat::new(&pool, 1);
    let mark = move |index| {
        marks.mark(index);
        index
    };
    let start = Sendable(&mut thief);
    let a = move || {
        let start = start;
        *start.0 = Some(thread::spawn(move || {
            let seat = Seat::new(&pool, 0);
            let mailbox = &seat.desk().front;
            // SAFETY: on the owner's thread.
            assert!(unsafe { mailbox.run_letter(&seat, ANY) }, "announced");
        }));
        mark(0)
    };
    let results = join_outermost(&seat, a, move || mark(1));
    assert_eq!(results, (0, 1));
    marks.assert_all_done();
    thief.expect("started").join().unwrap();
}

/// The joiner runs `a` itself, whatever it captures.
struct Sendable<T>(T);

// SAFETY: stays on the thread, see above.
unsafe impl<T> Send for Sendable<T> {}

#[test]
fn given_job_comes_back() {
    check(3, given_away);
}

#[test]
fn given_job_comes_back_faults() {
    finds(&[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw], 3, given_away);
}
