//! Which worker is told of a task: see [`tasks`](crate::idle::tasks).

use super::{Frame, Marks, check, finds, pool};
use crate::handover::job::JobRef;
use crate::handover::latch::Latch;
use crate::handover::mailbox::{ANY, SHUT};
use crate::idle::tasks::{self, Helps, announce};
use crate::idle::{fall_asleep, stay_asleep, wait_for};
use crate::sync::faulty::Fault;
use crate::sync::{Ordering, current, fence};
use crate::task::join::join_at;
use crate::task::scope::scope_at;
use crate::worker::handle::{Handle, Root};
use crate::worker::header::{Header, Reopen};
use crate::worker::inner::Inner;
use loom::thread;
use std::ptr::NonNull;

/// A worker that falls asleep, and then takes a task: it has seen that, or has been woken.
fn falls_asleep_and_takes(pool: Frame<Inner>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let handle = Handle::new(&pool, 0);
        handle.slot().set_thread(current());
        handle.slot().front.open(ANY);
        if fall_asleep(&handle) {
            stay_asleep(&handle, &mut 0);
            // As when it gets up.
            handle.slot().front.change(SHUT, SHUT);
        }
        // It is awake, so the task is in sight, or it has been nudged.
        assert!(tasks::in_sight(&handle, Helps::Anybody) || handle.slot().front.follow_nudge().is_some());
        let task = tasks::find(&handle, Helps::Anybody, true).expect("the task");
        tasks::run(&handle, task, None);
    })
}

/// A worker falls asleep while a caller queues a task and announces it: the worker sees the task, or is woken. (The caller does not run the task itself.)
fn queued_while_falling_asleep() {
    let pool = pool(1, 1);
    let worker = falls_asleep_and_takes(pool);
    let marks = Frame::new(Marks::new(1));
    let handle = Handle::new(&pool, 1);
    scope_at(&handle, |scope| {
        scope.push(&handle, move |_| marks.mark(0));
        worker.join().unwrap();
    });
    marks.assert_all_done();
}

#[test]
fn queued_task_is_noticed() {
    check(3, queued_while_falling_asleep);
}

#[test]
fn queued_task_is_noticed_faults() {
    finds(&[Fault::LostUnpark], 3, queued_while_falling_asleep);
}

/// The same with a job, that of a join with which a scope begins.
fn joined_while_falling_asleep() {
    let pool = pool(1, 1);
    let worker = falls_asleep_and_takes(pool);
    let marks = Frame::new(Marks::new(1));
    let handle = Handle::new(&pool, 1);
    scope_at(&handle, |_| join_at::<false, _, _, _, _>(&handle, || worker.join().unwrap(), |_| marks.mark(0)));
    marks.assert_all_done();
}

#[test]
fn joined_job_is_noticed() {
    check(3, joined_while_falling_asleep);
}

#[test]
fn joined_job_is_noticed_faults() {
    finds(&[Fault::LostUnpark, Fault::NoFence, Fault::WeakRmw], 3, joined_while_falling_asleep);
}

/// A worker falls asleep while a job is published: it sees the job, or is woken. (With a queue, for which the models use a lock, the order that the lock gives would hide the fault.)
fn published_while_falling_asleep() {
    unsafe fn nothing(_: *const Header, _: &Handle<'_>, _: Reopen<'_>) {}
    let pool = pool(1, 1);
    let worker = thread::spawn(move || {
        let handle = Handle::new(&pool, 0);
        handle.slot().front.open(ANY);
        fall_asleep(&handle)
    });
    let handle = Handle::new(&pool, 1);
    let job = Box::leak(Box::new(Header { run: nothing }));
    handle.slot().offer(0, JobRef::new(NonNull::from(job)), 0);
    pool.wake(&handle, 1);
    let sleeps = worker.join().unwrap();
    assert!(!sleeps || pool.slots.get(0).front.peek() == SHUT, "neither seen nor woken");
}

#[test]
fn job_published_is_noticed() {
    check(3, published_while_falling_asleep);
}

#[test]
fn job_published_is_noticed_faults() {
    finds(&[Fault::NoFence], 3, published_while_falling_asleep);
}

const ROOT: usize = 64;

/// A caller that waits for a latch has asked a worker of the same root for work. It falls asleep while that worker publishes a task, and gets up for the task.
fn waiter_helps() {
    let pool = pool(1, 1);
    let marks = Frame::new(Marks::new(1));
    let latch = Frame::new(Latch::new(1));
    let worker = thread::spawn(move || {
        let handle = Handle::new(&pool, 0);
        let root = Root::begin(&handle, ROOT);
        scope_at(&handle, |scope| {
            scope.push(&handle, move |_| marks.mark(0));
            announce(&handle, || false);
            if handle.slot().is_asked() {
                tasks::answer(&handle);
            }
        });
        drop(root);
        // SAFETY: counted above.
        if unsafe { Latch::count_down(&raw const *latch) } {
            handle.unpark(1);
        }
    });
    let handle = Handle::new(&pool, 1);
    wait_for(&handle, &latch, Helps::Root(ROOT));
    marks.assert_all_done();
    latch.retire();
    worker.join().unwrap();
}

#[test]
fn waiter_helps_its_root() {
    check(2, waiter_helps);
}

#[test]
fn waiter_helps_its_root_faults() {
    finds(&[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw], 2, waiter_helps);
}

/// A worker follows a nudge while a job is published: it sees the job, or the publisher sees that the nudge is gone.
fn published_while_a_nudge_is_followed() {
    unsafe fn nothing(_: *const Header, _: &Handle<'_>, _: Reopen<'_>) {}
    let pool = pool(1, 1);
    pool.slots.get(0).front.open(ANY);
    assert!(pool.slots.get(0).front.nudge(0), "open");
    let worker = thread::spawn(move || {
        pool.slots.get(0).front.follow_nudge().expect("a nudge");
        pool.slots.get(1).has_offer()
    });
    let handle = Handle::new(&pool, 1);
    let job = Box::leak(Box::new(Header { run: nothing }));
    handle.slot().offer(0, JobRef::new(NonNull::from(job)), 0);
    // As in `announce` and `tell`.
    fence(Ordering::SeqCst);
    let is_told = pool.slots.get(0).front.is_nudged();
    assert!(worker.join().unwrap() || !is_told, "it looks no more, and has not seen the job");
}

#[test]
fn job_published_is_noticed_by_who_was_nudged() {
    check(3, published_while_a_nudge_is_followed);
}

#[test]
fn job_published_is_noticed_by_who_was_nudged_faults() {
    finds(&[Fault::NoFence], 3, published_while_a_nudge_is_followed);
}
