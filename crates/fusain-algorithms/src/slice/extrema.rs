//! Extrema as methods of slices.

use std::cmp::Ordering;

use crate::extrema::At;
use crate::policy::par;

/// The smallest and the largest element.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// assert_eq!([2, 1, 3].par_minmax(), Some(((1, &1), (2, &3))));
/// ```
pub trait ParExtrema<T>: AsRef<[T]> {
    /// The smallest element and its index: of several equal ones the first.
    ///
    /// O(n) comparisons, no extra memory. `None` for an empty slice. See [`Par::min`](crate::Par::min).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([3, 1, 2, 1].par_min(), Some((1, &1)));
    /// assert_eq!(Vec::<i32>::new().par_min(), None);
    /// ```
    #[doc(alias = "min_element")]
    #[inline]
    fn par_min(&self) -> Option<At<'_, T>>
    where
        T: Ord + Sync,
    {
        par().min(self.as_ref())
    }

    /// The smallest element by `compare` and its index: of several equal ones the first.
    ///
    /// Otherwise like [`par_min`](Self::par_min); if `compare` is not a total order, the result is an unspecified element. See
    /// [`Par::min_by`](crate::Par::min_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([0.5, -1.5].par_min_by(f64::total_cmp), Some((1, &-1.5)));
    /// ```
    #[inline]
    fn par_min_by<F>(&self, compare: F) -> Option<At<'_, T>>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().min_by(self.as_ref(), compare)
    }

    /// The element with the smallest key and its index: of several equal ones the first.
    ///
    /// Otherwise like [`par_min_by`](Self::par_min_by); keys may be computed more than once. See [`Par::min_by_key`](crate::Par::min_by_key).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([-3, 1, 2].par_min_by_key(|x: &i32| x.abs()), Some((1, &1)));
    ///
    /// // A key may borrow from its element.
    /// let pairs = [(1, String::from("worker")), (2, String::from("pool"))];
    /// assert_eq!(pairs.par_min_by_key(|pair| &pair.1), Some((1, &pairs[1])));
    /// ```
    #[inline]
    fn par_min_by_key<'v, K, F>(&'v self, key: F) -> Option<At<'v, T>>
    where
        T: Sync + 'v,
        K: Ord + Send,
        F: Fn(&'v T) -> K + Sync,
    {
        par().min_by_key(self.as_ref(), key)
    }

    /// The largest element and its index: of several equal ones the first.
    ///
    /// O(n) comparisons, no extra memory. `None` for an empty slice. `Iterator::max` finds the last of several equal ones. See
    /// [`Par::max`](crate::Par::max).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 3, 2, 3].par_max(), Some((1, &3)));
    /// ```
    #[doc(alias = "max_element")]
    #[inline]
    fn par_max(&self) -> Option<At<'_, T>>
    where
        T: Ord + Sync,
    {
        par().max(self.as_ref())
    }

    /// The largest element by `compare` and its index: of several equal ones the first.
    ///
    /// Otherwise like [`par_max`](Self::par_max); if `compare` is not a total order, the result is an unspecified element. See
    /// [`Par::max_by`](crate::Par::max_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([0.5, -1.5].par_max_by(f64::total_cmp), Some((0, &0.5)));
    /// ```
    #[inline]
    fn par_max_by<F>(&self, compare: F) -> Option<At<'_, T>>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().max_by(self.as_ref(), compare)
    }

    /// The element with the largest key and its index: of several equal ones the first.
    ///
    /// Otherwise like [`par_max_by`](Self::par_max_by); keys may be computed more than once. See [`Par::max_by_key`](crate::Par::max_by_key).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([-3, 1, 2].par_max_by_key(|x: &i32| x.abs()), Some((0, &-3)));
    /// ```
    #[inline]
    fn par_max_by_key<'v, K, F>(&'v self, key: F) -> Option<At<'v, T>>
    where
        T: Sync + 'v,
        K: Ord + Send,
        F: Fn(&'v T) -> K + Sync,
    {
        par().max_by_key(self.as_ref(), key)
    }

    /// The first smallest and the last largest element, with their indices.
    ///
    /// O(n) comparisons, no extra memory. `None` for an empty slice. See [`Par::minmax`](crate::Par::minmax).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([2, 1, 3, 1, 3].par_minmax(), Some(((1, &1), (4, &3))));
    /// ```
    #[doc(alias = "minmax_element")]
    #[inline]
    fn par_minmax(&self) -> Option<(At<'_, T>, At<'_, T>)>
    where
        T: Ord + Sync,
    {
        par().minmax(self.as_ref())
    }

    /// The first smallest and the last largest element, by `compare`, with their indices.
    ///
    /// Otherwise like [`par_minmax`](Self::par_minmax); if `compare` is not a total order, the results are unspecified elements. See
    /// [`Par::minmax_by`](crate::Par::minmax_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([0.5, -1.5].par_minmax_by(f64::total_cmp), Some(((1, &-1.5), (0, &0.5))));
    /// ```
    #[inline]
    fn par_minmax_by<F>(&self, compare: F) -> Option<(At<'_, T>, At<'_, T>)>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().minmax_by(self.as_ref(), compare)
    }

    /// The first smallest and the last largest element, by key, with their indices.
    ///
    /// Otherwise like [`par_minmax_by`](Self::par_minmax_by); keys may be computed more than once. See
    /// [`Par::minmax_by_key`](crate::Par::minmax_by_key).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([-3, 1, 2].par_minmax_by_key(|x: &i32| x.abs()), Some(((1, &1), (0, &-3))));
    /// ```
    #[inline]
    fn par_minmax_by_key<'v, K, F>(&'v self, key: F) -> Option<(At<'v, T>, At<'v, T>)>
    where
        T: Sync + 'v,
        K: Ord + Send,
        F: Fn(&'v T) -> K + Sync,
    {
        par().minmax_by_key(self.as_ref(), key)
    }
}

impl<T> ParExtrema<T> for [T] {}
