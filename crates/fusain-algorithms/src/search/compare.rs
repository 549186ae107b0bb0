//! Two slices side by side: `mismatch`, `eq`, `cmp`, `starts_with`, `ends_with`.
//!
//! Each is a search for the first place where the slices differ. C++'s `std::mismatch`, `std::equal`,
//! `std::lexicographical_compare`, `std::ranges::starts_with` and `ends_with`.

use std::cmp::Ordering;
use std::marker::PhantomData;

use super::first_hit::first_pair_hit;
use crate::element::primitive::is_primitive;
use crate::policy::Par;

/// Types that name the call sites: each site has its own measured times.
struct First<T, U, F>(PhantomData<(T, U, F)>);
struct Any<T, U, F>(PhantomData<(T, U, F)>);
struct Order<T, U, F>(PhantomData<(T, U, F)>);

/// The first `i` below both lengths for which `differ(&a[i], &b[i])` holds, or with `any` one such `i`.
#[inline]
fn difference<K: ?Sized, T: Sync, U: Sync>(
    policy: &Par<'_>,
    (a, b): (&[T], &[U]),
    any: bool,
    differ: impl Fn(&T, &U) -> bool + Sync,
) -> Option<usize> {
    let len = a.len().min(b.len());
    let numbers = is_primitive::<T>() && is_primitive::<U>();
    first_pair_hit::<K, _, _>(policy, (&a[..len], &b[..len]), any, numbers, differ)
}

/// # Comparing two slices
impl Par<'_> {
    /// The first index at which `a` and `b` differ, or `None` if one slice begins with the other.
    ///
    /// O(n) comparisons at most, and stops soon after the first difference. Elements behind it may be compared. A panic in a comparison
    /// propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().mismatch(&[1, 2, 3], &[1, 2, 4, 5]), Some(2));
    /// assert_eq!(fusain::par().mismatch(&[1, 2], &[1, 2, 4]), None);
    /// ```
    #[inline]
    pub fn mismatch<T: PartialEq<U> + Sync, U: Sync>(&self, a: &[T], b: &[U]) -> Option<usize> {
        self.mismatch_by(a, b, |x, y| x == y)
    }

    /// The first index `i` at which `eq(&a[i], &b[i])` does not hold, or `None` if there is none within both slices.
    ///
    /// Otherwise like [`mismatch`](Par::mismatch).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().mismatch_by(&[1, 2, 3], &[2, 4, 7], |a, b| 2 * a == *b), Some(2));
    /// ```
    #[doc(alias = "mismatch")]
    #[inline]
    pub fn mismatch_by<T: Sync, U: Sync, F>(&self, a: &[T], b: &[U], eq: F) -> Option<usize>
    where
        F: Fn(&T, &U) -> bool + Sync,
    {
        difference::<First<T, U, F>, _, _>(self, (a, b), false, |x, y| !eq(x, y))
    }

    /// Whether `a` and `b` are of the same length and equal element by element.
    ///
    /// O(n) comparisons at most, and stops soon after a difference. A panic in a comparison propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().eq(&[1, 2], &[1, 2]));
    /// assert!(!fusain::par().eq(&[1, 2], &[1, 2, 3]));
    /// ```
    #[doc(alias = "equal")]
    #[inline]
    pub fn eq<T: PartialEq<U> + Sync, U: Sync>(&self, a: &[T], b: &[U]) -> bool {
        self.eq_by(a, b, |x, y| x == y)
    }

    /// Whether `a` and `b` are of the same length and `eq` holds element by element.
    ///
    /// Otherwise like [`eq`](Par::eq).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().eq_by(&["a", "bc"], &[1, 2], |a, b| a.len() == *b));
    /// ```
    #[doc(alias = "equal")]
    #[inline]
    pub fn eq_by<T: Sync, U: Sync, F: Fn(&T, &U) -> bool + Sync>(&self, a: &[T], b: &[U], eq: F) -> bool {
        a.len() == b.len() && difference::<Any<T, U, F>, _, _>(self, (a, b), true, |x, y| !eq(x, y)).is_none()
    }

    /// The lexicographical order of `a` and `b`, as for slices in std: the order of the first elements that differ, or else of the lengths.
    ///
    /// O(n) comparisons at most, and stops soon after the first difference. A panic in a comparison propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::cmp::Ordering;
    ///
    /// assert_eq!(fusain::par().cmp(&[1, 2, 9], &[1, 3]), Ordering::Less);
    /// assert_eq!(fusain::par().cmp(&[1, 2], &[1]), Ordering::Greater);
    /// ```
    #[doc(alias = "lexicographical_compare")]
    #[inline]
    pub fn cmp<T: Ord + Sync>(&self, a: &[T], b: &[T]) -> Ordering {
        self.cmp_by(a, b, T::cmp)
    }

    /// The lexicographical order of `a` and `b` by `compare`.
    ///
    /// Otherwise like [`cmp`](Par::cmp).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::cmp::Ordering;
    ///
    /// assert_eq!(fusain::par().cmp_by(&[0.5, 1.0], &[0.5, -1.0], f64::total_cmp), Ordering::Greater);
    /// ```
    #[doc(alias = "lexicographical_compare")]
    #[inline]
    pub fn cmp_by<T: Sync, U: Sync, F: Fn(&T, &U) -> Ordering + Sync>(&self, a: &[T], b: &[U], compare: F) -> Ordering {
        match difference::<Order<T, U, F>, _, _>(self, (a, b), false, |x, y| compare(x, y).is_ne()) {
            Some(i) => compare(&a[i], &b[i]),
            None => a.len().cmp(&b.len()),
        }
    }

    /// The lexicographical order of `a` and `b` for elements with a partial order; `None` if the first elements that differ cannot be
    /// compared.
    ///
    /// Otherwise like [`cmp`](Par::cmp).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::cmp::Ordering;
    ///
    /// assert_eq!(fusain::par().partial_cmp(&[1.0, 2.0], &[1.0, 3.0]), Some(Ordering::Less));
    /// assert_eq!(fusain::par().partial_cmp(&[f64::NAN], &[1.0]), None);
    /// ```
    #[doc(alias = "lexicographical_compare")]
    #[inline]
    pub fn partial_cmp<T: PartialOrd + Sync>(&self, a: &[T], b: &[T]) -> Option<Ordering> {
        let differ = |x: &T, y: &T| x.partial_cmp(y) != Some(Ordering::Equal);
        match difference::<Order<T, T, T>, _, _>(self, (a, b), false, differ) {
            Some(i) => a[i].partial_cmp(&b[i]),
            None => Some(a.len().cmp(&b.len())),
        }
    }

    /// Whether `v` begins with the elements of `prefix`.
    ///
    /// Costs as much as [`eq`](Par::eq) of as many elements.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().starts_with(&[1, 2, 3], &[1, 2]));
    /// ```
    #[inline]
    pub fn starts_with<T: PartialEq<U> + Sync, U: Sync>(&self, v: &[T], prefix: &[U]) -> bool {
        v.get(..prefix.len()).is_some_and(|head| self.eq(head, prefix))
    }

    /// Whether `v` ends with the elements of `suffix`.
    ///
    /// Costs as much as [`eq`](Par::eq) of as many elements.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().ends_with(&[1, 2, 3], &[2, 3]));
    /// ```
    #[inline]
    pub fn ends_with<T: PartialEq<U> + Sync, U: Sync>(&self, v: &[T], suffix: &[U]) -> bool {
        v.len() >= suffix.len() && self.eq(&v[v.len() - suffix.len()..], suffix)
    }
}
