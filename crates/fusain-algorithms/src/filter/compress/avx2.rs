//! The loop with AVX2, for eight numbers of 4 bytes at once, or four of 8.
//!
//! An instruction permutes the lanes of a vector as another vector says, which is looked up in a table by the mask. A whole vector is stored. How far behind it the next
//! one is stored depends on the mask (Lemire's and Langdale's `despace`, 2017, and others before).

use std::arch::x86_64::*;

use super::super::block::{Answers, BLOCK, Part};
use super::super::predicate::Predicate;
use super::{each_block, is_number};
use crate::platform::has_avx2;

/// The number of lanes of 4 bytes in a vector.
const LANES: usize = 8;

/// For each mask of `N` numbers, which have `8 / N` lanes each: the lanes of the numbers whose bits are set, and then arbitrary lanes.
const fn fronts<const N: usize, const MASKS: usize>() -> [[u8; LANES]; MASKS] {
    let mut fronts = [[0; LANES]; MASKS];
    let mut mask = 0;
    while mask < MASKS {
        let (mut lane, mut at) = (0, 0);
        while lane < LANES {
            if mask >> (lane * N / LANES) & 1 == 1 {
                fronts[mask][at] = lane as u8;
                at += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    fronts
}

static FRONTS_OF_8: [[u8; LANES]; 1 << 8] = fronts::<8, { 1 << 8 }>();
static FRONTS_OF_4: [[u8; LANES]; 1 << 4] = fronts::<4, { 1 << 4 }>();

/// Whether elements of this type can be moved by [`sift`], on this machine.
#[inline(always)]
pub(super) fn can_sift<T>() -> bool {
    is_number::<T>() && has_avx2() && is_x86_feature_detected!("popcnt")
}

/// See [`sift`](super::sift).
///
/// # Safety
///
/// As for [`sift`](super::sift). [`can_sift`] is true for `T`, and the predicate does not look back.
#[target_feature(enable = "avx2,popcnt")]
pub(super) unsafe fn sift<T, P: Predicate<T>, const N: usize>(
    part: &Part<'_, T, P>,
    kept: *mut T,
    rest: *mut T,
) -> (usize, usize) {
    // Functions with target features do not implement `Fn`, since they may be called only where the features are enabled, as here.
    let bits = |answers: &Answers| bits_of(answers);
    // SAFETY: guaranteed by the caller; a block is whole, and its numbers go to at most as many slots as numbers have been read.
    let pack = |start: usize, bits: u64, to: *mut T| unsafe { pack_block(part.v, start, bits, to) };
    // SAFETY: guaranteed by the caller.
    unsafe { each_block::<_, _, N>(part, kept, rest, bits, pack) }
}

/// As [`Answers::bits`].
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn bits_of(answers: &Answers) -> u64 {
    // Sixteen at a time, as the compiler stores them: a load that spans two stores would have to wait for both.
    let (parts, _) = answers.0.as_chunks::<16>();
    parts.iter().rev().fold(0, |bits, part| {
        // SAFETY: 16 answers are 16 bytes.
        let part = unsafe { _mm_loadu_si128(part.as_ptr().cast()) };
        bits << 16 | u64::from(_mm_movemask_epi8(_mm_slli_epi16::<7>(part)) as u32)
    })
}

/// Copies the numbers of the block at `start` whose bits are set to `to`, and returns how many they are. The slots behind them are overwritten, as many as if all numbers
/// were copied.
///
/// # Safety
///
/// The block is whole, and there are as many slots from `to` on. They are other memory, or begin at or before the block.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
unsafe fn pack_block<T>(v: *const T, start: usize, mut bits: u64, to: *mut T) -> usize {
    let each = size_of::<__m256i>() / size_of::<T>();
    let mut packed = 0;
    for i in (start..start + BLOCK).step_by(each) {
        let mask = bits as usize & ((1 << each) - 1);
        let front = if each == LANES { &FRONTS_OF_8[mask] } else { &FRONTS_OF_4[mask] };
        // SAFETY: an entry of the table has the eight bytes that are read.
        let front = _mm256_cvtepu8_epi32(unsafe { _mm_loadl_epi64(front.as_ptr().cast()) });
        // SAFETY: the block has these numbers.
        let x = unsafe { _mm256_loadu_si256(v.wrapping_add(i).cast()) };
        let x = _mm256_permutevar8x32_epi32(x, front);
        // SAFETY: guaranteed by the caller. No more numbers have been packed than were read before, so this ends at or before the end of the numbers that were read.
        unsafe { _mm256_storeu_si256(to.wrapping_add(packed).cast(), x) };
        packed += mask.count_ones() as usize;
        bits >>= each;
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fronts_are_the_lanes_of_the_mask() {
        assert_eq!(FRONTS_OF_8[0b1000_0110][..3], [1, 2, 7]);
        assert_eq!(FRONTS_OF_8[0xFF], [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(FRONTS_OF_4[0b1010][..4], [2, 3, 6, 7]);
    }
}
