//! The loop with AVX-512, for eight or sixteen numbers at once. An instruction moves the lanes that a mask selects to the front of a vector.

use std::arch::x86_64::*;
use std::ops::Range;

use super::super::block::{Answers, BLOCK, Part, ones};
use super::super::predicate::Predicate;
use super::{each_block, is_number};
use crate::platform::has_avx512;

/// Whether elements of this type can be moved by [`sift`], on this machine.
#[inline(always)]
pub(super) fn can_sift<T>() -> bool {
    is_number::<T>() && has_avx512() && is_x86_feature_detected!("popcnt")
}

/// See [`sift`](super::sift).
///
/// # Safety
///
/// As for [`sift`](super::sift), and [`can_sift`] is true for `T`.
#[target_feature(enable = "avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
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
#[target_feature(enable = "avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
fn bits_of(answers: &Answers) -> u64 {
    // SAFETY: 64 answers are 64 bytes.
    let answers = unsafe { _mm512_loadu_si512(answers.0.as_ptr().cast()) };
    _mm512_test_epi8_mask(answers, answers)
}

/// See [`mark`](super::mark).
///
/// # Safety
///
/// As for [`mark`](super::mark).
#[target_feature(enable = "avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
pub(super) unsafe fn mark<T, P: Predicate<T>>(part: &Part<'_, T, P>, marks: &mut [u64]) -> usize {
    let mut stay = 0;
    for (block, mark) in marks.iter_mut().enumerate() {
        let start = part.range.start + block * BLOCK;
        let first = if block == 0 { part.first } else { None };
        // SAFETY: guaranteed by the caller.
        let answers = unsafe { Answers::of(part.v, start..part.range.end.min(start + BLOCK), first, part.predicate) };
        *mark = bits_of(&answers);
        stay += mark.count_ones() as usize;
    }
    stay
}

/// See [`pack`](super::pack).
///
/// # Safety
///
/// As for [`pack`](super::pack).
#[target_feature(enable = "avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
pub(super) unsafe fn pack<T>(v: *const T, range: Range<usize>, marks: &[u64], kept: *mut T) {
    let mut stay = 0;
    for (start, &mark) in range.clone().step_by(BLOCK).zip(marks) {
        if range.end - start < BLOCK {
            for i in ones(mark) {
                // SAFETY: a marked number, and its slot.
                unsafe { std::ptr::copy_nonoverlapping(v.wrapping_add(start + i), kept.wrapping_add(stay), 1) };
                stay += 1;
            }
            return;
        }
        // SAFETY: the slots of the marked numbers.
        stay += unsafe { pack_block(v, start, mark, kept.wrapping_add(stay)) };
    }
}

/// Copies the numbers of the block at `start` whose bits are set to `to`, and returns how many they are.
///
/// # Safety
///
/// The block is whole, and that many slots from `to` on may be written. They are other memory, or begin at or before the block.
#[inline]
#[target_feature(enable = "avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
unsafe fn pack_block<T>(v: *const T, start: usize, mut bits: u64, to: *mut T) -> usize {
    let (lanes, mut packed) = (64 / size_of::<T>(), 0);
    for i in (start..start + BLOCK).step_by(lanes) {
        // SAFETY: the block has these numbers.
        let x = unsafe { _mm512_loadu_si512(v.wrapping_add(i).cast()) };
        // SAFETY: guaranteed by the caller.
        packed += unsafe { store::<T>(x, bits, to.wrapping_add(packed)) };
        bits >>= lanes % BLOCK;
    }
    packed
}

/// Stores the lanes of `x` whose bits are set in the lowest of `bits`, without gaps, and returns how many they are.
///
/// # Safety
///
/// That many slots from `to` on may be written.
#[inline]
#[target_feature(enable = "avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
unsafe fn store<T>(x: __m512i, bits: u64, to: *mut T) -> usize {
    if size_of::<T>() == 8 {
        let mask = bits as u8;
        let n = mask.count_ones();
        let packed = _mm512_maskz_compress_epi64(mask, x);
        let front = _bzhi_u32(u32::MAX, n) as u8;
        // Packed first and then stored with a mask: the instruction that does both at once is slow on some machines.
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_mask_storeu_epi64(to.cast(), front, packed) };
        n as usize
    } else {
        let mask = bits as u16;
        let n = mask.count_ones();
        let packed = _mm512_maskz_compress_epi32(mask, x);
        let front = _bzhi_u32(u32::MAX, n) as u16;
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_mask_storeu_epi32(to.cast(), front, packed) };
        n as usize
    }
}
