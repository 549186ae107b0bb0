//! Rotation by few places: one pass, as a memory move.
//!
//! Idea: the slice is cut into blocks. Of each block the end that its neighbour would overwrite is saved. Then every block moves on
//! independently, and takes over what was saved of the block that it moves away from.
//! Work O(n): n moves, and those of what is saved. Span O(block). Extra memory one end of each block, at most a fourth of the slice.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::execution::executor::Executor;
use crate::policy::Team;

/// Blocks for each worker, so that all workers finish at about the same time.
const BLOCKS_PER_WORKER: usize = 4;

/// From so many bytes on, one pass pays although it allocates memory: std's rotation moves most elements twice, but allocates none.
const ALONE_BYTES: usize = 1 << 11;

/// A block is at least so many times as long as the distance that it moves, which bounds what is saved.
const LONGER: usize = 4;

/// A slice cut into blocks, and the room for one end of each.
///
/// Invariants:
/// 1. `base` and `len` are a slice borrowed for as long as this is used, through this only.
/// 2. `saved` has room for `by` elements a block, and `by` is less than the length of any block.
struct Blocks<T> {
    base: *mut T,
    len: usize,
    count: usize,
    by: usize,
    to_front: bool,
    saved: *mut T,
}

// SAFETY: shared are pointers and numbers; who has a block moves its elements, hence `T: Send`.
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
    /// Nobody else uses the block meanwhile.
    unsafe fn save(&self, k: usize) {
        let block = self.block(k);
        let from = if self.to_front { block.start } else { block.end - self.by };
        let to = self.saved.wrapping_add(k * self.by);
        // SAFETY: within the block and the room for it, invariants 1 and 2.
        unsafe { std::ptr::copy_nonoverlapping(self.base.wrapping_add(from), to, self.by) };
    }

    /// Moves block `k`, and to its other end what was saved of its neighbour.
    ///
    /// # Safety
    ///
    /// As [`save`](Self::save), which has been called for all blocks; called once for a block.
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
        // SAFETY: `by` elements at the end that has been left, and those of a neighbour that have been saved.
        unsafe { std::ptr::copy_nonoverlapping(saved, start.wrapping_add(end), self.by) };
    }
}

/// Rotates by `left` places to the front, if `left` or the rest of the slice is short. Returns whether it has.
///
/// No code of the user's runs in here, so nothing can panic while an element is in two places.
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

/// As [`rotate_left`], by the calling thread: one block.
pub(super) fn rotate_left_alone<T: Send>(v: &mut [T], left: usize) -> bool {
    let by = left.min(v.len() - left);
    if size_of_val(v) < ALONE_BYTES || v.len() < LONGER * by {
        return false;
    }
    rotate_in_blocks(v, left, 1, |_, f| f(0..1));
    true
}

/// Rotates by `left` places to the front, in `count` blocks. `each` calls a function for all of them; its first argument is how many elements that
/// moves for each.
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
