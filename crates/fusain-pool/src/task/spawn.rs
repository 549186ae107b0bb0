//! Detached tasks, closures on every worker, and jobs on the waiting thread's stack.
//!
//! A detached task is a heap job, in the queue of the worker that spawned it or in the pool's inbox ([`tasks::tell`] tells a worker of it). A broadcast puts a stack job into the
//! inbox of each worker ([`tasks::tell_worker`]), which looks there whenever it looks for work, also while it waits for something else.
//!
//! **What panics do.** A detached task's panic goes to the pool's panic handler. A broadcast resumes the first panic, in the order of workers, after all closures have ended.
//! Tested by `tests/spawning.rs`.

use crate::handover::job::JobRef;
use crate::handover::latch::Latch;
use crate::idle::tasks::{self, Helps};
use crate::idle::{wait_for, wait_outside};
use crate::panics::{Payload, discard};
use crate::pool::Pool;
use crate::trace;
use crate::worker::handle::{Handle, Innermost};
use crate::worker::header::{Header, Reopen, reopen, reopen_if_idle};
use crate::worker::inner::Inner;
use std::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::thread;

/// Runs `task` later, on a worker of the pool whose work the calling thread is doing, or else of [`Pool::global`]. See [`Pool::spawn`].
///
/// In a pool of one worker the calling thread runs the task before `spawn` returns, or, if another task spawns it, when that one ends. A task must not wait for the
/// thread that has spawned it. The global pool is never dropped, so the program can end before the task has run.
///
/// # Panics
/// If the global pool is meant and cannot be built, as [`Pool::global`] does. A panic of the task goes to the pool's handler.
///
/// # Example
/// ```
/// # use fusain_pool as fusain;
/// use std::sync::mpsc;
/// let (done, is_done) = mpsc::channel();
/// fusain::spawn(move || done.send(6 * 7).unwrap());
/// assert_eq!(is_done.recv(), Ok(42));
/// ```
#[doc(alias = "task")]
pub fn spawn(task: impl FnOnce() + Send + 'static) {
    Pool::here(|pool| pool.spawn(task));
}

/// Runs `f` once on every worker of the pool whose work the calling thread is doing, or else of [`Pool::global`], and on the calling thread. See [`Pool::broadcast`].
///
/// # Panics
/// As [`Pool::broadcast`] does, and if the global pool is meant and cannot be built, as [`Pool::global`] does.
///
/// # Example
/// ```
/// # use fusain_pool as fusain;
/// let squares = fusain::broadcast(|worker| worker * worker);
/// assert_eq!(squares.len(), fusain::current_workers());
/// ```
pub fn broadcast<R: Send>(f: impl Fn(usize) -> R + Sync) -> Vec<R> {
    Pool::here(|pool| pool.broadcast(f))
}

/// Runs one queued task on the calling thread, if there is one, and returns whether there was one. A second closure of [`join`](crate::join()) that has not begun counts as one.
///
/// Call it in a loop that waits for other tasks: a worker that blocks would not run them. Outside any pool it returns `false`. A panic of a detached task
/// goes to the pool's handler, that of a task of a scope to the caller of the scope.
///
/// # Example
/// ```
/// # use fusain_pool as fusain;
/// let pool = fusain::Pool::builder().threads(1).build()?;
/// pool.scope(|s| {
///     s.spawn(|_| ());
///     assert!(fusain::yield_now());
///     assert!(!fusain::yield_now());
/// });
/// # Ok::<(), fusain::Error>(())
/// ```
#[doc(alias = "taskyield")]
pub fn yield_now() -> bool {
    Handle::current(|handle| {
        let Some(handle) = handle else { return false };
        let task = tasks::find(handle, Helps::Anybody, true).or_else(|| tasks::find_joined(handle));
        let Some(task) = task else { return false };
        tasks::run(handle, task, None);
        true
    })
}

/// The calling thread's worker number in its innermost pool; `None` outside of any pool.
///
/// Started workers have the numbers 0 to [`Pool::workers`]` - 2`. A thread that calls into the pool has [`Pool::workers`]` - 1` or a higher number. No two threads
/// that are in a pool at the same time share a number.
///
/// So the number may be [`current_workers`] or more, when several threads that are not started workers call at once: do not make it the index of an array of that length.
/// [`WorkerLocal`](crate::WorkerLocal) is a value for each worker, and so are the values that `for_each_worker` and `map_worker` of parallel iterators make.
///
/// ```
/// # use fusain_pool as fusain;
/// let pool = fusain::Pool::builder().threads(1).build()?;
/// assert_eq!(fusain::current_worker_index(), None);
/// assert_eq!(pool.install(fusain::current_worker_index), Some(0));
/// # Ok::<(), fusain::Error>(())
/// ```
#[doc(alias = "current_thread_index")]
#[doc(alias = "omp_get_thread_num")]
pub fn current_worker_index() -> Option<usize> {
    Handle::current(|handle| handle.map(|handle| handle.index))
}

