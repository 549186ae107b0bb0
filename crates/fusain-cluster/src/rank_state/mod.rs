//! The data that the threads of one rank share: the protocol behind a lock, a count of changes for threads that wait, and one flag for the workers.
//!
//! ```text
//!  workers ── poll ────▶ word ◀── set ──┐
//!     └── offer ─────────▶┌──────────────────────┐
//!                         │ protocol, data, tick │◀── messages, time ── progress loop
//!  caller ◀─ job ─ change └──────────────────────┘──── outgoing ──────▶      │
//!     └── done, finished ──────▲                                        transport
//! ```
//!
//! A thread that has an event for the protocol takes the lock, reports the event, and releases the lock. Then it runs a round of the progress loop if
//! it can, which sends the outgoing messages. No thread computes, encodes, waits or runs the loop while it holds the lock, since the loop's clients
//! take it. A thread that waits reads the count of changes, checks the state under the lock, then waits at the loop until the count has changed. It
//! drives the loop meanwhile if no other thread does.
//!
//! | file | which events, reported by which thread |
//! |---|---|
//! | `caller` | a run begins, a job is done, the next job is wanted: by the thread that called |
//! | `workers` | a part was split off, a value is needed: by a worker |
//! | `progress` | a message has come, time has passed: by the thread that drives the loop |
//! | `ends` | an error occurred, or this rank leaves: by any thread |

mod caller;
mod ends;
mod progress;
mod workers;

pub(crate) use progress::Tick;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use fusain_comm::Flag;
use fusain_comm::progress::{PollGuard, Poller};

use crate::data::cells::Tables;
use crate::data::values::Stores;
use crate::error::Error;
use crate::log::{Log, OnStatus, Status};
use crate::protocol::{self, Job, Message, Offer};
use crate::thief::Thief;
use crate::victims::{Seeker, Victims};
use crate::wire::packet::{Header, Packet};
use fusain_pool::shake::shake;

/// The time between two heartbeats of a rank.
const HEARTBEAT: Duration = Duration::from_millis(250);

/// How many times as long a rank waits for the first heartbeat as for a later one. Others may come late to their first run, for example because
/// they read their data first.
const ARRIVAL: u32 = 30;

/// How long messages about a rank that is gone may still arrive: longer than a message takes, and than a thread waits for a core.
const GRACE: Duration = Duration::from_millis(100);

/// How long a rank that leaves waits for the last messages of others. After a failure it waits until all others have been told and end, too; otherwise
/// for the last heartbeat. Messages that it did not wait for would reach the next user of the communicator.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);

pub(crate) struct RankState {
    pub(crate) me: u32,
    pub(crate) size: u32,
    pub(crate) tables: Tables,
    pub(crate) stores: Stores,
    settings: OnceLock<Settings>,
    state: Mutex<State>,
    /// The number of changes that a thread may wait for.
    changes: AtomicU64,
}

/// Values that are fixed when the cluster connects.
struct Settings {
    heartbeat_timeout: Duration,
    /// Called four times a second with the status.
    watch: Option<Mutex<OnStatus>>,
    /// The access to the progress loop.
    poller: Poller,
}

struct State {
    run: Run,
    thief: Thief<Instant>,
    /// Packets to send, with their destinations.
    outgoing: Vec<(u32, Packet)>,
    traffic: Traffic,
    failure: Option<Failure>,
    health: Health,
    departure: Departure,
    log: Log,
    reports: Reports,
    /// Values of other ranks that were requested.
    data: HashMap<DataKey, Data>,
}

/// The current run, or the last one.
#[derive(Default)]
struct Run {
    /// The run's number; the first is 1.
    number: u32,
    /// The protocol, while the run is on.
    protocol: Option<protocol::Rank<Vec<u8>>>,
    /// The run's result, once it is known.
    outcome: Option<Vec<u8>>,
    /// The parts that the workers give to the rank that asked first.
    offer: Offer<ThreadId, Vec<u8>>,
    /// The number of workers of this rank.
    workers: usize,
    /// Messages of runs that this rank has not begun yet: from which rank, of which run.
    early: Vec<(u32, u32, Message<Vec<u8>>)>,
}

/// Heartbeats.
#[derive(Default)]
struct Health {
    /// When this rank's next heartbeat is due.
    heartbeat_at: Option<Instant>,
    /// When this rank sent its first heartbeat.
    begun: Option<Instant>,
    /// When the rank before this one last sent one.
    heard: Option<Instant>,
    /// The rank before this one leaves, and has sent its last one.
    was_last: bool,
    /// An error about a rank that is gone. It becomes the failure at this time if no other failure is known by then.
    suspect: Option<(Instant, Error)>,
}

