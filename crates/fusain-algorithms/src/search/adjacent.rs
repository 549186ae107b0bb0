//! Neighbours: `adjacent_find`, `is_sorted`, `is_sorted_until`.
//!
//! Each is a search among the pairs of neighbours, of which there are n - 1. C++'s algorithms of the same names.

use std::marker::PhantomData;

use super::first_hit::first_pair_hit;
use crate::element::primitive::is_primitive;
use crate::policy::Par;

/// Types that name the call sites: each site has its own measured times.
struct Fit<T, F>(PhantomData<(T, F)>);
struct Descent<T, F>(PhantomData<(T, F)>);
struct AnyDescent<T, F>(PhantomData<(T, F)>);

/// The first `i` for which `hit(&v[i], &v[i + 1])` holds, or with `any` one such `i`.
#[inline]
fn neighbours<K: ?Sized, T: Sync>(
    policy: &Par<'_>,
    v: &[T],
    any: bool,
    hit: impl Fn(&T, &T) -> bool + Sync,
) -> Option<usize> {
    let (Some((_, after)), Some((_, before))) = (v.split_first(), v.split_last()) else { return None };
    first_pair_hit::<K, _, _>(policy, (before, after), any, is_primitive::<T>(), hit)
}

/// # Order of neighbours
///
/// Each element is compared with the next one.
impl Par<'_> {
    /// The index of the first element of `v` that is equal to the next one.
    ///
    /// O(n) comparisons at most, and stops soon after the first hit. A panic in a comparison propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().adjacent_find(&[1, 2, 2, 3, 3]), Some(1));
    /// ```
    #[inline]
    pub fn adjacent_find<T: PartialEq + Sync>(&self, v: &[T]) -> Option<usize> {
        self.adjacent_find_by(v, |a, b| a == b)
    }

    /// The index of the first element `x` of `v` for which `fits(x, next)` holds.
    ///
    /// Otherwise like [`adjacent_find`](Par::adjacent_find). `fits` may be called on pairs behind the hit.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().adjacent_find_by(&[1, 2, 4, 3], |a, b| a > b), Some(2));
    /// ```
    #[doc(alias = "adjacent_find")]
    #[inline]
    pub fn adjacent_find_by<T: Sync, F: Fn(&T, &T) -> bool + Sync>(&self, v: &[T], fits: F) -> Option<usize> {
        neighbours::<Fit<T, F>, _>(self, v, false, fits)
    }

    /// Whether the elements of `v` are in ascending order, as with [`slice::is_sorted`].
    ///
    /// O(n) comparisons at most, and stops soon after the first descent. A panic in a comparison propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().is_sorted(&[1, 2, 2]));
    /// assert!(!fusain::par().is_sorted(&[0.0, f64::NAN]));
    /// ```
    #[inline]
    pub fn is_sorted<T: PartialOrd + Sync>(&self, v: &[T]) -> bool {
        self.is_sorted_by(v, |a, b| a <= b)
    }

    /// Whether `in_order(x, next)` holds for each element `x` of `v` but the last.
    ///
    /// Otherwise like [`is_sorted`](Par::is_sorted).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().is_sorted_by(&[3, 2, 1], |a, b| a > b));
    /// ```
    #[doc(alias = "is_sorted")]
    #[inline]
    pub fn is_sorted_by<T: Sync, F: Fn(&T, &T) -> bool + Sync>(&self, v: &[T], in_order: F) -> bool {
        neighbours::<AnyDescent<T, F>, _>(self, v, true, |a, b| !in_order(a, b)).is_none()
    }

    /// Whether the keys of the elements of `v` are in ascending order.
    ///
    /// Otherwise like [`is_sorted`](Par::is_sorted). Each comparison computes two keys.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().is_sorted_by_key(&["a", "bc", "de"], |s| s.len()));
    /// ```
    #[doc(alias = "is_sorted")]
    #[inline]
    pub fn is_sorted_by_key<T: Sync, K: PartialOrd, F: Fn(&T) -> K + Sync>(&self, v: &[T], key: F) -> bool {
        neighbours::<(AnyDescent<T, F>, K), _>(self, v, true, |a, b| {
            let in_order = key(a) <= key(b);
            !in_order
        })
        .is_none()
    }

    /// The length of the longest part at the front of `v` that is in ascending order.
    ///
    /// O(n) comparisons at most, and stops soon after the first descent.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().is_sorted_until(&[1, 5, 9, 2, 6]), 3);
    /// ```
    #[inline]
    pub fn is_sorted_until<T: PartialOrd + Sync>(&self, v: &[T]) -> usize {
        self.is_sorted_until_by(v, |a, b| a <= b)
    }

    /// The length of the longest part at the front of `v` in which `in_order(x, next)` holds for each element `x` but the last.
    ///
    /// Otherwise like [`is_sorted_until`](Par::is_sorted_until).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().is_sorted_until_by(&[9, 5, 1, 2], |a, b| a >= b), 3);
    /// ```
    #[doc(alias = "is_sorted_until")]
    #[inline]
    pub fn is_sorted_until_by<T: Sync, F: Fn(&T, &T) -> bool + Sync>(&self, v: &[T], in_order: F) -> usize {
        neighbours::<Descent<T, F>, _>(self, v, false, |a, b| !in_order(a, b)).map_or(v.len(), |i| i + 1)
    }
}
