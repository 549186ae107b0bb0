//! Falling asleep and waking: see [`idle`](crate::idle).

use super::{check, finds, pool};
use crate::idle::{fall_asleep, stay_asleep};
use crate::mailbox::{ANY, SHUT};
use crate::seat::Seat;
use crate::sync::current;
use crate::sync::faulty::Fault;
use loom::thread;

const CALL: usize = 8;

/// A worker falls asleep while a caller gets work to share: one of the two notices the other.
fn noticed() {
    let pool = pool(1, 1);
    let worker = thread::spawn(move || {
        let seat = Seat::new(&pool, 0);
        seat.desk().front.open(ANY);
        fall_asleep(&seat);
    });
    let seat = Seat::new(&pool, pool.sit().expect("room for a guest"));
    seat.desk().serve(CALL);
    pool.wake(&seat, 1);
    worker.join().unwrap();
    let woken = pool.desks[0].front.peek() == SHUT;
    assert!(woken || seat.desk().is_asked(), "neither woken nor asked");
}

#[test]
fn sleeper_is_noticed() {
    check(3, noticed);
}

#[test]
fn sleeper_is_noticed_faults() {
    finds(&[Fault::NoFence], 3, noticed);
}

/// A sleeper gets up in each case: woken by one caller, claimed by another at that moment, or since the pool ends.
fn gets_up() {
    let pool = pool(1, 1);
    let worker = thread::spawn(move || {
        let seat = Seat::new(&pool, 0);
        seat.desk().set_thread(current());
        seat.desk().front.open(ANY);
        if fall_asleep(&seat) {
            stay_asleep(&seat);
        }
    });
    let other = thread::spawn(move || {
        // Takes the right to deliver and gives it back.
        drop(pool.desks[0].front.claim(ANY));
    });
    let seat = Seat::new(&pool, pool.sit().expect("room for a guest"));
    seat.desk().serve(CALL);
    pool.wake(&seat, 1);
    pool.end();
    worker.join().unwrap();
    other.join().unwrap();
}

#[test]
fn sleeper_gets_up() {
    check(3, gets_up);
}

#[test]
fn sleeper_gets_up_faults() {
    finds(&[Fault::LostUnpark], 3, gets_up);
}
