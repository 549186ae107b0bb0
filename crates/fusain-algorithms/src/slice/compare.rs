//! Comparing as methods of slices.

use std::cmp::Ordering;

use crate::policy::par;

/// Compares two slices, or checks the order of one.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// assert!([1, 2, 3].par_is_sorted());
/// assert_eq!([1, 2, 3].par_mismatch(&[1, 2, 4]), Some(2));
/// assert!([1, 2, 3].par_cmp(&[1, 2, 4]).is_lt());
/// ```
pub trait ParCompare<T>: AsRef<[T]> {
    /// The first index at which this and `other` differ. See [`Par::mismatch`](crate::Par::mismatch).
    #[doc(alias = "mismatch")]
    #[inline]
    fn par_mismatch<U>(&self, other: &[U]) -> Option<usize>
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().mismatch(self.as_ref(), other)
    }

    /// The first index `i` at which `eq(&self[i], &other[i])` does not hold. See [`Par::mismatch_by`](crate::Par::mismatch_by).
    #[inline]
    fn par_mismatch_by<U, F>(&self, other: &[U], eq: F) -> Option<usize>
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        par().mismatch_by(self.as_ref(), other, eq)
    }

    /// Whether this and `other` are equal element by element. See [`Par::eq`](crate::Par::eq).
    #[doc(alias = "equal")]
    #[inline]
    fn par_eq<U>(&self, other: &[U]) -> bool
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().eq(self.as_ref(), other)
    }

    /// Whether this and `other` are of the same length and `eq` holds element by element. See [`Par::eq_by`](crate::Par::eq_by).
    #[inline]
    fn par_eq_by<U, F>(&self, other: &[U], eq: F) -> bool
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        par().eq_by(self.as_ref(), other, eq)
    }

    /// The lexicographical order of this and `other`. See [`Par::cmp`](crate::Par::cmp).
    #[doc(alias = "lexicographical_compare")]
    #[inline]
    fn par_cmp(&self, other: &[T]) -> Ordering
    where
        T: Ord + Sync,
    {
        par().cmp(self.as_ref(), other)
    }

    /// The lexicographical order of this and `other` by `compare`. See [`Par::cmp_by`](crate::Par::cmp_by).
    #[inline]
    fn par_cmp_by<U, F>(&self, other: &[U], compare: F) -> Ordering
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> Ordering + Sync,
    {
        par().cmp_by(self.as_ref(), other, compare)
    }

    /// The lexicographical order of this and `other` where elements have a partial one. See [`Par::partial_cmp`](crate::Par::partial_cmp).
    #[inline]
    fn par_partial_cmp(&self, other: &[T]) -> Option<Ordering>
    where
        T: PartialOrd + Sync,
    {
        par().partial_cmp(self.as_ref(), other)
    }

    /// Whether this begins with the elements of `prefix`. See [`Par::starts_with`](crate::Par::starts_with).
    #[inline]
    fn par_starts_with<U>(&self, prefix: &[U]) -> bool
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().starts_with(self.as_ref(), prefix)
    }

    /// Whether this ends with the elements of `suffix`. See [`Par::ends_with`](crate::Par::ends_with).
    #[inline]
    fn par_ends_with<U>(&self, suffix: &[U]) -> bool
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().ends_with(self.as_ref(), suffix)
    }

    /// Whether the elements are in ascending order. See [`Par::is_sorted`](crate::Par::is_sorted).
    #[doc(alias = "is_sorted")]
    #[inline]
    fn par_is_sorted(&self) -> bool
    where
        T: PartialOrd + Sync,
    {
        par().is_sorted(self.as_ref())
    }

    /// Whether `in_order(x, next)` holds for each element `x` but the last. See [`Par::is_sorted_by`](crate::Par::is_sorted_by).
    #[inline]
    fn par_is_sorted_by<F>(&self, in_order: F) -> bool
    where
        T: Sync,
        F: Fn(&T, &T) -> bool + Sync,
    {
        par().is_sorted_by(self.as_ref(), in_order)
    }

    /// Whether the keys of the elements are in ascending order. See [`Par::is_sorted_by_key`](crate::Par::is_sorted_by_key).
    #[inline]
    fn par_is_sorted_by_key<K, F>(&self, key: F) -> bool
    where
        T: Sync,
        K: PartialOrd,
        F: Fn(&T) -> K + Sync,
    {
        par().is_sorted_by_key(self.as_ref(), key)
    }

    /// The length of the longest part at the front that is in ascending order. See [`Par::is_sorted_until`](crate::Par::is_sorted_until).
    #[inline]
    fn par_is_sorted_until(&self) -> usize
    where
        T: PartialOrd + Sync,
    {
        par().is_sorted_until(self.as_ref())
    }

    /// The length of the longest part at the front in which `in_order(x, next)` holds. See
    /// [`Par::is_sorted_until_by`](crate::Par::is_sorted_until_by).
    #[inline]
    fn par_is_sorted_until_by<F>(&self, in_order: F) -> usize
    where
        T: Sync,
        F: Fn(&T, &T) -> bool + Sync,
    {
        par().is_sorted_until_by(self.as_ref(), in_order)
    }

    /// Whether the slice is a binary heap: no element is greater than its parent. See [`Par::is_heap`](crate::Par::is_heap).
    #[doc(alias = "is_heap")]
    #[inline]
    fn par_is_heap(&self) -> bool
    where
        T: PartialOrd + Sync,
    {
        par().is_heap(self.as_ref())
    }

    /// Whether the slice is a binary heap by `compare`. See [`Par::is_heap_by`](crate::Par::is_heap_by).
    #[inline]
    fn par_is_heap_by<F>(&self, compare: F) -> bool
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().is_heap_by(self.as_ref(), compare)
    }

    /// The length of the longest part at the front that is a heap. See [`Par::is_heap_until`](crate::Par::is_heap_until).
    #[inline]
    fn par_is_heap_until(&self) -> usize
    where
        T: PartialOrd + Sync,
    {
        par().is_heap_until(self.as_ref())
    }

    /// The length of the longest part at the front that is a heap by `compare`. See [`Par::is_heap_until_by`](crate::Par::is_heap_until_by).
    #[inline]
    fn par_is_heap_until_by<F>(&self, compare: F) -> usize
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().is_heap_until_by(self.as_ref(), compare)
    }

    /// Whether this contains every element of `wanted`; both must be sorted. See [`Par::includes`](crate::Par::includes).
    #[doc(alias = "includes")]
    #[inline]
    fn par_includes(&self, wanted: &[T]) -> bool
    where
        T: Ord + Sync,
    {
        par().includes(self.as_ref(), wanted)
    }

    /// Whether this contains every element of `wanted`; both must be sorted by `compare`. See
    /// [`Par::includes_by`](crate::Par::includes_by).
    #[inline]
    fn par_includes_by<F>(&self, wanted: &[T], compare: F) -> bool
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().includes_by(self.as_ref(), wanted, compare)
    }
}

impl<T> ParCompare<T> for [T] {}
