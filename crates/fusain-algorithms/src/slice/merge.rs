//! Merging as methods of slices.

use std::cmp::Ordering;

use crate::policy::par;

/// Merging sorted runs.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// assert_eq!([1, 4].par_merge(&[2, 3]), [1, 2, 3, 4]);
/// ```
pub trait ParMerge<T>: AsRef<[T]> + AsMut<[T]> {
    /// Merges the two parts `[..middle]` and `[middle..]`, both sorted, stable.
    ///
    /// O(n) comparisons, memory for at most n elements. If a part is not sorted, the slice has all elements afterwards, in an unspecified order. See
    /// [`Par::inplace_merge`](crate::Par::inplace_merge).
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 4, 2, 3];
    /// v.par_inplace_merge(2);
    /// assert_eq!(v, [1, 2, 3, 4]);
    /// ```
    #[doc(alias = "inplace_merge")]
    #[inline]
    fn par_inplace_merge(&mut self, middle: usize)
    where
        T: Ord + Send,
    {
        par().inplace_merge(self.as_mut(), middle)
    }

    /// Merges the two parts `[..middle]` and `[middle..]`, both sorted by `compare`, stable.
    ///
    /// Otherwise like [`par_inplace_merge`](Self::par_inplace_merge). If `compare` panics, the slice still holds every element once. See
    /// [`Par::inplace_merge_by`](crate::Par::inplace_merge_by).
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [4, 1, 3];
    /// v.par_inplace_merge_by(2, |a, b| b.cmp(a));
    /// assert_eq!(v, [4, 3, 1]);
    /// ```
    #[inline]
    fn par_inplace_merge_by<F>(&mut self, middle: usize, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().inplace_merge_by(self.as_mut(), middle, compare)
    }

    /// Merges this slice and another sorted slice into one sorted vector, stable: of equal elements, those of this slice come first.
    ///
    /// O(n) comparisons, no memory but the result. If a slice is not sorted, the result has all elements, in an unspecified order. See
    /// [`Par::merge`](crate::Par::merge).
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 4].par_merge(&[2, 3, 5]), [1, 2, 3, 4, 5]);
    /// ```
    #[doc(alias = "merge")]
    #[inline]
    fn par_merge(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().merge(self.as_ref(), other)
    }

    /// Merges this slice and another slice, both sorted by `compare`, into one sorted vector, stable.
    ///
    /// Otherwise like [`par_merge`](Self::par_merge). See [`Par::merge_by`](crate::Par::merge_by).
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([4, 1].par_merge_by(&[3], |x, y| y.cmp(x)), [4, 3, 1]);
    /// ```
    #[inline]
    fn par_merge_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().merge_by(self.as_ref(), other, compare)
    }
}

impl<T> ParMerge<T> for [T] {}