impl Health {
    /// This rank was stopped for `time` and received nothing. That says nothing about the other ranks, so their deadlines move.
    fn sleep(&mut self, time: Duration) {
        let later = |at: &mut Option<Instant>| *at = at.map(|at| at + time);
        later(&mut self.begun);
        later(&mut self.heard);
    }
}

/// The state of this rank's departure.
#[derive(Default)]
struct Departure {
    /// The children in the tree that have reported quiescence, and the traffic that each last reported.
    quiescent: BTreeMap<u32, Traffic>,
    /// Of these children and all ranks below them, the one that has reported least often: how often, and its number.
    fewest: Option<(u32, u32)>,
    /// Whether this rank wants to leave.
    wanted: bool,
    /// Set when this rank has reported quiescence, with the traffic of itself and all ranks below it. From then on it sends nothing but heartbeats.
    reported: Option<Traffic>,
    /// Whether this rank may leave.
    may_leave: bool,
    /// When it stops waiting for the last heartbeat of the rank before it, which may be lost.
    deadline: Option<Instant>,
    /// Whether the progress loop has ended.
    closed: bool,
}

/// The numbers of messages that ranks have sent and received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Traffic {
    sent: u64,
    received: u64,
}

/// Why there will be no result, and which other ranks have ended.
struct Failure {
    error: Error,
    /// Ranks that have said that they have failed, too, and send nothing any more.
    ended: BTreeSet<u32>,
    /// Ranks to which nothing can be sent any more.
    gone: BTreeSet<u32>,
    /// When this rank stops waiting for the others to end.
    deadline: Instant,
}

impl Failure {
    fn new(error: Error) -> Self {
        Self { error, ended: BTreeSet::new(), gone: BTreeSet::new(), deadline: Instant::now() + LEAVE_TIMEOUT }
    }
}

/// Reports of ranks about themselves.
#[derive(Default)]
struct Reports {
    /// The number of times that reports were gathered.
    gathered: u32,
    /// Whether rank 0 waits for the reports of the last gathering.
    is_gathering: bool,
    /// Reports of other ranks, by number of the gathering and rank.
    of_ranks: BTreeMap<(u32, u32), Vec<u8>>,
    /// The last status of the ranks below each child.
    below: BTreeMap<u32, Status>,
}

impl Reports {
    /// Whether rank 0 waits for the report of rank `from`, from which a later message has come.
    fn is_missed_by(&self, from: u32) -> bool {
        self.is_gathering && !self.of_ranks.contains_key(&(self.gathered, from))
    }
}

/// A rank, and bytes from or for it.
pub(crate) type FromRank = (u32, Vec<u8>);

/// Identifies a value: store, rank, key.
pub(crate) type DataKey = (u32, u32, u64);

enum Data {
    Asked,
    Here(Vec<u8>),
    /// A thread is decoding it.
    Taken,
    /// The store has the value.
    Kept,
}

/// What the calling thread does next.
pub(crate) enum Next {
    Job(Job<Vec<u8>>),
    /// All work is done; this is the result.
    End(Vec<u8>),
}

impl RankState {
    pub(crate) fn new(me: usize, size: usize) -> Self {
        let state = State {
            run: Run { workers: 1, ..Run::default() },
            thief: Thief::new(Seeker::new(me as u32, size as u32, Victims::Random)),
            outgoing: Vec::new(),
            traffic: Traffic::default(),
            failure: None,
            health: Health::default(),
            departure: Departure::default(),
            log: Log::default(),
            reports: Reports::default(),
            data: HashMap::new(),
        };
        Self {
            me: me as u32,
            size: size as u32,
            tables: Tables::default(),
            stores: Stores::default(),
            settings: OnceLock::new(),
            state: Mutex::new(state),
            changes: AtomicU64::new(0),
        }
    }

    /// Connects the rank state to the progress loop.
    pub(crate) fn open(&self, victims: Victims, heartbeat_timeout: Duration, watch: Option<OnStatus>, poller: Poller) {
        self.lock().thief = Thief::new(Seeker::new(self.me, self.size, victims));
        // Set once for each cluster.
        drop(self.settings.set(Settings { heartbeat_timeout, watch: watch.map(Mutex::new), poller }));
    }

    /// Whether `from` is the rank whose heartbeats this one waits for.
    fn is_before(&self, from: u32) -> bool {
        (from + 1) % self.size == self.me
    }

    fn poller(&self) -> Option<&Poller> {
        self.settings.get().map(|settings| &settings.poller)
    }

    // ---- the loop: never called with the lock held, since its clients take the lock -------------------------------

