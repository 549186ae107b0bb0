//! Prefix sums as methods of slices.

use crate::policy::par;

/// Prefix sums, for any associative operation.
///
/// ```
/// use fusain_algorithms::prelude::*;
///
/// assert_eq!([1, 2, 3].par_inclusive_scan(|a, b| a + b), [1, 3, 6]);
/// ```
pub trait ParScan<T>: AsRef<[T]> + AsMut<[T]> {
    /// All sums from the first element to each, that one included. See [`Par::inclusive_scan`](crate::Par::inclusive_scan).
    #[inline]
    fn par_inclusive_scan<F>(&self, op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().inclusive_scan(self.as_ref(), op)
    }

    /// All sums from `init` and the first element to each, that one excluded. See [`Par::exclusive_scan`](crate::Par::exclusive_scan).
    #[inline]
    fn par_exclusive_scan<F>(&self, init: T, op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().exclusive_scan(self.as_ref(), init, op)
    }

    /// Replaces each element by the sum from the first to it. See [`Par::inclusive_scan_in_place`](crate::Par::inclusive_scan_in_place).
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
