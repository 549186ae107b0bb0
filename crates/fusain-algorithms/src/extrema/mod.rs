//! The smallest and the largest element, with their places.

mod block;
mod search;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use crate::element::bit_order::{self, BitOrder};
use crate::element::primitive::{is_primitive, may_be_primitive};
use crate::policy::Par;
use search::{Extrema, extrema};

/// An index and a reference to the element there: the result of [`min`](Par::min), [`max`](Par::max) and the like.
pub type At<'v, T> = (usize, &'v T);

/// # Smallest and largest
///
/// They return the index and a reference to the element, as `Some((index, &element))`; `None` for an empty slice.
impl Par<'_> {
    /// Returns the smallest element with its index, as `Some((index, &element))`: of several equal ones the first. `None` for an empty slice.
    ///
    /// O(n) comparisons, no extra memory.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().min(&[3, 1, 2, 1]), Some((1, &1)));
    /// ```
    #[doc(alias = "min_element")]
    #[inline]
    pub fn min<'v, T: Ord + Sync>(&self, v: &'v [T]) -> Option<At<'v, T>> {
        by::<T, true, false>(self, v, bit_order::by_ord::<T>(), T::lt).map(|(min, _)| (min, &v[min]))
    }

    /// The smallest element by `compare`, with its index: of several equal ones the first.
    ///
    /// O(n) comparisons, no extra memory. Of numbers, `compare` is given copies, whose addresses say nothing about their places in `v`. If `compare` is not a total order, the result is an unspecified element. A panic in `compare`
    /// propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().min_by(&[0.5, -1.5], f64::total_cmp), Some((1, &-1.5)));
    /// ```
    #[doc(alias = "min_element")]
    #[inline]
    pub fn min_by<'v, T, F>(&self, v: &'v [T], compare: F) -> Option<At<'v, T>>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        by::<T, true, false>(self, v, bit_order::by_function::<T, _>(&compare), |a, b| compare(a, b).is_lt())
            .map(|(min, _)| (min, &v[min]))
    }

    /// The element with the smallest key, with its index: of several equal ones the first.
    ///
    /// Otherwise like [`min_by`](Par::min_by); keys may be computed more than once, and may borrow from the elements.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().min_by_key(&[-3, 1, 2], |x: &i32| x.abs()), Some((1, &1)));
    /// ```
    #[doc(alias = "min_element")]
    #[inline]
    pub fn min_by_key<'v, T, K, F>(&self, v: &'v [T], key: F) -> Option<At<'v, T>>
    where
        T: Sync,
        K: Ord + Send,
        F: Fn(&'v T) -> K + Sync,
    {
        by_key::<T, K, true, false>(self, v, key).map(|(min, _)| (min, &v[min]))
    }

    /// Returns the largest element with its index, as `Some((index, &element))`: of several equal ones the first, as in C++. `Iterator::max` finds
    /// the last.
    ///
    /// O(n) comparisons, no extra memory.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().max(&[1, 3, 2, 3]), Some((1, &3)));
    /// ```
    #[doc(alias = "max_element")]
    #[inline]
    pub fn max<'v, T: Ord + Sync>(&self, v: &'v [T]) -> Option<At<'v, T>> {
        by::<T, false, true>(self, v, bit_order::by_ord::<T>(), T::lt).map(|(_, max)| (max, &v[max]))
    }

    /// The largest element by `compare`, with its index: of several equal ones the first.
    ///
    /// Otherwise like [`min_by`](Par::min_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().max_by(&[0.5, -1.5], f64::total_cmp), Some((0, &0.5)));
    /// ```
    #[doc(alias = "max_element")]
    #[inline]
    pub fn max_by<'v, T, F>(&self, v: &'v [T], compare: F) -> Option<At<'v, T>>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        by::<T, false, true>(self, v, bit_order::by_function::<T, _>(&compare), |a, b| compare(a, b).is_lt())
            .map(|(_, max)| (max, &v[max]))
    }

    /// The element with the largest key, with its index: of several equal ones the first.
    ///
    /// Otherwise like [`min_by_key`](Par::min_by_key).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().max_by_key(&[-3, 1, 2], |x: &i32| x.abs()), Some((0, &-3)));
    /// ```
    #[doc(alias = "max_element")]
    #[inline]
    pub fn max_by_key<'v, T, K, F>(&self, v: &'v [T], key: F) -> Option<At<'v, T>>
    where
        T: Sync,
        K: Ord + Send,
        F: Fn(&'v T) -> K + Sync,
    {
        by_key::<T, K, false, true>(self, v, key).map(|(_, max)| (max, &v[max]))
    }

    /// The smallest and the largest element, with their indices: the first of several smallest, and the last of several largest, as in C++.
    /// `None` for an empty slice.
    ///
    /// O(n) comparisons, no extra memory.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().minmax(&[2, 1, 3, 1, 3]), Some(((1, &1), (4, &3))));
    /// ```
    #[doc(alias = "minmax_element")]
    #[inline]
    pub fn minmax<'v, T: Ord + Sync>(&self, v: &'v [T]) -> Option<(At<'v, T>, At<'v, T>)> {
        by::<T, true, true>(self, v, bit_order::by_ord::<T>(), T::lt).map(|(min, max)| ((min, &v[min]), (max, &v[max])))
    }

    /// The smallest and the largest element by `compare`, with their indices: the first of several smallest, the last of several largest.
    ///
    /// Otherwise like [`min_by`](Par::min_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let v = [0.5, -1.5];
    /// assert_eq!(fusain::par().minmax_by(&v, f64::total_cmp), Some(((1, &-1.5), (0, &0.5))));
    /// ```
    #[doc(alias = "minmax_element")]
    #[inline]
    pub fn minmax_by<'v, T, F>(&self, v: &'v [T], compare: F) -> Option<(At<'v, T>, At<'v, T>)>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        by::<T, true, true>(self, v, bit_order::by_function::<T, _>(&compare), |a, b| compare(a, b).is_lt())
            .map(|(min, max)| ((min, &v[min]), (max, &v[max])))
    }

    /// The elements with the smallest and the largest key, with their indices: the first of several smallest, the last of several largest.
    ///
    /// Otherwise like [`min_by_key`](Par::min_by_key).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let v: [i32; 3] = [-3, 1, 2];
    /// assert_eq!(fusain::par().minmax_by_key(&v, |x| x.abs()), Some(((1, &1), (0, &-3))));
    /// ```
    #[doc(alias = "minmax_element")]
    #[inline]
    pub fn minmax_by_key<'v, T, K, F>(&self, v: &'v [T], key: F) -> Option<(At<'v, T>, At<'v, T>)>
    where
        T: Sync,
        K: Ord + Send,
        F: Fn(&'v T) -> K + Sync,
    {
        by_key::<T, K, true, true>(self, v, key).map(|(min, max)| ((min, &v[min]), (max, &v[max])))
    }
}

