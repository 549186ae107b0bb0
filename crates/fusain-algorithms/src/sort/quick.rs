//! `sort_unstable`: quicksort in place, whose parts are shared.
//!
//! Idea: a state is a stack of parts, each of which is sorted independently. A unit takes one part. If it is long, the unit partitions it around
//! a pivot and puts both sides back; if it is short, the unit sorts it with std. A split gives the oldest part away, which is usually the longest.
//! Elements that equal the pivot are set apart if there are many. Hoare, Quicksort (1962); the pivot is the middle element of a sample,
//! and parts are [divided](super::divide) without a branch on the order. The first partition of a long slice is made by
//! [all workers](super::halves), each other one by one worker: only one thread at a time may look at a pivot that is `Send` and not `Sync`. So this is
//! used with up to four workers. With more, or if the slice is one leaf with expensive comparisons, `sort_unstable` uses the [merge sort](super::run).
//! Work O(n log n), no memory for elements, span O(n) if the values in all parts of the slice are spread in the same way.

use std::cmp::Ordering;
use std::ops::Range;

use fusain_pool::Algorithm;

use super::divide::{LOPSIDED, divide, divide_in_three, sort_sample};
use super::halves::{halve, sort_across};
use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::sort::insertion::sort_few;

/// The number of workers up to which this is used. The partitions that make a part for each worker are hardly shared, and take longer the more workers
/// there are; with two, `compare strings` shows the gain.
pub(super) const FEW_WORKERS: usize = 4;

/// The number of parts for each worker: several, as they differ in length.
const PARTS_PER_WORKER: usize = 4;

/// The minimum length of a part that is partitioned rather than sorted by std: for fewer elements, finding a pivot and partitioning would take as long as two workers gain.
pub(super) const LEAF_MIN: usize = 512;

/// The maximum length of a part that is sorted by std: longer parts would share the work less evenly, and would wait for memory that a partition reads ahead.
const LEAF_MAX: usize = 1 << 14;

/// The number of elements from which on all workers make the first partition together.
const SHARED_MIN: usize = 1 << 14;

/// The number of elements in a sample, whose middle element is the pivot.
const SAMPLE: usize = 63;

struct Quick<'v, T, C, S> {
    all: Parts<'v, T>,
    compare: C,
    sort_leaf: S,
    /// The number of elements up to which a part is sorted by std.
    leaf: usize,
}

/// A partition that leaves nearly all elements on one side counts as this many partitions.
const BAD_PARTITION: u32 = 6;

/// Elements to be sorted, and how often they may be partitioned again. Without that limit there would be too many partitions if pivots are bad or the order is not total.
///
/// Invariant: 1. no two parts of a sort overlap.
struct Part {
    places: Range<usize>,
    partitions: u32,
}

impl<'v, T, C, S> Algorithm for Quick<'v, T, C, S>
where
    T: Send,
    C: Fn(&T, &T) -> Ordering + Sync,
    S: Fn(&mut [T]) + Sync,
{
    /// A stack of parts. Later parts are usually shorter.
    type Local = Vec<Part>;

    fn has_local_work(&self, parts: &Self::Local) -> bool {
        !parts.is_empty()
    }

    fn do_unit(&self, parts: &mut Self::Local, _grain: usize) {
        match parts.pop() {
            Some(part) if self.is_long(&part) => self.partition(part, parts),
            Some(Part { places, .. }) => {
                // SAFETY: the part has been taken from the state, and overlaps no other part, by invariant 1 of `Part`.
                (self.sort_leaf)(unsafe { self.all.part(places) });
            }
            None => {}
        }
    }

    /// To the run loop a part is one element, however long it is. So if parts take long, the other parts are on offer, and no thief has to wait until a part has been sorted.
    fn unit_len(&self, _grain: usize) -> usize {
        1
    }

    fn commit(&self, _parts: &mut Self::Local) {}

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        (victim.len() > 1).then(|| vec![victim.remove(0)])
    }
}

