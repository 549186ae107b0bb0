//! `scope`: any number of tasks that may borrow from the frame that waits for them.
//!
//! A spawned task is a boxed job on the spawning worker's [private stack](crate::jobs), given away oldest first like any other. The scope
//! counts tasks that have not ended: `pending` goes up before a task can be seen (Relaxed: the spawner is itself a counted task
//! or the scope's owner), and down (AcqRel) as the task's last touch of the scope. As in `call`, bit 0 says that the
//! owner sleeps, so that one of the two read-modify-writes sees the other.

use crate::jobs::{JobRef, Reopen};
use crate::join::{announce, answer, as_root, drain, wait_for};
use crate::pool::{Inner, Pool};
use crate::seat::Seat;
use crate::sync::{AtomicUsize, Mutex, Ordering, current};
use crate::trace;
use std::any::Any;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

const TASK: usize = 2;
const OWNER_SLEEPS: usize = 1;

/// Where tasks are spawned; see [`scope`].
pub struct Scope<'s> {
    pending: AtomicUsize,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    pool: *const Inner,
    owner: usize,
    /// Invariant in `'s`: tasks may borrow for exactly that long.
    marker: PhantomData<fn(&'s ()) -> &'s ()>,
}

// SAFETY: `pool` points to the pool that outlives the scope and is itself `Sync`; the rest is.
unsafe impl Sync for Scope<'_> {}
// SAFETY: as above.
unsafe impl Send for Scope<'_> {}

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope").field("pending", &(self.pending.load(Ordering::Relaxed) / TASK)).finish_non_exhaustive()
    }
}

/// Runs `f`, which may spawn tasks into the scope, and returns when it and all of them have ended.
///
/// On the pool whose work the calling thread is doing, else on [`Pool::global`].
///
/// # Panics
/// With the panic of `f`, or else the first one of a task, after all tasks have ended.
///
/// # Example
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// let words = ["reactive", "parallel", "computing"];
/// let letters = AtomicUsize::new(0);
/// fusain_pool::scope(|s| {
///     for word in &words {
///         s.spawn(|_| { letters.fetch_add(word.len(), Ordering::Relaxed); });
///     }
/// });
/// assert_eq!(letters.into_inner(), 25);
/// ```
pub fn scope<'s, R: Send>(f: impl FnOnce(&Scope<'s>) -> R + Send) -> R {
    Seat::current(|seat| match seat {
        Some(seat) => scope_seated(seat.pool, Some(seat), f),
        None => Pool::global().scope(f),
    })
}

impl Pool {
    /// Runs `f`, which may spawn tasks into the scope, on this pool; see [`scope`].
    ///
    /// # Panics
    /// As [`scope`] does.
    pub fn scope<'s, R: Send>(&self, f: impl FnOnce(&Scope<'s>) -> R + Send) -> R {
        self.inner.seated(|seat| scope_seated(&self.inner, seat, f))
    }
}

pub(crate) fn scope_seated<'s, R>(pool: &Inner, seat: Option<&Seat<'_>>, f: impl FnOnce(&Scope<'s>) -> R) -> R {
    let mut scope = Scope {
        pending: AtomicUsize::new(0),
        panic: Mutex::new(None),
        pool,
        owner: seat.map_or(0, |seat| seat.index),
        marker: PhantomData,
    };
    let result = match seat {
        // Nowhere to sit: each task runs as it is spawned.
        None => catch_unwind(AssertUnwindSafe(|| f(&scope))),
        Some(seat) => {
            let body = || {
                let mark = seat.jobs.len();
                let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
                drain(seat, mark);
                wait_for(seat, || scope.is_done(), || scope.sleep(seat));
                result
            };
            if seat.jobs.root.get() == 0 { as_root(seat, body) } else { body() }
        }
    };
    match result {
        Err(payload) => resume_unwind(payload),
        Ok(value) => match scope.take_panic() {
            Some(payload) => resume_unwind(payload),
            None => value,
        },
    }
}

impl<'s> Scope<'s> {
    /// Spawns a task, to be run by this worker or by one that asks, before the scope ends.
    ///
    /// From a thread that is no worker of the scope's pool the task is run at once. Costs an allocation.
    pub fn spawn(&self, task: impl FnOnce(&Scope<'s>) + Send + 's) {
        Seat::current(|seat| match seat {
            Some(seat) if std::ptr::eq(seat.pool, self.pool) && seat.jobs.root.get() != 0 => self.push(seat, task),
            _ => self.run(task),
        });
    }

    pub(crate) fn push<F: FnOnce(&Scope<'s>) + Send + 's>(&self, seat: &Seat<'_>, task: F) {
        // Relaxed: whoever spawns keeps the count above its end.
        self.pending.fetch_add(TASK, Ordering::Relaxed);
        let job = Box::into_raw(Box::new(Task { task, scope: self }));
        let first = !seat.jobs.has_any();
        seat.jobs.push(JobRef { job: job.cast(), execute: Task::<'s, F>::execute });
        if seat.desk().is_asked() {
            answer(seat);
        } else if first {
            announce(seat);
        }
    }

    fn run(&self, task: impl FnOnce(&Scope<'s>)) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| task(self))) {
            Seat::current(|seat| trace::caught_panic(seat.map_or(self.owner, |seat| seat.index)));
            let mut first = self.panic.lock().expect("no panic happens under this lock");
            if first.is_none() {
                *first = Some(payload);
            } else {
                // Its drop may panic again; a leaked payload is the lesser harm.
                std::mem::forget(payload);
            }
        }
    }

    /// Acquire: pairs with the Release half in `Task::execute`; all the tasks wrote is seen.
    fn is_done(&self) -> bool {
        self.pending.load(Ordering::Acquire) < TASK
    }

    #[cold]
    fn sleep(&self, seat: &Seat<'_>) {
        seat.desk().set_thread(current());
        if self.pending.fetch_or(OWNER_SLEEPS, Ordering::AcqRel) < TASK {
            return;
        }
        seat.desk().tally().parks.add(1);
        while !self.is_done() {
            seat.desk().park();
        }
    }

    fn take_panic(&mut self) -> Option<Box<dyn Any + Send>> {
        self.panic.lock().expect("no panic happens under this lock").take()
    }
}

/// A spawned task: a job on the heap.
struct Task<'s, F> {
    task: F,
    scope: *const Scope<'s>,
}

impl<'s, F: FnOnce(&Scope<'s>) + Send + 's> Task<'s, F> {
    /// # Safety
    /// `this` came from `Box::into_raw` in `push` and is executed once; the scope waits for it.
    unsafe fn execute(this: *const (), seat: &Seat<'_>, reopen: Reopen<'_>) {
        // SAFETY: from `Box::into_raw`, once.
        let this = unsafe { Box::from_raw(this.cast::<Self>().cast_mut()) };
        let Self { task, scope } = *this;
        // SAFETY: the scope waits until `pending` has gone down.
        let scope = unsafe { &*scope };
        let mark = seat.jobs.len();
        scope.run(task);
        drain(seat, mark);
        if let Some((mailbox, state)) = reopen {
            mailbox.open(state);
        }
        let (pool, owner) = (seat.pool, scope.owner);
        // AcqRel: see the module docs. Afterwards the scope may be gone.
        if scope.pending.fetch_sub(TASK, Ordering::AcqRel) == TASK + OWNER_SLEEPS {
            pool.desks[owner].unpark();
            seat.desk().tally().wakes.add(1);
        }
    }
}
