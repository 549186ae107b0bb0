//! Computes each worker's output offset from per-worker counts of results.
//!
//! A worker that has counted its results stores the count with Release, which pairs with the Acquire of a worker that loads it: what the first worker read and
//! wrote before has been done by then. The counts of a few workers lie on one cache line, so a worker that loads the counts before its own fetches that line once.

use std::hint::spin_loop;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The value of a count that is not known yet. Its lowest bit is not set.
const UNKNOWN: usize = usize::MAX - 1;

/// The bit that is set when the results are in their places. The count is in the bits above.
const IS_THERE: usize = 1;

/// How often a worker looks for a count that another worker is about to store: some round trips between two cores.
const LOOKS: usize = 32;

/// How many results each worker has, as far as they have been counted.
pub(crate) struct Offsets(Vec<AtomicUsize>);

impl Offsets {
    /// The counts of `workers` workers, none of which is known.
    pub(crate) fn new(workers: usize) -> Self {
        Offsets((0..workers).map(|_| AtomicUsize::new(UNKNOWN)).collect())
    }

    /// Stores that worker `i` has `count` results.
    pub(crate) fn set(&self, i: usize, count: usize) {
        self.0[i].store(count << 1, Ordering::Release);
    }

    /// Stores that worker `i` has put its results where they belong.
    pub(crate) fn set_there(&self, i: usize) {
        // Relaxed: only worker `i` writes here.
        self.0[i].store(self.0[i].load(Ordering::Relaxed) | IS_THERE, Ordering::Release);
    }

    /// Whether worker `i` has put its results where they belong.
    pub(crate) fn is_there(&self, i: usize) -> bool {
        self.0[i].load(Ordering::Acquire) & IS_THERE != 0
    }

    /// Where the results of worker `i` belong, if it and all workers before it have counted.
    pub(crate) fn get(&self, i: usize) -> Option<Range<usize>> {
        let known = |count: &AtomicUsize| match count.load(Ordering::Acquire) {
            UNKNOWN => None,
            count => Some(count >> 1),
        };
        let start = self.0[..i].iter().try_fold(0, |sum, count| Some(sum + known(count)?))?;
        Some(start..start + known(&self.0[i])?)
    }

    /// Like [`get`](Self::get), but waits for other workers.
    ///
    /// One of them may have lost its core, so the wait is bounded. If these results are not put where they belong now, another worker has to fetch them, which are `lines`
    /// cache lines. The wait is about as long as that would take, since a look takes about as long as fetching a line.
    pub(crate) fn get_soon(&self, i: usize, lines: usize) -> Option<Range<usize>> {
        (0..LOOKS + lines).find_map(|_| {
            let place = self.get(i);
            if place.is_none() {
                spin_loop();
            }
            place
        })
    }

    /// Like [`get`](Self::get), if all workers have counted.
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
