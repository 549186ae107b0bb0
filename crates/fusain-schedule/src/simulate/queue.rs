//! The queue of events, ordered by time and then by stamp.
//!
//! A radix heap (R. Ahuja, K. Mehlhorn, J. Orlin, R. Tarjan: "Faster algorithms for the shortest path problem", JACM 1990): bucket i holds the
//! events whose time differs from the present one in bit i first. When the present time has no events left, the lowest bucket is distributed
//! among those below it. An event moves down at most 64 times, a few in practice, and always together with its neighbours. The queue requires
//! that no event comes before the present, which holds for a simulation.
//!
//! Work: O(1) for a push, unless it is for the present time and in the middle of the other events of that time; for a pop O(1) within one time, otherwise as above.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) time: u64,
    pub(super) stamp: u32,
    pub(super) what: u32,
}

#[derive(Debug)]
pub(super) struct Queue {
    /// The events of the present time; those from `at` on are still to come, ordered by stamp.
    now: Vec<Event>,
    at: usize,
    time: u64,
    buckets: Vec<Vec<Event>>,
    /// Bit i is set if bucket i is not empty.
    filled: u64,
}

impl Queue {
    pub(super) fn new() -> Self {
        Self { now: Vec::new(), at: 0, time: 0, buckets: vec![Vec::new(); 64], filled: 0 }
    }

    /// Adds an event, which must not lie before the last one taken.
    #[inline]
    pub(super) fn push(&mut self, event: Event) {
        debug_assert!(event.time >= self.time, "time goes forward");
        match bucket(self.time, event.time) {
            None => self.push_now(event),
            Some(bucket) => {
                self.buckets[bucket].push(event);
                self.filled |= 1 << bucket;
            }
        }
    }

    fn push_now(&mut self, event: Event) {
        if self.now.last().is_none_or(|last| last.stamp <= event.stamp) {
            self.now.push(event);
        } else {
            let before = self.now[self.at..].partition_point(|other| other.stamp <= event.stamp);
            let place = self.at + before;
            if self.at > 0 && before < self.now.len() - place {
                // The places of the events that have been taken are free.
                self.at -= 1;
                self.now.copy_within(self.at + 1..place, self.at);
                self.now[place - 1] = event;
            } else {
                self.now.insert(place, event);
            }
        }
    }

    /// Takes the first event.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Event> {
        if self.at == self.now.len() {
            self.deal()?;
        }
        let event = self.now[self.at];
        self.at += 1;
        Some(event)
    }

    /// Goes on to the next time that has events.
    fn deal(&mut self) -> Option<()> {
        self.now.clear();
        self.at = 0;
        if self.filled == 0 {
            return None;
        }
        let lowest = self.filled.trailing_zeros() as usize;
        let mut events = std::mem::take(&mut self.buckets[lowest]);
        self.filled &= self.filled - 1;
        self.time = events.iter().map(|event| event.time).min()?;
        for event in events.drain(..) {
            match bucket(self.time, event.time) {
                None => self.now.push(event),
                Some(bucket) => {
                    self.buckets[bucket].push(event);
                    self.filled |= 1 << bucket;
                }
            }
        }
        // The bucket's memory is reused.
        self.buckets[lowest] = events;
        if !self.now.is_sorted_by_key(|event| event.stamp) {
            self.now.sort_unstable_by_key(|event| event.stamp);
        }
        Some(())
    }
}

/// The highest bit in which the two times differ.
#[inline]
fn bucket(now: u64, time: u64) -> Option<usize> {
    (now ^ time).checked_ilog2().map(|bit| bit as usize)
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Events pushed at or after the present, in any order of stamps, come out as from a binary heap.
        #[test]
        fn like_a_heap(steps in proptest::collection::vec((any::<bool>(), 0..60u32, any::<u64>(), any::<u32>()), 0..300)) {
            let (mut queue, mut heap, mut now) = (Queue::new(), BinaryHeap::new(), 0u64);
            for (pop, shift, delta, stamp) in steps {
                if pop {
                    let event = queue.pop();
                    let expected = heap.pop().map(|Reverse((time, stamp))| (time, stamp));
                    prop_assert_eq!(event.map(|event| (event.time, event.stamp)), expected);
                    now = event.map_or(now, |event| event.time);
                } else {
                    let time = now.saturating_add(delta.checked_shr(shift + 4).unwrap_or(0));
                    queue.push(Event { time, stamp, what: 0 });
                    heap.push(Reverse((time, stamp)));
                }
            }
            while let Some(Reverse((time, stamp))) = heap.pop() {
                prop_assert_eq!(queue.pop(), Some(Event { time, stamp, what: 0 }));
            }
            prop_assert_eq!(queue.pop(), None);
        }
    }
}
