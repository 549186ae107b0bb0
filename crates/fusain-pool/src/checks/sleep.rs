//! Falling asleep and waking: see [`idle`](crate::idle).

use super::{Frame, check, finds, pool};
use crate::handover::mailbox::{ANY, SHUT};
use crate::idle::{fall_asleep, stay_asleep};
use crate::sync::current;
use crate::sync::faulty::Fault;
use crate::worker::handle::Handle;
use crate::worker::inner::Inner;
use loom::thread;

const CALL: usize = 8;

/// A worker falls asleep while a caller gets work to share, and another caller leaves slot `leaving`, if that is given. The worker notices the first caller, or the
/// caller the worker.
fn notices(pool: Frame<Inner>, leaving: Option<usize>) {
    let worker = thread::spawn(move || {
        let handle = Handle::new(&pool, 0);
        handle.slot().front.open(ANY);
        fall_asleep(&handle);
    });
    let leaver = leaving.map(|index| thread::spawn(move || pool.slots.release(index)));
    let handle = Handle::new(&pool, pool.slots.lease());
    assert!(leaving.is_none_or(|index| handle.index >= index), "the slots before are taken");
    handle.slot().serve(CALL);
    pool.wake(&handle, 1);
    [Some(worker), leaver].into_iter().flatten().for_each(|thread| thread.join().unwrap());
    let woken = pool.slots.get(0).front.peek() == SHUT;
    assert!(woken || handle.slot().is_asked(), "neither woken nor asked");
}

fn noticed() {
    notices(pool(1, 0), None);
}

/// The caller's slot is in a segment in which there is at most one other caller, the one that leaves.
fn noticed_among_guests() {
    notices(pool(1, 4), Some(4));
}

#[test]
fn sleeper_is_noticed() {
    check(3, noticed);
}

#[test]
fn sleeper_is_noticed_faults() {
    finds(&[Fault::NoFence], 3, noticed);
}

#[test]
fn sleeper_is_noticed_among_guests() {
    check(3, noticed_among_guests);
}

#[test]
fn sleeper_is_noticed_among_guests_faults() {
    finds(&[Fault::NoFence, Fault::TornRmw], 3, noticed_among_guests);
}

/// A sleeping worker gets up in each case: woken by one caller, claimed by another at that moment, or because the pool ends.
fn gets_up() {
    let pool = pool(1, 0);
    let worker = thread::spawn(move || {
        let handle = Handle::new(&pool, 0);
        handle.slot().set_thread(current());
        handle.slot().front.open(ANY);
        if fall_asleep(&handle) {
            stay_asleep(&handle, &mut 0);
        }
    });
    let other = thread::spawn(move || {
        // Takes the right to deliver and gives it back.
        drop(pool.slots.get(0).front.claim(ANY));
    });
    let handle = Handle::new(&pool, pool.slots.lease());
    handle.slot().serve(CALL);
    pool.wake(&handle, 1);
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
