//! What workers tell each other while a chain runs: that it is over, how many more elements are wanted, and which thread holds a lock. The only atomics of this crate.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};

use crossbeam_utils::atomic::AtomicCell;

/// A flag that is raised once. All operations are Relaxed: it is a hint to stop, and carries no data.
#[derive(Debug, Default)]
pub(crate) struct Flag(AtomicBool);

impl Flag {
    #[inline(always)]
    pub(crate) fn is_up(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(crate) fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Clone for Flag {
    fn clone(&self) -> Self {
        Flag(AtomicBool::new(self.is_up()))
    }
}

/// How many more elements are wanted. All operations are Relaxed: it counts, and carries no data.
#[derive(Debug)]
pub(crate) struct Count(AtomicUsize);

impl Count {
    pub(crate) fn new(n: usize) -> Self {
        Count(AtomicUsize::new(n))
    }

    pub(crate) fn is_used_up(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// Takes one element off the count, unless it is 0. Says whether it has.
    pub(crate) fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok()
    }
}

impl Clone for Count {
    fn clone(&self) -> Self {
        Count(AtomicUsize::new(self.0.load(Ordering::Relaxed)))
    }
}

/// Which thread holds a lock. A thread that comes to the lock again, while code under the lock calls back into the chain, sees here that it would wait for itself. No ordering
/// matters: a thread asks only whether it is the holder itself, and it always sees its own writes.
#[derive(Debug, Default)]
pub(crate) struct Holder(AtomicCell<Option<ThreadId>>);

impl Holder {
    pub(crate) fn is_this_thread(&self) -> bool {
        self.0.load() == Some(thread::current().id())
    }

    /// Notes that this thread holds the lock, until the returned guard is dropped. The guard must be dropped before the lock is released.
    pub(crate) fn begin(&self) -> Holds<'_> {
        self.0.store(Some(thread::current().id()));
        Holds(self)
    }
}

/// See [`Holder::begin`].
pub(crate) struct Holds<'h>(&'h Holder);

impl Drop for Holds<'_> {
    fn drop(&mut self) {
        self.0.0.store(None);
    }
}
