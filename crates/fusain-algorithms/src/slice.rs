//! The algorithms as methods of slices, with the default policy.

use std::cmp::Ordering;

use crate::extrema::At;
use crate::policy::par;

/// The algorithms as methods of slices.
///
/// Each is the method of [`Par`](crate::Par) of the same name without `par_`, called on [`par()`]: there it is
/// documented. Sorts have the names rayon gives them, so `use rayon::prelude::*` can be swapped for this.
///
/// ```
/// use fusain_algorithms::ParSlice;
///
/// let mut v: Vec<u32> = (0..1000).rev().collect();
/// v.par_sort();
/// assert_eq!(v.par_position(|x| *x == 500), Some(500));
/// assert_eq!(v.par_reduce(0, |a, b| a + b), 499_500);
/// assert_eq!(v.par_minmax(), Some(((0, &0), (999, &999))));
/// ```
pub trait ParSlice<T> {
    /// Sorts the slice, stable. See [`Par::sort`](crate::Par::sort).
    fn par_sort(&mut self)
    where
        T: Ord + Send;

    /// Sorts the slice by `compare`, stable. See [`Par::sort_by`](crate::Par::sort_by).
    fn par_sort_by<F>(&mut self, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync;

    /// Sorts the slice by key, stable. See [`Par::sort_by_key`](crate::Par::sort_by_key).
    fn par_sort_by_key<K, F>(&mut self, key: F)
    where
        T: Send,
        K: Ord,
        F: Fn(&T) -> K + Sync;

    /// Sorts the slice by key, stable, computing each key once. See [`Par::sort_by_cached_key`](crate::Par::sort_by_cached_key).
    fn par_sort_by_cached_key<K, F>(&mut self, key: F)
    where
        T: Send + Sync,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync;

    /// Sorts the slice, unstable. See [`Par::sort_unstable`](crate::Par::sort_unstable).
    fn par_sort_unstable(&mut self)
    where
        T: Ord + Send;

    /// Sorts the slice by `compare`, unstable. See [`Par::sort_unstable_by`](crate::Par::sort_unstable_by).
    fn par_sort_unstable_by<F>(&mut self, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync;

    /// Sorts the slice by key, unstable. See [`Par::sort_unstable_by_key`](crate::Par::sort_unstable_by_key).
    fn par_sort_unstable_by_key<K, F>(&mut self, key: F)
    where
        T: Send,
        K: Ord,
        F: Fn(&T) -> K + Sync;

    /// Merges the sorted runs before and from `middle`, stable. See [`Par::inplace_merge`](crate::Par::inplace_merge).
    fn par_inplace_merge(&mut self, middle: usize)
    where
        T: Ord + Send;

    /// Merges the runs before and from `middle`, sorted by `compare`, stable. See [`Par::inplace_merge_by`](crate::Par::inplace_merge_by).
    fn par_inplace_merge_by<F>(&mut self, middle: usize, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync;

    /// The elements of this and another sorted slice in one sorted vector, stable. See [`Par::merge`](crate::Par::merge).
    fn par_merge(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync;

    /// The elements of this and another slice sorted by `compare` in one sorted vector, stable. See [`Par::merge_by`](crate::Par::merge_by).
    fn par_merge_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync;

    /// The smallest element and its index, the first among equals. See [`Par::min`](crate::Par::min).
    fn par_min(&self) -> Option<At<'_, T>>
    where
        T: Ord + Sync;

    /// The smallest element and its index, the first among equals, by `compare`. See [`Par::min_by`](crate::Par::min_by).
    fn par_min_by<F>(&self, compare: F) -> Option<At<'_, T>>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync;

    /// The smallest element and its index, the first among equals, by key. See [`Par::min_by_key`](crate::Par::min_by_key).
    fn par_min_by_key<K, F>(&self, key: F) -> Option<At<'_, T>>
    where
        T: Sync,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync;

    /// The largest element and its index, the first among equals. See [`Par::max`](crate::Par::max).
    fn par_max(&self) -> Option<At<'_, T>>
    where
        T: Ord + Sync;

    /// The largest element and its index, the first among equals, by `compare`. See [`Par::max_by`](crate::Par::max_by).
    fn par_max_by<F>(&self, compare: F) -> Option<At<'_, T>>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync;

    /// The largest element and its index, the first among equals, by key. See [`Par::max_by_key`](crate::Par::max_by_key).
    fn par_max_by_key<K, F>(&self, key: F) -> Option<At<'_, T>>
    where
        T: Sync,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync;

    /// The first smallest and the last largest element, with their indices. See [`Par::minmax`](crate::Par::minmax).
    fn par_minmax(&self) -> Option<(At<'_, T>, At<'_, T>)>
    where
        T: Ord + Sync;

    /// The first smallest and the last largest element, by `compare`. See [`Par::minmax_by`](crate::Par::minmax_by).
    fn par_minmax_by<F>(&self, compare: F) -> Option<(At<'_, T>, At<'_, T>)>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync;

    /// The first smallest and the last largest element, by key. See [`Par::minmax_by_key`](crate::Par::minmax_by_key).
    fn par_minmax_by_key<K, F>(&self, key: F) -> Option<(At<'_, T>, At<'_, T>)>
    where
        T: Sync,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync;

    /// Calls `f` on every element. See [`Par::for_each`](crate::Par::for_each).
    fn par_for_each<F>(&self, f: F)
    where
        T: Sync,
        F: Fn(&T) + Sync;

    /// Calls `f` on every element and its index. See [`Par::for_each_indexed`](crate::Par::for_each_indexed).
    fn par_for_each_indexed<F>(&self, f: F)
    where
        T: Sync,
        F: Fn(usize, &T) + Sync;

    /// Calls `f` on every element, which it may change. See [`Par::for_each_mut`](crate::Par::for_each_mut).
    fn par_for_each_mut<F>(&mut self, f: F)
    where
        T: Send,
        F: Fn(&mut T) + Sync;

    /// Calls `f` on every element, which it may change, and its index. See [`Par::for_each_mut_indexed`](crate::Par::for_each_mut_indexed).
    fn par_for_each_mut_indexed<F>(&mut self, f: F)
    where
        T: Send,
        F: Fn(usize, &mut T) + Sync;

    /// The vector of `f` of every element. See [`Par::map`](crate::Par::map).
    fn par_map<U, F>(&self, f: F) -> Vec<U>
    where
        T: Sync,
        U: Send,
        F: Fn(&T) -> U + Sync;

    /// Replaces every element by `f` of it. See [`Par::map_in_place`](crate::Par::map_in_place).
    fn par_map_in_place<F>(&mut self, f: F)
    where
        T: Send,
        F: Fn(&T) -> T + Sync;

    /// `identity` and all elements combined by `op`, from left to right. See [`Par::reduce`](crate::Par::reduce).
    fn par_reduce<F>(&self, identity: T, op: F) -> T
    where
        T: Clone + Send + Sync,
        F: Fn(T, T) -> T + Sync;

    /// `identity` and `map` of all elements combined by `op`, from left to right. See [`Par::map_reduce`](crate::Par::map_reduce).
    fn par_map_reduce<U, M, F>(&self, identity: U, map: M, op: F) -> U
    where
        T: Sync,
        U: Send,
        M: Fn(&T) -> U + Sync,
        F: Fn(U, U) -> U + Sync;

    /// All sums from the first element to each, that one included. See [`Par::inclusive_scan`](crate::Par::inclusive_scan).
    fn par_inclusive_scan<F>(&self, op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync;

    /// All sums from `init` and the first element to each, that one excluded. See [`Par::exclusive_scan`](crate::Par::exclusive_scan).
    fn par_exclusive_scan<F>(&self, init: T, op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync;

    /// Replaces each element by the sum from the first to it. See [`Par::inclusive_scan_in_place`](crate::Par::inclusive_scan_in_place).
    fn par_inclusive_scan_in_place<F>(&mut self, op: F)
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync;

    /// Replaces each element by the sum of `init` and all before it. See [`Par::exclusive_scan_in_place`](crate::Par::exclusive_scan_in_place).
    fn par_exclusive_scan_in_place<F>(&mut self, init: T, op: F)
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync;

    /// The index of the first element that satisfies `predicate`. See [`Par::position`](crate::Par::position).
    fn par_position<P>(&self, predicate: P) -> Option<usize>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync;

    /// The first element that satisfies `predicate`. See [`Par::find_first`](crate::Par::find_first).
    fn par_find_first<P>(&self, predicate: P) -> Option<&T>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync;

    /// Some element that satisfies `predicate`. See [`Par::find_any`](crate::Par::find_any).
    fn par_find_any<P>(&self, predicate: P) -> Option<&T>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync;

    /// Whether some element satisfies `predicate`. See [`Par::any`](crate::Par::any).
    fn par_any<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync;

    /// Whether every element satisfies `predicate`. See [`Par::all`](crate::Par::all).
    fn par_all<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync;

    /// Whether no element satisfies `predicate`. See [`Par::none`](crate::Par::none).
    fn par_none<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync;

    /// How many elements are equal to `value`. See [`Par::count`](crate::Par::count).
    fn par_count(&self, value: &T) -> usize
    where
        T: PartialEq + Sync;

    /// How many elements satisfy `predicate`. See [`Par::count_if`](crate::Par::count_if).
    fn par_count_if<P>(&self, predicate: P) -> usize
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync;
}

impl<T> ParSlice<T> for [T] {
    #[inline]
    fn par_sort(&mut self)
    where
        T: Ord + Send,
    {
        par().sort(self)
    }

    #[inline]
    fn par_sort_by<F>(&mut self, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().sort_by(self, compare)
    }

    #[inline]
    fn par_sort_by_key<K, F>(&mut self, key: F)
    where
        T: Send,
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        par().sort_by_key(self, key)
    }

    #[inline]
    fn par_sort_by_cached_key<K, F>(&mut self, key: F)
    where
        T: Send + Sync,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        par().sort_by_cached_key(self, key)
    }

    #[inline]
    fn par_sort_unstable(&mut self)
    where
        T: Ord + Send,
    {
        par().sort_unstable(self)
    }

    #[inline]
    fn par_sort_unstable_by<F>(&mut self, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().sort_unstable_by(self, compare)
    }

    #[inline]
    fn par_sort_unstable_by_key<K, F>(&mut self, key: F)
    where
        T: Send,
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        par().sort_unstable_by_key(self, key)
    }

    #[inline]
    fn par_inplace_merge(&mut self, middle: usize)
    where
        T: Ord + Send,
    {
        par().inplace_merge(self, middle)
    }

    #[inline]
    fn par_inplace_merge_by<F>(&mut self, middle: usize, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().inplace_merge_by(self, middle, compare)
    }

    #[inline]
    fn par_merge(&self, other: &[T]) -> Vec<T>
    where
        T: Ord + Clone + Send + Sync,
    {
        par().merge(self, other)
    }

    #[inline]
    fn par_merge_by<F>(&self, other: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().merge_by(self, other, compare)
    }

    #[inline]
    fn par_min(&self) -> Option<At<'_, T>>
    where
        T: Ord + Sync,
    {
        par().min(self)
    }

    #[inline]
    fn par_min_by<F>(&self, compare: F) -> Option<At<'_, T>>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().min_by(self, compare)
    }

    #[inline]
    fn par_min_by_key<K, F>(&self, key: F) -> Option<At<'_, T>>
    where
        T: Sync,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        par().min_by_key(self, key)
    }

    #[inline]
    fn par_max(&self) -> Option<At<'_, T>>
    where
        T: Ord + Sync,
    {
        par().max(self)
    }

    #[inline]
    fn par_max_by<F>(&self, compare: F) -> Option<At<'_, T>>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().max_by(self, compare)
    }

