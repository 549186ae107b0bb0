//! What lies outside the caches is asked for before it is needed, where the processor does not see to that itself.
//!
//! A processor sees that a loop reads one line after the other, and fetches the next ones; how far it looks ahead by itself differs. Xeons read faster where the loops over
//! numbers ask for what comes some thousand bytes later, and where all is in a cache already lose next to nothing. A Zen 4 looks far enough, and reads more slowly then.
//! `compare first --only reduce,any,count --log2 12,20,24` shows these rows.

use crate::platform::{LINE, gains_by_prefetching, prefetch};

/// So many bytes ahead: what a core reads in the 300 ns that a line may take, at 10 to 30 bytes a nanosecond. Half and twice as much differ by a few hundredths.
const AHEAD: usize = 1 << 12;

/// Elements of more bytes may be read in part only.
const WIDEST: usize = 16;

/// What to [`fetch`] while `blocks` are read: block `k` of the result when block `k` of these is.
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

/// Asks for `block`, if there is one.
#[inline(always)]
pub(crate) fn fetch<T, const N: usize>(block: Option<&[T; N]>) {
    if let Some(block) = block {
        for at in (0..size_of::<[T; N]>()).step_by(LINE) {
            prefetch(block.as_ptr().wrapping_byte_add(at));
        }
    }
}
