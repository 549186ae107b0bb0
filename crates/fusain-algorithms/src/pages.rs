//! Huge pages under large fresh memory.
//!
//! Fresh memory comes from the system in pages of 4 KiB, each of which costs a fault when it is first touched: for a
//! result of some megabytes that is more than the work, and faults of several workers get in each other's way. Linux
//! gives 2 MiB at a time where it is asked to.

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

#[cfg(target_os = "linux")]
#[cold]
fn ask_for_huge_pages<T>(room: &mut [MaybeUninit<T>]) {
    use rustix::mm::{Advice, madvise};
    const HUGE: usize = 1 << 21;
    let start = room.as_mut_ptr().cast::<u8>();
    // The huge pages that lie within; at the borders are somebody else's bytes.
    let skip = start.align_offset(HUGE);
    let bytes = size_of_val(room).saturating_sub(skip) / HUGE * HUGE;
    if bytes > 0 {
        // SAFETY: the range lies within `room`; the advice changes how memory is backed, not what it holds. A refusal
        // (a kernel without huge pages) changes nothing, so the result does not matter.
        let _ = unsafe { madvise(start.wrapping_add(skip).cast(), bytes, Advice::LinuxHugepage) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages<T>(_room: &mut [MaybeUninit<T>]) {}
