//! The completion latch: see [`latch`](crate::handover::latch).

use super::{Frame, Marks, check, finds};
use crate::handover::latch::Latch;
use crate::sync::faulty::Fault;
use crate::sync::{current, park};
use loom::thread;

/// Two threads finish while the waiter falls asleep. It sees what they did, and neither accesses the latch afterwards.
fn two_finish() {
    let latch = Frame::new(Latch::new(1));
    latch.add();
    let marks = Frame::new(Marks::new(2));
    let waiter = current();
    let others = [0, 1].map(|index| {
        let waiter = waiter.clone();
        thread::spawn(move || {
            marks.mark(index);
            // SAFETY: counted above.
            if unsafe { Latch::count_down(&raw const *latch) } {
                waiter.unpark();
            }
        })
    });
    if !latch.is_open() && latch.sleep() {
        while !latch.is_open() {
            park();
        }
    }
    // This load orders what the two did before what follows.
    assert!(latch.is_open());
    marks.assert_all_done();
    latch.retire();
    for other in others {
        other.join().unwrap();
    }
}

#[test]
fn latch_opens_once() {
    check(3, two_finish);
}

#[test]
fn latch_opens_once_faults() {
    let faults = [Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw, Fault::WeakLoad];
    finds(&faults, 3, two_finish);
}
