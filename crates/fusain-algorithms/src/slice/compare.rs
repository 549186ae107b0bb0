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
    /// The first index at which this slice and `other` differ, or `None` if one of them begins with the other.
    ///
    /// O(n) comparisons at most, and stops soon after the first difference. Elements behind it may be compared. See
    /// [`Par::mismatch`](crate::Par::mismatch).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 3].par_mismatch(&[1, 2, 4, 5]), Some(2));
    /// assert_eq!([1, 2].par_mismatch(&[1, 2, 4]), None);
    /// ```
    #[doc(alias = "mismatch")]
    #[inline]
    fn par_mismatch<U>(&self, other: &[U]) -> Option<usize>
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().mismatch(self.as_ref(), other)
    }

    /// The first index `i` at which `eq(&self[i], &other[i])` does not hold, or `None` if there is none within both.
    ///
    /// Otherwise like [`par_mismatch`](Self::par_mismatch). See [`Par::mismatch_by`](crate::Par::mismatch_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 3].par_mismatch_by(&[2, 4, 7], |a, b| 2 * a == *b), Some(2));
    /// ```
    #[inline]
    fn par_mismatch_by<U, F>(&self, other: &[U], eq: F) -> Option<usize>
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        par().mismatch_by(self.as_ref(), other, eq)
    }

    /// Whether this slice and `other` are of the same length and equal element by element.
    ///
    /// O(n) comparisons at most, and stops soon after a difference. See [`Par::eq`](crate::Par::eq).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([1, 2].par_eq(&[1, 2]));
    /// assert!(![1, 2].par_eq(&[1, 2, 3]));
    /// ```
    #[doc(alias = "equal")]
    #[inline]
    fn par_eq<U>(&self, other: &[U]) -> bool
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().eq(self.as_ref(), other)
    }

    /// Whether this slice and `other` are of the same length and `eq` holds element by element.
    ///
    /// Otherwise like [`par_eq`](Self::par_eq). See [`Par::eq_by`](crate::Par::eq_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!(["a", "bc"].par_eq_by(&[1, 2], |a, b| a.len() == *b));
    /// ```
    #[inline]
    fn par_eq_by<U, F>(&self, other: &[U], eq: F) -> bool
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        par().eq_by(self.as_ref(), other, eq)
    }

    /// The lexicographical order of this slice and `other`: the order of the first elements that differ, or else of the lengths.
    ///
    /// O(n) comparisons at most, and stops soon after the first difference. See [`Par::cmp`](crate::Par::cmp).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([1, 2, 9].par_cmp(&[1, 3]).is_lt());
    /// assert!([1, 2].par_cmp(&[1]).is_gt());
    /// ```
    #[doc(alias = "lexicographical_compare")]
    #[inline]
    fn par_cmp(&self, other: &[T]) -> Ordering
    where
        T: Ord + Sync,
    {
        par().cmp(self.as_ref(), other)
    }

    /// The lexicographical order of this slice and `other` by `compare`.
    ///
    /// Otherwise like [`par_cmp`](Self::par_cmp). See [`Par::cmp_by`](crate::Par::cmp_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([0.5, 1.0].par_cmp_by(&[0.5, -1.0], f64::total_cmp).is_gt());
    /// ```
    #[inline]
    fn par_cmp_by<U, F>(&self, other: &[U], compare: F) -> Ordering
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> Ordering + Sync,
    {
        par().cmp_by(self.as_ref(), other, compare)
    }

    /// The lexicographical order of this slice and `other`, for elements with a partial order.
    ///
    /// `None` if the first elements that differ cannot be compared. Otherwise like [`par_cmp`](Self::par_cmp). See
    /// [`Par::partial_cmp`](crate::Par::partial_cmp).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1.0, 2.0].par_partial_cmp(&[1.0, 3.0]), Some(std::cmp::Ordering::Less));
    /// assert_eq!([f64::NAN].par_partial_cmp(&[1.0]), None);
    /// ```
    #[inline]
    fn par_partial_cmp(&self, other: &[T]) -> Option<Ordering>
    where
        T: PartialOrd + Sync,
    {
        par().partial_cmp(self.as_ref(), other)
    }

    /// Whether this slice begins with the elements of `prefix`.
    ///
    /// Costs as much as [`par_eq`](Self::par_eq) of as many elements. See [`Par::starts_with`](crate::Par::starts_with).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([1, 2, 3].par_starts_with(&[1, 2]));
    /// ```
    #[inline]
    fn par_starts_with<U>(&self, prefix: &[U]) -> bool
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().starts_with(self.as_ref(), prefix)
    }

    /// Whether this slice ends with the elements of `suffix`.
    ///
    /// Costs as much as [`par_eq`](Self::par_eq) of as many elements. See [`Par::ends_with`](crate::Par::ends_with).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([1, 2, 3].par_ends_with(&[2, 3]));
    /// ```
    #[inline]
    fn par_ends_with<U>(&self, suffix: &[U]) -> bool
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().ends_with(self.as_ref(), suffix)
    }

    /// Whether the elements are in ascending order, as with [`slice::is_sorted`].
    ///
    /// O(n) comparisons at most, and stops soon after the first descent. See [`Par::is_sorted`](crate::Par::is_sorted).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([1, 2, 2].par_is_sorted());
    /// assert!(![0.0, f64::NAN].par_is_sorted());
    /// ```
    #[doc(alias = "is_sorted")]
    #[inline]
    fn par_is_sorted(&self) -> bool
    where
        T: PartialOrd + Sync,
    {
        par().is_sorted(self.as_ref())
    }

    /// Whether `in_order(x, next)` holds for each element `x` but the last.
    ///
    /// Otherwise like [`par_is_sorted`](Self::par_is_sorted). See [`Par::is_sorted_by`](crate::Par::is_sorted_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([3, 2, 1].par_is_sorted_by(|a, b| a > b));
    /// ```
    #[inline]
    fn par_is_sorted_by<F>(&self, in_order: F) -> bool
    where
        T: Sync,
        F: Fn(&T, &T) -> bool + Sync,
    {
        par().is_sorted_by(self.as_ref(), in_order)
    }

    /// Whether the keys of the elements are in ascending order.
    ///
    /// Each comparison computes two keys. Otherwise like [`par_is_sorted`](Self::par_is_sorted). See
    /// [`Par::is_sorted_by_key`](crate::Par::is_sorted_by_key).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!(["a", "bc", "de"].par_is_sorted_by_key(|s| s.len()));
    /// ```
    #[inline]
    fn par_is_sorted_by_key<K, F>(&self, key: F) -> bool
    where
        T: Sync,
        K: PartialOrd,
        F: Fn(&T) -> K + Sync,
    {
        par().is_sorted_by_key(self.as_ref(), key)
    }

    /// The length of the longest part at the front that is in ascending order.
    ///
    /// O(n) comparisons at most, and stops soon after the first descent. See [`Par::is_sorted_until`](crate::Par::is_sorted_until).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 5, 9, 2, 6].par_is_sorted_until(), 3);
    /// ```
    #[inline]
    fn par_is_sorted_until(&self) -> usize
    where
        T: PartialOrd + Sync,
    {
        par().is_sorted_until(self.as_ref())
    }

    /// The length of the longest part at the front in which `in_order(x, next)` holds for each element `x` but the last.
    ///
    /// Otherwise like [`par_is_sorted_until`](Self::par_is_sorted_until). See [`Par::is_sorted_until_by`](crate::Par::is_sorted_until_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([9, 5, 1, 2].par_is_sorted_until_by(|a, b| a >= b), 3);
    /// ```
    #[inline]
    fn par_is_sorted_until_by<F>(&self, in_order: F) -> usize
    where
        T: Sync,
        F: Fn(&T, &T) -> bool + Sync,
    {
        par().is_sorted_until_by(self.as_ref(), in_order)
    }

    /// Whether the slice is a binary heap: no element is greater than its parent.
    ///
    /// O(n) comparisons at most, and stops soon after an element that is too great. See [`Par::is_heap`](crate::Par::is_heap).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([9, 5, 8, 1, 5].par_is_heap());
    /// assert!(![9, 5, 8, 6].par_is_heap());
    /// ```
    #[doc(alias = "is_heap")]
    #[inline]
    fn par_is_heap(&self) -> bool
    where
        T: PartialOrd + Sync,
    {
        par().is_heap(self.as_ref())
    }

    /// Whether the slice is a binary heap by `compare`.
    ///
    /// Otherwise like [`par_is_heap`](Self::par_is_heap). See [`Par::is_heap_by`](crate::Par::is_heap_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([1, 2, 3].par_is_heap_by(|a, b| b.cmp(a)));
    /// ```
    #[inline]
    fn par_is_heap_by<F>(&self, compare: F) -> bool
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().is_heap_by(self.as_ref(), compare)
    }

    /// The length of the longest part at the front that is a heap.
    ///
    /// O(n) comparisons at most, and stops soon after the first element that is too great. See [`Par::is_heap_until`](crate::Par::is_heap_until).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([9, 5, 8, 6, 7].par_is_heap_until(), 3);
    /// ```
    #[inline]
    fn par_is_heap_until(&self) -> usize
    where
        T: PartialOrd + Sync,
    {
        par().is_heap_until(self.as_ref())
    }

    /// The length of the longest part at the front that is a heap by `compare`.
    ///
    /// Otherwise like [`par_is_heap_until`](Self::par_is_heap_until). See [`Par::is_heap_until_by`](crate::Par::is_heap_until_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 0].par_is_heap_until_by(|a, b| b.cmp(a)), 2);
    /// ```
    #[inline]
    fn par_is_heap_until_by<F>(&self, compare: F) -> usize
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().is_heap_until_by(self.as_ref(), compare)
    }

    /// Whether this slice contains every element of `wanted`, and each at least as many times as `wanted` does; both must be sorted.
    ///
    /// O(m log(1 + n / m)) comparisons for m wanted elements of n, and stops soon after one that is missing. If a slice is not sorted, the answer is
    /// unspecified. See [`Par::includes`](crate::Par::includes).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([1, 2, 2, 3].par_includes(&[2, 2]));
    /// assert!(![1, 2, 3].par_includes(&[2, 2]));
    /// ```
    #[doc(alias = "includes")]
    #[inline]
    fn par_includes(&self, wanted: &[T]) -> bool
    where
        T: Ord + Sync,
    {
        par().includes(self.as_ref(), wanted)
    }

    /// Whether this slice contains every element of `wanted`, and each at least as many times as `wanted` does; both must be sorted by `compare`.
    ///
    /// Otherwise like [`par_includes`](Self::par_includes). See [`Par::includes_by`](crate::Par::includes_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([0.5, 1.0, 2.0].par_includes_by(&[1.0, 2.0], f64::total_cmp));
    /// ```
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
