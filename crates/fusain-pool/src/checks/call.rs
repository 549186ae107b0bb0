//! Shares, parts and the caller's sleep: see [`call`](crate::call).

use super::part::{OPTIONS, Out, send, wait, work};
use super::{Frame, Marks, check, finds, pool};
use crate::Algorithm;
use crate::call::Call;
use crate::call::part::StackParts;
use crate::handover::mailbox::ANY;
use crate::run::{help, running};
use crate::sync::faulty::Fault;
use crate::worker::handle::Handle;
use crate::worker::inner::Inner;
use loom::thread;
use std::ops::Range;

/// Two workers drop their shares while the caller goes to sleep. No worker accesses the call after it has returned.
fn shares() {
    let pool = pool(0, 3);
    let call = Frame::new(Call::new(0, OPTIONS));
    let marks = Frame::new(Marks::new(2));
    let workers = [1, 2].map(|index| {
        call.add_share();
        thread::spawn(move || {
            marks.mark(index - 1);
            // SAFETY: the share added above.
            unsafe { Call::drop_share(&raw const *call, &Handle::new(&pool, index)) };
        })
    });
    let handle = Handle::new(&pool, 0);
    wait(&call, &marks, &handle, &StackParts::new());
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

/// One worker has a part, and passes some of it on to another, which holds a share. The caller sleeps until both have finished.
fn part_and_share() {
    let pool = pool(2, 1);
    let call = Frame::new(Call::new(2, OPTIONS));
    let marks = Frame::new(Marks::new(2));
    let parts: Out = Frame::new(StackParts::new());
    let handle = Handle::new(&pool, 2);
    for index in 0..2 {
        pool.slots.get(index).front.open(ANY);
    }
    send(parts, call.get(), marks.get(), &handle, 0..2, 1);
    let first = thread::spawn(move || {
        work(&Handle::new(&pool, 0));
        // Its mailbox was open, so the first worker has delivered by now.
        let second = thread::spawn(move || work(&Handle::new(&pool, 1)));
        second.join().unwrap();
    });
    wait(&call, &marks, &handle, &parts);
    marks.assert_all_done();
    call.retire();
    first.join().unwrap();
}

#[test]
fn parts_and_shares_are_awaited() {
    check(2, part_and_share);
}

#[test]
fn parts_and_shares_are_awaited_faults() {
    finds(&[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw], 2, part_and_share);
}

/// A helper has a part for the caller, which has fallen asleep for want of work, or is about to. The caller gets the part, or the helper keeps it.
fn part_for_a_sleeping_caller() {
    let pool = pool(1, 1);
    let call = Frame::new(Call::new(1, OPTIONS));
    let marks = Frame::new(Marks::new(1));
    call.add_share();
    let helper = thread::spawn(move || {
        let handle = Handle::new(&pool, 0);
        let mine = match pool.slots.get(1).claim_for(call.token()) {
            Some(claim) => {
                crate::run::share::deliver(
                    &running(call.get(), marks.get()),
                    &handle,
                    (1, claim),
                    OPTIONS.grain,
                    0,
                    0..1,
                );
                false
            }
            None => true,
        };
        if mine {
            marks.mark(0);
        }
        // SAFETY: the share added above.
        unsafe { Call::drop_share(&raw const *call, &handle) };
    });
    let handle = Handle::new(&pool, 1);
    wait(&call, &marks, &handle, &StackParts::new());
    marks.assert_all_done();
    call.retire();
    helper.join().unwrap();
}

#[test]
fn sleeping_caller_gets_a_part() {
    check(3, part_for_a_sleeping_caller);
}

#[test]
fn sleeping_caller_gets_a_part_faults() {
    finds(&[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw], 3, part_for_a_sleeping_caller);
}

/// Marks places, and makes another call whenever it commits.
struct CallsAgain {
    marks: Marks,
    pool: Frame<Inner>,
    /// The slot of the worker that commits.
    owner: usize,
}

impl Algorithm for CallsAgain {
    type Local = Range<usize>;

    fn has_local_work(&self, range: &Self::Local) -> bool {
        self.marks.has_local_work(range)
    }

    fn do_unit(&self, range: &mut Self::Local, grain: usize) {
        self.marks.do_unit(range, grain);
    }

    fn commit(&self, _: &mut Self::Local) {
        let (call, handle) = (Frame::new(Call::new(self.owner, OPTIONS)), Handle::new(self.pool.get(), self.owner));
        help(call.get(), &Marks::new(0), &handle, &StackParts::new(), OPTIONS.grain);
        call.retire();
    }

    fn split(&self, range: &mut Self::Local) -> Option<Self::Local> {
        self.marks.split(range)
    }
}

/// One helper brings its part back, which the caller commits, and the commit makes another call. Meanwhile a second helper has a part for the caller, which is not lost.
fn part_for_a_caller_that_calls_again() {
    let pool = pool(1, 2);
    let call = Frame::new(Call::new(2, OPTIONS));
    let again = Frame::new(CallsAgain { marks: Marks::new(2), pool, owner: 2 });
    let parts: Out = Frame::new(StackParts::new());
    let handle = Handle::new(&pool, 2);
    pool.slots.get(0).front.open(ANY);
    send(parts, call.get(), again.get(), &handle, 0..1, 0);
    call.add_share();
    let first = thread::spawn(move || work(&Handle::new(&pool, 0)));
    let second = thread::spawn(move || {
        let handle = Handle::new(&pool, 1);
        match pool.slots.get(2).claim_for(call.token()) {
            Some(claim) => {
                crate::run::share::deliver(
                    &running(call.get(), again.get()),
                    &handle,
                    (2, claim),
                    OPTIONS.grain,
                    0,
                    1..2,
                );
            }
            None => again.marks.mark(1),
        }
        // SAFETY: the share added above.
        unsafe { Call::drop_share(&raw const *call, &handle) };
    });
    help(&call, again.get(), &handle, &parts, OPTIONS.grain);
    again.marks.assert_all_done();
    call.retire();
    first.join().unwrap();
    second.join().unwrap();
}

#[test]
fn caller_that_calls_again_gets_its_part() {
    check(2, part_for_a_caller_that_calls_again);
}

#[test]
fn caller_that_calls_again_gets_its_part_faults() {
    finds(
        &[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw],
        2,
        part_for_a_caller_that_calls_again,
    );
}
