//! Sorting as methods of slices.

use std::cmp::Ordering;

use crate::policy::par;

/// Sorts slices, with rayon's names.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// let mut v = vec![3, 1, 2];
/// v.par_sort();
/// assert_eq!(v, [1, 2, 3]);
/// ```
pub trait ParSort<T>: AsRef<[T]> + AsMut<[T]> {
    /// Sorts the slice, stable. See [`Par::sort`](crate::Par::sort). Floats are sorted by `v.par_sort_by(f64::total_cmp)`.
    #[doc(alias = "stable_sort")]
    #[inline]
    fn par_sort(&mut self)
    where
        T: Ord + Send,
    {
        par().sort(self.as_mut())
    }

    /// Sorts the slice by `compare`, stable. See [`Par::sort_by`](crate::Par::sort_by).
    #[inline]
    fn par_sort_by<F>(&mut self, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().sort_by(self.as_mut(), compare)
    }

    /// Sorts the slice by key, stable. See [`Par::sort_by_key`](crate::Par::sort_by_key).
    #[inline]
    fn par_sort_by_key<K, F>(&mut self, key: F)
    where
        T: Send,
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        par().sort_by_key(self.as_mut(), key)
    }

    /// Sorts the slice by key, stable, computing each key once. See [`Par::sort_by_cached_key`](crate::Par::sort_by_cached_key).
    #[inline]
    fn par_sort_by_cached_key<K, F>(&mut self, key: F)
    where
        T: Send + Sync,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        par().sort_by_cached_key(self.as_mut(), key)
    }

    /// Sorts the slice, unstable. See [`Par::sort_unstable`](crate::Par::sort_unstable).
    #[doc(alias = "sort")]
    #[inline]
    fn par_sort_unstable(&mut self)
    where
        T: Ord + Send,
    {
        par().sort_unstable(self.as_mut())
    }

    /// Sorts the slice by `compare`, unstable. See [`Par::sort_unstable_by`](crate::Par::sort_unstable_by).
    #[inline]
    fn par_sort_unstable_by<F>(&mut self, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().sort_unstable_by(self.as_mut(), compare)
    }

    /// Sorts the slice by key, unstable. See [`Par::sort_unstable_by_key`](crate::Par::sort_unstable_by_key).
    #[inline]
    fn par_sort_unstable_by_key<K, F>(&mut self, key: F)
    where
        T: Send,
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        par().sort_unstable_by_key(self.as_mut(), key)
    }
}

impl<T> ParSort<T> for [T] {}
