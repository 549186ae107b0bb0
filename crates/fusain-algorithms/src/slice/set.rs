//! Operations on sets as methods of sorted slices.

use std::cmp::Ordering;

use crate::policy::par;

/// Sorted slices as sets.
///
/// ```
/// use fusain_algorithms::prelude::*;
///
/// assert_eq!([1, 2, 4].par_set_union(&[2, 3]), [1, 2, 3, 4]);
/// assert_eq!([1, 2, 4].par_set_intersection(&[2, 3]), [2]);
/// ```
pub trait ParSet<T>: AsRef<[T]> {
    /// The sorted vector of the elements that are in one of two sorted slices or in both. See [`Par::set_union`](crate::Par::set_union).
    #[inline]
    fn par_set_union(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().set_union(self.as_ref(), other)
    }

    /// The vector, sorted by `compare`, of the elements that are in one of two sorted slices or in both. See [`Par::set_union_by`](crate::Par::set_union_by).
    #[inline]
    fn par_set_union_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().set_union_by(self.as_ref(), other, compare)
    }

    /// The sorted vector of the elements that are in both of two sorted slices. See [`Par::set_intersection`](crate::Par::set_intersection).
    #[inline]
    fn par_set_intersection(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().set_intersection(self.as_ref(), other)
    }

    /// The vector, sorted by `compare`, of the elements that are in both of two sorted slices. See [`Par::set_intersection_by`](crate::Par::set_intersection_by).
    #[inline]
    fn par_set_intersection_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().set_intersection_by(self.as_ref(), other, compare)
    }

    /// The sorted vector of the elements of a sorted slice that are not in another. See [`Par::set_difference`](crate::Par::set_difference).
    #[inline]
    fn par_set_difference(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().set_difference(self.as_ref(), other)
    }

    /// The vector, sorted by `compare`, of the elements of a sorted slice that are not in another. See [`Par::set_difference_by`](crate::Par::set_difference_by).
    #[inline]
    fn par_set_difference_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().set_difference_by(self.as_ref(), other, compare)
    }

    /// The sorted vector of the elements that are in one of two sorted slices and not in the other. See [`Par::set_symmetric_difference`](crate::Par::set_symmetric_difference).
    #[inline]
    fn par_set_symmetric_difference(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().set_symmetric_difference(self.as_ref(), other)
    }

    /// The vector, sorted by `compare`, of the elements that are in one of two sorted slices and not in the other. See [`Par::set_symmetric_difference_by`](crate::Par::set_symmetric_difference_by).
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
