//! `includes`: whether a sorted slice has every element of another, each as often.
//!
//! Idea: a search among the elements of the second slice for one that the first has not. A unit begins where a
//! binary search says, an element that is the k-th of its equals being the k-th of them there too, and goes through
//! both from there. C++'s `std::includes`. Work O(m log(n / m)) for m elements of n, and O(log n) a unit; no extra memory.

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ops::Range;

use super::first_hit::first_hit;
use crate::policy::Par;

/// The call site.
struct Missing<T, F>(PhantomData<(T, F)>);

/// Elements passed one by one before the next wanted one is looked for in leaps.
const STEPS: usize = 8;

/// The first in a range of `wanted` that `v` has not.
#[inline]
fn missing<T>(v: &[T], wanted: &[T], range: Range<usize>, compare: impl Fn(&T, &T) -> Ordering) -> Option<usize> {
    let start = range.start;
    let first = wanted.get(start)?;
    let mut at = 0;
    if start > 0 {
        let equals = start - wanted[..start].partition_point(|x| compare(x, first).is_lt());
        at = v.partition_point(|x| compare(x, first).is_lt()) + equals;
    }
    for (i, y) in wanted[range].iter().enumerate() {
        let mut steps = 0;
        loop {
            let Some(x) = v.get(at) else { return Some(start + i) };
            match compare(x, y) {
                Ordering::Less if steps == STEPS => at += leap(&v[at..], |x| compare(x, y).is_lt()),
                Ordering::Less => at += 1,
                Ordering::Equal => break,
                Ordering::Greater => return Some(start + i),
            }
            steps = (steps + 1).min(STEPS);
        }
        at += 1;
    }
    None
}

/// How many elements at the front are `before`, the first being one; O(log) of their number.
fn leap<T>(v: &[T], before: impl Fn(&T) -> bool) -> usize {
    let mut end = 1;
    while end < v.len() && before(&v[end]) {
        end *= 2;
    }
    end / 2 + v[end / 2..end.min(v.len())].partition_point(before)
}

impl Par<'_> {
    /// Whether `v` has every element of `wanted`, each at least as often; both sorted.
    ///
    /// O(m log(n / m)) comparisons for m wanted elements of n; stops soon after one that is missing. Where a slice is not
    /// sorted the answer means nothing. A panic of a comparison comes out of the call.
    ///
    /// ```
    /// assert!(fusain_algorithms::par().includes(&[1, 2, 2, 3], &[2, 2]));
    /// assert!(!fusain_algorithms::par().includes(&[1, 2, 3], &[2, 2]));
    /// ```
    #[inline]
    pub fn includes<T: Ord + Sync>(&self, v: &[T], wanted: &[T]) -> bool {
        self.includes_by(v, wanted, T::cmp)
    }

    /// Whether `v` has every element of `wanted`, each at least as often; both sorted by `compare`.
    ///
    /// As [`includes`](Par::includes) otherwise.
    ///
    /// ```
    /// assert!(fusain_algorithms::par().includes_by(&[0.5, 1.0, 2.0], &[1.0, 2.0], f64::total_cmp));
    /// ```
    #[doc(alias = "includes")]
    #[inline]
    pub fn includes_by<T: Sync, F: Fn(&T, &T) -> Ordering + Sync>(&self, v: &[T], wanted: &[T], compare: F) -> bool {
        let find = |range| missing(v, wanted, range, &compare);
        wanted.len() <= v.len() && first_hit::<Missing<T, F>>(self, wanted.len(), true, find).is_none()
    }
}
