//! The first partition of a quicksort, by all workers.
//!
//! Only one thread at a time may look at an element that is `Send` and not `Sync`, so workers cannot share a pivot. But each worker can have its own pivot:
//! of a sorted sample of all elements, the one nearest the middle that lies in the worker's chunk. If many elements are equal, so are these pivots; otherwise
//! they differ little. Every worker divides its chunk, and elements on the wrong side of the common boundary are swapped.
//!
//! ```text
//! chunks      [ < p | >= p ][ < q | >= q ]
//! swapped     [ < p or < q ][ >= p or >= q ]
//! ```
//!
//! Elements between `p` and `q` can be on both sides. Once both sides are sorted, they are the last ones of the left side and the first ones of the
//! right side, and [`sort_across`] sorts these again, on one thread. If chunks hold different values, a chunk may have none near the middle. Then its pivot is far from the
//! others, and up to half of all elements are sorted again, so that such a sort gains less. Work O(n), span O(n/workers + elements swapped), no memory for elements.

use super::divide::{LOPSIDED, divide, sort_sample};
use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;

/// The number of elements in the sample from which the pivots are taken: enough that few elements lie between neighbours in the order of the sample.
const SAMPLE: usize = 127;

/// Divides `v` so that few elements before the returned index belong behind one after it. Returns `None` if no good pivots have been found.
pub(super) fn halve<T, L>(executor: &impl Executor, v: &mut [T], is_less: &L) -> Option<usize>
where
    T: Send,
    L: Fn(&T, &T) -> bool + Sync,
{
    if v.len() < SAMPLE {
        return None;
    }
    let (len, count) = (v.len(), executor.workers());
    let bound = move |chunk: usize| chunk * (len / count) + chunk.min(len % count);
    let pivots = pivots(v, count, bound, is_less)?;
    let mut boundaries = vec![0; count];
    let (elements, results) = (Parts::new(v), Parts::new(&mut boundaries));
    executor.run_ranges(count, usize::MAX, |chunks| {
        for chunk in chunks {
            let start = bound(chunk);
            // SAFETY: chunks do not overlap, and each is in one range.
            let elements = unsafe { elements.part(start..bound(chunk + 1)) };
            elements.swap(0, pivots[chunk] - start);
            let (less, _) = divide(elements, is_less);
            // SAFETY: as above.
            let result = unsafe { results.part(chunk..chunk + 1) };
            result[0] = start + less.len();
        }
    });
    Some(gather(v, &boundaries, bound))
}

/// For each chunk the index of its pivot.
fn pivots<T>(
    v: &[T],
    count: usize,
    bound: impl Fn(usize) -> usize,
    is_less: impl Fn(&T, &T) -> bool,
) -> Option<Vec<usize>> {
    // The sample is spread over all elements, with the remainder of the division: otherwise the last chunk might have hardly any of it.
    let (stride, left) = (v.len() / SAMPLE, v.len() % SAMPLE);
    let mut sample: [usize; SAMPLE] = std::array::from_fn(|i| i * stride + stride / 2 + i * left / SAMPLE);
    let is_less = |a: usize, b: usize| is_less(&v[a], &v[b]);
    sort_sample(&mut sample, &is_less);
    let equals = |rank: usize| {
        let (before, x) = (sample.partition_point(|y| is_less(*y, sample[rank])), sample[rank]);
        before..before + sample[before..].partition_point(|y| !is_less(x, *y))
    };
    // Elements that equal a pivot go to the right. If hardly any are less, the next greater element is a better pivot.
    let mut middle = equals(SAMPLE / 2);
    if middle.start < SAMPLE / LOPSIDED && middle.end < SAMPLE {
        middle = equals(middle.end);
    }
    if !(SAMPLE / LOPSIDED..SAMPLE - SAMPLE / LOPSIDED).contains(&middle.start) {
        return None;
    }
    let middle = middle.start.midpoint(middle.end);
    let nearest = |chunk: usize| {
        let places = bound(chunk)..bound(chunk + 1);
        let ranks = (0..SAMPLE).filter(|rank| places.contains(&sample[*rank]));
        ranks.min_by_key(|rank| rank.abs_diff(middle)).map(|rank| sample[rank])
    };
    (0..count).map(nearest).collect()
}

