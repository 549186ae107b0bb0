//! Entering a pool: a thread becomes one of its workers, and later leaves it.

use crate::worker::handle::{Handle, Innermost};
use crate::worker::header;
use crate::worker::inner::Inner;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

impl<'p> Handle<'p> {
    /// Runs `work` with this thread as the worker of slot `index`, which it has leased.
    pub(crate) fn with<R>(pool: &'p Inner, index: usize, work: impl FnOnce(&Handle<'p>) -> R) -> R {
        let handle = Handle::new(pool, index);
        // SAFETY: dropped at the end of this function, and before the handle.
        let _innermost = unsafe { Innermost::begin(&handle) };
        // Caught, since tasks that run below may ask whether their thread unwinds.
        let result = catch_unwind(AssertUnwindSafe(|| work(&handle)));
        run_left(&handle);
        result.unwrap_or_else(|payload| resume_unwind(payload))
    }
}

/// Runs tasks that this worker has spawned into another worker's scope and that no worker has taken: no other worker may ever look at this slot.
fn run_left(handle: &Handle<'_>) {
    while let Some(job) = handle.pop() {
        // SAFETY: popped, so nobody else runs it; and none unwinds.
        unsafe { header::run(job, handle, None) };
    }
    handle.count_down();
}

impl Inner {
    /// Runs `f` with this thread as a worker of this pool: as the one it is already, else as a caller.
    #[inline]
    pub(crate) fn enter<R>(&self, f: impl FnOnce(&Handle<'_>) -> R) -> R {
        let _home = Innermost::go_home(|handle| std::ptr::eq(handle.pool, self));
        Handle::current(|current| match current {
            Some(handle) if std::ptr::eq(handle.pool, self) => f(handle),
            _ => self.with_lease(|index| Handle::with(self, index, |handle| f(handle))),
        })
    }
}
