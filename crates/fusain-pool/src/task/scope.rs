//! `scope`: any number of tasks that may borrow from the frame that waits for them.
//!
//! A spawned task is a heap job in the spawning worker's [queue](crate::handover::queue), from which any worker may take it. The scope's
//! [latch](crate::handover::latch) counts the tasks that have not ended. The scope's owner, or a task that is counted itself, counts a new task before other threads can
//! see it. As long as a worker goes on with tasks of the scope, it passes the counts of ended ones on to new ones, and counts down only what is left
//! ([`uncounted`](crate::worker::uncounted)). Counting down is the last access to the scope for all tasks that it counts. Checked by `checks::scope`.
//!
//! **What panics do.** A task runs inside `catch_unwind`. The first payload is kept; later ones are dropped, inside `catch_unwind` again. If the scope's own
//! closure unwinds, its tasks are awaited all the same. Tested by `panics_in_a_scope` (`tests/fork_join.rs`), `payloads_are_dropped` and `drops_that_panic` (`tests/hostile.rs`).

use crate::handover::job::JobRef;
use crate::handover::latch::Latch;
use crate::idle::tasks::{DEPTH_MAX, Helps, announce, answer, as_root, begin, pass_on_news};
use crate::idle::wait_for;
use crate::panics::{FirstPanic, discard};
use crate::pool::Pool;
use crate::sync::Mutex;
use crate::task::worth::{InScope, Worth, set_announced};
use crate::trace;
use crate::worker::handle::Handle;
use crate::worker::header::{Header, Reopen, reopen_if_idle};
use crate::worker::inner::Inner;
use crate::worker::slot::{LOOK, PUBLISH};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;

/// Spawns tasks that may borrow from the caller; [`scope`] makes one, and has an example.
pub struct Scope<'s> {
    latch: Latch,
    panic: FirstPanic,
    pool: *const Inner,
    owner: usize,
    /// Token of the outermost join or scope.
    root: usize,
    worth: Mutex<Worth>,
    /// Invariant in `'s`: tasks may borrow for exactly that long.
    marker: PhantomData<fn(&'s ()) -> &'s ()>,
}

// SAFETY: `pool` points to the pool that outlives the scope and is itself `Sync`; so are the other fields.
unsafe impl Sync for Scope<'_> {}
// SAFETY: as above.
unsafe impl Send for Scope<'_> {}

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope").field("pending", &self.latch.count()).finish_non_exhaustive()
    }
}

/// Runs `f`, which may spawn tasks, and returns when `f` and all tasks have ended. Tasks may borrow from the caller.
///
/// It uses the pool whose work the calling thread is doing, or else [`Pool::global`].
///
/// While it waits, the calling thread runs tasks: those of the same outermost [`join`](crate::join()) or scope, those that it has itself spawned, and closures of broadcasts.
/// So no lock that these take may be held then.
///
/// # Panics
/// With the payload of `f`, or else of the first task that panics, after all tasks have ended. The payloads of other panics are dropped.
/// If the global pool is meant and cannot be built, as [`Pool::global`] does.
///
/// # Example
/// ```
/// # use fusain_pool as fusain;
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// let words = ["reactive", "parallel", "computing"];
/// let letters = AtomicUsize::new(0);
/// fusain::scope(|s| {
///     for word in &words {
///         s.spawn(|_| { letters.fetch_add(word.len(), Ordering::Relaxed); });
///     }
/// });
/// assert_eq!(letters.into_inner(), 25);
/// ```
#[doc(alias = "in_place_scope")]
#[doc(alias = "task_group")]
#[doc(alias = "taskgroup")]
#[doc(alias = "task")]
pub fn scope<'s, R: Send>(f: impl FnOnce(&Scope<'s>) -> R + Send) -> R {
    Pool::here(|pool| pool.enter(|handle| scope_at(handle, f)))
}

impl Pool {
    /// Like [`scope`], on this pool.
    ///
    /// # Panics
    /// As [`scope`] does.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// let pool = fusain::Pool::builder().threads(2).build()?;
    /// let mut halves = [0, 0];
    /// let [left, right] = &mut halves;
    /// pool.scope(|s| {
    ///     s.spawn(|_| *left = 1);
    ///     *right = 2;
    /// });
    /// assert_eq!(halves, [1, 2]);
    /// # Ok::<(), fusain::Error>(())
    /// ```
    pub fn scope<'s, R: Send>(&self, f: impl FnOnce(&Scope<'s>) -> R + Send) -> R {
        self.inner.enter(|handle| scope_at(handle, f))
    }
}

