//! Outgoing messages: a queue for each destination. Messages are started in order, a few at a time.
//!
//! A destination that does not receive delays only the threads that send to it, because neither the window nor the bound on waiting bytes
//! is shared between destinations. Messages to one destination complete in order, so only the oldest is ever tested.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::slot::Slot;
use crate::{Communicator, Error, Request, Tag};

/// The number of sends to one destination that the transport is given at once. With 1, each small message would wait for the round trip of
/// the one before, on transports that have one. Only the oldest send in the window is tested, so the window's size costs nothing.
const WINDOW: usize = 32;

/// A message that was handed over.
pub(super) struct Outgoing {
    pub(super) data: Vec<u8>,
    pub(super) to: usize,
    pub(super) tag: Tag,
    pub(super) slot: Arc<Slot<Vec<u8>>>,
}

struct Started<R> {
    request: R,
    bytes: usize,
    slot: Arc<Slot<Vec<u8>>>,
}

struct Lane<R> {
    waiting: VecDeque<Outgoing>,
    started: VecDeque<Started<R>>,
}

/// All messages that have not completed yet.
pub(super) struct Outbound<R> {
    /// One lane for each destination that has any message; ordered, so that runs are reproducible.
    lanes: BTreeMap<usize, Lane<R>>,
}

/// A message that has ended: the number of bytes that are free again in its destination's queue, and an error that no ticket will return.
pub(super) struct Sent {
    pub(super) to: usize,
    pub(super) bytes: usize,
    pub(super) unreported: Option<Error>,
}

impl<R: Request> Outbound<R> {
    pub(super) fn new() -> Self {
        Self { lanes: BTreeMap::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    pub(super) fn push(&mut self, message: Outgoing) {
        let lane =
            self.lanes.entry(message.to).or_insert_with(|| Lane { waiting: VecDeque::new(), started: VecDeque::new() });
        lane.waiting.push_back(message);
    }

    /// Starts and tests as many messages as possible; calls `sent` for each message that has ended. Returns whether anything moved.
    pub(super) fn advance<C: Communicator<Request = R>>(&mut self, comm: &C, mut sent: impl FnMut(Sent)) -> bool {
        let mut moved = false;
        self.lanes.retain(|&to, lane| {
            while lane.started.len() < WINDOW
                && let Some(Outgoing { data, to, tag, slot }) = lane.waiting.pop_front()
            {
                moved = true;
                let bytes = data.len();
                match comm.isend(data, to, tag) {
                    Ok(request) => lane.started.push_back(Started { request, bytes, slot }),
                    Err(error) => sent(Sent { to, bytes, unreported: slot.fill(Vec::new(), Err(error)) }),
                }
            }
            while let Some(oldest) = lane.started.front_mut() {
                let (data, result) = match oldest.request.test() {
                    Ok(None) => break,
                    Ok(Some(completion)) => (completion.buffer, Ok(())),
                    Err(error) => (Vec::new(), Err(error)),
                };
                moved = true;
                if let Some(Started { bytes, slot, .. }) = lane.started.pop_front() {
                    sent(Sent { to, bytes, unreported: slot.fill(data, result) });
                }
            }
            !(lane.waiting.is_empty() && lane.started.is_empty())
        });
        moved
    }

    /// Gives up all messages. Sends that the transport has been given go on.
    pub(super) fn fail(&mut self, error: &Error) {
        for lane in std::mem::take(&mut self.lanes).into_values() {
            for Outgoing { data, slot, .. } in lane.waiting {
                slot.fill(data, Err(error.clone()));
            }
            for Started { slot, .. } in lane.started {
                slot.fill(Vec::new(), Err(error.clone()));
            }
        }
    }

    /// The ranks to which messages are still on their way, for reports.
    pub(super) fn destinations(&self) -> impl Iterator<Item = usize> {
        self.lanes.keys().copied()
    }
}

/// The number of bytes that wait for each destination.
#[derive(Debug, Default)]
pub(super) struct Room {
    taken: BTreeMap<usize, usize>,
}

impl Room {
    /// Takes room, unless the total would exceed `limit`. An empty queue accepts a message of any size.
    pub(super) fn take(&mut self, to: usize, bytes: usize, limit: usize) -> bool {
        let taken = self.taken.entry(to).or_insert(0);
        let fits = *taken == 0 || taken.saturating_add(bytes) <= limit;
        if fits {
            // Empty messages take room too, so that their number is bounded as well.
            *taken += bytes.max(1);
        }
        fits
    }

    pub(super) fn give_back(&mut self, to: usize, bytes: usize) {
        if let Some(taken) = self.taken.get_mut(&to) {
            *taken = taken.saturating_sub(bytes.max(1));
            if *taken == 0 {
                self.taken.remove(&to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Room;

    #[test]
    fn room_is_bounded_for_each_destination() {
        let mut room = Room::default();
        assert!(room.take(0, 60, 100) && room.take(0, 40, 100));
        assert!(!room.take(0, 0, 99) && !room.take(0, 1, 100));
        assert!(room.take(1, 1_000, 100), "the first may have any size");
        assert!(!room.take(1, 1, 100));
        room.give_back(0, 60);
        assert!(room.take(0, 60, 100));
        room.give_back(0, 60);
        room.give_back(0, 40);
        room.give_back(1, 1_000);
        assert!(room.taken.is_empty());
    }
}
