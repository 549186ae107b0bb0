//! Vectors by value: elements move out one by one; those that are left are dropped with the source.

use std::mem::MaybeUninit;
use std::ops::{Range, RangeBounds};
use std::slice;

use super::indexed::{IndexedSource, Pieces};
use crate::collect::{IntoParallelIterator, ParallelDrainRange};
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;

/// The elements of a vector, by value.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<String> = vec!["a".to_string()].into_par_iter().map(|s| s + "b").collect();
/// assert_eq!(v, ["ab"]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct IntoIter<T>(Vec<T>);

impl<T: Send> IntoParallelIterator for Vec<T> {
    type Iter = IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}

impl<T: Send> ParallelIterator for IntoIter<T> {
    type Item = T;
    type Source<'s>
        = Pieces<Slots<'s, T>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<T: Send> IndexedParallelIterator for IntoIter<T> {
    type Indexed<'s>
        = Slots<'s, T>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Slots<'s, T> {
        Slots::out_of(&mut self.0, 0)
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// The elements of a part of a vector, by value. The part is removed from the vector when this is dropped.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let mut v = vec![1, 2, 3, 4];
/// assert_eq!(v.par_drain(1..3).sum::<i32>(), 5);
/// assert_eq!(v, [1, 4]);
/// ```
#[derive(Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Drain<'d, T> {
    vec: &'d mut Vec<T>,
    range: Range<usize>,
    /// How long the vector was, if the chain is running: then the vector ends where the range starts.
    len: Option<usize>,
}

/// `range` within `len` elements.
///
/// # Panics
///
/// If it does not lie there, as slicing does.
#[track_caller]
pub(crate) fn within(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    use std::ops::Bound::{Excluded, Included, Unbounded};
    let start = match range.start_bound() {
        Included(start) => *start,
        Excluded(start) => start.checked_add(1).expect("the start of the range fits in a usize"),
        Unbounded => 0,
    };
    let end = match range.end_bound() {
        Included(end) => end.checked_add(1).expect("the end of the range fits in a usize"),
        Excluded(end) => *end,
        Unbounded => len,
    };
    assert!(start <= end, "the range starts at {start} but ends at {end}");
    assert!(end <= len, "the range ends at {end}, but there are {len} elements");
    start..end
}

impl<'d, T: Send> ParallelDrainRange<usize> for &'d mut Vec<T> {
    type Iter = Drain<'d, T>;
    type Item = T;

    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> Drain<'d, T> {
        let range = within(range, self.len());
        Drain { vec: self, range, len: None }
    }
}

impl<T: Send> ParallelIterator for Drain<'_, T> {
    type Item = T;
    type Source<'s>
        = Pieces<Slots<'s, T>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<T: Send> IndexedParallelIterator for Drain<'_, T> {
    type Indexed<'s>
        = Slots<'s, T>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Slots<'s, T> {
        if self.len.is_some() {
            return Slots(&mut []);
        }
        self.len = Some(self.vec.len());
        // What lies behind the range is nobody's until `drop` moves it up.
        // SAFETY: shorter; the elements up to there are initialised.
        unsafe { self.vec.set_len(self.range.end) };
        Slots::out_of(self.vec, self.range.start)
    }

    fn len(&self) -> usize {
        self.range.len()
    }
}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        let Some(len) = self.len else {
            drop(self.vec.drain(self.range.clone()));
            return;
        };
        let Range { start, end } = self.range;
        let base = self.vec.as_mut_ptr();
        // SAFETY: the elements from `end` to `len` are initialised and nobody's; those of the range, onto which they move, have been moved out or dropped
        // by the source, which is gone.
        unsafe { std::ptr::copy(base.wrapping_add(end), base.wrapping_add(start), len - end) };
        // SAFETY: the ones in front of the range, which the vector has, and those moved up, are initialised.
        unsafe { self.vec.set_len(start + len - end) };
    }
}

/// The source of vectors: slots that are initialised, and whose elements are the source's.
///
/// Invariant: so they are.
#[doc(hidden)]
pub struct Slots<'s, T>(&'s mut [MaybeUninit<T>]);

impl<T> std::fmt::Debug for Slots<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Slots").field(&self.0.len()).finish()
    }
}

impl<'s, T> Slots<'s, T> {
    /// Takes the elements of `vec` from `start` on out of it.
    fn out_of(vec: &'s mut Vec<T>, start: usize) -> Self {
        let len = vec.len();
        assert!(start <= len, "the part lies within the vector");
        // SAFETY: shorter; the elements up to there are initialised.
        unsafe { vec.set_len(start) };
        Slots(&mut vec.spare_capacity_mut()[..len - start])
    }

    fn take_front(&mut self, n: usize) -> &'s mut [MaybeUninit<T>] {
        let (front, rest) = std::mem::take(&mut self.0).split_at_mut(n);
        self.0 = rest;
        front
    }

    fn take_back(&mut self, n: usize) -> &'s mut [MaybeUninit<T>] {
        let left = self.0.len();
        let (rest, back) = std::mem::take(&mut self.0).split_at_mut(left - n);
        self.0 = rest;
        back
    }
}

impl<T> Drop for Slots<'_, T> {
    fn drop(&mut self) {
        drop(Taken(std::mem::take(&mut self.0).iter_mut()));
    }
}

impl<T: Send> IndexedSource for Slots<'_, T> {
    type Item = T;
    type Piece<'p>
        = Taken<'p, T>
    where
        Self: 'p;

    const EXACT: Exact = Exact::Always;

    #[inline(always)]
    fn left(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Taken<'_, T> {
        Taken(self.take_front(n).iter_mut())
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Taken<'_, T> {
        Taken(self.take_back(n).iter_mut())
    }

    fn split_at(&mut self, n: usize) -> Self {
        Slots(self.take_back(self.0.len() - n))
    }
}

/// A piece of a vector by value: what is not taken is dropped.
///
/// Invariant: the slots are initialised, and their elements are this piece's.
#[doc(hidden)]
pub struct Taken<'p, T>(slice::IterMut<'p, MaybeUninit<T>>);

impl<T> std::fmt::Debug for Taken<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Taken").field(&self.0.len()).finish()
    }
}

impl<T> Iterator for Taken<'_, T> {
    type Item = T;

    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        // SAFETY: initialised and ours; the slot is behind the iterator now, so it is read once.
        self.0.next().map(|slot| unsafe { slot.assume_init_read() })
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> DoubleEndedIterator for Taken<'_, T> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<T> {
        // SAFETY: as in `next`.
        self.0.next_back().map(|slot| unsafe { slot.assume_init_read() })
    }
}

impl<T> ExactSizeIterator for Taken<'_, T> {}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        let rest = std::mem::take(&mut self.0).into_slice();
        let rest = std::ptr::from_mut(rest) as *mut [T];
        // SAFETY: these are initialised and ours, and are dropped once, as the iterator has let go of them.
        unsafe { rest.drop_in_place() };
    }
}
