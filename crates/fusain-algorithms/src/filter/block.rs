//! Blocks of elements and the answers for them, of which the loops of a filter are made.

use std::ops::Range;

use super::judge::Judge;
use crate::element::primitive::is_primitive;

/// Elements judged before the first of them is moved.
pub(crate) const BLOCK: usize = 64;

/// Answers for a block, those behind its end `false`.
pub(crate) struct Answers(pub(super) [bool; BLOCK]);

impl Answers {
    /// Judges the elements in `block`, at most [`BLOCK`]; the answer for the first may be known.
    ///
    /// # Safety
    ///
    /// The elements from `v` in `block` are there, and the one before if the judge looks back and `first` is not known.
    #[inline(always)]
    pub(crate) unsafe fn of<T, J: Judge<T>>(v: *const T, block: Range<usize>, first: Option<bool>, judge: &J) -> Self {
        let mut answers = [false; BLOCK];
        // As the compiler shall know: from the second on it asks in a loop that vectors fit less well.
        let first = if J::LOOKS_BACK { first } else { None };
        if block.len() == BLOCK {
            let asked = usize::from(first.is_some());
            answers[0] = first.unwrap_or_default();
            for (j, answer) in answers.iter_mut().enumerate().skip(asked) {
                // SAFETY: the caller's.
                *answer = unsafe { judge.stays(v, block.start + j) };
            }
        } else {
            for (answer, i) in answers.iter_mut().zip(block.clone()) {
                *answer = match first {
                    Some(first) if i == block.start => first,
                    // SAFETY: the caller's.
                    _ => unsafe { judge.stays(v, i) },
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
            // Eight bytes of 0 or 1: the product gathers their lowest bits in its highest byte, none of the sums carries.
            let byte = u64::from_le_bytes(eight.map(u8::from)).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            bits << 8 | byte
        })
    }
}

/// Numbers of the set bits, the lowest first.
#[inline(always)]
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let one = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (one < BLOCK).then_some(one)
    })
}

/// The elements to be judged.
pub(crate) struct Part<'j, T, J> {
    pub(crate) v: *const T,
    pub(crate) range: Range<usize>,
    /// Whether the first stays, where that is known.
    pub(crate) first: Option<bool>,
    pub(crate) judge: &'j J,
}

impl<T, J: Judge<T>> Part<'_, T, J> {
    /// The blocks of the part and their answers.
    ///
    /// No element is judged, or looked back at, after its block's turn: a judge may change it through a shared reference, and what has been moved would not change
    /// with it. (A number cannot be changed.)
    ///
    /// # Safety
    ///
    /// The elements are there, and the one before if the judge looks back and `first` is not known; and each still is
    /// when its block's turn comes.
    #[inline(always)]
    pub(super) unsafe fn for_each_block(&self, mut f: impl FnMut(Range<usize>, Answers)) {
        let mut first = self.first;
        let mut start = self.range.start;
        while start < self.range.end {
            let block = start..self.range.end.min(start + BLOCK);
            // SAFETY: the caller's.
            let answers = unsafe { Answers::of(self.v, block.clone(), first.take(), self.judge) };
            start = block.end;
            if J::LOOKS_BACK && !is_primitive::<T>() && start < self.range.end {
                // SAFETY: the caller's; the one before is in this block, which is still there.
                first = Some(unsafe { self.judge.stays(self.v, start) });
            }
            f(block, answers);
        }
    }
}