pub(crate) fn scope_at<'s, R, F: FnOnce(&Scope<'s>) -> R>(handle: &Handle<'_>, f: F) -> R {
    if handle.stack.root.get() == 0 {
        return as_root(handle, || {
            handle.slot().ask_for_next();
            let in_scope = InScope::begin::<F>(handle);
            let result = scope_inside(handle, f);
            in_scope.end();
            result
        });
    }
    scope_inside(handle, f)
}

fn scope_inside<'s, R, F: FnOnce(&Scope<'s>) -> R>(handle: &Handle<'_>, f: F) -> R {
    let scope = Scope {
        latch: Latch::new(0),
        panic: FirstPanic::new(),
        pool: handle.pool,
        owner: handle.index,
        root: handle.stack.root.get(),
        worth: Mutex::new(Worth::of::<F>()),
        marker: PhantomData,
    };
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    wait_for(handle, &scope.latch, Helps::Root(scope.root));
    let Scope { mut panic, worth, .. } = scope;
    match result {
        Err(payload) => {
            // The panic of the scope's own closure takes precedence.
            discard(panic);
            resume_unwind(payload)
        }
        Ok(value) => match panic.take() {
            Some(payload) => {
                discard(value);
                resume_unwind(payload)
            }
            None => {
                worth.into_inner().expect("no panic happens under this lock").end();
                value
            }
        },
    }
}

impl<'s> Scope<'s> {
    /// Spawns a task. It runs before the scope ends, on this worker or on another. Its argument is the scope, so it can spawn more.
    ///
    /// Costs an allocation. The spawning thread runs the task at once if it is not a worker of the scope's pool, or if it is inside 32 nested tasks, each of which it took while it
    /// waited in the one before. In these cases a task that spawns the next one recurses.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// let tasks = AtomicU32::new(0);
    /// fusain::scope(|s| {
    ///     s.spawn(|s| {
    ///         tasks.fetch_add(1, Ordering::Relaxed);
    ///         s.spawn(|_| drop(tasks.fetch_add(1, Ordering::Relaxed)));
    ///     });
    /// });
    /// assert_eq!(tasks.into_inner(), 2);
    /// ```
    pub fn spawn(&self, task: impl FnOnce(&Scope<'s>) + Send + 's) {
        Handle::current(|handle| match handle {
            // A worker nested deeper may not look into its queue again: a task that is left there would be waited for in vain.
            Some(handle) if std::ptr::eq(handle.pool, self.pool) && handle.depth.get() < DEPTH_MAX => {
                self.push(handle, task);
            }
            _ => self.run(task),
        });
    }

    pub(crate) fn push<F: FnOnce(&Scope<'s>) + Send + 's>(&self, handle: &Handle<'_>, task: F) {
        let was_empty = handle.slot().queue.len() == 0;
        handle.count(&self.latch);
        handle.push(ScopeJob::boxed(task, self));
        let is_told = handle.slot().is_asked_beside(LOOK | PUBLISH) && answer(handle);
        if was_empty && !is_told {
            announce(handle, || self.worth.lock().expect("no panic happens under this lock").is_worth_waking());
            set_announced(handle);
            pass_on_news(handle);
        }
    }

    fn run(&self, task: impl FnOnce(&Scope<'s>)) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| task(self))) {
            trace::caught_panic(self.owner);
            self.panic.keep(payload);
        }
    }
}

/// A spawned task: a job on the heap.
#[repr(C)]
struct ScopeJob<'s, F> {
    header: Header,
    task: F,
    scope: *const Scope<'s>,
}

impl<'s, F: FnOnce(&Scope<'s>) + Send + 's> ScopeJob<'s, F> {
    fn boxed(task: F, scope: *const Scope<'s>) -> JobRef {
        let job = Box::new(Self { header: Header { run: Self::run }, task, scope });
        JobRef::new(NonNull::from(Box::leak(job)))
    }

    /// # Safety
    /// `this` came from `boxed` and is run once; the scope waits for it.
    unsafe fn run(this: *const Header, handle: &Handle<'_>, mailbox: Reopen<'_>) {
        // SAFETY: from `Box::leak`, once.
        let this = unsafe { Box::from_raw(this.cast::<Self>().cast_mut()) };
        let Self { task, scope: running, .. } = *this;
        let (owner, latch) = {
            // SAFETY: the scope waits until the latch is open, and this reference ends earlier.
            let scope = unsafe { &*running };
            handle.begins(&scope.latch);
            let _root = begin(handle, scope.root);
            scope.run(task);
            (scope.owner, &raw const scope.latch)
        };
        reopen_if_idle(handle, mailbox);
        // SAFETY: alive as long as this task is counted.
        unsafe { handle.ended(latch, owner) };
    }
}
