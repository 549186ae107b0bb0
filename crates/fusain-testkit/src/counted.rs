//! Elements that are counted, to detect elements that are lost or dropped twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

/// Counts the elements of one test.
#[derive(Clone, Debug, Default)]
pub struct Census(Arc<AtomicIsize>);

impl Census {
    /// A census without elements.
    pub fn new() -> Self {
        Self::default()
    }

    /// An element with this key.
    pub fn element(&self, key: u32) -> Counted {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted { key, birth: Box::new(key), census: self.clone() }
    }

    /// The number of elements that were made and not dropped; negative if some were dropped twice.
    pub fn alive(&self) -> isize {
        self.0.load(Ordering::Relaxed)
    }
}

/// An element on the heap that its [`Census`] counts.
#[derive(Debug)]
pub struct Counted {
    /// The key that it is sorted by.
    pub key: u32,
    /// Owned memory, so that the allocator detects a second drop, too.
    birth: Box<u32>,
    census: Census,
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.census.element(self.key)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        assert_eq!(*self.birth, self.key, "an element keeps its bits together");
        self.census.0.fetch_sub(1, Ordering::Relaxed);
    }
}
