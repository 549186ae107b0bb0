//! Drops values that may panic when they are dropped.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Drops a value, such as the payload of a panic. If its destructor panics, the new payload is dropped, too. If that panics again, the last
/// payload is leaked. `fusain-pool` has the same function; neither crate depends on the other.
pub(crate) fn discard<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
    }
}
