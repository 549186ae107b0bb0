//! The inner loop of set operations: no branches, several parts at a time.
//!
//! As in a merge, a branch predictor can predict neither which run the next element comes from nor whether it stays. So both choices are
//! made by data, and up to four parts go side by side, which hides the latency of steps that wait for each other: see `merge/kernel.rs`.
//! Before that, long rows that need no choice are passed at once: equal elements, and elements less than all of the other run.

use std::hint::select_unpredictable;
use std::ptr;

use super::path::cut;
use crate::element::primitive::{is_primitive, may_be_primitive};
use crate::platform::simd::{Body, widest};
use crate::search::gallop::{STRIDE, equal_front, leap};
use crate::sort::insertion::sort_few;

/// The result has the elements that only the first run has.
pub(super) const ONLY_A: u8 = 1;
/// The result has the elements that only the second run has.
pub(super) const ONLY_B: u8 = 2;
/// The result has the elements that both runs have, taken from the first.
pub(super) const BOTH: u8 = 4;

/// The maximum number of parts that are advanced side by side.
const LANES: usize = 4;

/// The number of elements of both runs from which on it pays to cut them into lanes.
const CUT: usize = 256;

/// The maximum number of results, from the lengths of both runs.
pub(super) fn bound<const OP: u8>(a: usize, b: usize) -> usize {
    match OP {
        BOTH => a.min(b),
        ONLY_A => a,
        // Slices of zero-sized elements may be so long that the sum overflows.
        _ => a.checked_add(b).expect("the number of elements fits in a usize"),
    }
}

/// Passes rows at the front: elements that are equal in both runs, or that only one of them has. Appends their results, and returns what is left.
///
/// If there are no rows, that costs a few dozen comparisons. Every turn but the last passes some elements, even if the order is not a total order.
#[inline(always)]
fn pass_rows<'a, T: Clone, const OP: u8>(
    mut a: &'a [T],
    mut b: &'a [T],
    less: &impl Fn(&T, &T) -> bool,
    results: &mut Vec<T>,
) -> (&'a [T], &'a [T]) {
    loop {
        let equal = equal_front(a, b, |x, y| !less(x, y) & !less(y, x));
        if OP & BOTH != 0 {
            results.extend_from_slice(&a[..equal]);
        }
        (a, b) = (&a[equal..], &b[equal..]);
        let (Some(x), Some(y)) = (a.first(), b.first()) else { return (a, b) };
        if a.get(STRIDE - 1).is_some_and(|last| less(last, y)) {
            let row = STRIDE + leap(&a[STRIDE..], |x| less(x, y));
            if OP & ONLY_A != 0 {
                results.extend_from_slice(&a[..row]);
            }
            a = &a[row..];
        } else if b.get(STRIDE - 1).is_some_and(|last| less(last, x)) {
            let row = STRIDE + leap(&b[STRIDE..], |y| less(y, x));
            if OP & ONLY_B != 0 {
                results.extend_from_slice(&b[..row]);
            }
            b = &b[row..];
        } else if equal == 0 {
            return (a, b);
        }
    }
}

/// Appends the results of the operation on `a` and `b`.
pub(super) fn operate<T: Clone, const OP: u8>(a: &[T], b: &[T], less: &impl Fn(&T, &T) -> bool, results: &mut Vec<T>) {
    if a.is_empty() || b.is_empty() {
        return alone::<_, OP>(a, b, results);
    }
    if const { may_be_primitive::<T>() } && is_primitive::<T>() {
        widest(Side::<_, _, OP> { a, b, less, results });
    } else {
        one_by_one::<_, OP>(a, b, less, results);
    }
}

/// Appends the results if one of the runs is empty.
fn alone<T: Clone, const OP: u8>(a: &[T], b: &[T], results: &mut Vec<T>) {
    if OP & ONLY_A != 0 {
        results.extend_from_slice(a);
    }
    if OP & ONLY_B != 0 {
        results.extend_from_slice(b);
    }
}

fn one_by_one<T: Clone, const OP: u8>(mut a: &[T], mut b: &[T], less: &impl Fn(&T, &T) -> bool, results: &mut Vec<T>) {
    while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
        let (from, stays) = if less(x, y) {
            a = a_rest;
            (x, OP & ONLY_A != 0)
        } else if less(y, x) {
            b = b_rest;
            (y, OP & ONLY_B != 0)
        } else {
            (a, b) = (a_rest, b_rest);
            (x, OP & BOTH != 0)
        };
        if stays {
            results.push(from.clone());
        }
    }
    alone::<_, OP>(a, b, results);
}

/// An operation on numbers.
struct Side<'s, T, L, const OP: u8> {
    a: &'s [T],
    b: &'s [T],
    less: &'s L,
    results: &'s mut Vec<T>,
}

/// What is left of two runs, and where their results go.
///
/// Invariant: 1. as many slots from `start` on belong to the lane as there can be results. They do not overlap the runs. The first `made` are filled.
struct Lane<'l, T> {
    a: &'l [T],
    b: &'l [T],
    start: *mut T,
    made: usize,
}