/// Indices of the extrema by the order `less`. `bit_order` says whether that is known to be the order of the bits. An index that was not asked for is 0.
#[inline]
fn by<T: Sync, const MIN: bool, const MAX: bool>(
    policy: &Par<'_>,
    v: &[T],
    bit_order: Option<BitOrder>,
    less: impl Fn(&T, &T) -> bool + Sync,
) -> Option<(usize, usize)> {
    if const { may_be_primitive::<T>() } && is_primitive::<T>() {
        let less = |a: &Number<T>, b: &Number<T>| less(&a.0, &b.0);
        let search = Extrema::<_, _, _, _, MIN, MAX>::new(v, Number::read, less, true);
        // SAFETY: a `Number` is laid out as the element it was read from.
        extrema(policy, unsafe { search.by_bits(bit_order) })
    } else {
        extrema(policy, Extrema::<_, _, _, _, MIN, MAX>::new(v, |x| x, |a: &&T, b: &&T| less(a, b), false))
    }
}

/// Indices of the extrema by key. An index that was not asked for is 0.
#[inline]
fn by_key<'v, T: Sync, K: Ord + Send, const MIN: bool, const MAX: bool>(
    policy: &Par<'_>,
    v: &'v [T],
    key: impl Fn(&'v T) -> K + Sync,
) -> Option<(usize, usize)> {
    extrema(policy, Extrema::<_, _, _, _, MIN, MAX>::new(v, key, K::lt, is_primitive::<K>()))
}

/// A copy of an element that is a number.
///
/// Invariant: 1. `T` is primitive.
#[repr(transparent)]
struct Number<T>(T);

// SAFETY: a primitive type may be sent, by invariant 1.
unsafe impl<T> Send for Number<T> {}

impl<T> Number<T> {
    #[inline(always)]
    fn read(element: &T) -> Self {
        debug_assert!(is_primitive::<T>());
        // SAFETY: primitive types are `Copy`, and this is called for no other (invariant 1).
        Number(unsafe { std::ptr::read(element) })
    }
}
