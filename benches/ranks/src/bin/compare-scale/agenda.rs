//! The event queue: ordered by time, and for equal times by the order of insertion.
//!
//! A hierarchical timing wheel. The first wheel has a slot for each of the next 64 ns, the second for each of the next 64 runs of 64 ns, and so on. Time never
//! goes back. When it reaches a slot of a later wheel, all earlier wheels are empty, and the slot's events move to them. Events far ahead, many of which never
//! matter, thus cost a few moves; in a heap they would slow down all others. (G. Varghese, T. Lauck: "Hashed and hierarchical timing wheels", SOSP 1987.)
//!
//! Cost: each event is moved at most once for each wheel below its first one, hence at most ten times. Order: slots are queues, and an event that moves down
//! to an earlier wheel gets there before any event that is planned later.

use crate::peer::Time;

const BITS: u32 = 6;
const SLOTS: usize = 1 << BITS;

/// The number of wheels, enough for any time.
const WHEELS: usize = Time::BITS.div_ceil(BITS) as usize;

struct Wheel<T> {
    slots: [Vec<(Time, T)>; SLOTS],
    /// One bit for each slot, set if the slot is not empty.
    filled: u64,
}

pub(super) struct Agenda<T> {
    now: Time,
    wheels: [Wheel<T>; WHEELS],
    /// The events of the current time; the next is at the end.
    due: Vec<(Time, T)>,
    /// The memory of an empty slot, kept for reuse.
    spare: Vec<(Time, T)>,
}

impl<T> Default for Agenda<T> {
    fn default() -> Self {
        let wheel = |_| Wheel { slots: [const { Vec::new() }; SLOTS], filled: 0 };
        Self { now: 0, wheels: std::array::from_fn(wheel), due: Vec::new(), spare: Vec::new() }
    }
}

impl<T> Agenda<T> {
    /// Plans an event at `time`, which is not before the last event popped.
    pub(super) fn push(&mut self, time: Time, what: T) {
        debug_assert!(time >= self.now, "time does not go back");
        let differs = time ^ self.now;
        // The first wheel on which `time` and now are at most one turn apart.
        let at = (Time::BITS - (differs | 1).leading_zeros() - 1) / BITS;
        let slot = (time >> (at * BITS)) as usize % SLOTS;
        let wheel = &mut self.wheels[at as usize];
        wheel.slots[slot].push((time, what));
        wheel.filled |= 1 << slot;
    }

    /// Removes the next event and returns it with its time.
    pub(super) fn pop(&mut self) -> Option<(Time, T)> {
        loop {
            if let Some(next) = self.due.pop() {
                return Some(next);
            }
            let at = self.wheels.iter().position(|wheel| wheel.filled != 0)?;
            let wheel = &mut self.wheels[at];
            let slot = wheel.filled.trailing_zeros();
            wheel.filled &= wheel.filled - 1;
            let (shift, filled) = (at as u32 * BITS, &mut wheel.slots[slot as usize]);
            if at == 0 {
                self.now = self.now >> BITS << BITS | Time::from(slot);
                std::mem::swap(filled, &mut self.due);
                self.due.reverse();
            } else {
                let mut queue = std::mem::replace(filled, std::mem::take(&mut self.spare));
                // The start of the slot.
                let above = self.now.checked_shr(shift + BITS).unwrap_or(0).checked_shl(shift + BITS).unwrap_or(0);
                self.now = above | Time::from(slot) << shift;
                queue.drain(..).for_each(|(time, what)| self.push(time, what));
                self.spare = queue;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use super::*;
    use crate::load::draw;

    /// Agrees with a heap of times and numbers: for near and distant times, for now, and for `Time::MAX`.
    #[test]
    fn by_time_and_then_as_planned() {
        let (mut random, mut now) = (1, 0);
        let (mut agenda, mut heap) = (Agenda::default(), BinaryHeap::new());
        let mut planned = 0;
        for _ in 0..100_000 {
            if draw(&mut random).is_multiple_of(2) || heap.len() < 10 {
                let ahead = draw(&mut random) & Time::MAX.checked_shr(draw(&mut random) as u32 % 65).unwrap_or(0);
                let time = now + ahead.min(Time::MAX - now);
                agenda.push(time, planned);
                heap.push(Reverse((time, planned)));
                planned += 1;
            } else {
                let next = heap.pop().map(|Reverse(next)| next);
                assert_eq!(agenda.pop(), next);
                let next = next.map_or(0, |(time, _)| time);
                // Start anew when the time gets close to its maximum.
                now = next;
                if now > 1 << 62 {
                    (agenda, heap, now) = (Agenda::default(), BinaryHeap::new(), 0);
                }
            }
        }
        while let Some(Reverse(next)) = heap.pop() {
            assert_eq!(agenda.pop(), Some(next));
        }
        assert_eq!(agenda.pop(), None);
    }
}
