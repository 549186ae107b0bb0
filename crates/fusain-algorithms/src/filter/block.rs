//! Blocks of elements, and the predicate's answers for them: a filter works block by block.

use std::ops::Range;

use super::predicate::Predicate;
use crate::element::primitive::is_primitive;

/// The number of elements that are tested before the first of them is moved.
pub(crate) const BLOCK: usize = 64;

/// The answers for the elements of a block; behind its end they are `false`.
pub(crate) struct Answers(pub(super) [bool; BLOCK]);

impl Answers {
    /// Tests the elements in `block`, at most [`BLOCK`]. `first` is the answer for the first of them, if it is known.
    ///
    /// # Safety
    ///
    /// The elements from `v` in `block` are there, and so is the element before them if the predicate looks back and `first` is not known.
    #[inline(always)]
    pub(crate) unsafe fn of<T, P: Predicate<T>>(
        v: *const T,
        block: Range<usize>,
        first: Option<bool>,
        predicate: &P,
    ) -> Self {
        let mut answers = [false; BLOCK];
        // Without looking back `first` is unused. The compiler must know that, since a loop from the second element on vectorises less well.
        let first = if P::LOOKS_BACK { first } else { None };
        if block.len() == BLOCK {
            let asked = usize::from(first.is_some());
            answers[0] = first.unwrap_or_default();
            for (j, answer) in answers.iter_mut().enumerate().skip(asked) {
                // SAFETY: guaranteed by the caller.
                *answer = unsafe { predicate.keeps(v, block.start + j) };
            }
        } else {
            for (answer, i) in answers.iter_mut().zip(block.clone()) {
                *answer = match first {
                    Some(first) if i == block.start => first,
                    // SAFETY: guaranteed by the caller.
                    _ => unsafe { predicate.keeps(v, i) },
                };
            }
        }
        Answers(answers)
    }

    /// The answers as bits, the first in the lowest.
    #[inline(always)]
    pub(crate) fn bits(&self) -> u64 {
        let (eights, _) = self.0.as_chunks::<8>();
        eights.iter().rev().fold(0, |bits, eight| {
            // Eight bytes of 0 or 1: the product gathers their lowest bits in its highest byte. None of its sums carries.
            let byte = u64::from_le_bytes(eight.map(u8::from)).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            bits << 8 | byte
        })
    }
}

/// The positions of the set bits, the lowest first.
#[inline(always)]
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let one = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (one < BLOCK).then_some(one)
    })
}

/// The elements to be tested.
pub(crate) struct Part<'p, T, P> {
    pub(crate) v: *const T,
    pub(crate) range: Range<usize>,
    /// Whether the first element stays, if that is known.
    pub(crate) first: Option<bool>,
    pub(crate) predicate: &'p P,
}

impl<T, P: Predicate<T>> Part<'_, T, P> {
    /// The blocks of the part and their answers.
    ///
    /// After the turn of its block no element is tested or looked back at. A predicate may change an element through a shared reference, and the element that has been moved
    /// would not change with it. (A number cannot be changed in this way.)
    ///
    /// # Safety
    ///
    /// The elements are there, and so is the element before them if the predicate looks back and `first` is not known. Each
    /// is still there when its block's turn comes.
    #[inline(always)]
    pub(super) unsafe fn for_each_block(&self, mut f: impl FnMut(Range<usize>, Answers)) {
        let mut first = self.first;
        let mut start = self.range.start;
        while start < self.range.end {
            let block = start..self.range.end.min(start + BLOCK);
            // SAFETY: guaranteed by the caller.
            let answers = unsafe { Answers::of(self.v, block.clone(), first.take(), self.predicate) };
            start = block.end;
            if P::LOOKS_BACK && !is_primitive::<T>() && start < self.range.end {
                // SAFETY: guaranteed by the caller; the element before is in this block, which is still there.
                first = Some(unsafe { self.predicate.keeps(self.v, start) });
            }
            f(block, answers);
        }
    }
}
