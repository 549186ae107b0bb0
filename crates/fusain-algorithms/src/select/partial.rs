//! `partial_sort`: the smallest elements, sorted, in front of the others.
//!
//! Idea: a [selection](super::nth), and a sort of the elements before it. To copy few elements, a filter comes first: a sample gives an element that
//! is probably a little above the last one wanted, and only elements that are not greater are copied. C++'s `std::partial_sort` and
//! `std::partial_sort_copy`, which use a heap. Work O(n + k log k), memory for k elements. Not stable.

use std::cmp::Ordering;

use super::nth::{PRIOR_NS, ranks, select};
use crate::policy::{Par, Plan};

/// The number of elements in a sample.
const SAMPLE: usize = 1 << 10;

/// # Sorting the smallest
///
/// The smallest elements alone, for less than a whole sort costs.
impl Par<'_> {
    /// Sorts the `middle` smallest elements of `v` to its front. The others follow in an unspecified order.
    ///
    /// O(n + k log k) work for k = `middle`, memory for k elements. Not stable. If a comparison panics, `v` still holds every element once.
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length of `v`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [5, 1, 4, 2, 3];
    /// fusain::par().partial_sort(&mut v, 2);
    /// assert_eq!(v[..2], [1, 2]);
    /// ```
    #[inline]
    pub fn partial_sort<T: Ord + Send + Sync>(&self, v: &mut [T], middle: usize) {
        self.partial_sort_by(v, middle, T::cmp);
    }

    /// Like [`partial_sort`](Par::partial_sort), in the order of `compare`.
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length of `v`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [0.5, -1.5, 1.0];
    /// fusain::par().partial_sort_by(&mut v, 1, f64::total_cmp);
    /// assert_eq!(v[0], -1.5);
    /// ```
    #[inline]
    pub fn partial_sort_by<T, F>(&self, v: &mut [T], middle: usize, compare: F)
    where
        T: Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        assert!(middle <= v.len(), "the middle must lie within the slice");
        if middle == 0 {
            return;
        }
        if middle < v.len() {
            match self.plan_with_prior::<(F, [T; 1], [T])>(v.len(), PRIOR_NS) {
                Plan::Sequential(watch) => watch.time(|| {
                    v.select_nth_unstable_by(middle - 1, &compare);
                }),
                Plan::Parallel(team) => select(&team, v, middle - 1, &compare),
            }
        }
        self.sort_unstable_by(&mut v[..middle], compare);
    }

    /// Returns the `count` smallest elements of `v`, sorted; all of them if `v` is shorter.
    ///
    /// O(n + k log k) work for k = `count`. If k is at least a quarter of n, or n is at most 4096, all n elements are cloned first; otherwise usually few more than k. Memory
    /// as for [`filter`](Par::filter). If k is less than a quarter of n, the vector keeps memory for k elements,
    /// otherwise for n; `shrink_to_fit` releases what it does not need. If several elements are equal, it is unspecified which of them are copied.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().partial_sort_copy(&[5, 1, 4, 2, 3], 2), [1, 2]);
    /// ```
    #[inline]
    pub fn partial_sort_copy<T: Ord + Clone + Send + Sync>(&self, v: &[T], count: usize) -> Vec<T> {
        self.partial_sort_copy_by(v, count, T::cmp)
    }

    /// Like [`partial_sort_copy`](Par::partial_sort_copy), in the order of `compare`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().partial_sort_copy_by(&[0.5, -1.5, 1.0], 1, f64::total_cmp), [-1.5]);
    /// ```
    #[inline]
    pub fn partial_sort_copy_by<T, F>(&self, v: &[T], count: usize, compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        let count = count.min(v.len());
        if count == 0 {
            return Vec::new();
        }
        let some = if count < v.len() / 4 && v.len() > 4 * SAMPLE {
            let enough = enough(v, count, &compare);
            let some = self.filter(v, |x| compare(x, enough).is_le());
            Some(some).filter(|some| some.len() >= count)
        } else {
            None
        };
        // If the sample gave too small an element, all elements are copied.
        let mut sorted = some.unwrap_or_else(|| self.map(v, T::clone));
        self.partial_sort_by(&mut sorted, count, compare);
        sorted.truncate(count);
        if count < v.len() / 4 {
            // There is memory for all elements.
            sorted.shrink_to_fit();
        }
        sorted
    }
}

/// An element than which most probably at least `count` elements are not greater, and not many more.
fn enough<T>(v: &[T], count: usize, compare: impl Fn(&T, &T) -> Ordering) -> &T {
    let step = v.len() / SAMPLE;
    let mut state = v.len() as u64 | 1;
    let mut sample: Vec<&T> = v
        .chunks_exact(step)
        .map(|chunk| {
            // Marsaglia's xorshift.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            &chunk[(state % step as u64) as usize]
        })
        .collect();
    let (_, high) = ranks(count, v.len(), sample.len());
    sample.select_nth_unstable_by(high, |x, y| compare(x, y)).1
}
