//! Reducing and counting as methods of slices.

use crate::policy::par;

/// One value out of many.
///
/// ```
/// use fusain_algorithms::prelude::*;
///
/// let v: Vec<u32> = (0..1000).collect();
/// assert_eq!(v.par_reduce(0, |a, b| a + b), 499_500);
/// assert_eq!(v.par_count_if(|x| x % 4 == 0), 250);
/// ```
pub trait ParReduce<T>: AsRef<[T]> {
    /// `identity` and all elements combined by `op`, from left to right. See [`Par::reduce`](crate::Par::reduce).
    #[inline]
    fn par_reduce<F>(&self, identity: T, op: F) -> T
    where
        T: Clone + Send + Sync,
        F: Fn(T, T) -> T + Sync,
    {
        par().reduce(self.as_ref(), identity, op)
    }

    /// `identity` and `map` of all elements combined by `op`, from left to right. See [`Par::map_reduce`](crate::Par::map_reduce).
    #[inline]
    fn par_map_reduce<U, M, F>(&self, identity: U, map: M, op: F) -> U
    where
        T: Sync,
        U: Send,
        M: Fn(&T) -> U + Sync,
        F: Fn(U, U) -> U + Sync,
    {
        par().map_reduce(self.as_ref(), identity, map, op)
    }

    /// How many elements are equal to `value`. See [`Par::count`](crate::Par::count).
    #[inline]
    fn par_count(&self, value: &T) -> usize
    where
        T: PartialEq + Sync,
    {
        par().count(self.as_ref(), value)
    }

    /// How many elements satisfy `predicate`. See [`Par::count_if`](crate::Par::count_if).
    #[inline]
    fn par_count_if<P>(&self, predicate: P) -> usize
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().count_if(self.as_ref(), predicate)
    }
}

impl<T> ParReduce<T> for [T] {}
