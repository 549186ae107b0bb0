//! `is_heap`, `is_heap_until`: whether no element is greater than its parent in the binary tree that a slice represents.
//!
//! Element `i` has the children `2i + 1` and `2i + 2`, so the children of consecutive parents are consecutive pairs: a
//! search among parents beside pairs. C++'s algorithms of the same names, and `std::collections::BinaryHeap`'s order.

use std::cmp::Ordering;
use std::marker::PhantomData;

use super::first_hit::first_pair_hit;
use crate::element::primitive::is_primitive;
use crate::policy::Par;

/// Types that name the call sites: each site has its own measured times.
struct First<T, F>(PhantomData<(T, F)>);
struct Any<T, F>(PhantomData<(T, F)>);

/// The index of the first element that is greater than its parent, or with `any` of one such element.
#[inline]
fn too_great<K: ?Sized, T: Sync>(
    policy: &Par<'_>,
    v: &[T],
    any: bool,
    less: impl Fn(&T, &T) -> bool + Sync,
) -> Option<usize> {
    let (_, children) = v.split_first()?;
    let (pairs, lone) = children.as_chunks::<2>();
    let parents = &v[..pairs.len()];
    // Both children are always looked at, so that the loop vectorises.
    let is_less = |parent: &T, pair: &[T; 2]| less(parent, &pair[0]) | less(parent, &pair[1]);
    match first_pair_hit::<K, _, _>(policy, (parents, pairs), any, is_primitive::<T>(), is_less) {
        Some(i) => Some(if less(&v[i], &v[2 * i + 1]) { 2 * i + 1 } else { 2 * i + 2 }),
        None => lone.first().filter(|child| less(&v[pairs.len()], child)).map(|_| v.len() - 1),
    }
}

/// # Checking a heap
impl Par<'_> {
    /// Whether `v` is a binary heap, as [`make_heap`](Par::make_heap) makes it: no element is greater than its parent.
    ///
    /// O(n) comparisons at most, and stops soon after an element that is too great. A panic in a comparison propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().is_heap(&[9, 5, 8, 1, 5]));
    /// assert!(!fusain::par().is_heap(&[9, 5, 8, 6]));
    /// ```
    #[inline]
    pub fn is_heap<T: PartialOrd + Sync>(&self, v: &[T]) -> bool {
        too_great::<Any<T, T>, _>(self, v, true, T::lt).is_none()
    }

    /// Whether `v` is a heap by `compare`.
    ///
    /// Otherwise like [`is_heap`](Par::is_heap).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().is_heap_by(&[1, 2, 3], |a, b| b.cmp(a)));
    /// ```
    #[doc(alias = "is_heap")]
    #[inline]
    pub fn is_heap_by<T: Sync, F: Fn(&T, &T) -> Ordering + Sync>(&self, v: &[T], compare: F) -> bool {
        too_great::<Any<T, F>, _>(self, v, true, |a, b| compare(a, b).is_lt()).is_none()
    }

    /// The length of the longest part at the front of `v` that is a heap.
    ///
    /// O(n) comparisons at most, and stops soon after the first element that is too great.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().is_heap_until(&[9, 5, 8, 6, 7]), 3);
    /// ```
    #[inline]
    pub fn is_heap_until<T: PartialOrd + Sync>(&self, v: &[T]) -> usize {
        too_great::<First<T, T>, _>(self, v, false, T::lt).unwrap_or(v.len())
    }

    /// The length of the longest part at the front of `v` that is a heap by `compare`.
    ///
    /// Otherwise like [`is_heap_until`](Par::is_heap_until).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().is_heap_until_by(&[1, 2, 0], |a, b| b.cmp(a)), 2);
    /// ```
    #[doc(alias = "is_heap_until")]
    #[inline]
    pub fn is_heap_until_by<T: Sync, F: Fn(&T, &T) -> Ordering + Sync>(&self, v: &[T], compare: F) -> usize {
        too_great::<First<T, F>, _>(self, v, false, |a, b| compare(a, b).is_lt()).unwrap_or(v.len())
    }
}
