//! Where results of several workers go that lie side by side, when each worker finds out by itself how many it has.
//!
//! Whoever has counted says so by a Release, which pairs with the Acquire of whoever asks: what was read and written before has been by then.
//! The counts of a few workers lie on one cache line, so who asks for those before it fetches that once.

use std::hint::spin_loop;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// No count: the lowest bit is not set.
const UNKNOWN: usize = usize::MAX - 1;

/// Set where the results are in their place; the count is in the bits above.
const IS_THERE: usize = 1;

/// Looks for a count that others are about to find: some round trips between two cores.
const LOOKS: usize = 32;

/// How many results each worker has, as far as they have been counted.
pub(crate) struct Offsets(Vec<AtomicUsize>);

impl Offsets {
    /// For so many workers.
    pub(crate) fn new(workers: usize) -> Self {
        Offsets((0..workers).map(|_| AtomicUsize::new(UNKNOWN)).collect())
    }

    /// Worker `i` has so many.
    pub(crate) fn set(&self, i: usize, count: usize) {
        self.0[i].store(count << 1, Ordering::Release);
    }

    /// Worker `i` has put its results where they belong.
    pub(crate) fn set_there(&self, i: usize) {
        // Nobody else writes here.
        self.0[i].store(self.0[i].load(Ordering::Relaxed) | IS_THERE, Ordering::Release);
    }

    /// Whether worker `i` has put its results where they belong.
    pub(crate) fn is_there(&self, i: usize) -> bool {
        self.0[i].load(Ordering::Acquire) & IS_THERE != 0
    }

    /// Where the results of worker `i` belong, if it and all before it have counted.
    pub(crate) fn get(&self, i: usize) -> Option<Range<usize>> {
        let known = |count: &AtomicUsize| match count.load(Ordering::Acquire) {
            UNKNOWN => None,
            count => Some(count >> 1),
        };
        let start = self.0[..i].iter().try_fold(0, |sum, count| Some(sum + known(count)?))?;
        Some(start..start + known(&self.0[i])?)
    }

    /// As [`get`](Self::get), and waits for others. One of them may have lost its core, so the wait is bounded: by as long as it would take another worker to fetch so many
    /// cache lines, which it has to if these results are not put where they belong now. A look and a line take about as long, some 20 ns.
    pub(crate) fn get_soon(&self, i: usize, lines: usize) -> Option<Range<usize>> {
        (0..LOOKS + lines).find_map(|_| {
            let place = self.get(i);
            if place.is_none() {
                spin_loop();
            }
            place
        })
    }

    /// As [`get`](Self::get), if all have counted.
    pub(crate) fn get_if_all(&self, i: usize) -> Option<Range<usize>> {
        self.get(self.0.len() - 1).and_then(|_| self.get(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_known_when_those_before_are() {
        let places = Offsets::new(3);
        assert!(!places.is_there(0));
        places.set(1, 5);
        assert_eq!((places.get(0), places.get_soon(1, 0)), (None, None));
        places.set(0, 2);
        assert_eq!((places.get(0), places.get_soon(1, 0), places.get_if_all(1)), (Some(0..2), Some(2..7), None));
        places.set(2, 0);
        places.set_there(1);
        assert_eq!((places.get_if_all(1), places.get(2)), (Some(2..7), Some(7..7)));
        assert_eq!([0, 1, 2].map(|i| places.is_there(i)), [false, true, false]);
    }
}