/// The number of workers of the pool that calls from this thread use: the innermost pool that the thread is in, or else the global one.
///
/// More threads than that may be in the pool, since any number may call at once: [`current_worker_index`] is no index of an array of this length. Use
/// [`WorkerLocal`](crate::WorkerLocal).
///
/// # Panics
/// If that is the global pool and it cannot be built, as [`Pool::global`] does.
///
/// # Example
/// ```
/// # use fusain_pool as fusain;
/// assert_eq!(fusain::current_workers(), fusain::Pool::global().workers());
/// ```
#[doc(alias = "current_num_threads")]
#[doc(alias = "omp_get_max_threads")]
pub fn current_workers() -> usize {
    Pool::here(|pool| pool.workers + 1)
}

impl Pool {
    /// Runs `f` on the calling thread and makes this pool its current one: every call inside `f` that names no pool uses this one, such as
    /// [`join`](crate::join), [`scope`](crate::scope), parallel algorithms and iterators.
    ///
    /// Tasks that it spawns inherit the pool. Unlike in rayon, `f` runs on the calling thread, so it sees the same thread-local values.
    ///
    /// # Panics
    /// As `f` does.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// let pool = fusain::Pool::builder().threads(3).build()?;
    /// assert_eq!(pool.install(fusain::current_workers), 3);
    /// # Ok::<(), fusain::Error>(())
    /// ```
    pub fn install<R>(&self, f: impl FnOnce() -> R) -> R {
        self.inner.enter(|_| f())
    }

    /// Runs `task` later, on a worker of this pool, and does not wait for it.
    ///
    /// Costs an allocation. When a pool is dropped, all spawned tasks are run first; the global pool is never dropped. A pool of one worker has no thread of its own: the
    /// task runs before `spawn` returns, or, if another task spawns it, when that one ends. So a task must not wait for what its spawner does later. If the task panics, the
    /// payload goes to the handler of [`Builder::panic_handler`](crate::Builder::panic_handler), or is dropped.
    ///
    /// Tasks that wait for one another need a started worker each. With [`Wait::SpinThenPark`](crate::Wait::SpinThenPark), the default, one started worker fewer than there are cores is
    /// woken for tasks (but at least one), since a core is left to the caller. So build a pool for such tasks with [`Wait::Park`](crate::Wait::Park).
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// let pool = fusain::Pool::builder().threads(2).build()?;
    /// let (done, is_done) = std::sync::mpsc::channel();
    /// pool.spawn(move || done.send(6 * 7).unwrap());
    /// assert_eq!(is_done.recv(), Ok(42));
    /// # Ok::<(), fusain::Error>(())
    /// ```
    pub fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        self.inner.spawn(task);
    }

    /// Runs `f` once on every started worker and on the calling thread. Returns all results in the order of worker numbers. If the calling thread is not a started
    /// worker, its result is the last.
    ///
    /// The argument of `f` is the worker's number, which is the place of its result. For a calling thread that is not a started worker it is
    /// [`workers`](Self::workers)` - 1`, whatever [`current_worker_index`] returns there: two such threads that broadcast at the same time have `f` called with the same number at the
    /// same time.
    ///
    /// A busy worker runs `f` when it next looks for work, so this takes as long as the longest task that is running.
    ///
    /// # Panics
    /// With the payload of the first worker on which `f` panics, in the order of workers, after `f` has ended everywhere.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// let pool = fusain::Pool::builder().threads(3).build()?;
    /// assert_eq!(pool.broadcast(|worker| worker * 10), [0, 10, 20]);
    /// # Ok::<(), fusain::Error>(())
    /// ```
    pub fn broadcast<R: Send>(&self, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
        self.inner.broadcast(f)
    }
}

/// Returns all results, or resumes the first panic and drops everything else.
pub(crate) fn all_or_first_panic<R>(results: Vec<thread::Result<R>>) -> Vec<R> {
    let mut all = Vec::with_capacity(results.len());
    let mut first: Option<Payload> = None;
    for result in results {
        match result {
            Ok(result) => all.push(result),
            Err(payload) if first.is_none() => first = Some(payload),
            Err(payload) => discard(payload),
        }
    }
    match first {
        None => all,
        Some(payload) => {
            discard(all);
            resume_unwind(payload)
        }
    }
}

