//! Huge pages under large fresh memory.
//!
//! Fresh memory comes from the system in pages of 4 KiB, each of which costs a fault when it is first touched: for a
//! result of some megabytes that is more than the work, and faults of several workers get in each other's way. Linux
//! gives 2 MiB at a time where it is asked to.

use crate::platform::ask_for_huge_pages;
use std::mem::MaybeUninit;

/// Memory from this size on is worth the question: below, the allocator mostly has it at hand already.
const WORTH_BYTES: usize = 1 << 22;

/// Says that `room` will be written from end to end. A hint: nothing depends on it.
#[inline]
pub(crate) fn expect_writes<T>(room: &mut [MaybeUninit<T>]) {
    if size_of_val(room) >= WORTH_BYTES {
        ask_for_huge_pages(room);
    }
}
