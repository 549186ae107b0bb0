//! The slots of a pool: one for each started worker, and as many more as threads of the application call at once.
//!
//! Slots never move and are never freed while the pool lives, so that an index stays good. Those of callers are made in segments, each twice as
//! large as the last, when the ones before are taken: any number of threads may call at the same time.

use crate::sync::{AtomicUsize, Ordering};
use crate::worker::slot::{Slot, places_for};
use std::cell::Cell;
use std::sync::OnceLock;

/// Callers in the first segment.
const FIRST: usize = if cfg!(loom) { 3 } else { 16 };

/// More segments than any machine has memory for.
const SEGMENTS: usize = 40;

/// See the [module](self).
pub(crate) struct Slots {
    workers: Box<[Slot]>,
    callers: [OnceLock<Box<[Slot]>>; SEGMENTS],
    /// Public places of each slot.
    places: usize,
    /// Slots that have ever been used, the workers' among them: how far thieves look.
    used: AtomicUsize,
}

thread_local! {
    /// Where this thread was a caller last, counted from the first caller's slot: most likely it is free again.
    static LAST: Cell<usize> = const { Cell::new(0) };
}

/// Segment and place of a caller's slot.
fn segment_of(caller: usize) -> (usize, usize) {
    let segment = (caller / FIRST + 1).ilog2() as usize;
    (segment, caller - FIRST * ((1 << segment) - 1))
}

impl Slots {
    pub(crate) fn new(workers: usize) -> Self {
        let places = places_for(workers);
        let slots = Self {
            workers: (0..workers).map(|_| Slot::new(places)).collect(),
            callers: [const { OnceLock::new() }; SEGMENTS],
            places,
            used: AtomicUsize::new(workers),
        };
        // Most pools have a caller; and a model, which does not see what `OnceLock` orders, has no more than these.
        slots.caller(0);
        slots
    }

    /// Slots that have ever been used. Relaxed: whoever has used one since is found by a later look.
    #[inline(always)]
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// The slot at `index`, which has been used.
    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> &Slot {
        match self.workers.get(index) {
            Some(slot) => slot,
            None => self.caller(index - self.workers.len()),
        }
    }

    #[inline]
    fn caller(&self, caller: usize) -> &Slot {
        let (segment, place) = segment_of(caller);
        let make = || (0..FIRST << segment).map(|_| Slot::new(self.places)).collect();
        &self.callers[segment].get_or_init(make)[place]
    }

    pub(crate) fn workers(&self) -> &[Slot] {
        &self.workers
    }

    /// All slots that have ever been used.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Slot> {
        (0..self.used()).map(|index| self.get(index))
    }

    /// Leases a free slot to a caller; O(callers) at worst, the same slot as last time at best.
    pub(crate) fn lease(&self) -> usize {
        // A model begins anew each time.
        let last = if cfg!(loom) { 0 } else { LAST.get() };
        let known = (self.used() - self.workers.len()).max(FIRST);
        let caller = (last..known)
            .chain(0..last.min(known))
            .chain(known..)
            .find(|&caller| self.caller(caller).try_lease())
            .expect("there is always one more");
        LAST.set(caller);
        let index = self.workers.len() + caller;
        if self.used() <= index {
            self.used.fetch_max(index + 1, Ordering::Relaxed);
        }
        index
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn segments_follow_each_other() {
        let mut expected = (0, 0);
        for caller in 0..10_000 {
            assert_eq!(segment_of(caller), expected, "caller {caller}");
            expected.1 += 1;
            if expected.1 == FIRST << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
    }

    #[test]
    fn there_is_always_one_more() {
        let slots = Slots::new(2);
        let leased: Vec<usize> = (0..200).map(|_| slots.lease()).collect();
        assert_eq!(leased, (2..202).collect::<Vec<_>>());
        slots.get(57).release();
        assert_eq!(slots.lease(), 57, "what has become free is used again");
        assert_eq!(slots.used(), 202);
    }

    #[test]
    fn a_thread_that_had_a_high_number_elsewhere_takes_the_next_one() {
        let (slots, crowded) = (Slots::new(2), Slots::new(0));
        assert_eq!((0..FIRST).map(|_| slots.lease()).last(), Some(FIRST + 1));
        assert_eq!((0..100).map(|_| crowded.lease()).last(), Some(99));
        assert_eq!(slots.lease(), FIRST + 2);
        assert_eq!(slots.used(), FIRST + 3);
    }
}
