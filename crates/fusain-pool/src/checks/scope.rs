//! The count of a scope's tasks: see [`scope`](crate::task::scope).

use super::{Frame, Marks, check, finds, pool};
use crate::idle::tasks::{self, Helps};
use crate::sync::faulty::Fault;
use crate::task::scope::{Scope, scope_at};
use crate::worker::handle::Handle;
use crate::worker::inner::Inner;
use loom::thread;
use std::cell::Cell;

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

loom::thread_local! {
    /// The address of the thread's handle. (The pool's own thread locals are those of the test's thread, which is all threads of a model.)
    static HANDLE: Cell<usize> = Cell::new(0);
}

/// Runs `f` with the handle of slot `index`.
fn with_handle<R>(pool: &Inner, index: usize, f: impl FnOnce(&Handle<'_>) -> R) -> R {
    let handle = Handle::new(pool, index);
    HANDLE.with(|address| address.set((&raw const handle).expose_provenance()));
    f(&handle)
}

/// A chain of tasks, each spawned by the one before. The last one takes over the count of the first if both run on one worker. Each may run on the worker or on the scope's owner.
fn spawned_by_a_task() {
    fn spawn(scope: &Scope<'_>, place: usize, marks: Frame<Marks>) {
        let address = HANDLE.with(Cell::get);
        // SAFETY: the handle lies in a frame of this thread, which is further down.
        let handle: &Handle<'_> = unsafe { &*std::ptr::with_exposed_provenance(address) };
        scope.push(handle, move |scope| {
            marks.mark(place);
            if place < 2 {
                spawn(scope, place + 1, marks);
            }
        });
    }
    let pool = pool(1, 1);
    let marks = Frame::new(Marks::new(3));
    let thief = with_handle(&pool, 1, |handle| {
        scope_at(handle, |scope| {
            spawn(scope, 0, marks);
            thread::spawn(move || {
                with_handle(&pool, 0, |handle| {
                    let mut task = tasks::find(handle, Helps::Anybody, true);
                    while let Some(next) = task {
                        tasks::run_next(handle, next, None);
                        task = tasks::find_local(handle);
                    }
                    handle.count_down();
                });
            })
        })
    });
    marks.assert_all_done();
    thief.join().unwrap();
}

#[test]
fn scope_awaits_tasks_of_tasks() {
    check(1, spawned_by_a_task);
}

#[test]
fn scope_awaits_tasks_of_tasks_faults() {
    finds(&[Fault::LateTouch, Fault::TornRmw, Fault::WeakRmw], 1, spawned_by_a_task);
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
