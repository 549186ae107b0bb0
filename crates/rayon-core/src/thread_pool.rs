//! A pool of threads.

use crate::broadcast::BroadcastContext;
use crate::scope::{Scope, ScopeFifo};
use crate::yields::Yield;
use fusain_pool::adapter::{Registry, Worker};
use std::fmt;

/// A pool of threads; made by [`ThreadPoolBuilder`](crate::ThreadPoolBuilder). Dropping it does not wait: its threads end when all spawned tasks have ended.
pub struct ThreadPool {
    registry: Registry,
}

impl ThreadPool {
    pub(crate) fn of(registry: Registry) -> Self {
        Self { registry }
    }

    /// Runs `op` on a thread of this pool, and waits for it. Calls inside `op` that name no pool use this one.
    ///
    /// # Panics
    /// As `op` does.
    ///
    /// # Example
    /// ```
    /// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// assert_eq!(pool.install(rayon_core::current_num_threads), 2);
    /// # Ok::<(), rayon_core::ThreadPoolBuildError>(())
    /// ```
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        self.registry.in_worker(|_, _| op())
    }

    /// See [`broadcast`](crate::broadcast()).
    ///
    /// # Panics
    /// As that.
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        self.registry.broadcast(|index| op(BroadcastContext::new(index)))
    }

    /// The number of threads.
    #[inline]
    pub fn current_num_threads(&self) -> usize {
        self.registry.threads()
    }

    /// The number of the calling thread in this pool, if it belongs to it.
    #[inline]
    pub fn current_thread_index(&self) -> Option<usize> {
        self.registry.with_worker(|worker| worker.map(Worker::index))
    }

    /// Whether the calling thread has tasks that have not begun; `None` if it does not belong to this pool.
    #[inline]
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        self.registry.with_worker(|worker| worker.map(Worker::has_pending))
    }

    /// See [`join`](crate::join()).
    ///
    /// # Panics
    /// As that.
    pub fn join<A, B, RA, RB>(&self, oper_a: A, oper_b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.registry.in_worker(|worker, _| worker.join(oper_a, |_| oper_b()))
    }

    /// See [`scope`](crate::scope()).
    ///
    /// # Panics
    /// As that.
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.registry.in_worker(|worker, _| worker.group(false, |group| op(Scope::of(group))))
    }

    /// See [`scope_fifo`](crate::scope_fifo).
    ///
    /// # Panics
    /// As that.
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.registry.in_worker(|worker, _| worker.group(true, |group| op(ScopeFifo::of(group))))
    }

    /// See [`in_place_scope`](crate::in_place_scope).
    ///
    /// # Panics
    /// As that.
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        self.registry.group(false, |group| op(Scope::of(group)))
    }

    /// See [`in_place_scope_fifo`](crate::in_place_scope_fifo).
    ///
    /// # Panics
    /// As that.
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        self.registry.group(true, |group| op(ScopeFifo::of(group)))
    }

    /// See [`spawn`](crate::spawn()).
    pub fn spawn<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        self.registry.spawn(op, false);
    }

    /// See [`spawn_fifo`](crate::spawn_fifo).
    pub fn spawn_fifo<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        self.registry.spawn(op, true);
    }

    /// See [`spawn_broadcast`](crate::spawn_broadcast).
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        self.registry.spawn_broadcast(move |index| op(BroadcastContext::new(index)));
    }

    /// Runs one queued task, if there is one; `None` if the calling thread does not belong to this pool.
    pub fn yield_now(&self) -> Option<Yield> {
        self.registry.with_worker(|worker| worker.map(Worker::yield_now).map(Yield::of))
    }

    /// Runs one task that the calling thread has spawned or joined, if there is one; `None` if the thread does not belong to this pool.
    pub fn yield_local(&self) -> Option<Yield> {
        self.registry.with_worker(|worker| worker.map(Worker::yield_local).map(Yield::of))
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool").field("num_threads", &self.current_num_threads()).finish_non_exhaustive()
    }
}
