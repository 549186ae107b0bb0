//! The data that the ranks of a world share: inboxes, the count of awake threads, the ranks that have left, and the verdict of a deadlock.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::events::{self, Cause};
use super::inbox::{Delivered, Endpoint, Envelope, Header, Inbox, Leave, Pattern, ReceiveId, Sleeper, Timing, Wait};
use super::seats::{SeatId, Seats};
use crate::shake::shake;
use crate::{DeadlockReport, Error, Network, Result, Tag, WaitReport};

/// How long a waiting thread polls before it sleeps, if no other thread needs its core: about the time that it takes to wake a thread.
const SPIN: Duration = Duration::from_micros(20);

/// The number of the world made last.
static NUMBERS: Mutex<u64> = Mutex::new(0);

#[derive(Debug)]
pub(super) struct Shared {
    /// The world's number; no other world has the same.
    pub(super) number: u64,
    endpoints: Box<[Endpoint]>,
    control: Mutex<Control>,
    /// The number of times that a thread may have lost its seat. Relaxed: if a thread knows by other means that it has lost its seat, it
    /// sees the new number here, too.
    seats_lost: AtomicU64,
    network: Option<Network>,
    epoch: Instant,
    /// Whether there is a core for each rank.
    spins: bool,
}

/// The values that the whole world shares. Their lock is taken last: while it is held, no endpoint is locked.
#[derive(Debug)]
struct Control {
    /// The counted threads, and which of them sleep. If all of them sleep, it is a deadlock or the end of the world.
    seats: Seats,
    left: Vec<Option<Leave>>,
    first_panic: Option<usize>,
    verdict: Option<Arc<DeadlockReport>>,
    next_context: u64,
    communicators: usize,
}

impl Shared {
    pub(super) fn new(ranks: usize, network: Option<Network>) -> Self {
        let control = Control {
            seats: Seats::of_ranks(ranks),
            left: vec![None; ranks],
            first_panic: None,
            verdict: None,
            next_context: 1,
            communicators: 0,
        };
        let mut last = NUMBERS.lock().unwrap_or_else(PoisonError::into_inner);
        *last += 1;
        Self {
            number: *last,
            endpoints: (0..ranks).map(|_| Endpoint::default()).collect(),
            control: Mutex::new(control),
            seats_lost: AtomicU64::new(0),
            network,
            epoch: Instant::now(),
            spins: thread::available_parallelism().is_ok_and(|cores| ranks <= cores.get()),
        }
    }

    fn control(&self) -> MutexGuard<'_, Control> {
        shake();
        // No panic can occur between two changes that belong together.
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn ranks(&self) -> usize {
        self.endpoints.len()
    }

    // ---- communicators --------------------------------------------------------------------------------------------

    /// Reserves `count` contexts and returns the first.
    pub(super) fn new_contexts(&self, count: u64) -> u64 {
        let mut control = self.control();
        let first = control.next_context;
        control.next_context += count;
        first
    }

    pub(super) fn communicator_made(&self) {
        self.control().communicators += 1;
    }

    pub(super) fn communicator_dropped(&self) {
        self.control().communicators -= 1;
    }

    pub(super) fn communicators(&self) -> usize {
        self.control().communicators
    }

    // ---- sending --------------------------------------------------------------------------------------------------

    /// Sends a message. `from` and `to` are world ranks, `source` is the rank in the communicator.
    pub(super) fn send(
        &self,
        (from, to): (usize, usize),
        (context, source, tag): (u64, usize, Tag),
        payload: &[u8],
    ) -> Result<()> {
        let timing = self.charge_sender(from, to, payload.len());
        let endpoint = &self.endpoints[to];
        let mut inbox = endpoint.lock();
        if let Some(how) = inbox.closed {
            // The receiver may have left because another rank has panicked.
            let first_panic = self.control().first_panic.or((how == Leave::Panicked).then_some(to));
            return Err(first_panic.map_or(Error::PeerLeft { rank: to }, |rank| Error::PeerPanicked { rank }));
        }
        let mut landing = None;
        let held_back = self.network.as_ref().is_some_and(|network| !network.is_virtual());
        if held_back {
            let landing_ns = timing.arrival_ns.max(inbox.receive_link_free_ns.saturating_add(timing.occupancy_ns));
            inbox.receive_link_free_ns = landing_ns;
            let message = Envelope { context, source, tag, payload: inbox.copy(payload), timing };
            let at = self.epoch + Duration::from_nanos(landing_ns);
            landing = Some(at);
            inbox.launch(at, message);
            // A thread that sleeps must now sleep with a time limit.
            self.wake(endpoint, &mut inbox);
        } else if inbox.deliver(Header { context, source, tag, timing }, Cow::Borrowed(payload)) {
            self.wake(endpoint, &mut inbox);
        }
        self.notify(&inbox, Cause::Message(landing));
        Ok(())
    }

