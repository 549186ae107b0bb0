//! Threads that were not announced by an [`Enlisted`](super::Enlisted): each has a [seat](super::seats) from its first blocking call until
//! it ends.

use std::cell::RefCell;
use std::sync::{Arc, Weak};
use std::thread;

use super::seats::{self, SeatId};
use super::shared::Shared;

thread_local! {
    /// The seats that this thread got by its calls.
    static GUESTS: RefCell<Vec<Guest>> = const { RefCell::new(Vec::new()) };
}

/// Gives the calling thread a seat until it ends, if it has none yet. A thread calls this before it sends or waits.
pub(super) fn seat_caller(shared: &Arc<Shared>) {
    let lost = shared.seats_lost();
    if seats::remembers(shared.number, lost) {
        return;
    }
    let thread = thread::current().id();
    if shared.seat_of(thread).is_none() {
        // A thread that is about to end, and whose list is gone, is not counted.
        let known = GUESTS.try_with(|guests| {
            let mut guests = guests.borrow_mut();
            guests.retain(|guest| guest.shared.strong_count() > 0);
            guests.push(Guest { shared: Arc::downgrade(shared), seat: shared.add_seat() });
            guests.last().map(|guest| guest.seat)
        });
        if let Ok(Some(seat)) = known {
            shared.take_seat(seat, thread);
        }
    }
    seats::remember(shared.number, lost);
}

/// The seat of an unannounced thread. It does not keep the world alive.
#[derive(Debug)]
struct Guest {
    shared: Weak<Shared>,
    seat: SeatId,
}

impl Drop for Guest {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.remove_seat(self.seat);
        }
    }
}
