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
    /// Moves the elements that satisfy `predicate` to the front. See [`Par::partition`](crate::Par::partition).
    #[doc(alias = "partition")]
    #[inline]
    fn par_partition<P>(&mut self, predicate: P) -> usize
    where
        T: Send,
        P: Fn(&T) -> bool + Sync,
    {
        par().partition(self.as_mut(), predicate)
    }

    /// Moves the elements that satisfy `predicate` to the front; both parts keep their order. See
    /// [`Par::stable_partition`](crate::Par::stable_partition).
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
