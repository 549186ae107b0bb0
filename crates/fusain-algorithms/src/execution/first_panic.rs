//! The first of several panics, kept until all elements are back in place.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

/// Collects the panics of all workers. The first one is kept, and resumed when the caller says so. The others are dropped.
pub(crate) struct FirstPanic(Mutex<Option<Box<dyn Any + Send>>>);

impl FirstPanic {
    pub(crate) fn new() -> Self {
        FirstPanic(Mutex::new(None))
    }

    /// Calls `f`, and returns whether it has completed. Whenever `f` panics, what it changes must be in a valid state.
    pub(crate) fn catch(&self, f: impl FnOnce()) -> bool {
        let Err(payload) = catch_unwind(AssertUnwindSafe(f)) else { return true };
        // Nothing panics with the lock held.
        let other = match &mut *self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            Some(_) => Some(payload),
            first => first.replace(payload),
        };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(other))) {
            // A payload that panics when it is dropped might carry another payload that does, so this one is leaked.
            std::mem::forget(payload);
        }
        false
    }

    /// Resumes the panic that was kept, if there was one.
    pub(crate) fn resume(self) {
        if let Some(payload) = self.0.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            resume_unwind(payload);
        }
    }
}
