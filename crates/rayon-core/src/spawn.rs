//! Detached tasks.

use crate::global::global;
use fusain_pool::adapter::with_worker;

/// Runs `func` later, on a thread of the pool that the calling thread belongs to, or else of the global pool. Each thread begins its newest task first.
///
/// A panic goes to the pool's panic handler; without one it aborts the process.
///
/// # Example
/// ```
/// let (sender, receiver) = std::sync::mpsc::channel();
/// rayon_core::spawn(move || sender.send(6 * 7).unwrap());
/// assert_eq!(receiver.recv(), Ok(42));
/// ```
pub fn spawn<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    spawn_here(func, false);
}

/// As [`spawn`], but each thread begins its oldest task first.
pub fn spawn_fifo<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    spawn_here(func, true);
}

fn spawn_here(func: impl FnOnce() + Send + 'static, in_order: bool) {
    with_worker(|worker| match worker {
        Some(worker) => worker.spawn(func, in_order),
        None => global().spawn(func, in_order),
    });
}
