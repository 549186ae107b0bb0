//! The slots of a pool: one for each started worker, and as many more as threads of the application call at once.
//!
//! Slots never move and are never freed while the pool lives, so an index stays valid. Callers' slots are made in segments, each twice as
//! large as the last, when those before are taken: any number of threads may call at the same time.
//!
//! # How far others look
//!
//! Thieves look at the slots of workers, at the first segment, and at all others up to the last segment in which there is a caller now. Each segment but the first, where
//! nearly all callers are, counts its callers. So when thousands of threads have called at once and left, thieves do not look at their slots any more.
//!
//! A caller counts itself after it has leased a slot and before it shows anything there to other threads. It takes itself off when it has nothing left there. Relaxed: a
//! thread that must not miss what a slot shows is ordered with the caller by fences ([`idle`](crate::idle)). It then does not miss the count either, which the caller wrote
//! before; other callers change it only by their own share. Checked by `checks::sleep`. A worker that answers requests has no such fence: it can miss the request of a
//! caller in a later segment, which asks again.

use crate::sync::{AtomicUsize, Ordering};
use crate::worker::slot::{Slot, places_for};
use crossbeam_utils::CachePadded;
use std::cell::Cell;
use std::sync::OnceLock;

/// The number of callers' slots in the first segment.
const FIRST: usize = if cfg!(loom) { 3 } else { 16 };

/// The number of segments: more than any machine has memory for.
const SEGMENTS: usize = if cfg!(loom) { 2 } else { 40 };

/// See the [module](self).
pub(crate) struct Slots {
    workers: Box<[Slot]>,
    callers: [OnceLock<Box<[Slot]>>; SEGMENTS],
    /// Public places of each slot.
    places: usize,
    /// The number of slots that have ever been used, including the workers'.
    used: AtomicUsize,
    /// The number of callers in each segment but the first. On a cache line apart from the fields that every thread reads.
    guests: CachePadded<[AtomicUsize; SEGMENTS]>,
}

thread_local! {
    /// The slot that this thread had as a caller last, counted from the first caller's slot: it is probably free again.
    static LAST: Cell<usize> = const { Cell::new(0) };
}

/// The segment of a caller's slot, and its place there.
fn segment_of(caller: usize) -> (usize, usize) {
    let segment = (caller / FIRST + 1).ilog2() as usize;
    (segment, caller - before(segment))
}

/// The number of callers' slots before a segment.
fn before(segment: usize) -> usize {
    FIRST * ((1 << segment) - 1)
}

impl Slots {
    pub(crate) fn new(workers: usize) -> Self {
        let places = places_for(workers);
        let slots = Self {
            workers: (0..workers).map(|_| Slot::new(places)).collect(),
            callers: [const { OnceLock::new() }; SEGMENTS],
            places,
            used: AtomicUsize::new(workers),
            guests: CachePadded::new([(); SEGMENTS].map(|()| AtomicUsize::new(0))),
        };
        // Most pools have a caller. And a model does not see what `OnceLock` orders, so its segments are made before its threads start.
        slots.caller(0);
        slots
    }

    /// How many slots thieves look at: all that are in use now are among the first of that number. Relaxed: a caller that comes later is found by a later look.
    #[inline(always)]
    pub(crate) fn in_use(&self) -> usize {
        let used = self.used.load(Ordering::Relaxed);
        if used <= self.workers.len() + FIRST { used } else { self.in_use_of(used) }
    }

    /// The same where `used` slots have ever been used, more than those of the workers and of the first segment.
    #[inline(never)]
    fn in_use_of(&self, used: usize) -> usize {
        let (last, _) = segment_of(used - self.workers.len() - 1);
        let has_guests = |segment: &usize| self.guests[*segment].load(Ordering::Relaxed) > 0;
        let last = (1..=last).rev().find(has_guests).unwrap_or(0);
        used.min(self.workers.len() + before(last + 1))
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
        (0..self.used.load(Ordering::Relaxed)).map(|index| self.get(index))
    }

    /// Leases a free slot to a caller; O(callers) at worst, the same slot as last time at best. Prefers slots that thieves look at anyway.
    pub(crate) fn lease(&self) -> usize {
        // A model begins anew each time.
        let last = if cfg!(loom) { 0 } else { LAST.get() };
        let known = (self.in_use() - self.workers.len()).max(FIRST);
        let caller = (last..known)
            .chain(0..last.min(known))
            .chain(known..)
            .find(|&caller| self.caller(caller).try_lease())
            .expect("there is always one more");
        LAST.set(caller);
        let index = self.workers.len() + caller;
        if self.used.load(Ordering::Relaxed) <= index {
            self.used.fetch_max(index + 1, Ordering::Relaxed);
        }
        if caller >= FIRST {
            self.guests[segment_of(caller).0].fetch_add(1, Ordering::Relaxed);
        }
        index
    }

    /// Ends the lease of slot `index`.
    #[inline]
    pub(crate) fn release(&self, index: usize) {
        // Before another caller can lease the slot, and count itself.
        if index >= self.workers.len() + FIRST {
            self.guests[segment_of(index - self.workers.len()).0].fetch_sub(1, Ordering::Relaxed);
        }
        self.get(index).release();
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
        slots.release(57);
        assert_eq!(slots.lease(), 57, "what has become free is used again");
        assert_eq!(slots.in_use(), 202);
    }

    #[test]
    fn nobody_looks_where_callers_have_been() {
        let slots = Slots::new(2);
        let leased: Vec<usize> = (0..200).map(|_| slots.lease()).collect();
        // All of the last segment, which begins after 16, 32 and 64.
        leased[112..].iter().for_each(|&index| slots.release(index));
        assert_eq!(slots.in_use(), 2 + 112);
        leased[FIRST..111].iter().for_each(|&index| slots.release(index));
        assert_eq!(slots.in_use(), 2 + 112, "there is one left");
        slots.release(leased[111]);
        assert_eq!(slots.in_use(), 2 + FIRST);
        assert_eq!(slots.iter().count(), 202, "what they have done counts");
        slots.release(leased[3]);
        assert_eq!(slots.lease(), leased[3], "not where this thread was last");
        let index = slots.lease();
        assert_eq!((index, slots.in_use()), (2 + FIRST, 2 + 3 * FIRST));
        slots.release(index);
        assert_eq!(slots.in_use(), 2 + FIRST);
    }

    #[test]
    fn a_thread_that_had_a_high_number_elsewhere_takes_the_next_one() {
        let (slots, crowded) = (Slots::new(2), Slots::new(0));
        assert_eq!((0..FIRST).map(|_| slots.lease()).last(), Some(FIRST + 1));
        assert_eq!((0..100).map(|_| crowded.lease()).last(), Some(99));
        assert_eq!(slots.lease(), FIRST + 2);
        assert_eq!(slots.in_use(), FIRST + 3);
    }
}
