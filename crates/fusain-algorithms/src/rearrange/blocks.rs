//! Rotation by few places: one pass, as a memory move.
//!
//! Idea: the slice is cut into blocks. The end of each block that its neighbour needs is saved. Then every block is shifted
//! independently, and its free end is filled with what was saved of its neighbour.
//! Work O(n): n moves, and those of the saved ends. Span O(block). Extra memory for one end of each block, at most a fourth of the slice.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::execution::executor::Executor;
use crate::policy::Team;

/// The number of blocks for each worker: several, so that all workers finish at about the same time.
const BLOCKS_PER_WORKER: usize = 4;

/// The size in bytes from which on one pass pays although it allocates memory: std's rotation moves most elements twice, but allocates none.
const ALONE_BYTES: usize = 1 << 11;

/// A block is at least this many times as long as the distance that it moves, which bounds what is saved.
const LONGER: usize = 4;

/// A slice cut into blocks, and the room for one end of each.
///
/// Invariants:
/// 1. `base` and `len` are a slice borrowed for as long as this is used, through this only.
/// 2. `saved` has room for `by` elements of each block, and `by` is less than the length of any block.
struct Blocks<T> {
    base: *mut T,
    len: usize,
    count: usize,
    by: usize,
    to_front: bool,
    saved: *mut T,
}

// SAFETY: pointers and numbers are shared. A worker that has a block moves its elements, hence `T: Send`.
unsafe impl<T: Send> Sync for Blocks<T> {}

impl<T> Blocks<T> {
    fn block(&self, k: usize) -> Range<usize> {
        let cut = |k: usize| self.len / self.count * k + (self.len % self.count).min(k);
        cut(k)..cut(k + 1)
    }

    /// Saves the end of block `k` that its neighbour will need.
    ///
    /// # Safety
    ///
    /// No other thread uses the block meanwhile.
    unsafe fn save(&self, k: usize) {
        let block = self.block(k);
        let from = if self.to_front { block.start } else { block.end - self.by };
        let to = self.saved.wrapping_add(k * self.by);
        // SAFETY: within the block and the room for it, invariants 1 and 2.
        unsafe { std::ptr::copy_nonoverlapping(self.base.wrapping_add(from), to, self.by) };
    }

    /// Shifts block `k`, and fills its free end with what was saved of its neighbour.
    ///
    /// # Safety
    ///
    /// As for [`save`](Self::save), which has been called for all blocks. This is called once for a block.
    unsafe fn shift(&self, k: usize) {
        let block = self.block(k);
        let start = self.base.wrapping_add(block.start);
        let rest = block.len() - self.by;
        let (from, to, end, neighbour) = if self.to_front {
            (self.by, 0, rest, (k + 1) % self.count)
        } else {
            (0, self.by, 0, (k + self.count - 1) % self.count)
        };
        // SAFETY: `rest` elements from either place are within the block.
        unsafe { std::ptr::copy(start.wrapping_add(from), start.wrapping_add(to), rest) };
        let saved = self.saved.wrapping_add(neighbour * self.by);
        // SAFETY: `by` slots at the free end, and the `by` saved elements of a neighbour.
        unsafe { std::ptr::copy_nonoverlapping(saved, start.wrapping_add(end), self.by) };
    }
}

/// Rotates by `left` places to the front, if `left` or the rest of the slice is short. Returns whether it has done so.
///
/// No code of the user runs in here, so nothing can panic while an element is in two places.
pub(super) fn rotate_left<T: Send>(team: Team<'_>, v: &mut [T], left: usize) -> bool {
    let by = left.min(v.len() - left).max(1);
    let count = (v.len() / (LONGER * by)).min(team.workers() * BLOCKS_PER_WORKER);
    if count < team.workers().max(2) {
        return false;
    }
    let each = |weight: usize, f: &(dyn Fn(Range<usize>) + Sync)| team.run_ranges(count, weight, f);
    rotate_in_blocks(v, left, count, each);
    true
}

/// Like [`rotate_left`], on the calling thread, with one block.
pub(super) fn rotate_left_alone<T: Send>(v: &mut [T], left: usize) -> bool {
    let by = left.min(v.len() - left);
    if size_of_val(v) < ALONE_BYTES || v.len() < LONGER * by {
        return false;
    }
    rotate_in_blocks(v, left, 1, |_, f| f(0..1));
    true
}

/// Rotates by `left` places to the front, in `count` blocks. `each` calls a function for all blocks; its first argument is how many elements the
/// function moves for each.
#[inline]
fn rotate_in_blocks<T: Send>(
    v: &mut [T],
    left: usize,
    count: usize,
    each: impl Fn(usize, &(dyn Fn(Range<usize>) + Sync)),
) {
    let (by, to_front) = if left <= v.len() - left { (left, true) } else { (v.len() - left, false) };
    if by == 0 {
        return;
    }
    let mut saved: Vec<MaybeUninit<T>> = Vec::with_capacity(count * by);
    let (base, len) = (v.as_mut_ptr(), v.len());
    let blocks = Blocks { base, len, count, by, to_front, saved: saved.as_mut_ptr().cast() };
    each(by, &|ks| {
        for k in ks {
            // SAFETY: each block is in one range.
            unsafe { blocks.save(k) };
        }
    });
    each(len / count, &|ks| {
        for k in ks {
            // SAFETY: each block is in one range, once, and all have been saved.
            unsafe { blocks.shift(k) };
        }
    });
}
