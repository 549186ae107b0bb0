//! Shares, errands and the caller's sleep: see [`call`](crate::call).

use super::errand::{BRIEF, Out, send, work};
use super::{Frame, Marks, check, finds, pool};
use crate::call::Call;
use crate::errand::Errands;
use crate::mailbox::ANY;
use crate::run::sleep;
use crate::seat::Seat;
use crate::sync::faulty::Fault;
use loom::thread;

/// Two workers take their shares off while the caller goes to sleep; nobody touches the call after it has returned.
fn shares() {
    let pool = pool(0, 3);
    let call = Frame::new(Call::new(0, BRIEF));
    let marks = Frame::new(Marks::new(2));
    let workers = [1, 2].map(|index| {
        call.add_share();
        thread::spawn(move || {
            marks.mark(index - 1);
            // SAFETY: the share added above.
            unsafe { Call::drop_share(&raw const *call, &Seat::new(&pool, index)) };
        })
    });
    let seat = Seat::new(&pool, 0);
    sleep(&call, &*marks, &seat, &Errands::new());
    marks.assert_all_done();
    call.retire();
    for worker in workers {
        worker.join().unwrap();
    }
}

#[test]
fn last_share_wakes_the_caller() {
    check(2, shares);
}

#[test]
fn last_share_wakes_the_caller_faults() {
    finds(&[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw], 2, shares);
}

/// One worker has an errand, and passes a part of it on to another, which holds a share; the caller sleeps for both.
fn errand_and_share() {
    let pool = pool(2, 1);
    let call = Frame::new(Call::new(2, BRIEF));
    let marks = Frame::new(Marks::new(2));
    let errands: Out = Frame::new(Errands::new());
    let seat = Seat::new(&pool, 2);
    for desk in &pool.desks[..2] {
        desk.front.open(ANY);
    }
    send(errands, call.get(), marks.get(), &seat, 0..2, 1);
    let first = thread::spawn(move || {
        work(&Seat::new(&pool, 0));
        // Found open above, so the first has delivered by now.
        let second = thread::spawn(move || work(&Seat::new(&pool, 1)));
        second.join().unwrap();
    });
    sleep(&call, &*marks, &seat, &errands);
    marks.assert_all_done();
    call.retire();
    first.join().unwrap();
}

#[test]
fn errands_and_shares_are_awaited() {
    check(2, errand_and_share);
}

#[test]
fn errands_and_shares_are_awaited_faults() {
    finds(&[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw], 2, errand_and_share);
}
