//! The bell and the lease: see [`desk`](crate::desk).

use super::{Frame, check, finds, pool};
use crate::mailbox::ANY;
use crate::pool::Inner;
use crate::sync::faulty::Fault;
use crate::sync::{AtomicBool, Ordering};
use loom::thread;

/// Delivers to desk 0 within a call that `stopped` says has been stopped, or not; returns whether it has.
type Giver = fn(&Inner, &AtomicBool) -> bool;

/// A worker rings for a call that has been stopped, while a receiver swallows the bell of its last call and opens its mailbox, and a
/// giver of the stopped call finds it open. Either the giver sees that the call has stopped, or the receiver still has the
/// bell before it: nobody works on without ever hearing of the stop.
fn bell(giver: Giver) {
    let pool = pool(1, 0);
    let stopped = Frame::new(AtomicBool::new(false));
    let panics = thread::spawn(move || {
        // As `Call::fail` does.
        stopped.store(true, Ordering::Relaxed);
        pool.desks[0].ring();
    });
    let giver = thread::spawn(move || giver(&pool, &stopped));
    let desk = &pool.desks[0];
    desk.take_requests();
    desk.front.open(ANY);
    let delivered = giver.join().unwrap();
    panics.join().unwrap();
    assert!(!delivered || desk.is_asked(), "the receiver never hears of the stop");
}

/// As those who split do: claims, then looks.
fn looks_after_the_claim(pool: &Inner, stopped: &AtomicBool) -> bool {
    let claim = pool.desks[0].front.claim(ANY);
    claim.is_some() && !stopped.load(Ordering::Relaxed)
}

/// As a caller does that delivers in one step: passes the bell on if it finds the call stopped then.
fn passes_the_bell_on(pool: &Inner, stopped: &AtomicBool) -> bool {
    let delivers = pool.desks[0].front.claim(ANY).is_some();
    if delivers && stopped.load(Ordering::Relaxed) {
        pool.desks[0].ring();
    }
    delivers
}

#[test]
fn bell_reaches_late_receivers() {
    check(3, || bell(looks_after_the_claim));
    check(3, || bell(passes_the_bell_on));
}

#[test]
fn bell_reaches_late_receivers_faults() {
    finds(&[Fault::WeakStore, Fault::WeakRmw], 3, || bell(looks_after_the_claim));
    finds(&[Fault::WeakStore, Fault::WeakRmw], 3, || bell(passes_the_bell_on));
}

#[test]
#[should_panic(expected = "the receiver never hears of the stop")]
fn bell_checked_before_the_claim() {
    check(3, || {
        bell(|pool, stopped| {
            let is_stopped = stopped.load(Ordering::Relaxed);
            pool.desks[0].front.claim(ANY).is_some() && !is_stopped
        });
    });
}

#[test]
#[should_panic(expected = "the receiver never hears of the stop")]
fn bell_not_passed_on() {
    check(3, || bell(|pool, _| pool.desks[0].front.claim(ANY).is_some()));
}

/// Two threads lease the same desk in turn: each counts on from where the other stopped.
fn lease() {
    let pool = pool(0, 1);
    let visit = move || {
        let desk = &pool.desks[0];
        let sits = desk.try_sit();
        if sits {
            desk.tally().parks.add(1);
            desk.leave();
        }
        u64::from(sits)
    };
    let other = thread::spawn(visit);
    let visits = visit() + other.join().unwrap();
    let mut counters = crate::Counters::default();
    pool.desks[0].tally().add_to(&mut counters);
    assert_eq!(counters.parks, visits, "one count for each visit");
}

#[test]
fn lease_of_a_desk() {
    check(3, lease);
}

#[test]
fn lease_of_a_desk_faults() {
    finds(&[Fault::WeakStore, Fault::WeakRmw, Fault::TornRmw], 3, lease);
}