    /// Advances the sender's time, and returns when the message will arrive.
    fn charge_sender(&self, from: usize, to: usize, bytes: usize) -> Timing {
        let Some(network) = &self.network else { return Timing::default() };
        let link = network.link(from, to);
        if !network.is_virtual() {
            pass_time(link.overhead_ns);
        }
        let occupancy_ns = link.occupancy_ns(bytes);
        let mut own = self.endpoints[from].lock();
        let now_ns = if network.is_virtual() {
            own.clock_ns = own.clock_ns.saturating_add(link.overhead_ns);
            own.clock_ns
        } else {
            self.now_ns()
        };
        let start_ns = now_ns.max(own.send_link_free_ns);
        own.send_link_free_ns = start_ns.saturating_add(occupancy_ns);
        let arrival_ns = own.send_link_free_ns.saturating_add(link.latency_ns);
        Timing { arrival_ns, occupancy_ns, overhead_ns: link.overhead_ns }
    }

    /// Advances the receiver's time for a message that it has taken.
    pub(super) fn charge_receiver(&self, me: usize, timing: Timing) {
        match &self.network {
            None => {}
            Some(network) if network.is_virtual() => {
                let mut own = self.endpoints[me].lock();
                let first_byte_ns = timing.arrival_ns.saturating_sub(timing.occupancy_ns);
                let start_ns = first_byte_ns.max(own.receive_link_free_ns);
                own.receive_link_free_ns = start_ns.saturating_add(timing.occupancy_ns);
                own.clock_ns = own.clock_ns.max(own.receive_link_free_ns).saturating_add(timing.overhead_ns);
            }
            Some(_) => pass_time(timing.overhead_ns),
        }
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub(super) fn clock_ns(&self, me: usize) -> u64 {
        match &self.network {
            Some(network) if network.is_virtual() => self.endpoints[me].lock().clock_ns,
            _ => self.now_ns(),
        }
    }

    pub(super) fn compute(&self, me: usize, duration_ns: u64) {
        match &self.network {
            Some(network) if network.is_virtual() => {
                let clock_ns = &mut self.endpoints[me].lock().clock_ns;
                *clock_ns = clock_ns.saturating_add(duration_ns);
            }
            _ => pass_time(duration_ns),
        }
    }

    // ---- waiting --------------------------------------------------------------------------------------------------

    /// Calls `act` with a rank's inbox, without waiting.
    pub(super) fn look<T>(&self, me: usize, act: impl FnOnce(&mut Inbox) -> T) -> T {
        let mut inbox = self.endpoints[me].lock();
        if inbox.next_landing().is_some() {
            self.land(&mut inbox, Instant::now());
        }
        act(&mut inbox)
    }

    /// Lands the messages that have arrived; returns whether there were any. The caller holds the endpoint's lock.
    fn land(&self, inbox: &mut Inbox, now: Instant) -> bool {
        let landed = inbox.land(now);
        if landed {
            // A thread on an event count may have checked before, and would now find no flying message whose arrival limits its sleep.
            self.notify(inbox, Cause::Message(None));
        }
        landed
    }

    /// Waits until `ready` returns a value. `wait` is the note left for deadlock detection.
    pub(super) fn wait<T>(&self, me: usize, wait: &Wait, mut ready: impl FnMut(&mut Inbox) -> Option<T>) -> Result<T> {
        let endpoint = &self.endpoints[me];
        let mut inbox = endpoint.lock();
        let mut spins_until = None;
        loop {
            if inbox.next_landing().is_some() {
                self.land(&mut inbox, Instant::now());
            }
            if let Some(found) = ready(&mut inbox) {
                return Ok(found);
            }
            if self.spins {
                let now = Instant::now();
                if now < *spins_until.get_or_insert(now + SPIN) {
                    drop(inbox);
                    thread::yield_now();
                    inbox = endpoint.lock();
                    continue;
                }
            }
            if let Some(landing) = inbox.next_landing() {
                inbox = endpoint.doze(inbox, landing);
                continue;
            }
            let patterns = inbox.patterns(wait);
            let mut control = self.control();
            control.still_hope(&patterns)?;
            inbox.check_open(me)?;
            let (seat, last) = control.fall_asleep();
            drop(control);
            inbox.sleepers.push(Sleeper { wait: wait.clone(), seat });
            if last {
                drop(inbox);
                self.declare_deadlock();
                inbox = endpoint.lock();
            } else {
                inbox = endpoint.sleep(inbox);
            }
        }
    }

    /// Wakes all threads that sleep on an endpoint, and counts them as awake before its lock is released.
    fn wake(&self, endpoint: &Endpoint, inbox: &mut Inbox) {
        if !inbox.sleepers.is_empty() {
            self.control().seats.wake(inbox.sleepers.drain(..).filter_map(|sleeper| sleeper.seat));
            inbox.generation += 1;
            endpoint.wake_all();
        } else if inbox.dozing > 0 {
            endpoint.wake_all();
        }
    }

    /// Notifies the inbox's event counts. The caller holds the endpoint's lock.
    fn notify(&self, inbox: &Inbox, why: Cause) {
        let events = inbox.events.iter().filter(|events| events.for_arrivals || inbox.troubled);
        events.for_each(|events| events.notify(|sleepers| self.woken(sleepers), why));
    }

    fn wake_all(&self) {
        for endpoint in &self.endpoints {
            let mut inbox = endpoint.lock();
            inbox.troubled = true;
            self.wake(endpoint, &mut inbox);
            self.notify(&inbox, Cause::Call);
        }
    }

    /// The minimum time that a message to this rank is on its way, if messages are held back.
    pub(super) fn least_latency(&self, me: usize) -> Option<Duration> {
        let network = self.network.as_ref().filter(|network| !network.is_virtual())?;
        let others = (0..self.ranks()).filter(|&other| other != me);
        others.map(|from| network.link(from, me).latency_ns).min().map(Duration::from_nanos)
    }

    /// When the next message on its way to this rank lands. Returns the current time if messages have just landed.
    pub(super) fn next_landing(&self, me: usize) -> Option<Instant> {
        let mut inbox = self.endpoints[me].lock();
        let next = inbox.next_landing()?;
        // The caller may want none of these messages. It would return again and again until another thread lands them.
        let now = Instant::now();
        if next <= now && self.land(&mut inbox, now) { Some(now) } else { Some(next) }
    }

    /// Fails if a wait for any message would fail.
    pub(super) fn look_for_hope(&self) -> Result<()> {
        self.control().still_hope(&[])
    }

    /// The calling thread's seat stops counting as awake. Fails instead if the thread waits for messages in vain. Returns the seat, and
    /// whether it was the last one awake.
    pub(super) fn fall_asleep(&self, for_messages: bool) -> Result<(Option<SeatId>, bool)> {
        let mut control = self.control();
        if for_messages {
            control.still_hope(&[])?;
        }
        Ok(control.fall_asleep())
    }

    /// Counts the sleepers' seats as awake again.
    pub(super) fn woken(&self, sleepers: &[events::Sleeper]) {
        self.control().seats.wake(sleepers.iter().filter_map(|sleeper| sleeper.seat));
    }

    /// Looks for a completed receive among several, and returns its index, too. If there is none, and waiting for one of them would fail,
    /// fails in the same way.
    pub(super) fn look_for(
        &self,
        me: usize,
        receives: impl Iterator<Item = ReceiveId> + Clone,
    ) -> Result<Option<(usize, Delivered)>> {
        self.look(me, |inbox| {
            let found = receives.clone().enumerate().find_map(|(at, receive)| Some((at, inbox.collect(receive)?)));
            // A message that is on its way may match one of the receives.
            if found.is_none() && inbox.troubled && inbox.next_landing().is_none() {
                for receive in receives {
                    self.control().still_hope(&inbox.patterns(&Wait::Receives(vec![receive])))?;
                }
                inbox.check_open(me)?;
            }
            Ok(found)
        })
    }

    /// No thread is awake: stores what each of them waits for, and wakes all of them, so that they return it.
    pub(super) fn declare_deadlock(&self) {
        let mut report = DeadlockReport::default();
        for (rank, endpoint) in self.endpoints.iter().enumerate() {
            let inbox = endpoint.lock();
            for sleeper in &inbox.sleepers {
                let waits_for = inbox.patterns(&sleeper.wait).iter().map(Pattern::describe).collect();
                report.waits.push(WaitReport { rank, waits_for });
            }
            for waits_for in inbox.events.iter().flat_map(|events| events.notes()) {
                report.waits.push(WaitReport { rank, waits_for });
            }
        }
        if report.waits.is_empty() {
            return;
        }
        {
            let mut control = self.control();
            let left = |rank: &usize| control.left[*rank].is_some();
            report.finished = (0..control.left.len()).filter(left).collect();
            control.verdict = Some(Arc::new(report));
        }
        self.wake_all();
    }

    // ---- coming and going -----------------------------------------------------------------------------------------

    pub(super) fn leave(&self, me: usize, how: Leave) {
        self.endpoints[me].lock().closed = Some(how);
        {
            let mut control = self.control();
            control.left[me] = Some(how);
            if how == Leave::Panicked {
                control.first_panic.get_or_insert(me);
            }
        }
        self.wake_all();
        self.remove_seat(me);
    }

    pub(super) fn seat_of(&self, thread: ThreadId) -> Option<SeatId> {
        self.control().seats.of(thread)
    }

    pub(super) fn add_seat(&self) -> SeatId {
        self.control().seats.add()
    }

    pub(super) fn take_seat(&self, seat: SeatId, thread: ThreadId) {
        if self.control().seats.take(seat, thread) {
            self.seats_lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn seats_lost(&self) -> u64 {
        self.seats_lost.load(Ordering::Relaxed)
    }

    pub(super) fn remove_seat(&self, seat: SeatId) {
        let last = self.control().seats.remove(seat);
        if last {
            self.declare_deadlock();
        }
    }

    pub(super) fn first_panic(&self) -> Option<usize> {
        self.control().first_panic
    }
}

impl Control {
    /// The calling thread is about to sleep. Returns its seat, if it has one, and whether no other thread is awake.
    fn fall_asleep(&mut self) -> (Option<SeatId>, bool) {
        let seat = self.seats.of(thread::current().id());
        (seat, seat.is_some_and(|seat| self.seats.sleep(seat)))
    }

    /// Fails, with the reason, if waiting for these patterns cannot end.
    fn still_hope(&self, patterns: &[Pattern]) -> Result<()> {
        if let Some(verdict) = &self.verdict {
            return Err(Error::Deadlock(Arc::clone(verdict)));
        }
        if let Some(rank) = self.first_panic {
            return Err(Error::PeerPanicked { rank });
        }
        let gone = |pattern: &Pattern| pattern.world_source.filter(|&rank| self.left[rank].is_some());
        match patterns.first().and_then(gone) {
            Some(rank) if patterns.iter().all(|pattern| gone(pattern).is_some()) => Err(Error::PeerLeft { rank }),
            // The world has ended, and its inboxes are closed.
            _ if self.left.iter().all(Option::is_some) => Err(Error::PeerLeft { rank: 0 }),
            _ => Ok(()),
        }
    }
}

/// A seat for one more thread that uses a rank's communicators: see [deadlock detection](super#deadlock-detection).
#[derive(Debug)]
#[must_use = "the thread is counted for as long as this is kept"]
pub struct Enlisted {
    seat: Option<(Arc<Shared>, SeatId)>,
    /// The thread that last called `here`.
    holder: Cell<Option<ThreadId>>,
}

impl Enlisted {
    /// For worlds without deadlock detection.
    pub(crate) fn nowhere() -> Self {
        Self { seat: None, holder: Cell::new(None) }
    }

    pub(super) fn with(shared: &Arc<Shared>) -> Self {
        Self { seat: Some((Arc::clone(shared), shared.add_seat())), holder: Cell::new(None) }
    }

    /// Makes the calling thread the holder. Until it calls this, the seat counts as awake even while the thread waits.
    pub fn here(&self) {
        let Some((shared, seat)) = &self.seat else { return };
        let thread = thread::current().id();
        if self.holder.replace(Some(thread)) != Some(thread) {
            shared.take_seat(*seat, thread);
        }
    }
}

impl Drop for Enlisted {
    fn drop(&mut self) {
        if let Some((shared, seat)) = &self.seat {
            shared.remove_seat(*seat);
            // The holder may be another thread, which would still remember this seat.
            shared.seats_lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Occupies the rank for some time. Short times are spun, since Linux's default timer slack makes a sleep up to some 50 µs longer than
/// asked for, which is longer than those times themselves.
fn pass_time(duration_ns: u64) {
    const SPIN_BELOW_NS: u64 = 100_000;
    let end = Instant::now() + Duration::from_nanos(duration_ns);
    if duration_ns >= SPIN_BELOW_NS {
        thread::sleep(Duration::from_nanos(duration_ns));
    }
    while Instant::now() < end {
        thread::yield_now();
    }
}
