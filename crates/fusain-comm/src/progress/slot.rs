//! Slots, in which tickets find their clients once these have ended; and jobs, which are clients without their type.
//!
//! | state of a slot | written by | leads to |
//! |---|---|---|
//! | awaited | the submitting thread | here, by the loop; unwanted, when the ticket is dropped |
//! | here | the loop, under the lock, then `has_ended` with Release | unwanted, by the ticket: it has taken the client, or it was dropped and reports the error |
//! | unwanted | the ticket, under the lock | the end: the loop drops the client when it ends, and reports its error |
//!
//! If both sides act at once, they meet at the lock, so exactly one of them reports an error. The loop calls and drops a client outside the lock. If the
//! client panics anywhere, the client ends with an error, and the loop goes on (`tests/unwinding.rs`).

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::client::{Client, Step};
use crate::panics::discard;
use crate::shake::shake;
use crate::{Communicator, Error, Result};

/// The place where a client is left when it has ended.
pub(super) struct Slot<K> {
    /// Whether the slot is filled. A waiter that checks again and again need not take the lock.
    has_ended: AtomicBool,
    end: Mutex<End<K>>,
}

enum End<K> {
    /// A ticket may wait for the client.
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
        // The value is only ever replaced as a whole.
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has_ended(&self) -> bool {
        // Acquire: pairs with the Release in `fill`, so the lock is taken after `fill` has released it, and the client is found.
        self.has_ended.load(Ordering::Acquire)
    }

    pub(super) fn take(&self) -> (K, Result<()>) {
        match mem::replace(&mut *self.lock(), End::Unwanted) {
            End::Here(client, result) => (client, result),
            End::Awaited | End::Unwanted => unreachable!("a ticket is spent once, and after its client has ended"),
        }
    }

    /// The ticket is dropped: returns the error in the slot, which the ticket does not return any more.
    pub(super) fn leave(&self) -> Option<Error> {
        let end = mem::replace(&mut *self.lock(), End::Unwanted);
        match end {
            End::Here(_, result) => result.err(),
            End::Awaited | End::Unwanted => None,
        }
    }

    /// Fills the slot. Returns the error if the ticket has been dropped.
    pub(super) fn fill(self: Arc<Self>, client: K, result: Result<()>) -> Option<Error> {
        shake();
        let mut end = self.lock();
        if let End::Unwanted = *end {
            drop(end);
            return result.and(caught(|| drop(client))).err();
        }
        *end = End::Here(client, result);
        drop(end);
        shake();
        self.has_ended.store(true, Ordering::Release);
        None
    }
}

/// Turns a panic of a client into an error. The client is never called again after that, whatever state it is in.
fn caught<R>(act: impl FnOnce() -> R) -> Result<R> {
    catch_unwind(AssertUnwindSafe(act)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let message = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        discard(payload);
        Error::ClientPanicked { message }
    })
}

/// A client with its slot, without its type.
pub(super) trait Job<C>: Send {
    fn advance(&mut self, comm: &C, now: Instant) -> Result<Step>;
    fn waits_for(&self) -> Vec<String>;
    /// Puts the client into its slot; returns the error if the ticket has been dropped.
    fn end(self: Box<Self>, result: Result<()>) -> Option<Error>;
}

pub(super) struct Submitted<K> {
    pub(super) client: K,
    pub(super) slot: Arc<Slot<K>>,
}

impl<C: Communicator, K: Client<C>> Job<C> for Submitted<K> {
    fn advance(&mut self, comm: &C, now: Instant) -> Result<Step> {
        caught(|| self.client.advance(comm, now)).and_then(|step| step)
    }

    fn waits_for(&self) -> Vec<String> {
        caught(|| self.client.waits_for()).unwrap_or_else(|error| vec![error.to_string()])
    }

    fn end(self: Box<Self>, result: Result<()>) -> Option<Error> {
        let Self { client, slot } = *self;
        slot.fill(client, result)
    }
}
