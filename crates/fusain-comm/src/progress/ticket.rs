//! The way a client goes: in by [`Handle::submit`](super::Handle::submit), to the loop, and back through its ticket.

use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::client::{Client, Step};
use super::hub::Hub;
use crate::shake::shake;
use crate::{Communicator, Error, Result};

/// Waits for a client, and gets it back. Dropping it lets the client run on.
pub struct Ticket<C: Communicator, K> {
    pub(super) hub: Arc<Hub<C>>,
    pub(super) slot: Arc<Slot<K>>,
    pub(super) id: u64,
}

impl<C: Communicator, K> Ticket<C, K> {
    /// Looks whether it has ended. Under [`Progress::manual`](super::Progress::manual) this also goes once round the loop.
    pub fn test(&self) -> bool {
        if self.slot.has_ended() {
            return true;
        }
        self.hub.poll();
        self.slot.has_ended()
    }

    /// Waits until the client is done, and gives it back.
    ///
    /// # Errors
    /// What the client failed with (it is dropped then: [`join`](Self::join) keeps it); [`Error::ClientPanicked`];
    /// [`Error::Abandoned`] and [`Error::Cancelled`]; what ended the loop, such as [`Error::Deadlock`] or
    /// [`Error::PeerPanicked`].
    pub fn wait(self) -> Result<K> {
        let (client, result) = self.join();
        result.map(|()| client)
    }

    /// Waits until the client has ended, and gives it back however it ended, with what [`wait`](Self::wait) may fail with.
    pub fn join(self) -> (K, Result<()>) {
        self.hub.drive(|| self.slot.has_ended());
        self.slot.take()
    }

    /// Takes the client out, wherever it is, unless it ends before; then waits for it as [`join`](Self::join).
    pub fn cancel(self) -> (K, Result<()>) {
        self.hub.cancel(self.id);
        self.join()
    }
}

impl<C: Communicator, K> Drop for Ticket<C, K> {
    fn drop(&mut self) {
        if let Some(error) = self.slot.leave() {
            self.hub.keep_unheard(error);
        }
    }
}

impl<C: Communicator, K> fmt::Debug for Ticket<C, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket").field("id", &self.id).field("ended", &self.slot.has_ended()).finish_non_exhaustive()
    }
}

/// Where a client lies when it has ended.
pub(super) struct Slot<K> {
    /// Something lies there: what a waiter asks again and again need not take the lock.
    has_ended: AtomicBool,
    end: Mutex<End<K>>,
}

enum End<K> {
    /// Somebody may wait for it.
    Awaited,
    Here(K, Result<()>),
    /// The ticket is spent or dropped.
    Unwanted,
}

impl<K> Slot<K> {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { has_ended: AtomicBool::new(false), end: Mutex::new(End::Awaited) })
    }

    fn lock(&self) -> MutexGuard<'_, End<K>> {
        // It is only ever replaced as a whole.
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has_ended(&self) -> bool {
        // Acquire: pairs with the Release in `fill`, so the lock is taken after it was let go there, and what lies there is found.
        self.has_ended.load(Ordering::Acquire)
    }

    fn take(&self) -> (K, Result<()>) {
        match mem::replace(&mut *self.lock(), End::Unwanted) {
            End::Here(client, result) => (client, result),
            End::Awaited | End::Unwanted => unreachable!("a ticket is spent once, and after its client has ended"),
        }
    }

    /// The ticket is dropped: the error that lies here and that nobody will learn of.
    fn leave(&self) -> Option<Error> {
        let end = mem::replace(&mut *self.lock(), End::Unwanted);
        match end {
            End::Here(_, result) => result.err(),
            End::Awaited | End::Unwanted => None,
        }
    }

    /// Returns the error if nobody is left to learn of it.
    pub(super) fn fill(self: Arc<Self>, client: K, result: Result<()>) -> Option<Error> {
        shake();
        let mut end = self.lock();
        if let End::Unwanted = *end {
            // Whatever its destructor does, it does without the lock.
            drop(end);
            drop(client);
            return result.err();
        }
        *end = End::Here(client, result);
        drop(end);
        shake();
        self.has_ended.store(true, Ordering::Release);
        None
    }
}

/// A client with the way back, its type forgotten.
pub(super) trait Job<C>: Send {
    fn advance(&mut self, comm: &C, now: Instant) -> Result<Step>;
    fn waits_for(&self) -> Vec<String>;
    /// Brings the client to its ticket; returns the error if nobody is left to learn of it.
    fn end(self: Box<Self>, result: Result<()>) -> Option<Error>;
}

pub(super) struct Submitted<K> {
    pub(super) client: K,
    pub(super) slot: Arc<Slot<K>>,
}

impl<C: Communicator, K: Client<C>> Job<C> for Submitted<K> {
    fn advance(&mut self, comm: &C, now: Instant) -> Result<Step> {
        // A client that has panicked is never called again, whatever it has left behind.
        catch_unwind(AssertUnwindSafe(|| self.client.advance(comm, now))).unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<&str>().map(ToString::to_string);
            let message = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
            Err(Error::ClientPanicked { message })
        })
    }

    fn waits_for(&self) -> Vec<String> {
        self.client.waits_for()
    }

    fn end(self: Box<Self>, result: Result<()>) -> Option<Error> {
        let Self { client, slot } = *self;
        slot.fill(client, result)
    }
}
