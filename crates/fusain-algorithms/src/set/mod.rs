//! Operations on sorted slices as multisets: an element may be in a set several times.

mod cuts;
mod kernel;
mod parts;
mod path;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::mem::MaybeUninit;

use crate::policy::Par;
use kernel::{BOTH, ONLY_A, ONLY_B};
use parts::{into_room, vector};

const UNION: u8 = ONLY_A | BOTH | ONLY_B;
const INTERSECTION: u8 = BOTH;
const DIFFERENCE: u8 = ONLY_A;
const SYMMETRIC_DIFFERENCE: u8 = ONLY_A | ONLY_B;

/// # Sets
///
/// Two sorted slices are treated as multisets: an element may be in a set several times.
impl Par<'_> {
    /// Returns the union of two sorted slices: the elements that are in `a`, in `b`, or in both, sorted.
    ///
    /// If an element is m times in `a` and n times in `b`, it is max(m, n) times in the result: the m of `a`, then the last n - m of `b`.
    ///
    /// O(n) work, little more than two comparisons for each element at most. Memory for the longest possible result and a few blocks of 32 KiB or 256 elements for each worker.
    /// If a slice is not sorted, or the order is not a total order, the result has some of the elements, or the call panics. If a comparison
    /// panics, the clones made so far are dropped and the panic propagates.
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().set_union(&[1, 2, 2, 3], &[2, 3, 4]), [1, 2, 2, 3, 4]);
    /// ```
    #[inline]
    pub fn set_union<T: Ord + Clone + Send + Sync>(&self, a: &[T], b: &[T]) -> Vec<T> {
        vector::<_, _, UNION>(self, a, b, T::lt)
    }

    /// Like [`set_union`](Par::set_union), of slices sorted by `compare`.
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let union = fusain::par().set_union_by(&[3, 2, 2, 1], &[4, 3, 2], |x, y| y.cmp(x));
    /// assert_eq!(union, [4, 3, 2, 2, 1]);
    /// ```
    #[inline]
    pub fn set_union_by<T, F>(&self, a: &[T], b: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        vector::<_, _, UNION>(self, a, b, |x, y| compare(x, y).is_lt())
    }

    /// Like [`set_union_by`](Par::set_union_by), but writes to the front of `room` and returns that part, initialised.
    ///
    /// # Panics
    ///
    /// If `room` is too short.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 8];
    /// let union = fusain::par().set_union_into_by(&[1, 2, 2, 3], &[2, 3, 4], &mut room, i32::cmp);
    /// assert_eq!(union, [1, 2, 2, 3, 4]);
    /// ```
    #[inline]
    pub fn set_union_into_by<'r, T, F>(
        &self,
        a: &[T],
        b: &[T],
        room: &'r mut [MaybeUninit<T>],
        compare: F,
    ) -> &'r mut [T]
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        into_room::<_, _, UNION>(self, a, b, room, |x, y| compare(x, y).is_lt())
    }

    /// Returns the intersection of two sorted slices: the elements that are in both, sorted.
    ///
    /// If an element is m times in `a` and n times in `b`, it is min(m, n) times in the result: the first ones of `a`. Work and memory are
    /// those of [`set_union`](Par::set_union), and so is what happens if a comparison panics.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().set_intersection(&[1, 2, 2, 3], &[2, 3, 4]), [2, 3]);
    /// ```
    #[inline]
    pub fn set_intersection<T: Ord + Clone + Send + Sync>(&self, a: &[T], b: &[T]) -> Vec<T> {
        vector::<_, _, INTERSECTION>(self, a, b, T::lt)
    }

    /// Like [`set_intersection`](Par::set_intersection), of slices sorted by `compare`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let intersection = fusain::par().set_intersection_by(&[3, 2, 2, 1], &[4, 3, 2], |x, y| y.cmp(x));
    /// assert_eq!(intersection, [3, 2]);
    /// ```
    #[inline]
    pub fn set_intersection_by<T, F>(&self, a: &[T], b: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        vector::<_, _, INTERSECTION>(self, a, b, |x, y| compare(x, y).is_lt())
    }

    /// Like [`set_intersection_by`](Par::set_intersection_by), but writes to the front of `room` and returns that part, initialised.
    ///
    /// # Panics
    ///
    /// If `room` is too short.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 8];
    /// let intersection = fusain::par().set_intersection_into_by(&[1, 2, 2, 3], &[2, 3, 4], &mut room, i32::cmp);
    /// assert_eq!(intersection, [2, 3]);
    /// ```
    #[inline]
    pub fn set_intersection_into_by<'r, T, F>(
        &self,
        a: &[T],
        b: &[T],
        room: &'r mut [MaybeUninit<T>],
        compare: F,
    ) -> &'r mut [T]
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        into_room::<_, _, INTERSECTION>(self, a, b, room, |x, y| compare(x, y).is_lt())
    }

    /// Returns the difference of two sorted slices: the elements of `a` that are not in `b`, sorted.
    ///
    /// If an element is m times in `a` and n times in `b`, it is max(m - n, 0) times in the result: the last ones of `a`. Work and memory are
    /// those of [`set_union`](Par::set_union), and so is what happens if a comparison panics.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().set_difference(&[1, 2, 2, 3], &[2, 3, 4]), [1, 2]);
    /// ```
    #[inline]
    pub fn set_difference<T: Ord + Clone + Send + Sync>(&self, a: &[T], b: &[T]) -> Vec<T> {
        vector::<_, _, DIFFERENCE>(self, a, b, T::lt)
    }

    /// Like [`set_difference`](Par::set_difference), of slices sorted by `compare`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let difference = fusain::par().set_difference_by(&[3, 2, 2, 1], &[4, 3, 2], |x, y| y.cmp(x));
    /// assert_eq!(difference, [2, 1]);
    /// ```
    #[inline]
    pub fn set_difference_by<T, F>(&self, a: &[T], b: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        vector::<_, _, DIFFERENCE>(self, a, b, |x, y| compare(x, y).is_lt())
    }

    /// Like [`set_difference_by`](Par::set_difference_by), but writes to the front of `room` and returns that part, initialised.
    ///
    /// # Panics
    ///
    /// If `room` is too short.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 8];
    /// let difference = fusain::par().set_difference_into_by(&[1, 2, 2, 3], &[2, 3, 4], &mut room, i32::cmp);
    /// assert_eq!(difference, [1, 2]);
    /// ```
    #[inline]
    pub fn set_difference_into_by<'r, T, F>(
        &self,
        a: &[T],
        b: &[T],
        room: &'r mut [MaybeUninit<T>],
        compare: F,
    ) -> &'r mut [T]
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        into_room::<_, _, DIFFERENCE>(self, a, b, room, |x, y| compare(x, y).is_lt())
    }

    /// Returns the symmetric difference of two sorted slices: the elements that are in one of them only, sorted.
    ///
    /// If an element is m times in `a` and n times in `b`, it is |m - n| times in the result: the last ones of the slice that has more. Work
    /// and memory are those of [`set_union`](Par::set_union), and so is what happens if a comparison panics.
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().set_symmetric_difference(&[1, 2, 2, 3], &[2, 3, 4]), [1, 2, 4]);
    /// ```
    #[inline]
    pub fn set_symmetric_difference<T: Ord + Clone + Send + Sync>(&self, a: &[T], b: &[T]) -> Vec<T> {
        vector::<_, _, SYMMETRIC_DIFFERENCE>(self, a, b, T::lt)
    }

    /// Like [`set_symmetric_difference`](Par::set_symmetric_difference), of slices sorted by `compare`.
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let symmetric_difference = fusain::par().set_symmetric_difference_by(&[3, 2, 2, 1], &[4, 3, 2], |x, y| y.cmp(x));
    /// assert_eq!(symmetric_difference, [4, 2, 1]);
    /// ```
    #[inline]
    pub fn set_symmetric_difference_by<T, F>(&self, a: &[T], b: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        vector::<_, _, SYMMETRIC_DIFFERENCE>(self, a, b, |x, y| compare(x, y).is_lt())
    }

    /// Like [`set_symmetric_difference_by`](Par::set_symmetric_difference_by), but writes to the front of `room` and returns that part,
    /// initialised.
    ///
    /// # Panics
    ///
    /// If `room` is too short.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 8];
    /// let symmetric_difference = fusain::par().set_symmetric_difference_into_by(&[1, 2, 2, 3], &[2, 3, 4], &mut room, i32::cmp);
    /// assert_eq!(symmetric_difference, [1, 2, 4]);
    /// ```
    #[inline]
    pub fn set_symmetric_difference_into_by<'r, T, F>(
        &self,
        a: &[T],
        b: &[T],
        room: &'r mut [MaybeUninit<T>],
        compare: F,
    ) -> &'r mut [T]
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        into_room::<_, _, SYMMETRIC_DIFFERENCE>(self, a, b, room, |x, y| compare(x, y).is_lt())
    }
}
