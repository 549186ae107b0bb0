//! Parts that a caller hands out and gets back: see [`part`](crate::call::part).

use super::{Frame, Marks, check, finds, pool};
use crate::Algorithm;
use crate::call::pace::Grain;
use crate::call::part::{Message, StackParts, receive};
use crate::call::{Call, CallOptions};
use crate::handover::mailbox::{ANY, ASLEEP, SHUT};
use crate::run::{help, running};
use crate::sync::faulty::Fault;
use crate::worker::handle::Handle;
use loom::thread;
use std::ops::Range;

pub(super) const OPTIONS: CallOptions = CallOptions { grain: Grain::fixed(1), work: 0, wakes: false, offers: true };

/// The owner of the slot looks into its mailbox once, and does what a message there says.
pub(super) fn work(handle: &Handle<'_>) {
    // SAFETY: on the owner's thread.
    unsafe { receive(handle, &handle.slot().front, ANY) };
}

/// The parts of one call, shared with loom's threads.
pub(super) type Out = Frame<StackParts<Range<usize>>>;

/// Sends `part` of the marks to slot 0 if its mailbox is in state `expected`.
fn send_to<A: Algorithm<Local = Range<usize>>>(
    parts: Out,
    expected: usize,
    call: &'static Call,
    marks: &'static A,
    handle: &Handle<'_>,
    part: Range<usize>,
    fanout: usize,
) -> bool {
    // SAFETY: the model's only part.
    unsafe { parts.places().prepare(0, call.owner, expected == ASLEEP) };
    // SAFETY: no worker has got a part yet.
    unsafe { parts.places().prepare_all(1..1 + fanout, call.owner) };
    let Some(claim) = handle.pool.slots.get(0).front.claim(expected) else { return false };
    let message = Message::new(&running(call, marks), OPTIONS.grain, 0, 1..1 + fanout);
    parts.out.add(0);
    // SAFETY: prepared above; the parts are leaked.
    unsafe { parts.places().send(0, claim, message, part) };
    true
}

/// Sends `part` of the marks to slot 0, which takes any work.
pub(super) fn send<A: Algorithm<Local = Range<usize>>>(
    parts: Out,
    call: &'static Call,
    marks: &'static A,
    handle: &Handle<'_>,
    part: Range<usize>,
    fanout: usize,
) {
    assert!(send_to(parts, ANY, call, marks, handle, part, fanout), "open");
}

/// The caller is out of work, and waits until no other worker is at the call.
pub(super) fn wait(call: &Call, marks: &Frame<Marks>, handle: &Handle<'_>, parts: &StackParts<Range<usize>>) {
    help(call, marks.get(), handle, parts, OPTIONS.grain);
}

/// A caller takes its part back, polls for its end, or sleeps until it ends, while the receiver works on it. The receiver does not access the call afterwards.
fn part() {
    let pool = pool(1, 1);
    let call = Frame::new(Call::new(1, OPTIONS));
    let marks = Frame::new(Marks::new(1));
    let parts: Out = Frame::new(StackParts::new());
    let handle = Handle::new(&pool, 1);
    pool.slots.get(0).front.open(ANY);
    send(parts, call.get(), marks.get(), &handle, 0..1, 0);
    let receiver = thread::spawn(move || work(&Handle::new(&pool, 0)));
    wait(&call, &marks, &handle, &parts);
    marks.assert_all_done();
    call.retire();
    receiver.join().unwrap();
}

#[test]
fn part_comes_back() {
    check(3, part);
}

#[test]
fn part_comes_back_faults() {
    finds(&[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw, Fault::WeakLoad], 3, part);
}

/// A part for a sleeping worker, which gets up at the same time for another reason, and opens its mailbox only if nothing is there.
fn part_for_a_sleeper() {
    let pool = pool(1, 1);
    let call = Frame::new(Call::new(1, OPTIONS));
    let marks = Frame::new(Marks::new(1));
    let parts: Out = Frame::new(StackParts::new());
    let handle = Handle::new(&pool, 1);
    pool.slots.get(0).front.open(ASLEEP);
    let sleeper = thread::spawn(move || {
        let handle = Handle::new(&pool, 0);
        let front = &handle.slot().front;
        let _ = front.change(SHUT, ANY) || front.change(ASLEEP, ANY);
        work(&handle);
    });
    if !send_to(parts, ASLEEP, call.get(), marks.get(), &handle, 0..1, 0) {
        marks.mark(0);
    }
    wait(&call, &marks, &handle, &parts);
    marks.assert_all_done();
    call.retire();
    sleeper.join().unwrap();
}

#[test]
fn part_for_a_sleeper_is_done_once() {
    check(3, part_for_a_sleeper);
}

#[test]
fn part_for_a_sleeper_is_done_once_faults() {
    finds(&[Fault::WeakRmw, Fault::TornRmw, Fault::LateTouch], 3, part_for_a_sleeper);
}
