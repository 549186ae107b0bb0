//! `position`, `find_any`, `any` and the like: the first element that satisfies a predicate, any such element, whether there is one.
//!
//! C++'s `std::find`, `std::find_if`, `std::find_if_not`, `std::find_first_of`, `std::any_of`, `std::all_of`,
//! `std::none_of`, `std::is_partitioned`. How they search is in `first_hit.rs`.

use std::marker::PhantomData;

use super::first_hit::first_pair_hit;
use crate::element::primitive::is_primitive;
use crate::policy::Par;

/// Types that name the call sites: each site has its own measured times.
struct First<T, P>(PhantomData<(T, P)>);
struct FirstNot<T, P>(PhantomData<(T, P)>);
struct Any<T, P>(PhantomData<(T, P)>);
struct AnyNot<T, P>(PhantomData<(T, P)>);

/// The index of the first element that satisfies `predicate`, or with `any` of one such element.
#[inline]
fn find<K: ?Sized, T: Sync>(
    policy: &Par<'_>,
    v: &[T],
    any: bool,
    predicate: impl Fn(&T) -> bool + Sync,
) -> Option<usize> {
    first_pair_hit::<K, _, _>(policy, (v, v), any, is_primitive::<T>(), |x, _| predicate(x))
}

/// # Searching
///
/// All of them stop soon after the answer is known.
impl Par<'_> {
    /// The index of the first element of `v` that satisfies `predicate`.
    ///
    /// O(n) work at most, and stops soon after the first hit. `predicate` may also be called on elements behind the hit. A panic there
    /// propagates, although a sequential search would not have met it.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().position(&[3, 1, 4, 1], |x| *x == 1), Some(1));
    /// ```
    #[doc(alias = "position_first")]
    #[doc(alias = "find")]
    #[doc(alias = "find_if")]
    #[inline]
    pub fn position<T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> Option<usize> {
        find::<First<T, P>, _>(self, v, false, predicate)
    }

    /// The index of the first element of `v` that does not satisfy `predicate`.
    ///
    /// Otherwise like [`position`](Par::position).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().position_not(&[1, 3, 4, 5], |x| x % 2 == 1), Some(2));
    /// ```
    #[doc(alias = "find_if_not")]
    #[inline]
    pub fn position_not<T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> Option<usize> {
        find::<FirstNot<T, P>, _>(self, v, false, |x| !predicate(x))
    }

    /// The first element of `v` that satisfies `predicate`.
    ///
    /// Otherwise like [`position`](Par::position).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().find_first(&[3, 1, 4], |x| *x > 2), Some(&3));
    /// ```
    #[doc(alias = "find_if")]
    #[inline]
    pub fn find_first<'v, T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &'v [T], predicate: P) -> Option<&'v T> {
        self.position(v, predicate).map(|i| &v[i])
    }

    /// Returns an element of `v` that satisfies `predicate`. If there are several, which one may differ from call to call.
    ///
    /// O(n) work at most, and stops soon after any hit.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().find_any(&[3, 1, 4], |x| *x > 3), Some(&4));
    /// ```
    #[inline]
    pub fn find_any<'v, T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &'v [T], predicate: P) -> Option<&'v T> {
        find::<Any<T, P>, _>(self, v, true, predicate).map(|i| &v[i])
    }

    /// The index of the first element of `v` that is equal to one of `wanted`.
    ///
    /// O(n m) comparisons at most, for n elements and m wanted ones, and stops soon after the first hit. With many wanted ones, a set and
    /// [`position`](Par::position) are faster.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().find_first_of(b"parallel", b"aeiou"), Some(1));
    /// ```
    #[inline]
    pub fn find_first_of<T: PartialEq<U> + Sync, U: Sync>(&self, v: &[T], wanted: &[U]) -> Option<usize> {
        self.find_first_of_by(v, wanted, |x, y| x == y)
    }

    /// The index of the first element `x` of `v` such that `eq(x, w)` holds for some `w` in `wanted`.
    ///
    /// Otherwise like [`find_first_of`](Par::find_first_of).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let near = |x: &f64, y: &f64| (x - y).abs() < 0.1;
    /// assert_eq!(fusain::par().find_first_of_by(&[0.5, 0.9, 2.0], &[1.0, 2.0], near), Some(1));
    /// ```
    #[doc(alias = "find_first_of")]
    #[inline]
    pub fn find_first_of_by<T, U, F>(&self, v: &[T], wanted: &[U], eq: F) -> Option<usize>
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        find::<(First<T, F>, U), _>(self, v, false, |x| wanted.iter().any(|y| eq(x, y)))
    }

    /// Whether some element of `v` satisfies `predicate`.
    ///
    /// O(n) work at most, and stops soon after the first hit.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().any(&[1, 2, 3], |x| *x == 2));
    /// ```
    #[doc(alias = "any_of")]
    #[inline]
    pub fn any<T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> bool {
        find::<Any<T, P>, _>(self, v, true, predicate).is_some()
    }

    /// Whether every element of `v` satisfies `predicate`.
    ///
    /// O(n) work at most, and stops soon after the first miss.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().all(&[1, 2, 3], |x| *x > 0));
    /// ```
    #[doc(alias = "all_of")]
    #[inline]
    pub fn all<T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> bool {
        find::<AnyNot<T, P>, _>(self, v, true, |x| !predicate(x)).is_none()
    }

    /// Whether no element of `v` satisfies `predicate`.
    ///
    /// O(n) work at most, and stops soon after the first hit.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().none(&[1, 2, 3], |x| *x > 3));
    /// ```
    #[doc(alias = "none_of")]
    #[inline]
    pub fn none<T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> bool {
        find::<Any<T, P>, _>(self, v, true, predicate).is_none()
    }

    /// Whether all elements of `v` that satisfy `predicate` come before all that do not.
    ///
    /// O(n) work at most, and stops soon after the first element that is out of place. For a partitioned slice, std's `partition_point`
    /// finds in O(log n) where the second part begins.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let is_odd = |x: &i32| x % 2 == 1;
    /// assert!(fusain::par().is_partitioned(&[1, 3, 2, 4], is_odd));
    /// assert!(!fusain::par().is_partitioned(&[1, 2, 3], is_odd));
    /// ```
    #[inline]
    pub fn is_partitioned<T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> bool {
        match self.position_not(v, &predicate) {
            Some(others) => self.none(&v[others + 1..], &predicate),
            None => true,
        }
    }
}
