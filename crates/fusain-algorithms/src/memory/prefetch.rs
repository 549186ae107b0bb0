//! Prefetching of memory outside the caches, on processors that do too little of it themselves.
//!
//! A processor detects that a loop reads one line after the other, and fetches the next ones. Processors differ in how far they look ahead. Xeons read faster if loops over
//! numbers prefetch what comes some thousand bytes later, and they lose almost nothing if all of it is in a cache already. A Zen 4 looks far enough ahead itself, and reads
//! more slowly if the loop prefetches, too. `compare first --only reduce,any,count --log2 12,20,24` shows these rows.

use crate::platform::{LINE, gains_by_prefetching, prefetch};

/// How many bytes ahead a loop prefetches: what a core reads in the 300 ns that a line may take, at 10 to 30 bytes a nanosecond. The exact distance matters little.
const AHEAD: usize = 1 << 12;

/// The size in bytes up to which elements are prefetched: a loop may read only a part of longer ones.
const WIDEST: usize = 16;

/// The blocks to [`fetch`] while `blocks` are read: block `k` of the result when block `k` of `blocks` is read.
#[inline(always)]
pub(crate) fn ahead_of<T, const N: usize>(blocks: &[[T; N]]) -> &[[T; N]] {
    if size_of::<T>() == 0 || size_of::<T>() > WIDEST {
        return &[];
    }
    match blocks.get(AHEAD.div_ceil(size_of::<[T; N]>())..) {
        Some(later) if !later.is_empty() && gains_by_prefetching() => later,
        _ => &[],
    }
}

/// Prefetches `block`.
#[inline(always)]
pub(crate) fn fetch<T, const N: usize>(block: &[T; N]) {
    for at in (0..size_of::<[T; N]>()).step_by(LINE) {
        prefetch(block.as_ptr().wrapping_byte_add(at));
    }
}
