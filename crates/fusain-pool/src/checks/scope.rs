//! The count of a scope's tasks: see [`scope`](crate::task::scope).

use super::{Frame, Marks, check, finds, pool};
use crate::idle::tasks::{self, Helps};
use crate::sync::faulty::Fault;
use crate::task::scope::scope_at;
use crate::worker::handle::Handle;
use loom::thread;

/// One task that a worker may take. The scope ends when the task has ended, and the worker does not access the scope afterwards.
fn spawned() {
    let pool = pool(1, 1);
    let marks = Frame::new(Marks::new(1));
    let handle = Handle::new(&pool, 1);
    let thief = scope_at(&handle, |scope| {
        scope.push(&handle, move |_| marks.mark(0));
        thread::spawn(move || {
            let handle = Handle::new(&pool, 0);
            if let Some(task) = tasks::find(&handle, Helps::Anybody, true) {
                tasks::run(&handle, task, None);
            }
        })
    });
    marks.assert_all_done();
    thief.join().unwrap();
}

#[test]
fn scope_awaits_its_tasks() {
    check(3, spawned);
}

#[test]
fn scope_awaits_its_tasks_faults() {
    finds(&[Fault::LostUnpark, Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw], 3, spawned);
}

/// Another caller spawns a task into the scope, and leaves the pool. A worker has taken the task, or it is run when the caller leaves.
fn spawned_by_another() {
    let pool = pool(1, 1);
    let marks = Frame::new(Marks::new(1));
    let handle = Handle::new(&pool, 1);
    let thief = scope_at(&handle, |scope| {
        // Loom has no `std::thread::scope`, which would promise that the scope outlives the thread.
        let scope: *const crate::Scope<'_> = scope;
        let scope = scope.expose_provenance();
        let other = thread::spawn(move || {
            pool.enter(|handle| {
                // SAFETY: the scope awaits this thread.
                let scope: &crate::Scope<'static> = unsafe { &*std::ptr::with_exposed_provenance(scope) };
                scope.push(handle, move |_| marks.mark(0));
            });
        });
        let thief = thread::spawn(move || {
            let handle = Handle::new(&pool, 0);
            if let Some(task) = tasks::find(&handle, Helps::Anybody, true) {
                tasks::run(&handle, task, None);
            }
        });
        other.join().unwrap();
        thief
    });
    marks.assert_all_done();
    thief.join().unwrap();
}

#[test]
fn scope_awaits_tasks_of_another_caller() {
    check(2, spawned_by_another);
}

#[test]
fn scope_awaits_tasks_of_another_caller_faults() {
    finds(&[Fault::LateTouch, Fault::TornRmw], 2, spawned_by_another);
}

/// Pools a, b, a on one thread: the inner call into a is another caller of a, with its own slot. A worker of a may take its tasks.
fn there_and_back() {
    let (a, b) = (pool(1, 0), pool(0, 0));
    let marks = Frame::new(Marks::new(2));
    let thief = thread::spawn(move || {
        let handle = Handle::new(&a, 0);
        if let Some(task) = tasks::find(&handle, Helps::Anybody, true) {
            tasks::run(&handle, task, None);
        }
    });
    a.enter(|outer| {
        scope_at(outer, |scope| {
            scope.push(outer, move |_| marks.mark(0));
            b.enter(|_| {
                a.enter(|inner| {
                    assert_ne!(inner.index, outer.index, "another caller");
                    scope.push(inner, move |_| marks.mark(1));
                });
            });
        });
    });
    marks.assert_all_done();
    thief.join().unwrap();
}

#[test]
fn scope_of_a_pool_entered_twice() {
    check(2, there_and_back);
}

#[test]
fn scope_of_a_pool_entered_twice_faults() {
    finds(&[Fault::LateTouch, Fault::TornRmw], 2, there_and_back);
}