/// Runs `start`, which hands out the jobs that `latch` counts in `pool`, and waits until the latch is open.
///
/// The argument of `start` is the number of the slot that is to be unparked. `start` does not unwind.
pub(crate) fn and_wait<R>(pool: &Inner, latch: &Latch, start: impl FnOnce(usize) -> R) -> R {
    let _home = Innermost::go_home(|handle| std::ptr::eq(handle.pool, pool));
    Handle::current(|handle| match handle {
        Some(handle) if std::ptr::eq(handle.pool, pool) => {
            let started = start(handle.index);
            wait_for(handle, latch, Helps::Anybody);
            started
        }
        Some(handle) => pool.with_lease(|owner| {
            pool.slots.get(owner).set_thread(crate::sync::current());
            let started = start(owner);
            // A worker of another pool goes on working for that pool: what it waits for may need it.
            wait_for(handle, latch, Helps::Anybody);
            started
        }),
        None => pool.with_lease(|owner| {
            let started = start(owner);
            wait_outside(pool, pool.slots.get(owner), latch, false, || {});
            started
        }),
    })
}

impl Inner {
    fn broadcast<R: Send>(&self, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
        self.enter(|handle| {
            let (workers, root) = (handle.pool.workers, handle.stack.root.get());
            let latch = Latch::new(workers);
            let jobs: Vec<_> = (0..workers)
                .map(|to| {
                    let f = &f;
                    AwaitedJob::new(move || within(root, || f(to)), &latch)
                })
                .collect();
            self.give_all(jobs.iter().map(|job| job.to_ref(handle.index)).collect());
            // If the caller is a started worker, its job is in its inbox, as with all others.
            let is_caller = handle.index >= workers;
            let own = is_caller.then(|| catch_unwind(AssertUnwindSafe(|| f(workers))));
            wait_for(handle, &latch, Helps::Root(root));
            all_or_first_panic(jobs.into_iter().map(AwaitedJob::into_result).chain(own).collect())
        })
    }

    /// Gives each started worker one of these jobs, in the order of workers.
    ///
    /// All workers get the jobs of two broadcasts in the same order. Otherwise two broadcasts whose closures wait for all workers could each hold some of the workers for ever.
    pub(crate) fn give_all(&self, jobs: Vec<JobRef>) {
        {
            let _order = self.broadcasts.lock().expect("no panic happens under this lock");
            for (slot, job) in self.slots.workers().iter().zip(jobs) {
                slot.inbox.push(job);
            }
        }
        (0..self.workers).for_each(|to| tasks::tell_worker(self, to));
    }

    pub(crate) fn spawn<F: FnOnce() + Send + 'static>(&self, task: F) {
        let job = DetachedJob::boxed(task, self);
        if self.workers == 0 { self.enter(|handle| run_here(handle, job)) } else { self.enqueue(job) }
    }

    /// If this thread is a started worker of this pool, puts the task into the worker's queue, where it is run before earlier tasks. Otherwise puts it into the pool's inbox.
    pub(crate) fn enqueue(&self, job: JobRef) {
        self.enqueue_as(|_| job, job);
    }

    /// As [`enqueue`](Self::enqueue), but a worker's queue gets what `own` returns for the worker's number.
    pub(crate) fn enqueue_as(&self, own: impl FnOnce(usize) -> JobRef, job: JobRef) {
        let is_own = Handle::current(|handle| match handle {
            Some(handle) if std::ptr::eq(handle.pool, self) && handle.index < self.workers => {
                handle.push(own(handle.index));
                true
            }
            // A caller may leave the pool, and never look at its queue again.
            _ => {
                self.inbox.push(job);
                false
            }
        });
        tasks::tell(self, is_own);
    }

    fn run_detached(&self, task: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(task)) {
            Handle::current(|handle| trace::caught_panic(handle.map_or(0, |handle| handle.index)));
            // A panic of the handler itself is dropped: there is no other handler for it.
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| (self.handlers.panic)(payload))) {
                discard(payload);
            }
        }
    }
}

/// Runs `f` as a part of the outermost join or scope `root`, if there is one: threads that wait for this root also run what `f` spawns into its scopes.
fn within<R>(root: usize, f: impl FnOnce() -> R) -> R {
    Handle::current(|handle| {
        let _root = handle.filter(|_| root != 0).map(|handle| tasks::begin(handle, root));
        f()
    })
}

/// Runs a task in a pool without started workers, and then the tasks that it has spawned. These are queued, because tasks that each spawn the next one would overflow the stack
/// if they were nested.
fn run_here(handle: &Handle<'_>, job: JobRef) {
    handle.push(job);
    if handle.runs_detached.replace(true) {
        return;
    }
    while let Some(task) = tasks::find_local(handle) {
        tasks::run(handle, task, None);
    }
    handle.runs_detached.set(false);
}

/// A detached task, on the heap.
#[repr(C)]
pub(crate) struct DetachedJob<F> {
    header: Header,
    task: F,
}

