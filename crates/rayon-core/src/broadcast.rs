//! Closures on every thread of a pool.

use crate::global::{current_num_threads, global};
use fusain_pool::adapter::with_worker;
use std::marker::PhantomData;

/// Tells a closure that is run on every thread where it runs.
#[derive(Debug)]
pub struct BroadcastContext<'a> {
    index: usize,
    /// Ties it to this thread and this call.
    marker: PhantomData<&'a mut dyn Fn()>,
}

impl BroadcastContext<'_> {
    pub(crate) fn new(index: usize) -> Self {
        Self { index, marker: PhantomData }
    }

    /// The number of this thread.
    #[inline]
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many threads the closure is run on.
    #[inline]
    pub fn num_threads(&self) -> usize {
        // It runs on a worker of that pool.
        current_num_threads()
    }
}

/// Runs `op` on every thread of the pool that the calling thread belongs to, or else of the global pool. Returns the results, in the order of thread numbers.
///
/// A thread runs `op` when it has none of its own tasks left.
///
/// # Panics
/// With the first panic of `op`, in the order of thread numbers, after `op` has ended on all threads.
///
/// # Example
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(3).build()?;
/// let indices = pool.install(|| rayon_core::broadcast(|context| context.index()));
/// assert_eq!(indices, [0, 1, 2]);
/// # Ok::<(), rayon_core::ThreadPoolBuildError>(())
/// ```
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let op = |index| op(BroadcastContext::new(index));
    with_worker(|worker| match worker {
        Some(worker) => worker.broadcast(op),
        None => global().broadcast(op),
    })
}

/// As [`broadcast`], without waiting. A panic goes to the pool's panic handler; without one it ends the process.
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    let op = move |index| op(BroadcastContext::new(index));
    with_worker(|worker| match worker {
        Some(worker) => worker.spawn_broadcast(op),
        None => global().spawn_broadcast(op),
    });
}
