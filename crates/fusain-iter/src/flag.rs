//! What workers tell each other while a chain runs: that it is over, how many more elements are wanted, and who holds a lock. The only atomics of this crate.

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

    /// Takes one, if there is one.
    pub(crate) fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok()
    }
}

impl Clone for Count {
    fn clone(&self) -> Self {
        Count(AtomicUsize::new(self.0.load(Ordering::Relaxed)))
    }
}

/// Which thread holds a lock: so one that comes to it again, in the middle of what it does there, sees that it would wait for itself. No order matters, since a thread only
/// asks whether it is the one, and what it has written itself it always sees.
#[derive(Debug, Default)]
pub(crate) struct Holder(AtomicCell<Option<ThreadId>>);

impl Holder {
    pub(crate) fn is_this_thread(&self) -> bool {
        self.0.load() == Some(thread::current().id())
    }

    /// This thread holds the lock as long as what is returned lives, which has to be dropped first.
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
