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
    /// Combines `identity` and all elements by `op`, in order.
    ///
    /// O(n) work, span O(log n), one clone of each element ([`map_reduce`](crate::Par::map_reduce) makes none), extra memory for one result for each part. `op` must be associative;
    /// `identity` is used exactly once. Sums of floats
    /// may differ from run to run; [`deterministic`](crate::Par::deterministic) prevents that. See [`Par::reduce`](crate::Par::reduce).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let words = ["par", "al", "lel"].map(String::from);
    /// assert_eq!(words.par_reduce(String::new(), |a, b| a + &b), "parallel");
    /// ```
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

    /// Combines `identity` and `map(x)` of all elements by `op`, in order.
    ///
    /// Otherwise like [`par_reduce`](Self::par_reduce). See [`Par::map_reduce`](crate::Par::map_reduce).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let words = ["par", "al", "lel"];
    /// assert_eq!(words.par_map_reduce(0, |w| w.len(), |a, b| a + b), 8);
    /// ```
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

    /// The sum of all elements.
    ///
    /// O(n) work, extra memory for one result for each part. Sums of floats differ from run to run in their last bits;
    /// [`deterministic`](crate::Par::deterministic) prevents that. The sum of no elements is that of [`Iterator::sum`]: 0, or for floats -0.0. See
    /// [`Par::sum`](crate::Par::sum).
    ///
    /// # Panics
    ///
    /// As [`Iterator::sum`] does: if integers overflow, with overflow checks. Here the sum of some elements may overflow although the sum of all does not.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([0.5, 1.0, 2.0].par_sum(), 3.5);
    /// ```
    #[doc(alias = "reduction")]
    #[inline]
    fn par_sum(&self) -> T
    where
        T: Copy + Send + Sync + Sum,
    {
        par().sum(self.as_ref())
    }

    /// The product of all elements.
    ///
    /// Costs and panics are those of [`par_sum`](Self::par_sum). The product of no elements is 1. See [`Par::product`](crate::Par::product).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([2, 3, 7].par_product(), 42);
    /// ```
    #[doc(alias = "reduction")]
    #[inline]
    fn par_product(&self) -> T
    where
        T: Copy + Send + Sync + Product,
    {
        par().product(self.as_ref())
    }

    /// Counts the elements equal to `value`.
    ///
    /// O(n) work, no extra memory. See [`Par::count`](crate::Par::count).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!(b"parallel".par_count(&b'l'), 3);
    /// ```
    #[doc(alias = "count")]
    #[inline]
    fn par_count(&self, value: &T) -> usize
    where
        T: PartialEq + Sync,
    {
        par().count(self.as_ref(), value)
    }

    /// Counts the elements that satisfy `predicate`.
    ///
    /// O(n) work, no extra memory. A panic in `predicate` propagates. See [`Par::count_if`](crate::Par::count_if).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 3].par_count_if(|x| x % 2 == 1), 2);
    /// ```
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