impl<T, C: Fn(&T, &T) -> Ordering, S> Quick<'_, T, C, S> {
    fn is_less(&self, a: &T, b: &T) -> bool {
        (self.compare)(a, b).is_lt()
    }

    /// Whether a part is to be partitioned.
    fn is_long(&self, part: &Part) -> bool {
        part.places.len() > self.leaf && part.partitions > 0
    }

    /// Partitions a part and adds both sides to `parts`, the shorter one last. The pivot, and elements set apart as equal to it, are in their places.
    fn partition(&self, Part { places, partitions }: Part, parts: &mut Vec<Part>) {
        // SAFETY: the part has been taken from the state, and overlaps no other part, by invariant 1 of `Part`.
        let v = unsafe { self.all.part(places.clone()) };
        let (pivot, is_common) = self.middle(v);
        v.swap(0, pivot);
        let (less, greater) = if is_common {
            let (less, greater) = divide_in_three(v, &self.compare);
            (less.len(), greater.len())
        } else {
            let (less, mut rest) = divide(v, |x, pivot| self.is_less(x, pivot));
            let less = less.len();
            if less < places.len() / LOPSIDED {
                rest = divide(rest, |x, pivot| (self.compare)(x, pivot).is_le()).1;
            }
            (less, rest.len() - 1)
        };
        let mut sides = [places.start..places.start + less, places.end - greater..places.end];
        if less < greater {
            sides.swap(0, 1);
        }
        let is_bad = sides[0].len() > places.len() - places.len() / LOPSIDED;
        let partitions = partitions.saturating_sub(if is_bad { BAD_PARTITION } else { 1 });
        let sides = sides.into_iter().filter(|side| side.len() > 1);
        parts.extend(sides.map(|places| Part { places, partitions }));
    }

    /// The index of an element near the middle of the order, and whether many seem to equal it.
    fn middle(&self, v: &[T]) -> (usize, bool) {
        let stride = v.len() / (2 * SAMPLE);
        let mut sample: [usize; SAMPLE] = std::array::from_fn(|i| (2 * i + 1) * stride);
        let is_less = |a: usize, b: usize| self.is_less(&v[a], &v[b]);
        sort_sample(&mut sample, &is_less);
        let middle = sample[SAMPLE / 2];
        let (before, after) = sample.split_at(SAMPLE / 2);
        let equal = before.iter().rev().take_while(|x| !is_less(**x, middle)).count();
        let equal = equal + after[1..].iter().take_while(|x| !is_less(middle, **x)).count();
        (middle, equal >= SAMPLE / LOPSIDED)
    }
}

/// Sorts `v` by `compare`, short parts with `sort_leaf`.
#[inline(never)]
pub(super) fn quick<T, C, S>(executor: &impl Executor, v: &mut [T], compare: C, sort_leaf: S)
where
    T: Send,
    C: Fn(&T, &T) -> Ordering + Sync,
    S: Fn(&mut [T]) + Sync,
{
    let leaf = executor
        .grain()
        .unwrap_or_else(|| LEAF_MIN.max(v.len() / (PARTS_PER_WORKER * executor.workers())).min(LEAF_MAX));
    let partitions = 2 * (usize::BITS - v.len().leading_zeros());
    let shared_min = executor.grain().map_or(SHARED_MIN, |grain| grain.saturating_mul(PARTS_PER_WORKER));
    // With a boundary of 0 there is one side only.
    let boundary =
        if v.len() >= shared_min { halve(executor, v, &|a, b| compare(a, b).is_lt()).unwrap_or(0) } else { 0 };
    let quick = Quick { all: Parts::new(v), compare, sort_leaf, leaf };
    let sides = [0..boundary, boundary..quick.all.len()].into_iter().filter(|side| !side.is_empty());
    let mut parts: Vec<Part> = sides.map(|places| Part { places, partitions }).collect();
    // First a part for each worker is made: a call that has nothing to give away when it begins wakes no worker.
    loop {
        sort_few(&mut parts, |a, b| a.places.len() > b.places.len());
        if parts.len() >= executor.workers() || !parts.first().is_some_and(|part| quick.is_long(part)) {
            break;
        }
        let longest = parts.remove(0);
        quick.partition(longest, &mut parts);
    }
    if !parts.is_empty() {
        executor.run(&quick, parts);
    }
    let Quick { compare, sort_leaf, .. } = quick;
    sort_across(v, boundary, |a, b| compare(a, b).is_lt(), sort_leaf);
}
