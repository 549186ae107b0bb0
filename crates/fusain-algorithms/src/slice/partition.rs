//! Partitioning as methods of slices.

use crate::policy::par;

/// Moves elements that satisfy a predicate to the front.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// let mut v = [3, 1, 4, 2];
/// assert_eq!(v.par_stable_partition(|x| *x > 2), 2);
/// assert_eq!(v, [3, 4, 1, 2]);
/// ```
pub trait ParPartition<T>: AsMut<[T]> {
    /// Moves the elements that satisfy `predicate` to the front, and returns how many there are; neither part keeps its order.
    ///
    /// O(n) work, one call of `predicate` for each element, at most n swaps, extra memory for a few numbers for each worker. See
    /// [`Par::partition`](crate::Par::partition).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5];
    /// let even = v.par_partition(|x| x % 2 == 0);
    /// assert_eq!(even, 2);
    /// assert!(v[..even].iter().all(|x| x % 2 == 0));
    /// ```
    #[doc(alias = "partition")]
    #[inline]
    fn par_partition<P>(&mut self, predicate: P) -> usize
    where
        T: Send,
        P: Fn(&T) -> bool + Sync,
    {
        par().partition(self.as_mut(), predicate)
    }

    /// Moves the elements that satisfy `predicate` to the front, and returns how many there are; both parts keep their order.
    ///
    /// O(n) work, one call of `predicate` for each element, memory for n elements and n bytes. A panic in `predicate` leaves the slice as it was. See
    /// [`Par::stable_partition`](crate::Par::stable_partition).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5];
    /// assert_eq!(v.par_stable_partition(|x| x % 2 == 0), 2);
    /// assert_eq!(v, [2, 4, 1, 3, 5]);
    /// ```
    #[doc(alias = "stable_partition")]
    #[inline]
    fn par_stable_partition<P>(&mut self, predicate: P) -> usize
    where
        T: Send + Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().stable_partition(self.as_mut(), predicate)
    }
}

impl<T> ParPartition<T> for [T] {}
