//! The inner loops of a filter, without branches.
//!
//! A branch predictor cannot predict whether an element stays. So first the predicate is called for a block of elements, a loop that
//! vectorises if the predicate does. Then every element is written to the next slot, and only how far the slot moves on depends on the
//! answer: an element that does not stay is overwritten by the next one. Elements that are more than plain bits must not be copied in vain. For
//! them the answers are packed into a word of bits, whose set bits say which elements to copy.

use std::ops::Range;

use super::block::{Answers, BLOCK, Part, ones};
use super::predicate::Predicate;
use crate::element::primitive::{is_light, is_primitive, may_be_primitive};
use crate::execution::first_panic::FirstPanic;
use crate::memory::huge_pages::expect_writes;
use crate::platform::simd::{Body, widest};

/// Copies the bits of elements: of those that stay to `kept`, and with `N` = 2 of the others to `rest`.
struct SiftBits<'p, T, P, const N: usize> {
    part: &'p Part<'p, T, P>,
    kept: *mut T,
    rest: *mut T,
}

impl<T, P: Predicate<T>, const N: usize> Body for SiftBits<'_, T, P, N> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let (v, mut kept, mut rest) = (self.part.v, 0, 0);
        let step = |block: Range<usize>, answers: Answers| {
            for (i, stays) in block.zip(answers.0) {
                let from = v.wrapping_add(i);
                if N == 2 {
                    // SAFETY: no more slots have been used than elements were seen; `rest` is separate memory.
                    unsafe { std::ptr::copy_nonoverlapping(from, self.rest.wrapping_add(rest), 1) };
                    rest += usize::from(!stays);
                }
                // SAFETY: as above, except that `kept` may be the elements' own memory. Then the slot is the element's or
                // lies before it.
                unsafe { std::ptr::copy(from, self.kept.wrapping_add(kept), 1) };
                kept += usize::from(stays);
            }
        };
        // SAFETY: guaranteed by the caller of `sift_bits`. If elements move within their own memory, no element of a later
        // block is overwritten. Nor is the last element before it: either it is copied to its own place, or it lies behind
        // all slots that were written.
        unsafe { self.part.for_each_block(step) };
        kept
    }
}

/// Copies the bits of elements that stay to `kept`, and with `N` = 2 of the others to `rest`. Returns how many stay.
///
/// # Safety
///
/// As for [`Part::for_each_block`]. The destinations have as many slots as there are elements. `kept` may be the memory
/// of the elements; apart from that no memory overlaps. Only one copy of an element may be used as its owner.
#[inline]
pub(crate) unsafe fn sift_bits<T, P: Predicate<T>, const N: usize>(
    part: &Part<'_, T, P>,
    kept: *mut T,
    rest: *mut T,
) -> usize {
    // SAFETY: guaranteed by the caller.
    if let Some((seen, stay)) = unsafe { super::compress::sift::<_, _, N>(part, kept, rest) } {
        let tail = Part {
            v: part.v,
            range: part.range.start + seen..part.range.end,
            first: if seen == 0 { part.first } else { None },
            predicate: part.predicate,
        };
        let (kept, rest) = (kept.wrapping_add(stay), rest.wrapping_add(seen - stay));
        return stay + SiftBits::<'_, _, _, N> { part: &tail, kept, rest }.run();
    }
    widest(SiftBits::<'_, _, _, N> { part, kept, rest })
}

/// Copies the bits of the elements that stay, and with `N` = 2 of the others, to `runs`, which are empty.
///
/// # Safety
///
/// As for [`Part::for_each_block`]. Elements own nothing, or are not used in their old places any more.
unsafe fn runs_of_bits<T, P: Predicate<T>, const N: usize>(
    part: &Part<'_, T, P>,
    mut runs: [Vec<T>; N],
) -> [Vec<T>; N] {
    let len = part.range.len();
    for run in &mut runs {
        assert!(run.is_empty(), "what lies there would not be dropped");
        if run.capacity() < len {
            run.reserve_exact(len);
            expect_writes(run.spare_capacity_mut());
        }
    }
    let [kept, rest] = [0, N - 1].map(|n| runs[n].as_mut_ptr());
    // SAFETY: guaranteed by the caller, and there is room for all in each run.
    let stay = unsafe { sift_bits::<_, _, N>(part, kept, rest) };
    for (n, run) in runs.iter_mut().enumerate() {
        // SAFETY: this many have been written.
        unsafe { run.set_len(if n == 0 { stay } else { len - stay }) };
    }
    runs
}

/// Clones the elements that stay, and with `N` = 2 the others, into `runs`, which are empty.
///
/// # Safety
///
/// As for [`Part::for_each_block`].
pub(crate) unsafe fn cloned<T: Clone, P: Predicate<T>, const N: usize>(
    part: &Part<'_, T, P>,
    mut runs: [Vec<T>; N],
) -> [Vec<T>; N] {
    if const { may_be_primitive::<T>() } && is_primitive::<T>() {
        // SAFETY: guaranteed by the caller; a number is its bits.
        return unsafe { runs_of_bits(part, runs) };
    }
    let step = |block: Range<usize>, answers: Answers| {
        let stay = answers.bits();
        let all = u64::MAX >> (BLOCK - block.len());
        for (run, bits) in runs.iter_mut().zip([stay, all & !stay]) {
            run.reserve(bits.count_ones() as usize);
            // SAFETY: the element is there.
            run.extend(ones(bits).map(|j| unsafe { &*part.v.wrapping_add(block.start + j) }.clone()));
        }
    };
    // SAFETY: guaranteed by the caller.
    unsafe { part.for_each_block(step) };
    runs
}

/// Moves the elements that stay, and with `N` = 2 the others, to `runs`, which are empty. Elements that go to no run are all dropped, even if the `drop` of some panics.
///
/// # Safety
///
/// As for [`Part::for_each_block`]. The caller owns the elements and does not use them any more.
pub(crate) unsafe fn moved<T, P: Predicate<T>, const N: usize>(
    part: &Part<'_, T, P>,
    mut runs: [Vec<T>; N],
    panics: &FirstPanic,
) -> [Vec<T>; N] {
    if const { N == 2 || is_light::<T>() } {
        // SAFETY: guaranteed by the caller; light elements own nothing, and with `N` = 2 each element moves to one run or the other.
        return unsafe { runs_of_bits(part, runs) };
    }
    let step = |block: Range<usize>, answers: Answers| {
        let stay = answers.bits();
        let all = u64::MAX >> (BLOCK - block.len());
        let element = |j: usize| part.v.wrapping_add(block.start + j);
        runs[0].reserve(stay.count_ones() as usize);
        // SAFETY: the element is there, and moves once.
        runs[0].extend(ones(stay).map(|j| unsafe { element(j).read() }));
        let mut go = ones(all & !stay);
        while !panics.catch(|| {
            // SAFETY: the element is there. The iterator passes it before it is dropped, so it is dropped once, and elements behind
            // one whose `drop` panics are dropped as well.
            go.by_ref().for_each(|j| unsafe { element(j).cast_mut().drop_in_place() });
        }) {}
    };
    // SAFETY: guaranteed by the caller.
    unsafe { part.for_each_block(step) };
    runs
}
