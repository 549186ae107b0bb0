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
use crate::{Communicator, Enlisted, Result, Tag};

/// A thread's access to the progress thread of its rank.
///
/// Each thread has its own: a handle can be cloned and sent, but not shared. In the world of threads each clone counts as a thread that may
/// still send something ([deadlock detection](crate::world#deadlock-detection)). So clone it before the new thread starts, and drop it when
/// that thread is done.
pub struct Handle<C: Communicator> {
    hub: Arc<Hub<C>>,
    /// None for a rank's own thread, which is counted from the beginning.
    enlisted: Option<Enlisted>,
    /// Not shared between threads.
    not_sync: PhantomData<Cell<()>>,
}

impl<C: Communicator> Handle<C> {
    pub(super) fn of_rank(hub: &Arc<Hub<C>>) -> Self {
        Self { hub: Arc::clone(hub), enlisted: None, not_sync: PhantomData }
    }

    pub(super) fn of_new_thread(hub: &Arc<Hub<C>>) -> Self {
        Self { hub: Arc::clone(hub), enlisted: Some(hub.enlist()), not_sync: PhantomData }
    }

    /// For calls by the thread that this handle counts.
    fn hub(&self) -> &Arc<Hub<C>> {
        self.enlisted.iter().for_each(Enlisted::here);
        &self.hub
    }

    /// This rank's number.
    pub fn rank(&self) -> usize {
        self.hub.rank
    }

    /// How many ranks the communicator has.
    pub fn size(&self) -> usize {
        self.hub.size
    }

    /// Whether only waiting threads run the loop ([`Progress::manual`](super::Progress::manual)). Then nothing moves while all threads
    /// compute.
    pub fn is_manual(&self) -> bool {
        self.hub.is_manual()
    }

    /// Returns 0, 1, 2, ...: a number that this loop has not returned before.
    ///
    /// Ranks that call it in the same order get the same numbers. So services that follow each other can have tags of their own, and none
    /// receives a message for the next one, which another rank may already have started.
    pub fn ordinal(&self) -> u32 {
        self.hub.queue.ordinal()
    }

    /// Lets the progress thread work for `client` until it is done.
    ///
    /// # Errors
    /// What ended the loop, if it has ended.
    pub fn submit<K: Client<C> + 'static>(&self, client: K) -> Result<Ticket<C, K>> {
        submit(self.hub(), false, client)
    }

    /// Like [`submit`](Self::submit), for a client that runs until shutdown. Shutting down is then no error for it.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn serve<K: Client<C> + 'static>(&self, service: K) -> Result<Ticket<C, K>> {
        submit(self.hub(), true, service)
    }

    /// Calls `act` with every message whose tag is in `tags`, on the progress thread. Messages of one sender with one tag come in the order they
    /// were sent; so do those with different tags if `tags` is the whole range below [`FIRST_LIBRARY_TAG`](crate::FIRST_LIBRARY_TAG). In any other range those
    /// that have come meanwhile are taken in the order of their tags.
    ///
    /// Each tag of a range costs one probe in each round of the loop; the whole range below [`FIRST_LIBRARY_TAG`](crate::FIRST_LIBRARY_TAG)
    /// costs one in all. Nothing else may receive these messages on this communicator. Dropping the ticket leaves the handler in place;
    /// [`Ticket::cancel`] removes it.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn on_message<F>(&self, tags: RangeInclusive<Tag>, act: F) -> Result<Ticket<C, Handler<C, F>>>
    where
        F: FnMut(Incoming) -> Result<()> + Send + 'static,
    {
        self.serve(self.handler(tags, act))
    }

    /// The client of [`on_message`](Self::on_message), for another client to call as a part of itself.
    pub fn handler<F>(&self, tags: RangeInclusive<Tag>, act: F) -> Handler<C, F>
    where
        F: FnMut(Incoming) -> Result<()> + Send + 'static,
    {
        Handler::new(tags, self.hub.settings.receiving_bytes, act)
    }

    /// Sends `data`; the vector comes back with the ticket. Messages of one thread to one rank are sent in order.
    ///
    /// If more than [`Settings::queued_bytes_per_rank`](super::Settings::queued_bytes_per_rank) wait for that rank already, the
    /// calling thread waits for room. Nobody has to wait for the ticket: an error is then reported at
    /// [shutdown](super::Progress::shutdown).
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`](crate::Error::RankOutOfRange); what ended the loop, if it has ended. The ticket gives what the send
    /// failed with.
    pub fn send(&self, data: Vec<u8>, to: usize, tag: Tag) -> Result<Ticket<C, Vec<u8>>> {
        send(self.hub(), data, to, tag, true)
    }

    /// Calls `act` once, on the progress thread, when `delay` has passed; never, if that is later than the clock can tell, as with [`Duration::MAX`].
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn after<F: FnMut() + Send + 'static>(&self, delay: Duration, act: F) -> Result<Ticket<C, Timer<F>>> {
        self.submit(Timer::once(Instant::now(), delay, act))
    }

    /// Calls `act` on the progress thread every `period`, until its ticket is cancelled or the loop ends. Times that the thread has missed
    /// are skipped, and times that the clock cannot tell never come.
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

    /// Goes once round the loop, if it is [driven by hand](super::Progress::manual); else does nothing.
    pub fn poll(&self) {
        self.hub().poll();
    }

    /// For threads that poll the loop themselves.
    pub fn poller(&self) -> Poller {
        Poller::of(&self.hub)
    }

    /// For use by clients on the progress thread.
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

/// Requests of a handler or another client to the loop that calls it. They never wait. Any thread may use it.
///
/// A send from here does not wait when a queue is full: a loop that stopped receiving because it cannot send would stop its peers, too.
/// Such sends are bounded by what the peers' threads have asked for, and those do wait.
pub struct Outbox<C: Communicator> {
    hub: Arc<Hub<C>>,
}

impl<C: Communicator> Outbox<C> {
    /// Sends `data`, in order with what this rank has sent there before.
    ///
    /// # Errors
    /// As [`Handle::send`].
    pub fn send(&self, data: Vec<u8>, to: usize, tag: Tag) -> Result<()> {
        send(&self.hub, data, to, tag, false).map(drop)
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
