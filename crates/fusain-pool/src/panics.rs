//! Panics that are caught in one place and resumed in another.

use crate::sync::Mutex;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) type Payload = Box<dyn Any + Send>;

/// The first of several panics; the others are dropped as they come.
pub(crate) struct FirstPanic(Mutex<Option<Payload>>);

impl FirstPanic {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    pub(crate) fn keep(&self, payload: Payload) {
        let surplus = {
            let mut first = self.0.lock().expect("no panic happens under this lock");
            if first.is_none() {
                *first = Some(payload);
                None
            } else {
                Some(payload)
            }
        };
        if let Some(payload) = surplus {
            discard(payload);
        }
    }

    pub(crate) fn take(&mut self) -> Option<Payload> {
        self.0.get_mut().expect("no panic happens under this lock").take()
    }
}

/// Drops a value whose destructor may panic. The payload of that panic is dropped, too; if this panics again, the second payload is leaked.
pub(crate) fn discard<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
    }
}
