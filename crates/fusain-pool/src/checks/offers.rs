//! Parts on offer: see [`offers`](crate::run::offers).

use super::part::{OPTIONS, wait};
use super::{Frame, Marks, check, finds, pool};
use crate::call::Call;
use crate::call::part::StackParts;
use crate::idle::tasks;
use crate::run::offers::{Offers, run_one_of};
use crate::run::running;
use crate::sync::faulty::Fault;
use crate::worker::handle::Handle;
use crate::worker::inner::Inner;
use loom::thread;

/// The worker of slot 0, which has a share of `call`, offers half of its part, does the other half, and then the offered half if no other worker has taken it.
fn work(pool: Frame<Inner>, call: Frame<Call>, marks: Frame<Marks>) {
    let handle = Handle::new(&pool, 0);
    handle.slot().serve(call.token());
    let offers = Offers::new(running(call.get(), marks.get()), &handle);
    let mut local = 0..2;
    offers.make(&mut local, &mut None, OPTIONS.grain);
    assert_eq!(local, 0..1);
    marks.mark(0);
    if let Some(rest) = offers.take_back() {
        assert_eq!(rest, 1..2);
        marks.mark(1);
    }
    handle.slot().serve(0);
    // SAFETY: it has a share, which it gives up once.
    unsafe { Call::drop_share(call.get(), &handle) };
}

/// A worker offers a part of a call while the caller waits, and takes it back unless the caller has taken it.
fn offered_to_the_caller() {
    let pool = pool(1, 1);
    let marks = Frame::new(Marks::new(2));
    let call = Frame::new(Call::new(1, OPTIONS));
    call.add_share();
    let worker = thread::spawn(move || work(pool, call, marks));
    let handle = Handle::new(&pool, 1);
    wait(&call, &marks, &handle, &StackParts::new());
    marks.assert_all_done();
    call.retire();
    worker.join().unwrap();
}

/// A thread that waits for another call takes the part by mistake, while the worker that has offered it leaves. The caller finds it.
fn taken_by_mistake() {
    const OTHER: usize = 128;
    let pool = pool(1, 2);
    let marks = Frame::new(Marks::new(2));
    let call = Frame::new(Call::new(1, OPTIONS));
    call.add_share();
    let worker = thread::spawn(move || work(pool, call, marks));
    let other = thread::spawn(move || {
        let handle = Handle::new(&pool, 2);
        assert!(tasks::take_part_of(&handle, 0, OTHER).is_none(), "there is none of that call");
    });
    let handle = Handle::new(&pool, 1);
    wait(&call, &marks, &handle, &StackParts::new());
    marks.assert_all_done();
    call.retire();
    worker.join().unwrap();
    other.join().unwrap();
}

/// As before, and an idle worker takes it from there, while the caller waits for another call.
fn taken_from_the_caller() {
    const OTHER: usize = 128;
    let pool = pool(2, 2);
    let marks = Frame::new(Marks::new(2));
    let call = Frame::new(Call::new(2, OPTIONS));
    call.add_share();
    let worker = thread::spawn(move || work(pool, call, marks));
    let idle = thread::spawn(move || {
        let handle = Handle::new(&pool, 1);
        let _ = tasks::take_part_of(&handle, 0, OTHER);
        assert!(!run_one_of(&handle, OTHER), "there is none of that call");
        if let Some(part) = tasks::take_part(&handle, 2) {
            tasks::run(&handle, part, None);
        }
    });
    let handle = Handle::new(&pool, 2);
    assert!(tasks::find_own(&handle).is_none() && !run_one_of(&handle, OTHER), "it waits for another call");
    wait(&call, &marks, &handle, &StackParts::new());
    marks.assert_all_done();
    call.retire();
    worker.join().unwrap();
    idle.join().unwrap();
}

#[test]
fn a_part_taken_by_mistake_is_taken_by_an_idle_worker() {
    check(2, taken_from_the_caller);
}

#[test]
fn a_part_taken_by_mistake_goes_to_its_caller() {
    check(2, taken_by_mistake);
}

#[test]
fn a_part_taken_by_mistake_goes_to_its_caller_faults() {
    finds(&[Fault::LostUnpark], 2, taken_by_mistake);
}

#[test]
fn an_offer_is_taken_once() {
    check(3, offered_to_the_caller);
}

#[test]
fn an_offer_is_taken_once_faults() {
    finds(&[Fault::LostUnpark, Fault::WeakRmw, Fault::LateTouch], 3, offered_to_the_caller);
}