impl<F: FnOnce() + Send + 'static> DetachedJob<F> {
    /// A job for a detached task of `pool`, whose workers stay until it has ended.
    pub(crate) fn boxed(task: F, pool: &Inner) -> JobRef {
        pool.keep();
        JobRef::new(NonNull::from(Box::leak(Box::new(Self { header: Header { run: Self::run }, task }))))
    }

    /// # Safety
    /// `this` came from `boxed` and is run once.
    unsafe fn run(this: *const Header, handle: &Handle<'_>, mailbox: Reopen<'_>) {
        // SAFETY: from `Box::leak`, once.
        let this = unsafe { Box::from_raw(this.cast::<Self>().cast_mut()) };
        let Self { task, .. } = *this;
        // It may be long, and is not of the scope of the tasks before it.
        handle.count_down();
        handle.pool.run_detached(task);
        handle.pool.let_go();
        reopen_if_idle(handle, mailbox);
    }
}

/// A closure in the frame of a thread that waits until all jobs of a latch have ended.
///
/// Invariants: (1) `func` is there until `run`, which happens once; (2) `result` is written before the latch is counted down, and read after it is open;
/// (3) the waiter does not leave the frame before the latch is open.
#[repr(C)]
pub(crate) struct AwaitedJob<F, R> {
    header: Header,
    func: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<thread::Result<R>>>,
    latch: *const Latch,
    /// Slot of the waiter, set before the job is handed out.
    owner: Cell<usize>,
}

impl<F: FnOnce() -> R + Send, R: Send> AwaitedJob<F, R> {
    pub(crate) fn new(func: F, latch: &Latch) -> Self {
        let header = Header { run: Self::run };
        Self { header, func: UnsafeCell::new(Some(func)), result: UnsafeCell::new(None), latch, owner: Cell::new(0) }
    }

    /// A reference to be handed out by the thread that waits at slot `owner`.
    pub(crate) fn to_ref(&self, owner: usize) -> JobRef {
        self.owner.set(owner);
        JobRef::new(NonNull::from(self))
    }

    /// The result. To be called after the latch has been seen open.
    pub(crate) fn into_result(self) -> thread::Result<R> {
        self.result.into_inner().expect("the job has been run")
    }

    /// # Safety
    /// `this` is an `AwaitedJob<F, R>` whose waiter waits; run once.
    unsafe fn run(this: *const Header, handle: &Handle<'_>, mailbox: Reopen<'_>) {
        let (latch, owner) = {
            // SAFETY: invariant 3, and this reference ends before the latch is counted down.
            let this = unsafe { &*this.cast::<Self>() };
            // SAFETY: invariant 1.
            let func = unsafe { &mut *this.func.get() }.take().expect("run once");
            let result = catch_unwind(AssertUnwindSafe(func));
            if result.is_err() {
                trace::caught_panic(handle.index);
            }
            // SAFETY: invariant 2.
            unsafe { *this.result.get() = Some(result) };
            (this.latch, this.owner.get())
        };
        reopen(mailbox);
        // SAFETY: alive until this; the one count is ours.
        if unsafe { Latch::count_down(latch) } {
            handle.unpark(owner);
        }
    }
}

#[cfg(all(test, not(any(loom, fusain_single))))]
mod tests {
    use super::*;
    use crate::handlers::Handlers;
    use crate::handover::mailbox;
    use crate::sync::{AtomicBool, Ordering};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    /// Of two waiting workers, the first is nested so deep that it takes no tasks of others, and it is the one that is told.
    #[test]
    fn a_task_is_found_though_one_was_told_that_does_not_take_it() {
        let pool = Inner::registry(3, Handlers::default(), Box::new(()));
        let latches = [Latch::new(1), Latch::new(1)];
        let has_run = Arc::new(AtomicBool::new(false));
        thread::scope(|threads| {
            for (index, latch) in latches.iter().enumerate() {
                let pool = &pool;
                threads.spawn(move || {
                    Handle::with(pool, index, |handle| {
                        handle.depth.set(if index == 0 { tasks::DEPTH_MAX } else { 0 });
                        wait_for(handle, latch, Helps::Anybody);
                    });
                });
            }
            while (0..2).any(|index| pool.slots.get(index).side.peek() != mailbox::ASLEEP) {
                thread::yield_now();
            }
            Handle::with(&pool, 2, |handle| {
                let done = Arc::clone(&has_run);
                handle.push(DetachedJob::boxed(move || done.store(true, Ordering::Relaxed), &pool));
                tasks::tell(&pool, true);
                let begun = Instant::now();
                while !has_run.load(Ordering::Relaxed) && begun.elapsed() < Duration::from_secs(10) {
                    thread::yield_now();
                }
                let was_found = has_run.load(Ordering::Relaxed);
                for (index, latch) in latches.iter().enumerate() {
                    // SAFETY: the one count of a latch that outlives this.
                    if unsafe { Latch::count_down(latch) } {
                        handle.unpark(index);
                    }
                }
                assert!(was_found);
            });
        });
    }
}
