//! The inner loop of a filter of numbers where the machine has vectors for it.
//!
//! The predicate is called for a block, the answers become a mask, and four to sixteen numbers are moved at once (`compare algorithms`, rows `copy_if`, also with
//! `--cfg fusain_plain`).

#[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
mod avx512;

use std::ops::Range;

use super::block::Part;
#[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
use super::block::{Answers, BLOCK};
use super::judge::Judge;

/// As `sift_bits` of `kernel.rs`, of the whole blocks of `part`; returns how many elements that were and how many
/// of them stay. `None`, and nothing done, where this machine cannot do it for elements of this type.
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(super) unsafe fn sift<T, J: Judge<T>, const N: usize>(
    part: &Part<'_, T, J>,
    kept: *mut T,
    rest: *mut T,
) -> Option<(usize, usize)> {
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    if const { crate::element::primitive::may_be_primitive::<T>() } {
        if avx512::can_sift::<T>() {
            // SAFETY: the caller's, and just asked.
            return Some(unsafe { avx512::sift::<_, _, N>(part, kept, rest) });
        }
        // Behind what stays numbers are overwritten, and where they move in place one that a judge looks back at may be among these.
        if const { !J::LOOKS_BACK } && avx2::can_sift::<T>() {
            // SAFETY: likewise.
            return Some(unsafe { avx2::sift::<_, _, N>(part, kept, rest) });
        }
    }
    let _ = (part, kept, rest);
    None
}

/// The loop of [`sift`], inlined where vectors are as wide as its two functions want them: the answers of a block as bits, and the numbers from `start`
/// whose bits are set, copied to where the last argument says; that returns how many these are.
///
/// # Safety
///
/// As for [`sift`], and both functions may be called here.
#[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
#[inline(always)]
unsafe fn each_block<T, J: Judge<T>, const N: usize>(
    part: &Part<'_, T, J>,
    kept: *mut T,
    rest: *mut T,
    bits_of: impl Fn(&Answers) -> u64,
    pack: impl Fn(usize, u64, *mut T) -> usize,
) -> (usize, usize) {
    let whole = part.range.len() / BLOCK * BLOCK;
    let (mut stay, mut go) = (0, 0);
    for at in (0..whole).step_by(BLOCK) {
        let start = part.range.start + at;
        let first = if at == 0 { part.first } else { None };
        // SAFETY: the caller's.
        let bits = bits_of(&unsafe { Answers::of(part.v, start..start + BLOCK, first, part.judge) });
        if N == 2 {
            // First: what stays may overwrite elements of the block.
            go += pack(start, !bits, rest.wrapping_add(go));
        }
        stay += pack(start, bits, kept.wrapping_add(stay));
    }
    (whole, stay)
}

/// Whether elements of this type are numbers of 4 or 8 bytes: every bit of them is one. Others may have bits that are none.
#[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
#[inline(always)]
fn is_number<T>() -> bool {
    crate::element::primitive::is_primitive::<T>() && matches!(size_of::<T>(), 4 | 8)
}

/// Whether [`mark`] and [`pack`] are there for elements of this type, on this machine.
#[inline(always)]
pub(super) fn can_pack<T>() -> bool {
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    return avx512::can_sift::<T>();
    #[cfg(not(all(target_arch = "x86_64", not(fusain_plain))))]
    false
}

/// Writes to `marks`, a bit each, which elements of `part` stay; returns how many.
///
/// # Safety
///
/// As [`Part::for_each_block`], and [`can_pack`] has said so. There is a word for each block.
#[inline(always)]
pub(super) unsafe fn mark<T, J: Judge<T>>(part: &Part<'_, T, J>, marks: &mut [u64]) -> usize {
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    // SAFETY: the caller's.
    return unsafe { avx512::mark(part, marks) };
    #[cfg(not(all(target_arch = "x86_64", not(fusain_plain))))]
    unreachable!("can_pack is false: {} {}", part.range.len(), marks.len())
}

/// Copies the numbers in `range` whose `marks` are set to `kept`, and writes nothing behind them.
///
/// # Safety
///
/// They are there, [`mark`] has marked them, and as many slots may be written.
#[inline(always)]
pub(super) unsafe fn pack<T>(v: *const T, range: Range<usize>, marks: &[u64], kept: *mut T) {
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    // SAFETY: the caller's.
    return unsafe { avx512::pack(v, range, marks, kept) };
    #[cfg(not(all(target_arch = "x86_64", not(fusain_plain))))]
    unreachable!("can_pack is false: {v:?} {range:?} {} {kept:?}", marks.len())
}