impl<T: Clone, L: Fn(&T, &T) -> bool, const OP: u8> Body for Side<'_, T, L, OP> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Side { a, b, less, results } = self;
        results.reserve(bound::<OP>(a.len(), b.len()));
        let (a, b) = pass_rows::<_, OP>(a, b, less, results);
        if a.is_empty() || b.is_empty() {
            return alone::<_, OP>(a, b, results);
        }
        let total = a.len() + b.len();
        let count = if total < CUT { 1 } else { LANES };
        results.reserve(bound::<OP>(a.len(), b.len()));
        let home = results.as_mut_ptr().wrapping_add(results.len());
        let mut room = home;
        let mut before = (0, 0);
        let mut lanes: [Lane<'_, T>; LANES] = std::array::from_fn(|l| {
            let end = if l + 1 >= count { (a.len(), b.len()) } else { cut(a, b, total * (l + 1) / count, less) };
            // Runs that are not sorted may have cuts that go back.
            let end = (end.0.max(before.0), end.1.max(before.1));
            let (a, b) = (&a[before.0..end.0], &b[before.1..end.1]);
            before = end;
            let start = room;
            room = room.wrapping_add(bound::<OP>(a.len(), b.len()));
            Lane { a, b, start, made: 0 }
        });
        let mut active = count;
        // Lanes that are done go to the end.
        while active > 0 {
            let steps = lanes[..active].iter().map(|lane| lane.a.len().min(lane.b.len())).min().unwrap_or(0);
            match active {
                // SAFETY: each run of each lane has that many elements. The lanes' room is inside the vector's, as the bounds
                // of the parts add up to at most the bound of the whole.
                4 => unsafe { advance::<_, OP, 4>(&mut lanes, steps, less) },
                // SAFETY: as above.
                3 => unsafe { advance::<_, OP, 3>(&mut lanes, steps, less) },
                // SAFETY: as above.
                2 => unsafe { advance::<_, OP, 2>(&mut lanes, steps, less) },
                // SAFETY: as above.
                _ => unsafe { advance::<_, OP, 1>(&mut lanes, steps, less) },
            }
            let mut l = 0;
            while l < active {
                if lanes[l].a.is_empty() || lanes[l].b.is_empty() {
                    // SAFETY: as above.
                    unsafe { finish::<_, OP>(&mut lanes[l]) };
                    active -= 1;
                    lanes.swap(l, active);
                } else {
                    l += 1;
                }
            }
        }
        // The lanes' results are put one behind the other.
        sort_few(&mut lanes[..count], |a, b| a.start < b.start);
        let mut made = 0;
        for lane in &lanes[..count] {
            // SAFETY: results are numbers, and are moved towards the front of the room in which they lie.
            unsafe { ptr::copy(lane.start, home.wrapping_add(made), lane.made) };
            made += lane.made;
        }
        // SAFETY: `made` results lie behind those that were there, inside the reserved room.
        unsafe { results.set_len(results.len() + made) };
    }
}

/// Makes `steps` steps in each of the first `N` lanes. Each step passes an element of one run or of both.
///
/// # Safety
///
/// No run of these lanes is shorter than `steps`, and each lane has room for its results; `T` is a number.
#[inline(always)]
unsafe fn advance<T, const OP: u8, const N: usize>(
    lanes: &mut [Lane<'_, T>; LANES],
    steps: usize,
    less: &impl Fn(&T, &T) -> bool,
) {
    let (mut a, mut b, mut out) = ([ptr::null(); N], [ptr::null(); N], [ptr::null_mut(); N]);
    let (mut i, mut j, mut made) = ([0; N], [0; N], [0; N]);
    for l in 0..N {
        (a[l], b[l], out[l], made[l]) = (lanes[l].a.as_ptr(), lanes[l].b.as_ptr(), lanes[l].start, lanes[l].made);
    }
    for _ in 0..steps {
        for l in 0..N {
            let (x, y) = (a[l].wrapping_add(i[l]), b[l].wrapping_add(j[l]));
            // SAFETY: a step passes at most one element of a run, and no run has fewer than `steps`.
            let in_a = unsafe { &*x };
            // SAFETY: as above.
            let in_b = unsafe { &*y };
            let only_a = less(in_a, in_b);
            // Never both, even if the order says so, as the step would then pass nothing.
            let only_b = !only_a & less(in_b, in_a);
            let from = if OP & ONLY_B == 0 { x } else { select_unpredictable(only_b, y, x) };
            // SAFETY: whatever `less` says, each result so far came from a step that passed an element that may be a result. So there
            // are fewer of them than the elements passed before and in this step can have, and as many slots belong to the lane.
            unsafe { ptr::copy_nonoverlapping(from, out[l].wrapping_add(made[l]), 1) };
            let stays =
                (only_a & (OP & ONLY_A != 0)) | (only_b & (OP & ONLY_B != 0)) | (!(only_a | only_b) & (OP & BOTH != 0));
            made[l] += usize::from(stays);
            i[l] += usize::from(!only_b);
            j[l] += usize::from(!only_a);
        }
    }
    for l in 0..N {
        lanes[l].a = &lanes[l].a[i[l]..];
        lanes[l].b = &lanes[l].b[j[l]..];
        lanes[l].made = made[l];
    }
}

/// Copies the results of the run that is left.
///
/// # Safety
///
/// One of the runs is empty, the lane has room for its results, and `T` is a number.
#[inline(always)]
unsafe fn finish<T, const OP: u8>(lane: &mut Lane<'_, T>) {
    let (a, b) = (std::mem::take(&mut lane.a), std::mem::take(&mut lane.b));
    for (run, stays) in [(a, OP & ONLY_A != 0), (b, OP & ONLY_B != 0)] {
        if stays {
            // SAFETY: guaranteed by the caller.
            unsafe { ptr::copy_nonoverlapping(run.as_ptr(), lane.start.wrapping_add(lane.made), run.len()) };
            lane.made += run.len();
        }
    }
}
