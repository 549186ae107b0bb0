//! Searching and checking as methods of slices.

use crate::policy::par;

/// Searches for elements and sequences, and checks a predicate on all elements.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// assert_eq!([3, 1, 4].par_position(|x| *x > 3), Some(2));
/// assert!([3, 1, 4].par_all(|x| *x > 0));
/// ```
pub trait ParSearch<T>: AsRef<[T]> {
    /// The index of the first element that satisfies `predicate`. See [`Par::position`](crate::Par::position).
    #[doc(alias = "find")]
    #[doc(alias = "find_if")]
    #[doc(alias = "position_first")]
    #[inline]
    fn par_position<P>(&self, predicate: P) -> Option<usize>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().position(self.as_ref(), predicate)
    }

    /// The first element that satisfies `predicate`. See [`Par::find_first`](crate::Par::find_first).
    #[inline]
    fn par_find_first<P>(&self, predicate: P) -> Option<&T>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().find_first(self.as_ref(), predicate)
    }

    /// Some element that satisfies `predicate`. See [`Par::find_any`](crate::Par::find_any).
    #[inline]
    fn par_find_any<P>(&self, predicate: P) -> Option<&T>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().find_any(self.as_ref(), predicate)
    }

    /// Whether some element satisfies `predicate`. See [`Par::any`](crate::Par::any).
    #[doc(alias = "any_of")]
    #[inline]
    fn par_any<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().any(self.as_ref(), predicate)
    }

    /// Whether every element satisfies `predicate`. See [`Par::all`](crate::Par::all).
    #[doc(alias = "all_of")]
    #[inline]
    fn par_all<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().all(self.as_ref(), predicate)
    }

    /// Whether no element satisfies `predicate`. See [`Par::none`](crate::Par::none).
    #[doc(alias = "none_of")]
    #[inline]
    fn par_none<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().none(self.as_ref(), predicate)
    }

    /// The index of the first element that does not satisfy `predicate`. See [`Par::position_not`](crate::Par::position_not).
    #[doc(alias = "find_if_not")]
    #[inline]
    fn par_position_not<P>(&self, predicate: P) -> Option<usize>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().position_not(self.as_ref(), predicate)
    }

    /// The index of the first element that is equal to one of `wanted`. See [`Par::find_first_of`](crate::Par::find_first_of).
    #[doc(alias = "find_first_of")]
    #[inline]
    fn par_find_first_of<U>(&self, wanted: &[U]) -> Option<usize>
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().find_first_of(self.as_ref(), wanted)
    }

    /// The index of the first element `x` such that `eq(x, w)` holds for some `w` in `wanted`. See [`Par::find_first_of_by`](crate::Par::find_first_of_by).
    #[inline]
    fn par_find_first_of_by<U, F>(&self, wanted: &[U], eq: F) -> Option<usize>
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        par().find_first_of_by(self.as_ref(), wanted, eq)
    }

    /// Whether all elements that satisfy `predicate` come before all that do not. See [`Par::is_partitioned`](crate::Par::is_partitioned).
    #[inline]
    fn par_is_partitioned<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().is_partitioned(self.as_ref(), predicate)
    }

    /// The index of the first element that is equal to the next one. See [`Par::adjacent_find`](crate::Par::adjacent_find).
    #[doc(alias = "adjacent_find")]
    #[inline]
    fn par_adjacent_find(&self) -> Option<usize>
    where
        T: PartialEq + Sync,
    {
        par().adjacent_find(self.as_ref())
    }

    /// The index of the first element `x` for which `fits(x, next)` holds. See [`Par::adjacent_find_by`](crate::Par::adjacent_find_by).
    #[inline]
    fn par_adjacent_find_by<F>(&self, fits: F) -> Option<usize>
    where
        T: Sync,
        F: Fn(&T, &T) -> bool + Sync,
    {
        par().adjacent_find_by(self.as_ref(), fits)
    }

    /// The first index at which `sequence` begins. See [`Par::search`](crate::Par::search).
    #[inline]
    fn par_search<U>(&self, sequence: &[U]) -> Option<usize>
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().search(self.as_ref(), sequence)
    }

    /// The first index at which `sequence` begins, where `eq` compares elements. See [`Par::search_by`](crate::Par::search_by).
    #[inline]
    fn par_search_by<U, F>(&self, sequence: &[U], eq: F) -> Option<usize>
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        par().search_by(self.as_ref(), sequence, eq)
    }

    /// The last index at which `sequence` begins. See [`Par::find_end`](crate::Par::find_end).
    #[doc(alias = "find_end")]
    #[inline]
    fn par_find_end<U>(&self, sequence: &[U]) -> Option<usize>
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().find_end(self.as_ref(), sequence)
    }

    /// The last index at which `sequence` begins, where `eq` compares elements. See [`Par::find_end_by`](crate::Par::find_end_by).
    #[inline]
    fn par_find_end_by<U, F>(&self, sequence: &[U], eq: F) -> Option<usize>
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        par().find_end_by(self.as_ref(), sequence, eq)
    }

    /// The first index at which `count` elements in a row equal `value`. See [`Par::search_n`](crate::Par::search_n).
    #[inline]
    fn par_search_n<U>(&self, count: usize, value: &U) -> Option<usize>
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().search_n(self.as_ref(), count, value)
    }

    /// The first index at which `eq(x, value)` holds for `count` elements in a row. See [`Par::search_n_by`](crate::Par::search_n_by).
    #[inline]
    fn par_search_n_by<U, F>(&self, count: usize, value: &U, eq: F) -> Option<usize>
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        par().search_n_by(self.as_ref(), count, value, eq)
    }
}

impl<T> ParSearch<T> for [T] {}
