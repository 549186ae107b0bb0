//! Running other tasks in the middle of a task.

use fusain_pool::adapter::{Worker, with_worker};

/// The result of a yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// A task was run.
    Executed,
    /// There was none.
    Idle,
}

impl Yield {
    pub(crate) fn of(has_run: bool) -> Self {
        if has_run { Self::Executed } else { Self::Idle }
    }
}

/// Runs one queued task, if there is one; `None` outside any pool.
pub fn yield_now() -> Option<Yield> {
    with_worker(|worker| worker.map(Worker::yield_now).map(Yield::of))
}

/// Runs one task that the calling thread has spawned or joined, if there is one; `None` outside any pool.
pub fn yield_local() -> Option<Yield> {
    with_worker(|worker| worker.map(Worker::yield_local).map(Yield::of))
}
