//! The handle by which a thread uses the loop.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::client::Client;
use super::handler::{Handler, Incoming};
use super::hub::Hub;
use super::poller::Poller;
use super::slot::{Slot, Submitted};
use super::ticket::Ticket;
use super::timer::Timer;
use crate::{Communicator, Enlisted, Error, Result, Tag};

/// A thread's access to the progress thread of its rank.
///
/// Each thread has its own handle: a handle can be cloned and sent, but not shared. In the world of threads each clone counts as a thread
/// that may still send something ([deadlock detection](crate::world#deadlock-detection)). So clone it before the new thread starts, and
/// drop it when that thread is done.
pub struct Handle<C: Communicator> {
    hub: Arc<Hub<C>>,
    /// None for a rank's own thread, which deadlock detection counts from the beginning.
    enlisted: Option<Enlisted>,
    /// Makes the handle `!Sync`.
    not_sync: PhantomData<Cell<()>>,
}

impl<C: Communicator> Handle<C> {
    pub(super) fn of_rank(hub: &Arc<Hub<C>>) -> Self {
        Self { hub: Arc::clone(hub), enlisted: None, not_sync: PhantomData }
    }

    pub(super) fn of_new_thread(hub: &Arc<Hub<C>>) -> Self {
        Self { hub: Arc::clone(hub), enlisted: Some(hub.enlist()), not_sync: PhantomData }
    }

    /// The hub, for a call by the thread that this handle counts.
    fn hub(&self) -> &Arc<Hub<C>> {
        self.enlisted.iter().for_each(Enlisted::here);
        &self.hub
    }

    /// This rank's number.
    pub fn rank(&self) -> usize {
        self.hub.rank
    }

    /// The number of ranks of the communicator.
    pub fn size(&self) -> usize {
        self.hub.size
    }

    /// Whether only waiting threads run the loop ([`Progress::manual`](super::Progress::manual)). If so, no message moves while all threads
    /// compute.
    pub fn is_manual(&self) -> bool {
        self.hub.is_manual()
    }

    /// Returns 0, 1, 2, ...: a number that this loop has not returned before.
    ///
    /// Ranks that call it in the same order get the same numbers. So successive services can have different tags. Then no service receives
    /// a message for the next one, which another rank may already have started.
    pub fn ordinal(&self) -> u32 {
        self.hub.queue.ordinal()
    }

