//! The loops inside: a tile folded, and a tile scanned.
//!
//! A scan is one long chain, each sum waiting for the one before. But a tile that has been folded first, as four lanes
//! side by side, can be scanned as four lanes side by side: each knows what comes before it. So the second pass over
//! a tile, which lies in the cache by then, costs less than the one pass of a plain scan would.

use std::mem::needs_drop;
use std::ops::Range;

use super::elements::Elements;
use crate::kind::is_light;

/// Lanes of a tile, where elements are light.
const LANES: usize = 4;

/// What the elements of a tile add up to.
pub(super) struct Folded<T> {
    /// The first lane, the first two, the first three; `None` for a tile that was folded in one go.
    pub(super) lanes: Option<[T; LANES - 1]>,
    pub(super) total: T,
}

/// Whether a tile of these elements is worth lanes.
fn in_lanes<T>(range: &Range<usize>) -> bool {
    is_light::<T>() && range.len() >= 4 * LANES
}

/// Folds the elements in `range`, which is not empty.
///
/// # Safety
///
/// The elements in `range` are the caller's, and no result has been put there.
#[inline(always)]
pub(super) unsafe fn fold<T, E: Elements<T>>(elements: &E, range: Range<usize>) -> Folded<T> {
    debug_assert!(!range.is_empty());
    let elements = elements.view();
    if !in_lanes::<T>(&range) {
        // SAFETY: the caller's.
        let first = unsafe { elements.lift(range.start) };
        // SAFETY: the caller's.
        let total = (range.start + 1..range.end).fold(first, |acc, i| unsafe { elements.add(&acc, i) });
        return Folded { lanes: None, total };
    }
    let len = range.len() / LANES;
    let starts: [usize; LANES] = std::array::from_fn(|l| range.start + l * len);
    // SAFETY: the caller's.
    let mut acc: [T; LANES] = starts.map(|start| unsafe { elements.lift(start) });
    for i in 1..len {
        for l in 0..LANES {
            // SAFETY: the caller's.
            acc[l] = unsafe { elements.add(&acc[l], starts[l] + i) };
        }
    }
    let [a, b, c, d] = acc;
    // SAFETY: the caller's. The last lane has what is left over.
    let d = (range.start + LANES * len..range.end).fold(d, |acc, i| unsafe { elements.add(&acc, i) });
    let ab = elements.combine(&a, &b);
    let abc = elements.combine(&ab, &c);
    let total = elements.combine(&abc, &d);
    Folded { lanes: Some([a, ab, abc]), total }
}

/// Scans the elements in `range`, before which everything adds up to `prefix`.
///
/// # Safety
///
/// The elements in `range` are the caller's, and no result has been put there.
#[inline(always)]
pub(super) unsafe fn scan<T: Clone, E: Elements<T>>(
    elements: &E,
    range: Range<usize>,
    prefix: &T,
    lanes: Option<[T; LANES - 1]>,
) {
    let Some([a, ab, abc]) = lanes else {
        // SAFETY: the caller's.
        unsafe { scan_plain(elements, range, prefix.clone()) };
        return;
    };
    let elements = elements.view();
    // SAFETY: the caller's.
    let window = unsafe { elements.window(range.clone()) };
    let len = range.len() / LANES;
    let starts: [usize; LANES] = std::array::from_fn(|l| range.start + l * len);
    let before = |sum| elements.combine(prefix, sum);
    let mut acc: [T; LANES] = [prefix.clone(), before(&a), before(&ab), before(&abc)];
    for i in 0..len {
        for l in 0..LANES {
            // SAFETY: the caller's; elements in lanes are light, so no window has to follow.
            unsafe { elements.put(starts[l] + i, &mut acc[l]) };
        }
    }
    for i in range.start + LANES * len..range.end {
        // SAFETY: the caller's.
        unsafe { elements.put(i, &mut acc[LANES - 1]) };
    }
    if let Some(mut window) = window {
        // SAFETY: every slot has been filled.
        unsafe { window.set_left(0) };
        window.publish();
    }
}

/// Scans the elements in `range` in one go; returns what everything up to its end adds up to.
///
/// # Safety
///
/// As [`scan`].
#[inline(always)]
pub(super) unsafe fn scan_plain<T, E: Elements<T>>(elements: &E, range: Range<usize>, prefix: T) -> T {
    let elements = elements.view();
    // SAFETY: the caller's.
    let mut window = unsafe { elements.window(range.clone()) };
    let mut acc = prefix;
    for i in range.clone() {
        // SAFETY: the caller's.
        unsafe { elements.put(i, &mut acc) };
        if needs_drop::<T>()
            && let Some(window) = &mut window
        {
            // SAFETY: slots up to and with `i` have been filled. One by one, so that a panic finds them all counted.
            unsafe { window.set_left(range.end - 1 - i) };
        }
    }
    if let Some(mut window) = window {
        // SAFETY: every slot has been filled.
        unsafe { window.set_left(0) };
        window.publish();
    }
    acc
}
