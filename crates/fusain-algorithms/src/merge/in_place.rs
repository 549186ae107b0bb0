//! `inplace_merge`: two sorted runs that lie side by side made one, stable.
//!
//! Idea: a merge sort whose two leaves are sorted already: they are moved to a buffer and merged back, and the merge
//! is split as any other. C++'s `std::inplace_merge`. Work O(n), span O(n) for moving a run, memory for n elements.

use std::cmp::Ordering;

use crate::policy::{Par, Plan, Team};
use crate::sort::merge_sort;

/// What merging an element costs before anything is known.
const PRIOR_NS: f32 = 2.0;

impl Par<'_> {
    /// Merges the sorted runs `v[..middle]` and `v[middle..]`, stable.
    ///
    /// Among equal elements those of the first run come first. O(n) comparisons, memory for n elements. Where a run is
    /// not sorted, all elements are there in some order afterwards.
    ///
    /// # Panics
    ///
    /// If `middle` is beyond the end of `v`.
    ///
    /// ```
    /// let mut v = [1, 4, 2, 3];
    /// fusain_algorithms::par().inplace_merge(&mut v, 2);
    /// assert_eq!(v, [1, 2, 3, 4]);
    /// ```
    #[inline]
    pub fn inplace_merge<T: Ord + Send>(&self, v: &mut [T], middle: usize) {
        in_place(self, v, middle, T::cmp);
    }

    /// Merges the runs `v[..middle]` and `v[middle..]`, sorted by `compare`, stable.
    ///
    /// As [`inplace_merge`](Par::inplace_merge) otherwise. If `compare` panics, `v` holds every element once.
    ///
    /// # Panics
    ///
    /// If `middle` is beyond the end of `v`.
    ///
    /// ```
    /// let mut v = [4, 1, 3];
    /// fusain_algorithms::par().inplace_merge_by(&mut v, 2, |a, b| b.cmp(a));
    /// assert_eq!(v, [4, 3, 1]);
    /// ```
    #[inline]
    pub fn inplace_merge_by<T, F>(&self, v: &mut [T], middle: usize, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        in_place(self, v, middle, compare);
    }

    /// Merges the runs `v[..middle]` and `v[middle..]`, sorted by key, stable.
    ///
    /// As [`inplace_merge_by`](Par::inplace_merge_by) otherwise.
    ///
    /// # Panics
    ///
    /// If `middle` is beyond the end of `v`.
    ///
    /// ```
    /// let mut v = ["b", "cc", "a"];
    /// fusain_algorithms::par().inplace_merge_by_key(&mut v, 2, |s| s.len());
    /// assert_eq!(v, ["b", "a", "cc"]);
    /// ```
    #[inline]
    pub fn inplace_merge_by_key<T, K, F>(&self, v: &mut [T], middle: usize, key: F)
    where
        T: Send,
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        in_place(self, v, middle, |a, b| key(a).cmp(&key(b)));
    }
}

#[inline]
fn in_place<T: Send, F: Fn(&T, &T) -> Ordering + Sync>(policy: &Par<'_>, v: &mut [T], middle: usize, compare: F) {
    assert!(middle <= v.len(), "the middle must lie within the slice");
    if middle == 0 || middle == v.len() || size_of::<T>() == 0 || compare(&v[middle - 1], &v[middle]).is_le() {
        return;
    }
    match policy.plan_with_prior::<(T, F, [T])>(v.len(), PRIOR_NS) {
        // std's sort finds the two runs and merges them, n comparisons and a buffer for the shorter one.
        Plan::Sequential(watch) => watch.time(|| v.sort_by(compare)),
        Plan::Parallel(team) => parallel(team, v, middle, compare),
    }
}

#[inline(never)]
fn parallel<T: Send, F: Fn(&T, &T) -> Ordering + Sync>(team: Team<'_>, v: &mut [T], middle: usize, compare: F) {
    let bounds = [0, middle, v.len()];
    merge_sort(team, v, 2, |i| bounds[i], |a, b| compare(a, b).is_lt(), |_: &mut [T]| {});
}
