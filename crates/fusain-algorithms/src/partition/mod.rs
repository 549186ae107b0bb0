//! Partitioning in place: elements that satisfy a predicate move to the front.

mod blocks;
mod stable;
#[cfg(test)]
mod tests;

use blocks::Partition;
pub(crate) use blocks::{partition_alone, partition_on};
use stable::stable;

use crate::policy::{Par, Plan};

/// # Partitioning
///
/// Elements that satisfy a predicate move to the front.
impl Par<'_> {
    /// Moves the elements of `v` that satisfy `predicate` to the front, and returns how many there are.
    ///
    /// Neither part keeps its order; with [`stable_partition`](Par::stable_partition) both do. O(n) work, one call of `predicate` for each
    /// element, at most n swaps, extra memory for a few numbers for each worker. If `predicate` panics, `v` still holds every element once.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3, 4, 5];
    /// let even = fusain::par().partition(&mut v, |x| x % 2 == 0);
    /// assert_eq!(even, 2);
    /// assert!(v[..even].iter().all(|x| x % 2 == 0) && v[even..].iter().all(|x| x % 2 == 1));
    /// ```
    #[doc(alias = "partition_in_place")]
    #[inline]
    pub fn partition<T: Send, P: Fn(&T) -> bool + Sync>(&self, v: &mut [T], predicate: P) -> usize {
        match self.plan::<Partition<'_, T, P>>(v.len()) {
            Plan::Sequential(watch) => watch.time(|| partition_alone(v, predicate)),
            Plan::Parallel(team) => partition_on(&team, v, predicate),
        }
    }

    /// Moves the elements of `v` that satisfy `predicate` to the front, and returns how many there are. Both parts keep their order.
    ///
    /// O(n) work, one call of `predicate` for each element, memory for n elements and n bytes. All calls of `predicate` come before the
    /// first move, so a panic in it leaves `v` as it was.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3, 4, 5];
    /// assert_eq!(fusain::par().stable_partition(&mut v, |x| x % 2 == 0), 2);
    /// assert_eq!(v, [2, 4, 1, 3, 5]);
    /// ```
    #[inline]
    pub fn stable_partition<T: Send + Sync, P: Fn(&T) -> bool + Sync>(&self, v: &mut [T], predicate: P) -> usize {
        stable(self, v, predicate)
    }
}
