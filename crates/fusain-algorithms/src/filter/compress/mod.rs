//! The inner loop of a filter of numbers, on machines that have vector instructions for it.
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
use super::predicate::Predicate;

/// Does what `sift_bits` of `kernel.rs` does, for the whole blocks of `part`. Returns how many elements these blocks have and
/// how many of them stay. Returns `None` and does nothing if this machine cannot do it for elements of this type.
///
/// # Safety
///
/// As for `sift_bits`.
#[inline(always)]
pub(super) unsafe fn sift<T, P: Predicate<T>, const N: usize>(
    part: &Part<'_, T, P>,
    kept: *mut T,
    rest: *mut T,
) -> Option<(usize, usize)> {
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    if const { crate::element::primitive::may_be_primitive::<T>() } {
        if avx512::can_sift::<T>() {
            // SAFETY: guaranteed by the caller; `can_sift` has just been checked.
            return Some(unsafe { avx512::sift::<_, _, N>(part, kept, rest) });
        }
        // This overwrites numbers behind those that stay. If numbers move in place, a predicate might have to look back at an overwritten one.
        if const { !P::LOOKS_BACK } && avx2::can_sift::<T>() {
            // SAFETY: as above.
            return Some(unsafe { avx2::sift::<_, _, N>(part, kept, rest) });
        }
    }
    let _ = (part, kept, rest);
    None
}

/// The loop of [`sift`], inlined into functions that have the vector instructions of `bits_of` and `pack`. `bits_of` returns the answers of a block as bits.
/// `pack(start, bits, to)` copies the numbers of the block at `start` whose bits are set to `to`, and returns how many they are.
///
/// # Safety
///
/// As for [`sift`], and both functions may be called here.
#[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
#[inline(always)]
unsafe fn each_block<T, P: Predicate<T>, const N: usize>(
    part: &Part<'_, T, P>,
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
        // SAFETY: guaranteed by the caller.
        let bits = bits_of(&unsafe { Answers::of(part.v, start..start + BLOCK, first, part.predicate) });
        if N == 2 {
            // This comes first, since numbers that stay may overwrite elements of the block.
            go += pack(start, !bits, rest.wrapping_add(go));
        }
        stay += pack(start, bits, kept.wrapping_add(stay));
    }
    (whole, stay)
}

/// Whether elements of this type are numbers of 4 or 8 bytes, all of whose bits are initialised. Other types may have padding.
#[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
#[inline(always)]
fn is_number<T>() -> bool {
    crate::element::primitive::is_primitive::<T>() && matches!(size_of::<T>(), 4 | 8)
}

/// Whether [`mark`] and [`pack`] may be called for elements of this type, on this machine.
#[inline(always)]
pub(super) fn can_pack<T>() -> bool {
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    return avx512::can_sift::<T>();
    #[cfg(not(all(target_arch = "x86_64", not(fusain_plain))))]
    false
}

/// Writes one bit for each element of `part` to `marks`, which says whether it stays. Returns how many stay.
///
/// # Safety
///
/// As for [`Part::for_each_block`], and [`can_pack`] is true. `marks` has a word for each block.
#[inline(always)]
pub(super) unsafe fn mark<T, P: Predicate<T>>(part: &Part<'_, T, P>, marks: &mut [u64]) -> usize {
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    // SAFETY: guaranteed by the caller.
    return unsafe { avx512::mark(part, marks) };
    #[cfg(not(all(target_arch = "x86_64", not(fusain_plain))))]
    unreachable!("can_pack is false: {} {}", part.range.len(), marks.len())
}

/// Copies the numbers in `range` whose `marks` are set to `kept`, and writes nothing behind them.
///
/// # Safety
///
/// The numbers are there, [`mark`] has written `marks`, and as many slots may be written as numbers are marked.
#[inline(always)]
pub(super) unsafe fn pack<T>(v: *const T, range: Range<usize>, marks: &[u64], kept: *mut T) {
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    // SAFETY: guaranteed by the caller.
    return unsafe { avx512::pack(v, range, marks, kept) };
    #[cfg(not(all(target_arch = "x86_64", not(fusain_plain))))]
    unreachable!("can_pack is false: {v:?} {range:?} {} {kept:?}", marks.len())
}
