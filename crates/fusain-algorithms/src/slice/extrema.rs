//! Extrema as methods of slices.

use std::cmp::Ordering;

use crate::extrema::At;
use crate::policy::par;

/// The smallest and the largest element.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// assert_eq!([2, 1, 3].par_minmax(), Some(((1, &1), (2, &3))));
/// ```
pub trait ParExtrema<T>: AsRef<[T]> {
    /// The smallest element and its index: of several equal ones the first. See [`Par::min`](crate::Par::min).
    #[doc(alias = "min_element")]
    #[inline]
    fn par_min(&self) -> Option<At<'_, T>>
    where
        T: Ord + Sync,
    {
        par().min(self.as_ref())
    }

    /// The smallest element by `compare` and its index: of several equal ones the first. See [`Par::min_by`](crate::Par::min_by).
    #[inline]
    fn par_min_by<F>(&self, compare: F) -> Option<At<'_, T>>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().min_by(self.as_ref(), compare)
    }

    /// The element with the smallest key and its index: of several equal ones the first. See [`Par::min_by_key`](crate::Par::min_by_key).
    #[inline]
    fn par_min_by_key<K, F>(&self, key: F) -> Option<At<'_, T>>
    where
        T: Sync,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        par().min_by_key(self.as_ref(), key)
    }

    /// The largest element and its index: of several equal ones the first. See [`Par::max`](crate::Par::max).
    #[doc(alias = "max_element")]
    #[inline]
    fn par_max(&self) -> Option<At<'_, T>>
    where
        T: Ord + Sync,
    {
        par().max(self.as_ref())
    }

    /// The largest element by `compare` and its index: of several equal ones the first. See [`Par::max_by`](crate::Par::max_by).
    #[inline]
    fn par_max_by<F>(&self, compare: F) -> Option<At<'_, T>>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().max_by(self.as_ref(), compare)
    }

    /// The element with the largest key and its index: of several equal ones the first. See [`Par::max_by_key`](crate::Par::max_by_key).
    #[inline]
    fn par_max_by_key<K, F>(&self, key: F) -> Option<At<'_, T>>
    where
        T: Sync,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        par().max_by_key(self.as_ref(), key)
    }

    /// The first smallest and the last largest element, with their indices. See [`Par::minmax`](crate::Par::minmax).
    #[doc(alias = "minmax_element")]
    #[inline]
    fn par_minmax(&self) -> Option<(At<'_, T>, At<'_, T>)>
    where
        T: Ord + Sync,
    {
        par().minmax(self.as_ref())
    }

    /// The first smallest and the last largest element, by `compare`. See [`Par::minmax_by`](crate::Par::minmax_by).
    #[inline]
    fn par_minmax_by<F>(&self, compare: F) -> Option<(At<'_, T>, At<'_, T>)>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().minmax_by(self.as_ref(), compare)
    }

    /// The first smallest and the last largest element, by key. See [`Par::minmax_by_key`](crate::Par::minmax_by_key).
    #[inline]
    fn par_minmax_by_key<K, F>(&self, key: F) -> Option<(At<'_, T>, At<'_, T>)>
    where
        T: Sync,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        par().minmax_by_key(self.as_ref(), key)
    }
}

impl<T> ParExtrema<T> for [T] {}
