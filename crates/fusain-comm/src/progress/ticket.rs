//! Tickets, by which threads wait for the clients that they have [submitted](super::Handle::submit), and get them back.

use std::fmt;
use std::sync::Arc;

use super::hub::Hub;
use super::slot::Slot;
use crate::{Communicator, Result};

/// Waits for a client and returns it. Dropping the ticket does not stop the client.
pub struct Ticket<C: Communicator, K> {
    pub(super) hub: Arc<Hub<C>>,
    pub(super) slot: Arc<Slot<K>>,
    pub(super) id: u64,
}

impl<C: Communicator, K> Ticket<C, K> {
    /// Whether the client has ended. If no thread drives the loop (it is [manual](super::Progress::manual), or threads
    /// [poll](super::Poller) it), this also runs a round of it.
    pub fn test(&self) -> bool {
        if self.slot.has_ended() {
            return true;
        }
        self.hub.poll();
        self.slot.has_ended()
    }

    /// Waits until the client has ended, and returns it.
    ///
    /// # Errors
    /// The client's own error (the client is dropped then; [`join`](Self::join) keeps it); [`Error::ClientPanicked`](crate::Error::ClientPanicked);
    /// [`Error::Abandoned`](crate::Error::Abandoned) and [`Error::Cancelled`](crate::Error::Cancelled); the error that ended the loop, such as
    /// [`Error::Deadlock`](crate::Error::Deadlock) or [`Error::PeerPanicked`](crate::Error::PeerPanicked).
    pub fn wait(self) -> Result<K> {
        let (client, result) = self.join();
        result.map(|()| client)
    }

    /// Waits until the client has ended, and returns it however it ended, with the result of [`wait`](Self::wait).
    pub fn join(self) -> (K, Result<()>) {
        self.hub.drive(|| self.slot.has_ended());
        self.slot.take()
    }

    /// Removes the client from the loop, unless it ends before. Then waits for it as [`join`](Self::join) does.
    pub fn cancel(self) -> (K, Result<()>) {
        self.hub.cancel(self.id);
        self.join()
    }
}

impl<C: Communicator, K> Drop for Ticket<C, K> {
    fn drop(&mut self) {
        if let Some(error) = self.slot.leave() {
            self.hub.queue.keep_unreported(error);
        }
    }
}

impl<C: Communicator, K> fmt::Debug for Ticket<C, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket").field("id", &self.id).field("ended", &self.slot.has_ended()).finish_non_exhaustive()
    }
}
