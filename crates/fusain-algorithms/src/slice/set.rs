//! Operations on sets as methods of sorted slices.

use std::cmp::Ordering;

use crate::policy::par;

/// Operations on sorted slices as multisets: an element may be in a set several times.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// assert_eq!([1, 2, 4].par_set_union(&[2, 3]), [1, 2, 3, 4]);
/// assert_eq!([1, 2, 4].par_set_intersection(&[2, 3]), [2]);
/// ```
pub trait ParSet<T>: AsRef<[T]> {
    /// Returns the elements that are in this slice or in `other`, sorted.
    ///
    /// O(n) work, little more than two comparisons for each element at most. Memory for the longest possible result and a few blocks of 32 KiB or 256 elements for each worker. An
    /// element that is m times in this slice and n times in `other` is max(m, n) times in the result. If a slice is not sorted, the result has some
    /// of the elements, or the call panics. See [`Par::set_union`](crate::Par::set_union).
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 2, 3].par_set_union(&[2, 3, 4]), [1, 2, 2, 3, 4]);
    /// ```
    #[inline]
    fn par_set_union(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().set_union(self.as_ref(), other)
    }

    /// Returns the elements that are in this slice or in `other`, sorted by `compare`.
    ///
    /// Otherwise like [`par_set_union`](Self::par_set_union). See [`Par::set_union_by`](crate::Par::set_union_by).
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let union = [3, 2, 2, 1].par_set_union_by(&[4, 3, 2], |x, y| y.cmp(x));
    /// assert_eq!(union, [4, 3, 2, 2, 1]);
    /// ```
    #[inline]
    fn par_set_union_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().set_union_by(self.as_ref(), other, compare)
    }

    /// Returns the elements that are in this slice and in `other`, sorted.
    ///
    /// Work and memory are those of [`par_set_union`](Self::par_set_union). An element that is m times in this slice and n times in `other` is min(m,
    /// n) times in the result. See [`Par::set_intersection`](crate::Par::set_intersection).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 2, 3].par_set_intersection(&[2, 3, 4]), [2, 3]);
    /// ```
    #[inline]
    fn par_set_intersection(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().set_intersection(self.as_ref(), other)
    }

    /// Returns the elements that are in this slice and in `other`, sorted by `compare`.
    ///
    /// Otherwise like [`par_set_intersection`](Self::par_set_intersection). See [`Par::set_intersection_by`](crate::Par::set_intersection_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let intersection = [3, 2, 2, 1].par_set_intersection_by(&[4, 3, 2], |x, y| y.cmp(x));
    /// assert_eq!(intersection, [3, 2]);
    /// ```
    #[inline]
    fn par_set_intersection_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().set_intersection_by(self.as_ref(), other, compare)
    }

    /// Returns the elements that are in this slice and not in `other`, sorted.
    ///
    /// Work and memory are those of [`par_set_union`](Self::par_set_union). An element that is m times in this slice and n times in `other` is
    /// max(m - n, 0) times in the result. See [`Par::set_difference`](crate::Par::set_difference).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 2, 3].par_set_difference(&[2, 3, 4]), [1, 2]);
    /// ```
    #[inline]
    fn par_set_difference(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().set_difference(self.as_ref(), other)
    }

    /// Returns the elements that are in this slice and not in `other`, sorted by `compare`.
    ///
    /// Otherwise like [`par_set_difference`](Self::par_set_difference). See [`Par::set_difference_by`](crate::Par::set_difference_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let difference = [3, 2, 2, 1].par_set_difference_by(&[4, 3, 2], |x, y| y.cmp(x));
    /// assert_eq!(difference, [2, 1]);
    /// ```
    #[inline]
    fn par_set_difference_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().set_difference_by(self.as_ref(), other, compare)
    }

    /// Returns the elements that are in exactly one of this slice and `other`, sorted.
    ///
    /// Work and memory are those of [`par_set_union`](Self::par_set_union). An element that is m times in this slice and n times in `other` is
    /// |m - n| times in the result. See [`Par::set_symmetric_difference`](crate::Par::set_symmetric_difference).
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 2, 3].par_set_symmetric_difference(&[2, 3, 4]), [1, 2, 4]);
    /// ```
    #[inline]
    fn par_set_symmetric_difference(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().set_symmetric_difference(self.as_ref(), other)
    }

    /// Returns the elements that are in exactly one of this slice and `other`, sorted by `compare`.
    ///
    /// Otherwise like [`par_set_symmetric_difference`](Self::par_set_symmetric_difference). See
    /// [`Par::set_symmetric_difference_by`](crate::Par::set_symmetric_difference_by).
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let symmetric_difference = [3, 2, 2, 1].par_set_symmetric_difference_by(&[4, 3, 2], |x, y| y.cmp(x));
    /// assert_eq!(symmetric_difference, [4, 2, 1]);
    /// ```
    #[inline]
    fn par_set_symmetric_difference_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().set_symmetric_difference_by(self.as_ref(), other, compare)
    }
}

impl<T> ParSet<T> for [T] {}
