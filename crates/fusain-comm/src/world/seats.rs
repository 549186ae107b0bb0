//! Seats: places in the count of threads. They say which threads a world counts, and which of them are awake.
//!
//! Each rank has a seat from the beginning, each [`Enlisted`](super::Enlisted) from its creation, and each other thread from its first blocking call until it
//! ends (`guests.rs`). A seat is awake unless *the thread that holds it* sleeps. So whether a thread without a seat waits does not change the count: such a
//! thread never makes a world look asleep while a thread with a seat is awake.
//!
//! > awake = seats − seats whose holder sleeps

use std::cell::Cell;
use std::collections::HashMap;
use std::thread::ThreadId;

/// Identifies a seat in its world. A rank's own seat has the rank's number.
pub(super) type SeatId = usize;

#[derive(Debug)]
pub(super) struct Seats {
    seats: HashMap<SeatId, Seat>,
    /// The seat of each thread; a thread has at most one.
    by_thread: HashMap<ThreadId, SeatId>,
    next: SeatId,
    awake: usize,
}

#[derive(Debug, Default)]
struct Seat {
    /// None until a thread has taken it: until then the seat is awake.
    holder: Option<ThreadId>,
    asleep: bool,
}

impl Seats {
    pub(super) fn of_ranks(ranks: usize) -> Self {
        let mut seats = Self { seats: HashMap::new(), by_thread: HashMap::new(), next: 0, awake: 0 };
        for _ in 0..ranks {
            seats.add();
        }
        seats
    }

    pub(super) fn add(&mut self) -> SeatId {
        let id = self.next;
        self.next += 1;
        self.awake += 1;
        self.seats.insert(id, Seat::default());
        id
    }

    /// From now on `thread` holds the seat, unless it has one already. Returns whether another thread has lost it.
    pub(super) fn take(&mut self, id: SeatId, thread: ThreadId) -> bool {
        let Some(seat) = self.seats.get_mut(&id) else { return false };
        if seat.holder == Some(thread) || self.by_thread.contains_key(&thread) {
            return false;
        }
        let before = seat.holder.replace(thread);
        if let Some(before) = before {
            self.by_thread.remove(&before);
        }
        self.by_thread.insert(thread, id);
        // The seat's last holder may still sleep; the new one does not.
        self.wake([id]);
        before.is_some()
    }

    pub(super) fn of(&self, thread: ThreadId) -> Option<SeatId> {
        self.by_thread.get(&thread).copied()
    }

    /// The thread is about to sleep. Returns whether its seat was the last one awake.
    pub(super) fn sleep(&mut self, id: SeatId) -> bool {
        match self.seats.get_mut(&id) {
            Some(seat) if !seat.asleep => {
                seat.asleep = true;
                self.awake -= 1;
                self.awake == 0
            }
            _ => false,
        }
    }

    pub(super) fn wake(&mut self, ids: impl IntoIterator<Item = SeatId>) {
        for id in ids {
            if let Some(seat) = self.seats.get_mut(&id).filter(|seat| seat.asleep) {
                seat.asleep = false;
                self.awake += 1;
            }
        }
    }

    /// Removes a seat. Returns whether it was the last one awake.
    pub(super) fn remove(&mut self, id: SeatId) -> bool {
        let Some(seat) = self.seats.remove(&id) else { return false };
        if let Some(holder) = seat.holder {
            self.by_thread.remove(&holder);
        }
        if seat.asleep {
            return false;
        }
        self.awake -= 1;
        self.awake == 0
    }
}

thread_local! {
    /// The number of the world where this thread was last found to have a seat, and the number of seats lost in that world until then.
    static SEATED_IN: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// Whether the calling thread remembers a seat in the world and cannot have lost it. If so, the seat need not be looked up.
pub(super) fn remembers(world: u64, lost: u64) -> bool {
    SEATED_IN.get() == (world, lost)
}

pub(super) fn remember(world: u64, lost: u64) {
    SEATED_IN.set((world, lost));
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn other() -> ThreadId {
        thread::spawn(|| thread::current().id()).join().unwrap()
    }

    #[test]
    fn the_last_one_awake_is_told() {
        let (mut seats, a, b) = (Seats::of_ranks(2), other(), other());
        seats.take(0, a);
        seats.take(1, b);
        assert_eq!([a, b, other()].map(|thread| seats.of(thread)), [Some(0), Some(1), None]);
        assert!(!seats.sleep(0));
        assert!(seats.sleep(1));
        seats.wake([0, 1]);
        assert!(!seats.remove(1));
        assert!(seats.sleep(0));
    }

    #[test]
    fn who_takes_a_seat_over_is_awake() {
        let (mut seats, a, b) = (Seats::of_ranks(1), other(), other());
        let second = seats.add();
        seats.take(0, a);
        assert!(!seats.sleep(0));
        seats.take(0, b);
        assert!(!seats.sleep(second), "the new holder is awake");
        // The last holder wakes, and has no seat.
        seats.wake([0]);
        assert_eq!((seats.of(a), seats.of(b)), (None, Some(0)));
        assert!(seats.sleep(0));
    }

    #[test]
    fn a_seat_that_is_given_back_asleep_is_counted_once() {
        let (mut seats, a) = (Seats::of_ranks(2), other());
        seats.take(0, a);
        assert!(!seats.sleep(0));
        assert!(!seats.remove(0));
        seats.wake([0]);
        assert!(!seats.remove(0));
        assert!(seats.remove(1));
    }
}
