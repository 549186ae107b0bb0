//! What threads ask the loop for.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::attend::Attendant;
use super::client::Client;
use super::handler::{Handler, Incoming};
use super::hub::Hub;
use super::slot::{Slot, Submitted};
use super::ticket::Ticket;
use super::timer::Timer;
use crate::{Communicator, Enlisted, Result, Tag};

/// A thread's way to the progress thread of its rank.
///
/// Each thread has its own: it can be cloned and sent, not shared. In the world of threads a clone counts as one more thread
/// that may still send something ([deadlock detection](crate::world#deadlock-detection)), so it is made before its thread starts,
/// and dropped when that thread is done.
pub struct Handle<C: Communicator> {
    hub: Arc<Hub<C>>,
    /// None for a rank's own thread, which is counted from the beginning.
    _enlisted: Option<Enlisted>,
    /// Not shared between threads.
    not_sync: PhantomData<Cell<()>>,
}

impl<C: Communicator> Handle<C> {
    pub(super) fn of_rank(hub: &Arc<Hub<C>>) -> Self {
        Self { hub: Arc::clone(hub), _enlisted: None, not_sync: PhantomData }
    }

    pub(super) fn of_new_thread(hub: &Arc<Hub<C>>) -> Self {
        Self { hub: Arc::clone(hub), _enlisted: Some(hub.enlist()), not_sync: PhantomData }
    }

    /// This rank's number.
    pub fn rank(&self) -> usize {
        self.hub.rank
    }

    /// How many ranks the communicator has.
    pub fn size(&self) -> usize {
        self.hub.size
    }

    /// Whether nobody drives the loop but who waits for something ([`Progress::manual`](super::Progress::manual)): then nothing moves while all compute.
    pub fn is_manual(&self) -> bool {
        self.hub.is_manual()
    }

    /// 0, 1, 2, ...: a number that was not given out before on this loop.
    ///
    /// Ranks that ask in the same order get the same numbers. So services that follow one another can have tags of their own, and none
    /// receives a message that is meant for the next, which another rank may have begun already.
    pub fn ordinal(&self) -> u32 {
        self.hub.queue.ordinal()
    }

    /// Lets the progress thread work for `client` until it is done.
    ///
    /// # Errors
    /// What ended the loop, if it has ended.
    pub fn submit<K: Client<C> + 'static>(&self, client: K) -> Result<Ticket<C, K>> {
        submit(&self.hub, false, client)
    }

    /// Like [`submit`](Self::submit), for a client that goes on until the end: it is not missed when it is still there at
    /// shutdown, and its ticket then says that all went well.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn serve<K: Client<C> + 'static>(&self, service: K) -> Result<Ticket<C, K>> {
        submit(&self.hub, true, service)
    }

    /// Calls `act` with every message whose tag is in `tags`, on the progress thread; messages of one sender in the order they
    /// were sent.
    ///
    /// A range of one tag or of a few costs a probe each and round of the loop; the whole range below
    /// [`FIRST_LIBRARY_TAG`](crate::FIRST_LIBRARY_TAG) costs one. Nobody else may receive these messages on this communicator.
    /// Dropping the ticket leaves the handler in place; [`Ticket::cancel`] takes it out.
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
        send(&self.hub, data, to, tag, true)
    }

    /// Calls `act` once, on the progress thread, when `delay` has passed.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn after<F: FnMut() + Send + 'static>(&self, delay: Duration, act: F) -> Result<Ticket<C, Timer<F>>> {
        self.submit(Timer::once(Instant::now() + delay, act))
    }

    /// Calls `act` on the progress thread each time `period` has passed, until its ticket is cancelled or the end. If the
    /// thread is late the times missed are left out.
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
        self.hub.poll();
    }

    /// For threads that look at the loop themselves.
    pub fn attendant(&self) -> Attendant {
        Attendant::of(&self.hub)
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

/// What a handler or another client asks of the very loop that calls it: it never waits. Any thread may use it.
///
/// What is sent from here is not held back when a queue is full: a loop that stopped to receive because it can not send would stop
/// its peers, who do the same. It is bounded by what the peers' threads have asked for, and they are held back.
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

    /// Lets the loop go round once more: for a thread that has left something where a client of the loop looks.
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
