//! Selection as methods of slices.

use std::cmp::Ordering;

use crate::policy::par;

/// Puts some elements in order, for less than a sort costs.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// let mut v = [5, 1, 4, 2, 3];
/// assert_eq!(*v.par_select_nth_unstable(2).1, 3);
/// v.par_make_heap();
/// assert_eq!(v[0], 5);
/// ```
pub trait ParSelect<T>: AsRef<[T]> + AsMut<[T]> {
    /// Puts the element that sorting would put at `index` there.
    ///
    /// O(n) work, extra memory for a few numbers for each worker. Not stable. Returns the elements before, which are not greater, the element, and
    /// the elements behind, which are not less. See [`Par::select_nth_unstable`](crate::Par::select_nth_unstable).
    ///
    /// # Panics
    ///
    /// If `index` is not less than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [5, 1, 4, 2, 3];
    /// let (less, median, greater) = v.par_select_nth_unstable(2);
    /// assert_eq!(*median, 3);
    /// assert!(less.par_all(|x| *x < 3) && greater.par_all(|x| *x > 3));
    /// ```
    #[doc(alias = "nth_element")]
    #[inline]
    fn par_select_nth_unstable(&mut self, index: usize) -> (&mut [T], &mut T, &mut [T])
    where
        T: Ord + Send + Sync,
    {
        par().select_nth_unstable(self.as_mut(), index)
    }

    /// Puts the element that sorting by `compare` would put at `index` there.
    ///
    /// Otherwise like [`par_select_nth_unstable`](Self::par_select_nth_unstable). See
    /// [`Par::select_nth_unstable_by`](crate::Par::select_nth_unstable_by).
    ///
    /// # Panics
    ///
    /// If `index` is not less than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [0.5, -1.5, 1.0];
    /// assert_eq!(*v.par_select_nth_unstable_by(1, f64::total_cmp).1, 0.5);
    /// ```
    #[doc(alias = "nth_element")]
    #[inline]
    fn par_select_nth_unstable_by<F>(&mut self, index: usize, compare: F) -> (&mut [T], &mut T, &mut [T])
    where
        T: Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().select_nth_unstable_by(self.as_mut(), index, compare)
    }

    /// Puts the element that sorting by key would put at `index` there.
    ///
    /// Each comparison computes two keys. Otherwise like [`par_select_nth_unstable`](Self::par_select_nth_unstable). See
    /// [`Par::select_nth_unstable_by_key`](crate::Par::select_nth_unstable_by_key).
    ///
    /// # Panics
    ///
    /// If `index` is not less than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [-3_i32, 1, 2];
    /// assert_eq!(*v.par_select_nth_unstable_by_key(2, |x| x.abs()).1, -3);
    /// ```
    #[doc(alias = "nth_element")]
    #[inline]
    fn par_select_nth_unstable_by_key<K, F>(&mut self, index: usize, key: F) -> (&mut [T], &mut T, &mut [T])
    where
        T: Send + Sync,
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        par().select_nth_unstable_by_key(self.as_mut(), index, key)
    }

    /// Sorts the `middle` smallest elements to the front.
    ///
    /// O(n + k log k) work for k = `middle`, memory for k elements. Not stable. The other elements follow in an unspecified order. See
    /// [`Par::partial_sort`](crate::Par::partial_sort).
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [5, 1, 4, 2, 3];
    /// v.par_partial_sort(2);
    /// assert_eq!(v[..2], [1, 2]);
    /// ```
    #[doc(alias = "partial_sort")]
    #[inline]
    fn par_partial_sort(&mut self, middle: usize)
    where
        T: Ord + Send + Sync,
    {
        par().partial_sort(self.as_mut(), middle);
    }

    /// Sorts the `middle` smallest elements by `compare` to the front.
    ///
    /// Otherwise like [`par_partial_sort`](Self::par_partial_sort). See [`Par::partial_sort_by`](crate::Par::partial_sort_by).
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [0.5, -1.5, 1.0];
    /// v.par_partial_sort_by(2, f64::total_cmp);
    /// assert_eq!(v[..2], [-1.5, 0.5]);
    /// ```
    #[inline]
    fn par_partial_sort_by<F>(&mut self, middle: usize, compare: F)
    where
        T: Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().partial_sort_by(self.as_mut(), middle, compare);
    }

    /// The `count` smallest elements, sorted; all of them if the slice is shorter.
    ///
    /// O(n + k log k) work for k = `count`. If k is at least a quarter of n, or n is at most 4096, all n elements are cloned first; otherwise usually few more than k. If k is
    /// less than a quarter of n, the vector keeps memory for k elements, otherwise for n. If several
    /// elements are equal, it is unspecified which of them are copied. See [`Par::partial_sort_copy`](crate::Par::partial_sort_copy).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([5, 1, 4, 2, 3].par_partial_sort_copy(2), [1, 2]);
    /// ```
    #[doc(alias = "partial_sort_copy")]
    #[inline]
    fn par_partial_sort_copy(&self, count: usize) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().partial_sort_copy(self.as_ref(), count)
    }

    /// The `count` smallest elements by `compare`, sorted.
    ///
    /// Otherwise like [`par_partial_sort_copy`](Self::par_partial_sort_copy). See [`Par::partial_sort_copy_by`](crate::Par::partial_sort_copy_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([0.5, -1.5, 1.0].par_partial_sort_copy_by(2, f64::total_cmp), [-1.5, 0.5]);
    /// ```
    #[inline]
    fn par_partial_sort_copy_by<F>(&self, count: usize, compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().partial_sort_copy_by(self.as_ref(), count, compare)
    }

    /// Reorders the slice into a binary heap: no element is greater than its parent, so the first one is the largest.
    ///
    /// O(n) work, at most 2 n comparisons, no extra memory. See [`Par::make_heap`](crate::Par::make_heap).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_make_heap();
    /// assert_eq!(v[0], 5);
    /// assert!((1..5).all(|i| v[(i - 1) / 2] >= v[i]));
    /// ```
    #[doc(alias = "make_heap")]
    #[inline]
    fn par_make_heap(&mut self)
    where
        T: Ord + Send,
    {
        par().make_heap(self.as_mut());
    }

    /// Reorders the slice into a binary heap by `compare`.
    ///
    /// Otherwise like [`par_make_heap`](Self::par_make_heap). See [`Par::make_heap_by`](crate::Par::make_heap_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [3, 1, 2];
    /// v.par_make_heap_by(|x, y| y.cmp(x));
    /// assert_eq!(v[0], 1);
    /// ```
    #[inline]
    fn par_make_heap_by<F>(&mut self, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().make_heap_by(self.as_mut(), compare);
    }
}

impl<T> ParSelect<T> for [T] {}
