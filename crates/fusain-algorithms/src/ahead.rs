//! What lies outside the caches is asked for before it is needed.
//!
//! A processor sees that a loop reads one line after the other, and fetches the next ones; but how far it looks ahead by itself differs from machine to machine, and is
//! less where a line takes many instructions. So the loops over numbers ask for what comes some thousand bytes later. Where that is in a cache already it costs next
//! to nothing: `compare first --only reduce,any,count --log2 12,24` shows both.

use crate::platform::{LINE, prefetch};

/// So many bytes ahead: what a core reads in the 300 ns that a line may take, at 10 to 30 bytes a nanosecond. Half and twice as much differ by a few hundredths.
const AHEAD: usize = 1 << 12;

/// Elements of more bytes may be read in part only.
const WIDEST: usize = 16;

/// Before block `k` is read: asks for the one that is read some time later, if there is one.
#[inline(always)]
pub(crate) fn fetch_ahead<T, const N: usize>(blocks: &[[T; N]], k: usize) {
    if size_of::<T>() == 0 || size_of::<T>() > WIDEST {
        return;
    }
    if let Some(later) = blocks.get(k + AHEAD.div_ceil(size_of::<[T; N]>())) {
        for at in (0..size_of::<[T; N]>()).step_by(LINE) {
            prefetch(later.as_ptr().wrapping_byte_add(at));
        }
    }
}
