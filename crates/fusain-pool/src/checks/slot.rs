//! The stop signal and the lease: see [`slot`](crate::worker::slot).

use super::{Frame, check, finds, pool};
use crate::handover::mailbox::ANY;
use crate::sync::faulty::Fault;
use crate::sync::{AtomicBool, Ordering};
use crate::worker::inner::Inner;
use loom::thread;

/// Delivers to slot 0 within a call; `stopped` says whether this call has been stopped. Returns whether it has delivered.
type Giver = fn(&Inner, &AtomicBool) -> bool;

/// A worker signals that a call has been stopped, while a receiver clears the signal of its last call and opens its mailbox, and a
/// giver of the stopped call finds it open. Either the giver sees that the call has been stopped, or the receiver has yet to see the
/// signal: no worker goes on without ever hearing of the stop.
fn stop_signal(giver: Giver) {
    let pool = pool(1, 0);
    let stopped = Frame::new(AtomicBool::new(false));
    let panics = thread::spawn(move || {
        // As `Call::fail` does.
        stopped.store(true, Ordering::Relaxed);
        pool.slots.get(0).signal_stop();
    });
    let giver = thread::spawn(move || giver(&pool, &stopped));
    let slot = &pool.slots.get(0);
    slot.take_requests();
    slot.front.open(ANY);
    let delivered = giver.join().unwrap();
    panics.join().unwrap();
    assert!(!delivered || slot.is_asked(), "the receiver never hears of the stop");
}

/// As a worker that splits does: claims, then checks for the stop.
fn looks_after_the_claim(pool: &Inner, stopped: &AtomicBool) -> bool {
    let claim = pool.slots.get(0).front.claim(ANY);
    claim.is_some() && !stopped.load(Ordering::Relaxed)
}

/// As a caller that delivers in one step does: passes the signal on if it then finds the call stopped.
fn passes_the_signal_on(pool: &Inner, stopped: &AtomicBool) -> bool {
    let delivers = pool.slots.get(0).front.claim(ANY).is_some();
    if delivers && stopped.load(Ordering::Relaxed) {
        pool.slots.get(0).signal_stop();
    }
    delivers
}

#[test]
fn stop_signal_reaches_late_receivers() {
    check(3, || stop_signal(looks_after_the_claim));
    check(3, || stop_signal(passes_the_signal_on));
}

#[test]
fn stop_signal_reaches_late_receivers_faults() {
    finds(&[Fault::WeakStore, Fault::WeakRmw], 3, || stop_signal(looks_after_the_claim));
    finds(&[Fault::WeakStore, Fault::WeakRmw], 3, || stop_signal(passes_the_signal_on));
}

#[test]
#[should_panic(expected = "the receiver never hears of the stop")]
fn stop_signal_checked_before_the_claim() {
    check(3, || {
        stop_signal(|pool, stopped| {
            let is_stopped = stopped.load(Ordering::Relaxed);
            pool.slots.get(0).front.claim(ANY).is_some() && !is_stopped
        });
    });
}

#[test]
#[should_panic(expected = "the receiver never hears of the stop")]
fn stop_signal_not_passed_on() {
    check(3, || stop_signal(|pool, _| pool.slots.get(0).front.claim(ANY).is_some()));
}

/// Two threads lease the same slot in turn: each continues the other's count.
fn lease() {
    let pool = pool(0, 1);
    pool.slots.get(0).release();
    let visit = move || {
        let slot = &pool.slots.get(0);
        let has_it = slot.try_lease();
        if has_it {
            slot.tally().parks.add(1);
            slot.release();
        }
        u64::from(has_it)
    };
    let other = thread::spawn(visit);
    let visits = visit() + other.join().unwrap();
    let mut counters = crate::Counters::default();
    pool.slots.get(0).tally().add_to(&mut counters);
    assert_eq!(counters.parks, visits, "one count for each visit");
}

#[test]
fn lease_of_a_slot() {
    check(3, lease);
}

#[test]
fn lease_of_a_slot_faults() {
    finds(&[Fault::WeakStore, Fault::WeakRmw, Fault::TornRmw], 3, lease);
}
