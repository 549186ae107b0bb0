//! Searching and checking as methods of slices.

use crate::policy::par;

/// Searches for elements and sequences, and checks a predicate on all elements.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// assert_eq!([3, 1, 4].par_position(|x| *x > 3), Some(2));
/// assert!([3, 1, 4].par_all(|x| *x > 0));
/// ```
pub trait ParSearch<T>: AsRef<[T]> {
    /// The index of the first element that satisfies `predicate`.
    ///
    /// O(n) work at most, and stops soon after the first hit. `predicate` may also be called on elements behind the hit. A panic there propagates.
    /// See [`Par::position`](crate::Par::position).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([3, 1, 4, 1].par_position(|x| *x == 1), Some(1));
    /// assert_eq!([3, 1, 4, 1].par_position(|x| *x == 5), None);
    /// ```
    #[doc(alias = "find")]
    #[doc(alias = "find_if")]
    #[doc(alias = "position_first")]
    #[inline]
    fn par_position<P>(&self, predicate: P) -> Option<usize>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().position(self.as_ref(), predicate)
    }

    /// The first element that satisfies `predicate`.
    ///
    /// Otherwise like [`par_position`](Self::par_position). See [`Par::find_first`](crate::Par::find_first).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 3, 4].par_find_first(|x| *x > 2), Some(&3));
    /// ```
    #[inline]
    fn par_find_first<P>(&self, predicate: P) -> Option<&T>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().find_first(self.as_ref(), predicate)
    }

    /// Some element that satisfies `predicate`.
    ///
    /// O(n) work at most, and stops soon after any hit. If several elements satisfy it, which one may differ from call to call. See
    /// [`Par::find_any`](crate::Par::find_any).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let even = [1, 2, 3, 4].par_find_any(|x| x % 2 == 0);
    /// assert!(even == Some(&2) || even == Some(&4));
    /// ```
    #[inline]
    fn par_find_any<P>(&self, predicate: P) -> Option<&T>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().find_any(self.as_ref(), predicate)
    }

    /// Whether some element satisfies `predicate`.
    ///
    /// O(n) work at most, and stops soon after the first hit. See [`Par::any`](crate::Par::any).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([1, 2, 3].par_any(|x| *x == 2));
    /// ```
    #[doc(alias = "any_of")]
    #[inline]
    fn par_any<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().any(self.as_ref(), predicate)
    }

    /// Whether every element satisfies `predicate`.
    ///
    /// O(n) work at most, and stops soon after the first miss. See [`Par::all`](crate::Par::all).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([1, 2, 3].par_all(|x| *x > 0));
    /// ```
    #[doc(alias = "all_of")]
    #[inline]
    fn par_all<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().all(self.as_ref(), predicate)
    }

    /// Whether no element satisfies `predicate`.
    ///
    /// O(n) work at most, and stops soon after the first hit. See [`Par::none`](crate::Par::none).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([1, 2, 3].par_none(|x| *x > 3));
    /// ```
    #[doc(alias = "none_of")]
    #[inline]
    fn par_none<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().none(self.as_ref(), predicate)
    }

    /// The index of the first element that does not satisfy `predicate`.
    ///
    /// Otherwise like [`par_position`](Self::par_position). See [`Par::position_not`](crate::Par::position_not).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 3, 4, 5].par_position_not(|x| x % 2 == 1), Some(2));
    /// ```
    #[doc(alias = "find_if_not")]
    #[inline]
    fn par_position_not<P>(&self, predicate: P) -> Option<usize>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().position_not(self.as_ref(), predicate)
    }

    /// The index of the first element that is equal to one of `wanted`.
    ///
    /// O(n m) comparisons at most, for n elements and m wanted ones, and stops soon after the first hit. With many wanted ones, a set and
    /// [`par_position`](Self::par_position) are faster. See [`Par::find_first_of`](crate::Par::find_first_of).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!(b"parallel".par_find_first_of(b"aeiou"), Some(1));
    /// ```
    #[doc(alias = "find_first_of")]
    #[inline]
    fn par_find_first_of<U>(&self, wanted: &[U]) -> Option<usize>
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().find_first_of(self.as_ref(), wanted)
    }

    /// The index of the first element `x` such that `eq(x, w)` holds for some `w` in `wanted`.
    ///
    /// Otherwise like [`par_find_first_of`](Self::par_find_first_of). See [`Par::find_first_of_by`](crate::Par::find_first_of_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let near = |x: &f64, w: &f64| (x - w).abs() < 0.1;
    /// assert_eq!([0.5, 1.95, 1.0].par_find_first_of_by(&[1.0, 2.0], near), Some(1));
    /// ```
    #[inline]
    fn par_find_first_of_by<U, F>(&self, wanted: &[U], eq: F) -> Option<usize>
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        par().find_first_of_by(self.as_ref(), wanted, eq)
    }

    /// Whether all elements that satisfy `predicate` come before all that do not.
    ///
    /// O(n) work at most, and stops soon after the first element that is out of place. See [`Par::is_partitioned`](crate::Par::is_partitioned).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert!([1, 3, 2, 4].par_is_partitioned(|x| x % 2 == 1));
    /// assert!(![1, 2, 3].par_is_partitioned(|x| x % 2 == 1));
    /// ```
    #[inline]
    fn par_is_partitioned<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().is_partitioned(self.as_ref(), predicate)
    }

    /// The index of the first element that is equal to the next one.
    ///
    /// O(n) comparisons at most, and stops soon after the first hit. A panic in a comparison propagates. See
    /// [`Par::adjacent_find`](crate::Par::adjacent_find).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 2, 3, 3].par_adjacent_find(), Some(1));
    /// ```
    #[doc(alias = "adjacent_find")]
    #[inline]
    fn par_adjacent_find(&self) -> Option<usize>
    where
        T: PartialEq + Sync,
    {
        par().adjacent_find(self.as_ref())
    }

    /// The index of the first element `x` for which `fits(x, next)` holds.
    ///
    /// Otherwise like [`par_adjacent_find`](Self::par_adjacent_find). `fits` may be called on pairs behind the hit. See
    /// [`Par::adjacent_find_by`](crate::Par::adjacent_find_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 4, 3].par_adjacent_find_by(|x, next| x > next), Some(2));
    /// ```
    #[inline]
    fn par_adjacent_find_by<F>(&self, fits: F) -> Option<usize>
    where
        T: Sync,
        F: Fn(&T, &T) -> bool + Sync,
    {
        par().adjacent_find_by(self.as_ref(), fits)
    }

    /// The first index at which `sequence` begins; 0 if `sequence` is empty.
    ///
    /// O(n m) comparisons at worst, for m elements among n; O(n) if the beginning of `sequence` is rare in the slice. Stops soon after the first hit.
    /// Elements behind it may be compared. A panic in a comparison propagates. See [`Par::search`](crate::Par::search).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!(b"parallel pastel".par_search(b"el"), Some(6));
    /// assert_eq!(b"parallel pastel".par_search(b"lap"), None);
    /// ```
    #[inline]
    fn par_search<U>(&self, sequence: &[U]) -> Option<usize>
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().search(self.as_ref(), sequence)
    }

    /// The first index at which `sequence` begins, where `eq` compares elements.
    ///
    /// Otherwise like [`par_search`](Self::par_search). See [`Par::search_by`](crate::Par::search_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!(b"Fusain".par_search_by(b"USA", |x, y| x.eq_ignore_ascii_case(y)), Some(1));
    /// ```
    #[inline]
    fn par_search_by<U, F>(&self, sequence: &[U], eq: F) -> Option<usize>
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        par().search_by(self.as_ref(), sequence, eq)
    }

    /// The last index at which `sequence` begins; the length of the slice if `sequence` is empty.
    ///
    /// Otherwise like [`par_search`](Self::par_search); it searches from the back. See [`Par::find_end`](crate::Par::find_end).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!(b"parallel pastel".par_find_end(b"pa"), Some(9));
    /// ```
    #[doc(alias = "find_end")]
    #[inline]
    fn par_find_end<U>(&self, sequence: &[U]) -> Option<usize>
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().find_end(self.as_ref(), sequence)
    }

    /// The last index at which `sequence` begins, where `eq` compares elements.
    ///
    /// Otherwise like [`par_find_end`](Self::par_find_end). See [`Par::find_end_by`](crate::Par::find_end_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!(b"Ember ember".par_find_end_by(b"EM", |x, y| x.eq_ignore_ascii_case(y)), Some(6));
    /// ```
    #[inline]
    fn par_find_end_by<U, F>(&self, sequence: &[U], eq: F) -> Option<usize>
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        par().find_end_by(self.as_ref(), sequence, eq)
    }

    /// The first index at which `count` elements in a row equal `value`; 0 if `count` is 0.
    ///
    /// O(n) comparisons at most, O(n / min(count, 1024)) if `value` is rare in the slice. Stops soon after the first hit. A panic in a comparison propagates.
    /// See [`Par::search_n`](crate::Par::search_n).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 0, 1, 1, 0].par_search_n(2, &1), Some(2));
    /// ```
    #[inline]
    fn par_search_n<U>(&self, count: usize, value: &U) -> Option<usize>
    where
        T: PartialEq<U> + Sync,
        U: Sync,
    {
        par().search_n(self.as_ref(), count, value)
    }

    /// The first index at which `eq(x, value)` holds for `count` elements in a row.
    ///
    /// Otherwise like [`par_search_n`](Self::par_search_n). See [`Par::search_n_by`](crate::Par::search_n_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 7, 3, 8, 9].par_search_n_by(2, &5, |x, y| x > y), Some(3));
    /// ```
    #[inline]
    fn par_search_n_by<U, F>(&self, count: usize, value: &U, eq: F) -> Option<usize>
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        par().search_n_by(self.as_ref(), count, value, eq)
    }
}

impl<T> ParSearch<T> for [T] {}
