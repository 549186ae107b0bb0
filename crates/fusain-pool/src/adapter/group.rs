//! Tasks of a registry that are awaited together and may borrow from the frame that waits: what a scope is made of.
//!
//! As in [`scope`](crate::scope), a task is a heap job, and the group's [latch](crate::handover::latch) counts the tasks that have not ended. Two things differ: any thread
//! may spawn, into the registry that the group was made for, and the thread that waits need not be a worker of that registry.
//!
//! **What panics do.** The first panic, of a task or of the group's own closure, is resumed when all tasks have ended. Later payloads are dropped.

use super::fifo::Fifo;
use super::registry::Registry;
use super::worker::Worker;
use crate::handover::job::JobRef;
use crate::handover::latch::Latch;
use crate::panics::{FirstPanic, discard};
use crate::task::spawn::and_wait;
use crate::trace;
use crate::worker::handle::Handle;
use crate::worker::header::{Header, Reopen, reopen_if_idle};
use crate::worker::inner::Inner;
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::Arc;

/// Tasks that a thread awaits together, and the first panic among them.
pub struct Group<'s> {
    latch: Latch,
    panic: FirstPanic,
    pool: *const Inner,
    /// The slot that is to be unparked; set before another thread can see the group.
    owner: Cell<usize>,
    /// For each worker, its tasks in the order of spawning; empty if the group does not keep that order.
    fifos: Box<[Fifo]>,
    /// Invariant in `'s`: tasks may borrow for exactly that long.
    marker: PhantomData<fn(&'s ()) -> &'s ()>,
}

// SAFETY: `pool` points to the pool that outlives the group and is itself `Sync`; `owner` is written before the group is shared; the other fields are `Sync`.
unsafe impl Sync for Group<'_> {}
// SAFETY: as above.
unsafe impl Send for Group<'_> {}

impl Registry {
    /// Runs `f`, which may spawn tasks into the group, on the calling thread. Returns when `f` and all tasks have ended. With `in_order`, a worker runs its own tasks oldest first.
    ///
    /// # Panics
    /// With the first panic of `f` or a task.
    pub fn group<'s, R>(&self, in_order: bool, f: impl FnOnce(&Group<'s>) -> R) -> R {
        group(self.inner(), in_order, f)
    }
}

impl Worker<'_> {
    /// As [`Registry::group`].
    pub fn group<'s, R>(self, in_order: bool, f: impl FnOnce(&Group<'s>) -> R) -> R {
        group(self.inner(), in_order, f)
    }
}

fn group<'s, R>(pool: &Inner, in_order: bool, f: impl FnOnce(&Group<'s>) -> R) -> R {
    let mut group = Group {
        latch: Latch::new(0),
        panic: FirstPanic::new(),
        pool,
        owner: Cell::new(0),
        fifos: (0..if in_order { pool.workers } else { 0 }).map(|_| Fifo::new()).collect(),
        marker: PhantomData,
    };
    let result = and_wait(pool, &group.latch, |owner| {
        group.owner.set(owner);
        group.catch(|| f(&group))
    });
    match group.panic.take() {
        None => result.expect("it has not panicked"),
        Some(payload) => {
            discard(result);
            resume_unwind(payload)
        }
    }
}

impl<'s> Group<'s> {
    /// Spawns a task into the group. A worker runs its own tasks newest first, or oldest first if the group was made `in_order`.
    pub fn spawn(&self, task: impl FnOnce(&Group<'s>) + Send + 's) {
        Handle::current(|handle| handle.map_or_else(|| self.latch.add(), |handle| handle.count(&self.latch)));
        let job = GroupJob::boxed(task, self);
        self.pool().enqueue_as(|own| self.fifos.get(own).map_or(job, |fifo| fifo.push(job)), job);
    }

    /// Spawns a task on each worker. Its second argument is the worker's number.
    pub fn spawn_broadcast(&self, task: impl Fn(&Group<'s>, usize) + Send + Sync + 's) {
        let pool = self.pool();
        let task = Arc::new(task);
        // All tasks are counted before the first can end.
        let jobs: Vec<_> = (0..pool.workers)
            .map(|to| {
                let task = Arc::clone(&task);
                self.latch.add();
                GroupJob::boxed(move |group: &Group<'s>| task(group, to), self)
            })
            .collect();
        pool.give_all(jobs);
    }

    fn pool(&self) -> &Inner {
        // SAFETY: it outlives the group.
        unsafe { &*self.pool }
    }

    fn catch<R>(&self, f: impl FnOnce() -> R) -> Option<R> {
        let result = catch_unwind(AssertUnwindSafe(f));
        result.map_err(|payload| self.panic.keep(payload)).ok()
    }
}

impl std::fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Group").field("pending", &self.latch.count()).finish_non_exhaustive()
    }
}

/// A spawned task: a job on the heap.
#[repr(C)]
struct GroupJob<'s, F> {
    header: Header,
    task: F,
    group: *const Group<'s>,
}

impl<'s, F: FnOnce(&Group<'s>) + Send + 's> GroupJob<'s, F> {
    /// The job of a task that has been counted.
    fn boxed(task: F, group: &Group<'s>) -> JobRef {
        let job = Box::new(Self { header: Header { run: Self::run }, task, group });
        // A box is never null.
        JobRef::new(NonNull::from(Box::leak(job)))
    }

    /// # Safety
    /// `this` came from `boxed` and is run once; the group waits for it.
    unsafe fn run(this: *const Header, handle: &Handle<'_>, mailbox: Reopen<'_>) {
        // SAFETY: from `Box::leak`, once.
        let this = unsafe { Box::from_raw(this.cast::<Self>().cast_mut()) };
        let Self { task, group, .. } = *this;
        let (owner, latch) = {
            // SAFETY: the group waits until the latch is open, and this reference ends earlier.
            let group = unsafe { &*group };
            handle.begins(&group.latch);
            if group.catch(|| task(group)).is_none() {
                trace::caught_panic(handle.index);
            }
            (group.owner.get(), &raw const group.latch)
        };
        reopen_if_idle(handle, mailbox);
        // SAFETY: alive as long as this task is counted.
        unsafe { handle.ended(latch, owner) };
    }
}
