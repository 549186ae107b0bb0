//! Shares, receipts and the caller's sleep: see [`call`](crate::call).

use super::{Frame, Marks, check, finds, pool};
use crate::call::{Brief, Call};
use crate::mailbox::{ANY, Errand, Mailbox};
use crate::pace::Grain;
use crate::run::deliver;
use crate::seat::Seat;
use crate::sync::faulty::Fault;
use loom::thread;

const BRIEF: Brief = Brief { grain: Grain::Fixed(1), work: 0, wakes: false };

fn nothing(_: &Mailbox) {}

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
    call.sleep_until_alone(&seat, &nothing);
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

/// The owner of desk `index` reads the letter that is there or comes while it looks, as a worker does that is soon tired of waiting.
fn work(seat: &Seat<'_>) {
    let mailbox = &seat.desk().front;
    if mailbox.is_full() {
        // SAFETY: full, and run once.
        unsafe { mailbox.run_letter(seat, ANY, Errand::Work) };
    }
    if mailbox.take_back() {
        // SAFETY: taken back, and run once.
        unsafe { mailbox.run_letter(seat, ANY, Errand::Commit) };
    }
}

/// One worker is watched, and passes a part on to another, which holds a share; the caller sleeps for both.
fn receipt_and_share() {
    let pool = pool(2, 1);
    let call = Frame::new(Call::new(2, BRIEF));
    let marks = Frame::new(Marks::new(2));
    let seat = Seat::new(&pool, 2);
    for desk in &pool.desks[..2] {
        desk.front.open(ANY);
    }
    assert!(call.watch(0));
    let claim = pool.desks[0].front.claim(ANY).ok().expect("open");
    deliver(&call, &*marks, &seat, 0, claim, true, BRIEF.grain, 1, 0..2);
    let first = thread::spawn(move || {
        work(&Seat::new(&pool, 0));
        // Found open above, so the first has delivered by now.
        let second = thread::spawn(move || work(&Seat::new(&pool, 1)));
        second.join().unwrap();
    });
    // As in `run::run`: what comes back is committed, which is nothing here.
    let collect = |mailbox: &Mailbox| {
        // SAFETY: nothing is read.
        let _ = unsafe { mailbox.collect(call.token(), |_| ()) };
    };
    call.sleep_until_alone(&seat, &collect);
    marks.assert_all_done();
    call.retire();
    first.join().unwrap();
}

#[test]
fn receipts_and_shares_are_awaited() {
    check(2, receipt_and_share);
}

#[test]
fn receipts_and_shares_are_awaited_faults() {
    finds(&[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw], 2, receipt_and_share);
}
