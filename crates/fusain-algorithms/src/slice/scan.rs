//! Prefix sums as methods of slices.

use crate::policy::par;

/// Prefix sums, for any associative operation.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// assert_eq!([1, 2, 3].par_inclusive_scan(|a, b| a + b), [1, 3, 6]);
/// ```
pub trait ParScan<T>: AsRef<[T]> + AsMut<[T]> {
    /// Returns all prefix sums, each including its own element. See [`Par::inclusive_scan`](crate::Par::inclusive_scan).
    #[doc(alias = "prefix_sum")]
    #[doc(alias = "cumsum")]
    #[doc(alias = "partial_sum")]
    #[inline]
    fn par_inclusive_scan<F>(&self, op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().inclusive_scan(self.as_ref(), op)
    }

    /// Returns all prefix sums from `init` on, each excluding its own element. See [`Par::exclusive_scan`](crate::Par::exclusive_scan).
    #[doc(alias = "prefix_sum")]
    #[inline]
    fn par_exclusive_scan<F>(&self, init: T, op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().exclusive_scan(self.as_ref(), init, op)
    }

    /// Replaces each element by the sum of all up to it. See [`Par::inclusive_scan_in_place`](crate::Par::inclusive_scan_in_place).
    #[inline]
    fn par_inclusive_scan_in_place<F>(&mut self, op: F)
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().inclusive_scan_in_place(self.as_mut(), op)
    }

    /// Replaces each element by the sum of `init` and all before it. See [`Par::exclusive_scan_in_place`](crate::Par::exclusive_scan_in_place).
    #[inline]
    fn par_exclusive_scan_in_place<F>(&mut self, init: T, op: F)
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().exclusive_scan_in_place(self.as_mut(), init, op)
    }
}

impl<T> ParScan<T> for [T] {}
