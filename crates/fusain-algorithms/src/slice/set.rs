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
    /// Returns the elements that are in this or in `other`, sorted. See [`Par::set_union`](crate::Par::set_union).
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    #[inline]
    fn par_set_union(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().set_union(self.as_ref(), other)
    }

    /// Returns the elements that are in this or in `other`, sorted by `compare`. See [`Par::set_union_by`](crate::Par::set_union_by).
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    #[inline]
    fn par_set_union_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().set_union_by(self.as_ref(), other, compare)
    }

    /// Returns the elements that are in this and in `other`, sorted. See [`Par::set_intersection`](crate::Par::set_intersection).
    #[inline]
    fn par_set_intersection(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().set_intersection(self.as_ref(), other)
    }

    /// Returns the elements that are in this and in `other`, sorted by `compare`. See
    /// [`Par::set_intersection_by`](crate::Par::set_intersection_by).
    #[inline]
    fn par_set_intersection_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().set_intersection_by(self.as_ref(), other, compare)
    }

    /// Returns the elements that are in this and not in `other`, sorted. See [`Par::set_difference`](crate::Par::set_difference).
    #[inline]
    fn par_set_difference(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().set_difference(self.as_ref(), other)
    }

    /// Returns the elements that are in this and not in `other`, sorted by `compare`. See
    /// [`Par::set_difference_by`](crate::Par::set_difference_by).
    #[inline]
    fn par_set_difference_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().set_difference_by(self.as_ref(), other, compare)
    }

    /// Returns the elements that are in exactly one of this and `other`, sorted. See
    /// [`Par::set_symmetric_difference`](crate::Par::set_symmetric_difference).
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    #[inline]
    fn par_set_symmetric_difference(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().set_symmetric_difference(self.as_ref(), other)
    }

    /// Returns the elements that are in exactly one of this and `other`, sorted by `compare`. See
    /// [`Par::set_symmetric_difference_by`](crate::Par::set_symmetric_difference_by).
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
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
