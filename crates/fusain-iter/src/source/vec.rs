//! Vectors by value. Elements move out one by one; those that are left are dropped with the source.

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::{Range, RangeBounds};

use super::indexed::{IndexedSource, Pieces};
use crate::collect::{IntoParallelIterator, ParallelDrainRange};
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::memory::{Memory, Slot};
use crate::parallel::ParallelIterator;
use crate::push;
use crate::seal::Seal;
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

    const SLOT: Slot = Slot::of::<T>();

    fn memory(&mut self, _: Seal) -> &mut dyn Memory {
        &mut self.0
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

/// The elements of a range of a vector, by value. They are removed from the vector when this is dropped.
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
    /// The original length of the vector, once the chain runs. The vector then ends where the range starts.
    len: Option<usize>,
}

/// Converts `range` to a range of indices into `len` elements.
///
/// # Panics
///
/// If it does not lie within them, as slicing does.
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
            return Slots::default();
        }
        self.len = Some(self.vec.len());
        // No one owns the elements after the range until `drop` moves them up.
        // SAFETY: the new length is not greater, and the elements up to there are initialised.
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
        // SAFETY: the elements from `end` to `len` are initialised and have no other owner. The elements of the range, onto which they move, have been moved out or dropped
        // by the source, which is gone.
        unsafe { std::ptr::copy(base.wrapping_add(end), base.wrapping_add(start), len - end) };
        // SAFETY: the elements in front of the range, which the vector still owns, and those moved up are initialised.
        unsafe { self.vec.set_len(start + (len - end)) };
    }
}

/// The source of vectors and arrays: slots whose elements the source owns.
///
/// It holds a pointer, not a slice: the sink may write results, by a pointer of its own, to [slots that have been emptied](crate::memory).
///
/// Invariant: the `left` slots from `at` on are initialised, and this source owns their elements, for `'s`.
#[doc(hidden)]
pub struct Slots<'s, T> {
    at: *mut T,
    left: usize,
    slots: PhantomData<&'s mut [MaybeUninit<T>]>,
}

// SAFETY: a source owns its elements, so moving it moves elements: `T: Send`.
unsafe impl<T: Send> Send for Slots<'_, T> {}

impl<T> std::fmt::Debug for Slots<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Slots").field(&self.left).finish()
    }
}

impl<T> Default for Slots<'_, T> {
    fn default() -> Self {
        Slots { at: std::ptr::dangling_mut(), left: 0, slots: PhantomData }
    }
}

impl<'s, T> Slots<'s, T> {
    /// The source of the elements of `slots`.
    ///
    /// # Safety
    ///
    /// All slots are initialised, and no other code moves or drops their elements.
    #[inline]
    pub(super) unsafe fn of(slots: &'s mut [MaybeUninit<T>]) -> Self {
        Slots { at: slots.as_mut_ptr().cast(), left: slots.len(), slots: PhantomData }
    }

    /// Takes the elements of `vec` from `start` on out of it.
    fn out_of(vec: &'s mut Vec<T>, start: usize) -> Self {
        let left = vec.len().checked_sub(start).expect("the part lies within the vector");
        // SAFETY: the new length is not greater, and the elements up to there are initialised.
        unsafe { vec.set_len(start) };
        Slots { at: vec.as_mut_ptr().wrapping_add(start), left, slots: PhantomData }
    }

    /// Splits off the elements from `n` on.
    #[inline(always)]
    fn split_off(&mut self, n: usize) -> Self {
        let back = self.left.checked_sub(n).expect("no more is taken than is left");
        self.left = n;
        Slots { at: self.at.wrapping_add(n), left: back, slots: PhantomData }
    }
}

impl<T> Drop for Slots<'_, T> {
    fn drop(&mut self) {
        drop(Taken::of(std::mem::take(self)));
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
        self.left
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Taken<'_, T> {
        let rest = self.split_off(n);
        Taken::of(std::mem::replace(self, rest))
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Taken<'_, T> {
        Taken::of(self.split_off(self.left - n))
    }

    fn split_at(&mut self, n: usize) -> Self {
        self.split_off(n)
    }

    #[inline(always)]
    fn append(&mut self, n: usize, vector: &mut Vec<T>, _: Seal) {
        push::reserve(vector, n);
        let taken = ManuallyDrop::new(self.front(n));
        let len = vector.len();
        // SAFETY: the elements of the piece are initialised and its own, and the piece is forgotten. Behind the vector's elements there is room for them, in memory of its own.
        unsafe { taken.at.copy_to_nonoverlapping(vector.as_mut_ptr().wrapping_add(len), taken.left) };
        // SAFETY: these elements have been moved there.
        unsafe { vector.set_len(len + taken.left) };
    }
}

/// A piece of a vector or an array by value. Elements that are not taken are dropped.
///
/// Invariant: the `left` slots from `at` on are initialised, and this piece owns their elements.
#[doc(hidden)]
pub struct Taken<'p, T> {
    at: *mut T,
    left: usize,
    slots: PhantomData<&'p mut [MaybeUninit<T>]>,
}

impl<T> std::fmt::Debug for Taken<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Taken").field(&self.left).finish()
    }
}

impl<'p, T> Taken<'p, T> {
    #[inline(always)]
    fn of(slots: Slots<'p, T>) -> Self {
        let slots = ManuallyDrop::new(slots);
        Taken { at: slots.at, left: slots.left, slots: PhantomData }
    }
}

impl<T> Iterator for Taken<'_, T> {
    type Item = T;

    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        let slot = self.at;
        self.at = slot.wrapping_add(1);
        // SAFETY: the slot is initialised and ours, by the invariant. From now on the invariant leaves it out, so it is read only once.
        Some(unsafe { slot.read() })
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> DoubleEndedIterator for Taken<'_, T> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        // SAFETY: as in `next`.
        Some(unsafe { self.at.wrapping_add(self.left).read() })
    }
}

impl<T> ExactSizeIterator for Taken<'_, T> {}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        let rest = std::ptr::slice_from_raw_parts_mut(self.at, self.left);
        // SAFETY: these elements are initialised and ours, and are dropped only once, since the piece is gone then.
        unsafe { rest.drop_in_place() };
    }
}