    /// A run is on, so its threads poll the loop or wait at it.
    pub(crate) fn start_polling(&self) -> Option<PollGuard> {
        self.poller().map(|poller| poller.start_polling())
    }

    /// There is something to send, or a driver waits for a change.
    pub(crate) fn wake(&self) {
        if let Some(poller) = self.poller() {
            poller.wake();
        }
    }

    /// The flag that workers check after each unit. It is raised when a message may have come, when a rank asks, and when the run is over.
    pub(crate) fn flag(&self) -> Arc<Flag> {
        self.poller().map(|poller| Arc::clone(poller.flag())).unwrap_or_default()
    }

    /// Whether a worker has to poll the loop from time to time, since no flag announces messages.
    pub(crate) fn is_blind(&self) -> bool {
        self.poller().is_some_and(|poller| !poller.arrivals_raise_flag())
    }

    /// Receives messages, and sends those that wait. Returns whether there were any.
    pub(crate) fn poll(&self) -> bool {
        self.poller().is_some_and(Poller::poll)
    }

    /// The number of changes. To be read before checking for what the thread waits for.
    fn changes(&self) -> u64 {
        // Acquire: pairs with the Release in `notify`. The changed data lie behind the lock, but to end a wait only the count is checked.
        self.changes.load(Ordering::Acquire)
    }

    /// Notes a change that a thread may wait for.
    fn notify(&self) {
        shake();
        self.changes.fetch_add(1, Ordering::Release);
        shake();
        if let Some(poller) = self.poller() {
            poller.notify();
        }
    }

    /// Waits until the count is not `seen` any more. Drives the loop meanwhile, if no other thread does.
    fn await_change(&self, seen: u64) {
        if let Some(poller) = self.poller() {
            poller.wait(|| self.changes() != seen);
        }
    }

    /// The ranks above and below this one in the tree.
    fn neighbours(&self) -> impl Iterator<Item = u32> + Clone + use<> {
        self.me.checked_sub(1).map(|above| above / 2).into_iter().chain(self.children())
    }

    /// The ranks below this one in the tree.
    fn children(&self) -> impl Iterator<Item = u32> + Clone + use<> {
        let (me, size) = (self.me, self.size);
        [2 * me + 1, 2 * me + 2].into_iter().filter(move |&child| child < size)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        shake();
        // No code that runs with the lock held panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be called after any change: raises the flag if the workers should poll. A worker that polls lowers the flag first, and causes this call
    /// again.
    fn announce(&self, state: &State) {
        let is_asked = state.run.protocol.as_ref().is_some_and(protocol::Rank::is_asked);
        let asked = state.failure.is_some() || state.run.offer.is_open() && is_asked;
        if let Some(poller) = self.poller()
            && asked
        {
            poller.flag().raise();
        }
    }

    /// Calls the protocol, and keeps the messages that it wants to send.
    fn tell<R>(
        &self,
        state: &mut State,
        act: impl FnOnce(&mut Thief<Instant>, &mut protocol::Rank<Vec<u8>>, &mut Vec<(u32, Message<Vec<u8>>)>) -> R,
    ) -> Option<R> {
        let mut out = Vec::new();
        let result = act(&mut state.thief, state.run.protocol.as_mut()?, &mut out);
        for (to, message) in out {
            state.post(self.me, to, message);
        }
        self.announce(state);
        Some(result)
    }
}

impl State {
    fn post(&mut self, me: u32, to: u32, message: Message<Vec<u8>>) {
        let report = &mut self.log.report;
        report.tasks_given += u64::from(matches!(message, Message::Task { .. }));
        report.requests += u64::from(matches!(message, Message::Request { thief, .. } if thief == me));
        let mut bytes = Vec::new();
        let message = message.map(|payload| bytes = payload);
        self.send(to, &Header::Work { run: self.run.number, message }, bytes);
    }

    fn error(&self) -> Option<&Error> {
        self.failure.as_ref().map(|failure| &failure.error)
    }

    /// Sends nothing after the other ranks were told of a failure, since they wait for nothing more.
    fn send(&mut self, to: u32, header: &Header, payload: Vec<u8>) {
        if self.failure.is_some() {
            return;
        }
        self.traffic.sent += u64::from(header.is_counted());
        if let Some((last, packet)) = self.outgoing.last_mut()
            && *last == to
            && packet.add(header, &payload)
        {
            return;
        }
        self.outgoing.push((to, Packet::new(header, payload)));
    }

    fn take_outgoing(&mut self, into: &mut Vec<FromRank>) {
        let sealed = self.outgoing.drain(..).map(|(to, packet)| (to, packet.seal()));
        into.extend(sealed.inspect(|(_, bytes)| self.log.report.bytes_sent += bytes.len() as u64));
    }
}
