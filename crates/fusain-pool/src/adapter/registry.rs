//! A registry: a pool whose workers are all started threads, and the way into it.

use super::fifo::Fifo;
use super::worker::Worker;
use crate::error::WORKERS_MAX;
use crate::handlers::Handlers;
use crate::panics::Payload;
use crate::sync::{AtomicBool, Ordering};
use crate::trace;
use crate::worker::handle::{Handle, Innermost};
use crate::worker::inner::Inner;
use std::sync::Arc;

/// A pool whose workers are all started threads. Dropping it lets them leave when all detached tasks have ended, and does not wait for that.
pub struct Registry {
    inner: Arc<Inner>,
    /// Relaxed: whatever hands the registry to the thread that drops it orders the two.
    is_announced: AtomicBool,
}

/// For each worker, its detached tasks that are to be run in the order of spawning. The registry's pool owns these.
pub(super) type Fifos = Box<[Fifo]>;

/// A worker that has no thread yet.
pub struct UnstartedWorker {
    inner: Arc<Inner>,
    index: usize,
}

impl Registry {
    /// The largest number of workers of a registry.
    pub const THREADS_MAX: usize = WORKERS_MAX - 1;

    /// A registry of `threads` workers, 1 to [`THREADS_MAX`](Self::THREADS_MAX), and the workers, which are to be started. No handler may unwind.
    pub fn new(
        threads: usize,
        start: impl Fn(usize) + Send + Sync + 'static,
        exit: impl Fn(usize) + Send + Sync + 'static,
        panic: impl Fn(Payload) + Send + Sync + 'static,
    ) -> (Self, impl Iterator<Item = UnstartedWorker>) {
        assert!((1..=Self::THREADS_MAX).contains(&threads), "a registry has 1 to {} workers", Self::THREADS_MAX);
        let handlers = Handlers { start: Arc::new(start), exit: Arc::new(exit), panic: Arc::new(panic) };
        let fifos: Fifos = (0..threads).map(|_| Fifo::new()).collect();
        let inner = Arc::new(Inner::registry(threads, handlers, Box::new(fifos)));
        let workers = (0..threads).map({
            let inner = Arc::clone(&inner);
            move |index| UnstartedWorker { inner: Arc::clone(&inner), index }
        });
        (Self { inner, is_announced: AtomicBool::new(false) }, workers)
    }

    /// Tells subscribers of `tracing` that the registry has started. Not to be called while other threads wait for the registry to be made: a subscriber may use it.
    pub fn announce(&self) {
        self.is_announced.store(true, Ordering::Relaxed);
        trace::started(self.threads());
    }

    /// Number of workers.
    pub fn threads(&self) -> usize {
        self.inner.workers
    }

    /// Runs `f` with this thread's worker in this registry, or with `None` if it has none.
    #[inline]
    pub fn with_worker<R>(&self, f: impl FnOnce(Option<Worker<'_>>) -> R) -> R {
        let is_here = |handle: &Handle<'_>| std::ptr::eq(handle.pool, self.inner());
        let _home = Innermost::go_home(is_here);
        Handle::current(|handle| f(handle.filter(|handle| is_here(handle)).map(Worker)))
    }

    /// Runs `f` on a worker and waits for it. The second argument of `f` says whether it was moved there from another thread: not if the calling thread is a worker. A worker of
    /// another registry works for its own registry while it waits.
    pub fn in_worker<R: Send>(&self, f: impl FnOnce(Worker<'_>, bool) -> R + Send) -> R {
        self.with_worker(|worker| match worker {
            Some(worker) => f(worker, false),
            None => self.inner.run_in_worker(|| {
                Handle::current(|handle| f(Worker(handle.expect("jobs run on workers of their pool")), true))
            }),
        })
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.inner
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.inner.let_go();
        if self.is_announced.load(Ordering::Relaxed) {
            trace::ended(self.inner.workers);
        }
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").field("threads", &self.threads()).finish_non_exhaustive()
    }
}

impl UnstartedWorker {
    /// Its number, below the number of workers.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Makes the calling thread this worker until the registry has been dropped and all tasks have ended.
    pub fn run(self) {
        self.inner.visit(self.index);
    }

    /// Makes the calling thread, which is in no pool, this worker for the rest of its life. It works when it waits or yields. The memory of the registry is never
    /// freed. The handlers are not called for it: they are for threads that are started.
    ///
    /// # Panics
    /// If the calling thread is inside a pool.
    pub fn stay(self) {
        let inner: &'static Inner = Box::leak(Box::new(self.inner));
        let is_free = inner.slots.get(self.index).try_lease();
        assert!(is_free, "nobody else has this number");
        Handle::stay(inner, self.index);
    }
}

impl std::fmt::Debug for UnstartedWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UnstartedWorker").field("index", &self.index).finish_non_exhaustive()
    }
}
