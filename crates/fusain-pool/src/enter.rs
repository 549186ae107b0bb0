//! Entering a pool: a thread becomes one of its workers, and is none any more.

use crate::handle::{Handle, Innermost};
use crate::header;
use crate::inner::Inner;
use crate::tasks;
use std::thread;

impl<'p> Handle<'p> {
    /// Runs `work` with this thread as the worker of slot `index`, which it has leased.
    pub(crate) fn with<R>(pool: &'p Inner, index: usize, work: impl FnOnce(&Handle<'p>) -> R) -> R {
        let handle = Handle::new(pool, index);
        // SAFETY: dropped at the end of this function, and before the handle.
        let _innermost = unsafe { Innermost::begin(&handle) };
        let _leave = Leave(&handle);
        work(&handle)
    }
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

/// The end of a handle.
struct Leave<'h, 'p>(&'h Handle<'p>);

impl Drop for Leave<'_, '_> {
    fn drop(&mut self) {
        let Self(handle) = self;
        // Tasks that were spawned here into a scope of somebody else's, and that nobody has taken: nobody else may ever look here.
        while let Some(job) = handle.pop() {
            if thread::panicking() && handle.pool.workers > 0 {
                // A task may ask whether its thread unwinds.
                handle.pool.inbox.push(job);
                tasks::tell(handle.pool);
                continue;
            }
            // SAFETY: popped, so nobody else runs it.
            unsafe { header::run(job, handle, None) };
        }
    }
}
