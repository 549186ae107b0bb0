//! What a caller hands out, and gets back: see [`errand`](crate::errand).

use super::{Frame, Marks, check, finds, pool};
use crate::call::{Brief, Call};
use crate::errand::Errands;
use crate::mailbox::ANY;
use crate::pace::Grain;
use crate::run::{run_errand, sleep};
use crate::seat::Seat;
use crate::sync::faulty::Fault;
use loom::thread;
use std::ops::Range;

pub(super) const BRIEF: Brief = Brief { grain: Grain::Fixed(1), work: 0, wakes: false };

/// The owner of the desk reads the letter that is there or comes while it looks.
pub(super) fn work(seat: &Seat<'_>) {
    // SAFETY: on the owner's thread.
    unsafe { seat.desk().front.run_letter(seat, ANY) };
}

/// The errands of one call, to be shared with loom's threads.
pub(super) type Out = Frame<Errands<'static, Marks>>;

/// Sends `part` of the marks to desk 0, which takes any work.
pub(super) fn send(
    errands: Out,
    call: &'static Call,
    marks: &'static Marks,
    seat: &Seat<'_>,
    part: Range<usize>,
    fanout: usize,
) {
    errands.prepare(run_errand::<Marks>, call, marks, BRIEF.grain, part);
    // SAFETY: prepared just now.
    let letter = unsafe { errands.letter(fanout) };
    // SAFETY: the errands are leaked.
    assert!(unsafe { seat.pool.desks[0].front.post(ANY, letter) });
    errands.sent();
}

/// A caller looks after its errand, or sleeps until it is back, while the receiver brings it: nobody touches the call afterwards.
fn errand() {
    let pool = pool(1, 1);
    let call = Frame::new(Call::new(1, BRIEF));
    let marks = Frame::new(Marks::new(1));
    let errands: Out = Frame::new(Errands::new());
    let seat = Seat::new(&pool, 1);
    pool.desks[0].front.open(ANY);
    send(errands, call.get(), marks.get(), &seat, 0..1, 0);
    let receiver = thread::spawn(move || work(&Seat::new(&pool, 0)));
    sleep(&call, &*marks, &seat, &errands);
    marks.assert_all_done();
    call.retire();
    receiver.join().unwrap();
}

#[test]
fn errand_comes_back() {
    check(3, errand);
}

#[test]
fn errand_comes_back_faults() {
    finds(&[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw, Fault::WeakLoad], 3, errand);
}
