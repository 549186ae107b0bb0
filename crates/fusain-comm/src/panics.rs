//! Panics that are caught here and come out elsewhere, or nowhere.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Drops what may panic when it is dropped, as what a panic carries may; a panic then is dropped too, and what that one carries, if it panics in its turn, is
/// leaked. As in `fusain-pool`, of which this crate knows nothing.
pub(crate) fn discard<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
    }
}
