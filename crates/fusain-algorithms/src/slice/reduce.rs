//! Reducing and counting as methods of slices.

use std::iter::{Product, Sum};

use crate::policy::par;

/// Reduces many values to one.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// let v: Vec<u32> = (0..1000).collect();
/// assert_eq!(v.par_sum(), 499_500);
/// assert_eq!(v.par_reduce(0, |a, b| a.max(b)), 999);
/// assert_eq!(v.par_count_if(|x| x % 4 == 0), 250);
/// ```
pub trait ParReduce<T>: AsRef<[T]> {
    /// Combines `identity` and all elements by `op`, in order. See [`Par::reduce`](crate::Par::reduce).
    #[doc(alias = "accumulate")]
    #[doc(alias = "reduction")]
    #[inline]
    fn par_reduce<F>(&self, identity: T, op: F) -> T
    where
        T: Clone + Send + Sync,
        F: Fn(T, T) -> T + Sync,
    {
        par().reduce(self.as_ref(), identity, op)
    }

    /// Combines `identity` and `map(x)` of all elements by `op`, in order. See [`Par::map_reduce`](crate::Par::map_reduce).
    #[doc(alias = "sum")]
    #[doc(alias = "transform_reduce")]
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

    /// The sum of all elements. See [`Par::sum`](crate::Par::sum).
    #[doc(alias = "reduction")]
    #[inline]
    fn par_sum(&self) -> T
    where
        T: Copy + Send + Sync + Sum,
    {
        par().sum(self.as_ref())
    }

    /// The product of all elements. See [`Par::product`](crate::Par::product).
    #[doc(alias = "reduction")]
    #[inline]
    fn par_product(&self) -> T
    where
        T: Copy + Send + Sync + Product,
    {
        par().product(self.as_ref())
    }

    /// Counts the elements equal to `value`. See [`Par::count`](crate::Par::count).
    #[doc(alias = "count")]
    #[inline]
    fn par_count(&self, value: &T) -> usize
    where
        T: PartialEq + Sync,
    {
        par().count(self.as_ref(), value)
    }

    /// Counts the elements that satisfy `predicate`. See [`Par::count_if`](crate::Par::count_if).
    #[doc(alias = "count_if")]
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
