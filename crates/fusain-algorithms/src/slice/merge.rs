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
    /// Merges the sorted halves `[..middle]` and `[middle..]`, stable. See [`Par::inplace_merge`](crate::Par::inplace_merge).
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length.
    #[doc(alias = "inplace_merge")]
    #[inline]
    fn par_inplace_merge(&mut self, middle: usize)
    where
        T: Ord + Send,
    {
        par().inplace_merge(self.as_mut(), middle)
    }

    /// Merges the halves `[..middle]` and `[middle..]`, both sorted by `compare`, stable. See
    /// [`Par::inplace_merge_by`](crate::Par::inplace_merge_by).
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length.
    #[inline]
    fn par_inplace_merge_by<F>(&mut self, middle: usize, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().inplace_merge_by(self.as_mut(), middle, compare)
    }

    /// Merges this and another sorted slice into one sorted vector, stable. See [`Par::merge`](crate::Par::merge).
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    #[doc(alias = "merge")]
    #[inline]
    fn par_merge(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().merge(self.as_ref(), other)
    }

    /// Merges this and another slice, both sorted by `compare`, into one sorted vector, stable. See
    /// [`Par::merge_by`](crate::Par::merge_by).
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
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