    #[inline]
    fn par_max_by_key<K, F>(&self, key: F) -> Option<At<'_, T>>
    where
        T: Sync,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        par().max_by_key(self, key)
    }

    #[inline]
    fn par_minmax(&self) -> Option<(At<'_, T>, At<'_, T>)>
    where
        T: Ord + Sync,
    {
        par().minmax(self)
    }

    #[inline]
    fn par_minmax_by<F>(&self, compare: F) -> Option<(At<'_, T>, At<'_, T>)>
    where
        T: Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().minmax_by(self, compare)
    }

    #[inline]
    fn par_minmax_by_key<K, F>(&self, key: F) -> Option<(At<'_, T>, At<'_, T>)>
    where
        T: Sync,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        par().minmax_by_key(self, key)
    }

    #[inline]
    fn par_for_each<F>(&self, f: F)
    where
        T: Sync,
        F: Fn(&T) + Sync,
    {
        par().for_each(self, f)
    }

    #[inline]
    fn par_for_each_indexed<F>(&self, f: F)
    where
        T: Sync,
        F: Fn(usize, &T) + Sync,
    {
        par().for_each_indexed(self, f)
    }

    #[inline]
    fn par_for_each_mut<F>(&mut self, f: F)
    where
        T: Send,
        F: Fn(&mut T) + Sync,
    {
        par().for_each_mut(self, f)
    }

    #[inline]
    fn par_for_each_mut_indexed<F>(&mut self, f: F)
    where
        T: Send,
        F: Fn(usize, &mut T) + Sync,
    {
        par().for_each_mut_indexed(self, f)
    }

    #[inline]
    fn par_map<U, F>(&self, f: F) -> Vec<U>
    where
        T: Sync,
        U: Send,
        F: Fn(&T) -> U + Sync,
    {
        par().map(self, f)
    }

    #[inline]
    fn par_map_in_place<F>(&mut self, f: F)
    where
        T: Send,
        F: Fn(&T) -> T + Sync,
    {
        par().map_in_place(self, f)
    }

    #[inline]
    fn par_reduce<F>(&self, identity: T, op: F) -> T
    where
        T: Clone + Send + Sync,
        F: Fn(T, T) -> T + Sync,
    {
        par().reduce(self, identity, op)
    }

    #[inline]
    fn par_map_reduce<U, M, F>(&self, identity: U, map: M, op: F) -> U
    where
        T: Sync,
        U: Send,
        M: Fn(&T) -> U + Sync,
        F: Fn(U, U) -> U + Sync,
    {
        par().map_reduce(self, identity, map, op)
    }

    #[inline]
    fn par_inclusive_scan<F>(&self, op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().inclusive_scan(self, op)
    }

    #[inline]
    fn par_exclusive_scan<F>(&self, init: T, op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().exclusive_scan(self, init, op)
    }

    #[inline]
    fn par_inclusive_scan_in_place<F>(&mut self, op: F)
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().inclusive_scan_in_place(self, op)
    }

    #[inline]
    fn par_exclusive_scan_in_place<F>(&mut self, init: T, op: F)
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().exclusive_scan_in_place(self, init, op)
    }

    #[inline]
    fn par_position<P>(&self, predicate: P) -> Option<usize>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().position(self, predicate)
    }

    #[inline]
    fn par_find_first<P>(&self, predicate: P) -> Option<&T>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().find_first(self, predicate)
    }

    #[inline]
    fn par_find_any<P>(&self, predicate: P) -> Option<&T>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().find_any(self, predicate)
    }

    #[inline]
    fn par_any<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().any(self, predicate)
    }

    #[inline]
    fn par_all<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().all(self, predicate)
    }

    #[inline]
    fn par_none<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().none(self, predicate)
    }

    #[inline]
    fn par_count(&self, value: &T) -> usize
    where
        T: PartialEq + Sync,
    {
        par().count(self, value)
    }

    #[inline]
    fn par_count_if<P>(&self, predicate: P) -> usize
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().count_if(self, predicate)
    }
}
