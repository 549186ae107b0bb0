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
    /// Puts the element that sorting would put at `index` there. See [`Par::select_nth_unstable`](crate::Par::select_nth_unstable).
    ///
    /// # Panics
    ///
    /// If `index` is not less than the length.
    #[doc(alias = "nth_element")]
    #[inline]
    fn par_select_nth_unstable(&mut self, index: usize) -> (&mut [T], &mut T, &mut [T])
    where
        T: Ord + Send + Sync,
    {
        par().select_nth_unstable(self.as_mut(), index)
    }

    /// Puts the element that sorting by `compare` would put at `index` there. See
    /// [`Par::select_nth_unstable_by`](crate::Par::select_nth_unstable_by).
    ///
    /// # Panics
    ///
    /// If `index` is not less than the length.
    #[doc(alias = "nth_element")]
    #[inline]
    fn par_select_nth_unstable_by<F>(&mut self, index: usize, compare: F) -> (&mut [T], &mut T, &mut [T])
    where
        T: Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().select_nth_unstable_by(self.as_mut(), index, compare)
    }

    /// Puts the element that sorting by key would put at `index` there. See
    /// [`Par::select_nth_unstable_by_key`](crate::Par::select_nth_unstable_by_key).
    ///
    /// # Panics
    ///
    /// If `index` is not less than the length.
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

    /// Sorts the `middle` smallest elements to the front. See [`Par::partial_sort`](crate::Par::partial_sort).
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length.
    #[doc(alias = "partial_sort")]
    #[inline]
    fn par_partial_sort(&mut self, middle: usize)
    where
        T: Ord + Send + Sync,
    {
        par().partial_sort(self.as_mut(), middle);
    }

    /// Sorts the `middle` smallest elements by `compare` to the front. See [`Par::partial_sort_by`](crate::Par::partial_sort_by).
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length.
    #[inline]
    fn par_partial_sort_by<F>(&mut self, middle: usize, compare: F)
    where
        T: Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().partial_sort_by(self.as_mut(), middle, compare);
    }

    /// The `count` smallest elements, sorted. See [`Par::partial_sort_copy`](crate::Par::partial_sort_copy).
    #[doc(alias = "partial_sort_copy")]
    #[inline]
    fn par_partial_sort_copy(&self, count: usize) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().partial_sort_copy(self.as_ref(), count)
    }

    /// The `count` smallest elements by `compare`, sorted. See [`Par::partial_sort_copy_by`](crate::Par::partial_sort_copy_by).
    #[inline]
    fn par_partial_sort_copy_by<F>(&self, count: usize, compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().partial_sort_copy_by(self.as_ref(), count, compare)
    }

    /// Reorders the slice into a binary heap. See [`Par::make_heap`](crate::Par::make_heap).
    #[doc(alias = "make_heap")]
    #[inline]
    fn par_make_heap(&mut self)
    where
        T: Ord + Send,
    {
        par().make_heap(self.as_mut());
    }

    /// Reorders the slice into a binary heap by `compare`. See [`Par::make_heap_by`](crate::Par::make_heap_by).
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
