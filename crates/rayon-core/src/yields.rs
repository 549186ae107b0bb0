//! Letting other tasks run in the midst of one.

use fusain_pool::adapter::{Worker, with_worker};

/// What came of a yield.
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

/// Runs one task that waits, if there is one; `None` outside of any pool.
pub fn yield_now() -> Option<Yield> {
    with_worker(|worker| worker.map(Worker::yield_now).map(Yield::of))
}

/// Runs one task that the calling thread has spawned or joined, if one waits; `None` outside of any pool.
pub fn yield_local() -> Option<Yield> {
    with_worker(|worker| worker.map(Worker::yield_local).map(Yield::of))
}
