//! Huge pages for large fresh memory.
//!
//! The system gives fresh memory in pages of 4 KiB, and each costs a page fault when it is first touched. For a result of some megabytes that
//! takes longer than the work, and page faults of several workers slow each other down. If asked, Linux gives pages of 2 MiB.

use crate::platform::{ask_for_huge_pages, make_present};
use std::mem::MaybeUninit;

/// The size in bytes from which on it is worth asking. Smaller memory is usually reused by the allocator, and not fresh.
pub(crate) const WORTH_BYTES: usize = 1 << 22;

/// Tells the system that `room` will be written from end to end. This is only a hint.
#[inline]
pub(crate) fn expect_writes<T>(room: &mut [MaybeUninit<T>]) {
    if size_of_val(room) >= WORTH_BYTES {
        ask_for_huge_pages(room);
    }
}

/// The size in bytes from which on memory is usually returned to the system when it is freed, so that the next is fresh.
const FRESH_BYTES: usize = 1 << 17;

/// Like [`expect_writes`], for work that takes so long that the request costs little, even if the memory is not fresh.
#[inline]
pub(crate) fn prepare<T>(room: &mut [MaybeUninit<T>]) {
    if (FRESH_BYTES..WORTH_BYTES).contains(&size_of_val(room)) {
        make_present(room);
    } else {
        expect_writes(room);
    }
}
