//! Parts that a worker took although they are of another call than its own. They lie at the slot of their call's caller, where idle workers find them, and the caller
//! while it waits for that very call. This is rare, so a lock will do.

use crate::handover::job::JobRef;
use crate::sync::{AtomicUsize, Mutex, Ordering};
use std::sync::PoisonError;

/// See the [module](self).
pub(crate) struct Strays {
    /// How many there are.
    count: AtomicUsize,
    /// Each with the token of its call, oldest first.
    parts: Mutex<Vec<(usize, JobRef)>>,
}

impl Strays {
    pub(crate) fn new() -> Self {
        Self { count: AtomicUsize::new(0), parts: Mutex::new(Vec::new()) }
    }

    /// Whether there is any. Relaxed: a hint, except after a fence (see [`idle`](crate::idle)).
    pub(crate) fn is_any(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// Whether there is one of the call `token`.
    pub(crate) fn has(&self, token: usize) -> bool {
        self.is_any() && self.with(|parts| parts.iter().any(|(of, _)| *of == token))
    }

    pub(crate) fn push(&self, token: usize, part: JobRef) {
        self.with(|parts| parts.push((token, part)));
    }

    /// The oldest one.
    pub(crate) fn take(&self) -> Option<JobRef> {
        if !self.is_any() {
            return None;
        }
        self.with(|parts| if parts.is_empty() { None } else { Some(parts.remove(0).1) })
    }

    /// The oldest one of the call `token`.
    pub(crate) fn take_of(&self, token: usize) -> Option<JobRef> {
        self.with(|parts| parts.iter().position(|(of, _)| *of == token).map(|at| parts.remove(at).1))
    }

    fn with<R>(&self, f: impl FnOnce(&mut Vec<(usize, JobRef)>) -> R) -> R {
        // No panic happens under this lock.
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let result = f(&mut parts);
        self.count.store(parts.len(), Ordering::Relaxed);
        result
    }
}