/// Swaps the elements on the wrong side of the common boundary, and returns that boundary. `boundaries` has the boundary of each chunk.
fn gather<T>(v: &mut [T], boundaries: &[usize], bound: impl Fn(usize) -> usize) -> usize {
    let chunks = || boundaries.iter().enumerate();
    let all: usize = chunks().map(|(chunk, boundary)| boundary - bound(chunk)).sum();
    let (left, right) = v.split_at_mut(all);
    let mut wrong_left = chunks().map(|(chunk, boundary)| *boundary..bound(chunk + 1).min(all));
    let mut wrong_right = chunks().map(|(chunk, boundary)| bound(chunk).max(all)..*boundary);
    let (mut here, mut there) = (0..0, 0..0);
    loop {
        // Both sides have the same number of wrong elements.
        while here.is_empty() {
            let Some(next) = wrong_left.next() else { return all };
            here = next;
        }
        while there.is_empty() {
            let Some(next) = wrong_right.next() else { return all };
            there = next;
        }
        let n = here.len().min(there.len());
        left[here.start..][..n].swap_with_slice(&mut right[there.start - all..][..n]);
        here.start += n;
        there.start += n;
    }
}

/// Sorts the elements around `boundary`, both sides of which are sorted, that belong to the other side.
pub(super) fn sort_across<T>(v: &mut [T], boundary: usize, is_less: impl Fn(&T, &T) -> bool, sort: impl Fn(&mut [T])) {
    let (left, right) = v.split_at(boundary);
    let (Some(last), Some(first)) = (left.last(), right.first()) else { return };
    let start = left.partition_point(|x| !is_less(first, x));
    let end = boundary + right.partition_point(|x| is_less(x, last));
    if start < boundary && boundary < end {
        sort(&mut v[start..end]);
    }
}

#[cfg(test)]
mod tests {
    use fusain_testkit::script;
    use proptest::prelude::*;

    use super::*;
    use crate::faults::Scripted;

    proptest! {
        #[test]
        fn halves_are_mended(v in proptest::collection::vec(0..10_000_u32, 0..2_000), different in 1..10_000_u32, script in script(20)) {
            let mut sorted: Vec<u32> = v.into_iter().map(|x| x % different).collect();
            let mut expected = sorted.clone();
            expected.sort();
            if let Some(boundary) = halve(&Scripted::new(&script, None), &mut sorted, &|a, b| a < b) {
                let wrong = sorted[..boundary].iter().filter(|x| **x >= expected[boundary]).count();
                prop_assert!(wrong <= sorted.len() / 8, "{} of {}", wrong, sorted.len());
                sorted[..boundary].sort();
                sorted[boundary..].sort();
                sort_across(&mut sorted, boundary, |a, b| a < b, |part| part.sort());
                prop_assert_eq!(sorted, expected);
            }
        }
    }

    #[test]
    fn the_sample_is_of_all_elements() {
        let executor = Scripted::new(&[], None);
        for len in [127, 188, 253, 254, 1_000] {
            let mut v: Vec<usize> = (0..len).collect();
            let boundary = halve(&executor, &mut v, &|a, b| a < b).unwrap();
            assert!(boundary.abs_diff(len / 2) <= len / 16, "{boundary} of {len}");
        }
    }

    #[test]
    fn equal_elements_are_not_put_on_one_side() {
        let executor = Scripted::new(&[], None);
        let is_less = |a: &u32, b: &u32| a < b;
        assert_eq!(halve(&executor, &mut [7; 1_000], &is_less), None);
        let mut v: Vec<u32> = (0..1_000).map(|x| x % 2).collect();
        assert_eq!(halve(&executor, &mut v, &is_less), Some(500));
        assert!(v.is_sorted());
        let mut v: Vec<u32> = (0..1_000).map(|x| x % 100 / 95).collect();
        assert_eq!(halve(&executor, &mut v, &is_less), None);
    }
}
