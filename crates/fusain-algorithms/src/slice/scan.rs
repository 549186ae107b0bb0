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
    /// Returns all prefix sums, each including its own element.
    ///
    /// O(n) work: at most two calls of `op` for each element, or nearly three if the elements are floats. No memory but the result and a sum for each
    /// block: of 128 elements or more, or of fewer if elements take long or it is not known yet how long. `op` must be associative. The last digits of sums of floats depend
    /// on how the call groups them. See [`Par::inclusive_scan`](crate::Par::inclusive_scan).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 3].par_inclusive_scan(|a, b| a + b), [1, 3, 6]);
    /// assert_eq!([3, 1, 4].par_inclusive_scan(|a, b| *a.max(b)), [3, 3, 4]);
    /// ```
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

    /// Returns all prefix sums from `init` on, each excluding its own element.
    ///
    /// Otherwise like [`par_inclusive_scan`](Self::par_inclusive_scan). See [`Par::exclusive_scan`](crate::Par::exclusive_scan).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let lengths = [5, 3, 4];
    /// assert_eq!(lengths.par_exclusive_scan(0, |a, b| a + b), [0, 5, 8]); // where each one begins
    /// ```
    #[doc(alias = "prefix_sum")]
    #[inline]
    fn par_exclusive_scan<F>(&self, init: T, op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().exclusive_scan(self.as_ref(), init, op)
    }

    /// Replaces each element by the sum of all up to it.
    ///
    /// Otherwise like [`par_inclusive_scan`](Self::par_inclusive_scan). If `op` or a `drop` panics, some elements are replaced and some are not, but
    /// none is lost. See [`Par::inclusive_scan_in_place`](crate::Par::inclusive_scan_in_place).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3];
    /// v.par_inclusive_scan_in_place(|a, b| a + b);
    /// assert_eq!(v, [1, 3, 6]);
    /// ```
    #[inline]
    fn par_inclusive_scan_in_place<F>(&mut self, op: F)
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().inclusive_scan_in_place(self.as_mut(), op)
    }

    /// Replaces each element by the sum of `init` and all before it.
    ///
    /// Otherwise like [`par_exclusive_scan`](Self::par_exclusive_scan). If `op` or a `drop` panics, some elements are replaced and some are not, but
    /// none is lost. See [`Par::exclusive_scan_in_place`](crate::Par::exclusive_scan_in_place).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3];
    /// v.par_exclusive_scan_in_place(10, |a, b| a + b);
    /// assert_eq!(v, [10, 11, 13]);
    /// ```
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
