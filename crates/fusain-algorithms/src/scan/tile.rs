//! The inner loops: one folds a tile, one scans it.
//!
//! In a scan each sum waits for the one before. A fold need not wait: it adds up eight lanes side by side. And in a scan only every fourth sum has to
//! wait: the elements of a group of four are added up first, which needs no earlier sum, and then the sum of everything before is added to all four
//! at once. That takes less than twice the operations, and fewer additions of floats wait for another.

use std::mem::needs_drop;
use std::ops::Range;

use super::elements::Elements;
use crate::element::primitive::{is_float, is_light, may_be_primitive};

/// The number of lanes in which a tile of light elements is folded.
const LANES: usize = 8;

/// Folds the elements in `range`, which is not empty.
///
/// # Safety
///
/// The elements in `range` belong to the caller, and no result has been put there.
#[inline(always)]
pub(super) unsafe fn fold<T, E: Elements<T>>(elements: &E, range: Range<usize>) -> T {
    debug_assert!(!range.is_empty());
    let elements = elements.view();
    if const { !is_light::<T>() } || range.len() < 4 * LANES {
        // SAFETY: guaranteed by the caller.
        let mut acc = unsafe { elements.lift(range.start) };
        for i in range.start + 1..range.end {
            // A loop and not `Iterator::fold`: a value that a function returns is lost if what it drops at its end panics.
            // SAFETY: guaranteed by the caller.
            acc = unsafe { elements.add(&acc, i) };
        }
        return acc;
    }
    let len = range.len() / LANES;
    let starts: [usize; LANES] = std::array::from_fn(|l| range.start + l * len);
    // SAFETY: guaranteed by the caller.
    let mut acc: [T; LANES] = starts.map(|start| unsafe { elements.lift(start) });
    for i in 1..len {
        for l in 0..LANES {
            // SAFETY: guaranteed by the caller.
            acc[l] = unsafe { elements.add(&acc[l], starts[l] + i) };
        }
    }
    let all = acc.into_iter().reduce(|a, b| elements.combine(&a, &b)).expect("there are lanes");
    // SAFETY: guaranteed by the caller.
    (range.start + LANES * len..range.end).fold(all, |acc, i| unsafe { elements.add(&acc, i) })
}

/// Scans the elements in `range`, before which everything adds up to `prefix`. Returns the sum of everything up to the end of the range.
///
/// Results that need no dropping are [counted](count) at the end: if workers counted each tile, they would contend for a cache line.
///
/// # Safety
///
/// The elements in `range` belong to the caller, and no result has been put there.
#[inline(always)]
pub(super) unsafe fn scan<T: Clone, E: Elements<T>>(elements: &E, range: Range<usize>, prefix: T) -> T {
    if needs_drop::<T>() {
        // SAFETY: guaranteed by the caller.
        return unsafe { scan_counted(&elements.view(), range, prefix) };
    }
    let part = |elements: &E::View<'_>, mut range: Range<usize>, prefix: T| {
        let mut acc = prefix;
        // Only for floats: an addition of integers takes one cycle, so there is nothing to gain, and an operation on other types may cost anything.
        if const { may_be_primitive::<T>() } && is_float::<T>() {
            // SAFETY: guaranteed by the caller.
            (acc, range.start) = unsafe { scan_groups(elements, range.clone(), acc) };
        }
        for i in range {
            // SAFETY: guaranteed by the caller.
            acc = unsafe { scan_one(elements, i, acc) };
        }
        acc
    };
    // SAFETY: guaranteed by the caller, and each result is put.
    unsafe { elements.in_parts(range, prefix, part) }
}

/// Like [`scan`], for results that need dropping.
#[inline(always)]
unsafe fn scan_counted<T: Clone, E: Elements<T>>(elements: &E, range: Range<usize>, prefix: T) -> T {
    // SAFETY: guaranteed by the caller.
    let mut window = unsafe { elements.window(range.clone()) };
    let mut acc = prefix;
    for i in range.clone() {
        // SAFETY: guaranteed by the caller.
        acc = unsafe { scan_one(elements, i, acc) };
        if let Some(window) = &mut window {
            // SAFETY: slots up to and with `i` have been filled. One by one, so that a panic finds them all counted.
            unsafe { window.set_left(range.end - 1 - i) };
        }
    }
    if let Some(mut window) = window {
        window.publish();
    }
    acc
}

/// Puts the result for element `i`, before which everything adds up to `before`. Returns the sum after it.
#[inline(always)]
unsafe fn scan_one<T, E: Elements<T>>(elements: &E, i: usize, before: T) -> T {
    // SAFETY: guaranteed by the caller.
    let sum = unsafe { elements.add(&before, i) };
    // SAFETY: guaranteed by the caller.
    unsafe { elements.put(i, before, &sum) };
    sum
}

/// Counts the results in `range` that [`scan`] has not counted.
///
/// # Safety
///
/// All of `range` has been scanned, and this is called once.
pub(super) unsafe fn count<T, E: Elements<T>>(elements: &E, range: Range<usize>) {
    // SAFETY: results that need dropping have been counted; for others there was no window yet.
    let window = if needs_drop::<T>() { None } else { unsafe { elements.window(range) } };
    if let Some(mut window) = window {
        // SAFETY: guaranteed by the caller.
        unsafe { window.set_left(0) };
        window.publish();
    }
}

/// Like [`scan`], for elements that need no dropping, as far as there are whole groups. Returns the sum, and the index behind the last group.
#[inline(always)]
unsafe fn scan_groups<T: Clone, E: Elements<T>>(elements: &E, range: Range<usize>, prefix: T) -> (T, usize) {
    let (mut acc, mut i) = (prefix, range.start);
    while range.end - i >= 4 {
        // SAFETY: guaranteed by the caller.
        let a = unsafe { elements.lift(i) };
        // SAFETY: guaranteed by the caller.
        let ab = unsafe { elements.add(&a, i + 1) };
        // SAFETY: guaranteed by the caller.
        let abc = unsafe { elements.add(&ab, i + 2) };
        // SAFETY: guaranteed by the caller.
        let abcd = unsafe { elements.add(&abc, i + 3) };
        let before = acc;
        let sums = [a, ab, abc, abcd].map(|sum| elements.combine(&before, &sum));
        acc = sums[3].clone();
        let mut befores = [before, sums[0].clone(), sums[1].clone(), sums[2].clone()].into_iter();
        for (k, sum) in sums.iter().enumerate() {
            let before = befores.next().expect("one for each sum");
            // SAFETY: guaranteed by the caller; the elements of the group have been read.
            unsafe { elements.put(i + k, before, sum) };
        }
        i += 4;
    }
    (acc, i)
}
