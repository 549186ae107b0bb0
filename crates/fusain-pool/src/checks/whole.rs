//! Everything at once: a worker's whole life and a caller's call, with the loops that really run.

use super::{Frame, Marks, check, finds, pool};
use crate::Algorithm;
use crate::call::CallOptions;
use crate::call::pace::Grain;
use crate::handover::latch::Latch;
use crate::handover::mailbox::ANY;
use crate::idle::serve;
use crate::idle::tasks::tell_worker;
use crate::run::run;
use crate::sync::current;
use crate::sync::faulty::Fault;
use crate::task::spawn::{AwaitedJob, and_wait};
use crate::worker::handle::Handle;
use crate::worker::inner::Inner;
use loom::thread::{self, JoinHandle};
use std::ops::Range;

/// The life of worker 0, until its pool ends.
fn worker(pool: Frame<Inner>) -> JoinHandle<()> {
    thread::spawn(move || {
        let handle = Handle::new(&pool, 0);
        handle.slot().set_thread(current());
        handle.slot().front.open(ANY);
        serve(&handle);
    })
}

/// Runs `guest` with a caller's handle while a worker lives, and then has the worker end.
pub(super) fn with_worker(guest: impl FnOnce(&Handle<'_>)) {
    let pool = pool(1, 0);
    let worker = worker(pool);
    guest(&Handle::new(&pool, pool.slots.lease()));
    // The end is not explored, to save time: the model `told` covers how a worker ends.
    loom::stop_exploring();
    pool.end();
    worker.join().unwrap();
}

/// A call of four units, some of which may come back to the caller's side mailbox. The worker has not begun yet, is awake, asleep or in between.
fn call() {
    with_worker(|handle| {
        let marks = Frame::new(Marks::new(4));
        run(handle, &*marks, 0..4, CallOptions { grain: Grain::fixed(1), work: 0, wakes: true, offers: true });
        marks.assert_all_done();
    });
}

#[test]
fn whole_call() {
    check(2, call);
}

#[test]
fn whole_call_faults() {
    finds(&[Fault::LostUnpark, Fault::WeakRmw, Fault::WeakLoad], 2, call);
}

/// The same for elements that may be long: parts that no worker has been given lie where the worker finds them.
fn call_of_long_elements<const N: usize>() {
    with_worker(|handle| {
        let marks = Frame::new(Marks::new(N));
        let grain = Grain::fixed(1).of_long(true);
        run(handle, &*marks, 0..N, CallOptions { grain, work: 0, wakes: true, offers: true });
        marks.assert_all_done();
    });
}

#[test]
fn whole_call_of_long_elements() {
    check(2, call_of_long_elements::<2>);
    // With three, up to two parts are on offer. One preemption less keeps the model within seconds; the faults below are found with both.
    check(1, call_of_long_elements::<3>);
}

#[test]
fn whole_call_of_long_elements_faults() {
    finds(&[Fault::LostUnpark, Fault::WeakRmw], 2, call_of_long_elements::<3>);
}

/// Nothing can be split off before the first unit.
struct Sprout(Marks);

impl Algorithm for Sprout {
    type Local = Range<usize>;

    fn has_local_work(&self, range: &Self::Local) -> bool {
        self.0.has_local_work(range)
    }

    fn do_unit(&self, range: &mut Self::Local, grain: usize) {
        self.0.do_unit(range, grain);
    }

    fn commit(&self, _: &mut Self::Local) {}

    fn split(&self, range: &mut Self::Local) -> Option<Self::Local> {
        if range.start == 0 { None } else { self.0.split(range) }
    }
}

/// The same for a call that has nothing to share at first.
fn late_call() {
    with_worker(|handle| {
        let sprout = Frame::new(Sprout(Marks::new(3)));
        run(handle, &*sprout, 0..3, CallOptions { grain: Grain::fixed(1), work: 0, wakes: true, offers: true });
        sprout.0.0.assert_all_done();
    });
}

#[test]
fn whole_late_call() {
    check(2, late_call);
}

#[test]
fn whole_late_call_faults() {
    finds(&[Fault::LostUnpark, Fault::WeakRmw], 2, late_call);
}

/// A task for this very worker, from a thread that is in no pool and waits.
fn told() {
    let pool = pool(1, 0);
    let worker = worker(pool);
    let marks = Frame::new(Marks::new(1));
    let latch = Frame::new(Latch::new(1));
    let job = AwaitedJob::new(move || marks.mark(0), latch.get());
    and_wait(pool.get(), latch.get(), |owner| {
        pool.slots.get(0).inbox.push(job.to_ref(owner));
        tell_worker(pool.get(), 0);
    });
    marks.assert_all_done();
    latch.retire();
    pool.end();
    worker.join().unwrap();
}

#[test]
fn whole_broadcast() {
    check(3, told);
}

#[test]
fn whole_broadcast_faults() {
    finds(&[Fault::LostUnpark], 2, told);
}

/// The same for any worker. The job is delivered to the worker, or the worker has to find it; the waiting thread takes it back if the worker has not seen it for a while.
fn asked_from_outside() {
    let pool = pool(1, 0);
    let worker = worker(pool);
    let marks = Frame::new(Marks::new(1));
    pool.run_in_worker(|| marks.mark(0));
    marks.assert_all_done();
    pool.end();
    worker.join().unwrap();
}

#[test]
fn whole_outside() {
    check(3, asked_from_outside);
}

#[test]
fn whole_outside_faults() {
    finds(&[Fault::LostUnpark, Fault::TornRmw], 2, asked_from_outside);
}