    /// Makes the progress thread advance `client` until it is done.
    ///
    /// If no thread drives the loop now (it is [manual](super::Progress::manual), or threads [poll](Poller) it), the calling thread makes the first call of
    /// [`advance`](Client::advance) before this returns. So hold no lock that it takes.
    ///
    /// # Errors
    /// The error that ended the loop, if it has ended.
    pub fn submit<K: Client<C> + 'static>(&self, client: K) -> Result<Ticket<C, K>> {
        submit(self.hub(), false, client)
    }

    /// Like [`submit`](Self::submit), for a client that runs until shutdown. Its ticket then returns no error.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn serve<K: Client<C> + 'static>(&self, service: K) -> Result<Ticket<C, K>> {
        submit(self.hub(), true, service)
    }

    /// Calls `act` on the thread that drives the loop with every message whose tag is in `tags`. Messages of one sender with one tag come in the order
    /// they were sent. If `tags` is the whole range below [`FIRST_LIBRARY_TAG`](crate::FIRST_LIBRARY_TAG), so do messages of one sender
    /// with different tags. In any other range, messages that have arrived in the meantime are taken in the order of their tags.
    ///
    /// Each tag of a range costs one probe in each round of the loop; the whole range below [`FIRST_LIBRARY_TAG`](crate::FIRST_LIBRARY_TAG)
    /// costs one probe in all. Nothing else may receive these messages on this communicator. Dropping the ticket leaves the handler in
    /// place; [`Ticket::cancel`] removes it.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn on_message<F>(&self, tags: RangeInclusive<Tag>, act: F) -> Result<Ticket<C, Handler<C, F>>>
    where
        F: FnMut(Incoming) -> Result<()> + Send + 'static,
    {
        self.serve(self.handler(tags, act))
    }

    /// The client of [`on_message`](Self::on_message), for use as a part of another client.
    pub fn handler<F>(&self, tags: RangeInclusive<Tag>, act: F) -> Handler<C, F>
    where
        F: FnMut(Incoming) -> Result<()> + Send + 'static,
    {
        Handler::new(tags, self.hub.settings.receiving_bytes, act)
    }

    /// Sends `data`; the ticket gives the vector back. Messages of one thread to one rank are sent in order.
    ///
    /// If more than [`Settings::queued_bytes_per_rank`](super::Settings::queued_bytes_per_rank) bytes already wait for that rank, the
    /// calling thread waits for room. The ticket may be dropped: an error is then reported at [shutdown](super::Progress::shutdown).
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`](crate::Error::RankOutOfRange); the error that ended the loop, if it has ended. The ticket returns the
    /// error of the send.
    pub fn send(&self, data: Vec<u8>, to: usize, tag: Tag) -> Result<Ticket<C, Vec<u8>>> {
        send(self.hub(), data, to, tag, true)
    }

    /// Calls `act` once, on the thread that drives the loop, when `delay` has passed. If the clock cannot represent that time, as with
    /// [`Duration::MAX`], `act` is never called.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn after<F: FnMut() + Send + 'static>(&self, delay: Duration, act: F) -> Result<Ticket<C, Timer<F>>> {
        self.submit(Timer::once(Instant::now(), delay, act))
    }

    /// Calls `act` on the thread that drives the loop every `period`, until its ticket is cancelled or the loop ends. Calls that it has missed
    /// are skipped. Times that the clock cannot represent never come.
    ///
    /// # Panics
    /// If `period` is zero.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn every<F: FnMut() + Send + 'static>(&self, period: Duration, act: F) -> Result<Ticket<C, Timer<F>>> {
        assert!(!period.is_zero(), "a period is longer than nothing");
        self.serve(Timer::every(Instant::now(), period, act))
    }

    /// Runs one round of the loop if no thread drives it: if it is [manual](super::Progress::manual), or while threads [poll](Poller) it. Otherwise does nothing.
    pub fn poll(&self) {
        self.hub().poll();
    }

    /// The interface for threads that poll the loop themselves.
    pub fn poller(&self) -> Poller {
        Poller::of(&self.hub)
    }

    /// The interface for clients that run on the progress thread.
    pub fn outbox(&self) -> Outbox<C> {
        Outbox { hub: Arc::clone(&self.hub) }
    }
}

impl<C: Communicator> Clone for Handle<C> {
    fn clone(&self) -> Self {
        Self::of_new_thread(&self.hub)
    }
}

impl<C: Communicator> fmt::Debug for Handle<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("rank", &self.hub.rank).field("size", &self.hub.size).finish_non_exhaustive()
    }
}

/// Requests that a handler or another client makes to the loop that calls it. They never wait. Any thread may use an outbox.
///
/// A send from here does not wait when a queue is full. If it did, a loop that cannot send would stop receiving, and so stop its peers,
/// too. The sends are bounded by what the peers' threads have asked for, and those threads do wait.
pub struct Outbox<C: Communicator> {
    hub: Arc<Hub<C>>,
}

impl<C: Communicator> Outbox<C> {
    /// Sends `data`, in order with the messages that this rank has sent to that rank before.
    ///
    /// # Errors
    /// As [`Handle::send`].
    pub fn send(&self, data: Vec<u8>, to: usize, tag: Tag) -> Result<()> {
        send(&self.hub, data, to, tag, false).map(drop)
    }

    /// Returns the error that ended the loop; `None` while it accepts messages.
    pub fn end(&self) -> Option<Error> {
        self.hub.queue.end()
    }

    /// Makes the loop run another round. Call it after leaving something for a client of the loop.
    pub fn wake(&self) {
        self.hub.wake();
    }

    /// Adds a client.
    ///
    /// # Errors
    /// As [`Handle::submit`].
    pub fn submit<K: Client<C> + 'static>(&self, client: K) -> Result<()> {
        submit(&self.hub, false, client).map(drop)
    }
}

impl<C: Communicator> Clone for Outbox<C> {
    fn clone(&self) -> Self {
        Self { hub: Arc::clone(&self.hub) }
    }
}

impl<C: Communicator> fmt::Debug for Outbox<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").field("rank", &self.hub.rank).finish_non_exhaustive()
    }
}

fn submit<C: Communicator, K: Client<C> + 'static>(
    hub: &Arc<Hub<C>>,
    service: bool,
    client: K,
) -> Result<Ticket<C, K>> {
    let slot = Slot::new();
    let id = hub.submit(service, Box::new(Submitted { client, slot: Arc::clone(&slot) }))?;
    Ok(Ticket { hub: Arc::clone(hub), slot, id })
}

fn send<C: Communicator>(
    hub: &Arc<Hub<C>>,
    data: Vec<u8>,
    to: usize,
    tag: Tag,
    may_wait: bool,
) -> Result<Ticket<C, Vec<u8>>> {
    let (id, slot) = hub.send(data, to, tag, may_wait)?;
    Ok(Ticket { hub: Arc::clone(hub), slot, id })
}
