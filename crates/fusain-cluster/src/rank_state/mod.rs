//! What the threads of one rank share: the protocol behind a lock, a count of changes for threads that wait, and one word for the workers.
//!
//! ```text
//!  workers ── poll ────▶ word ◀── set ──┐
//!     └── offer ─────────▶┌──────────────────────┐
//!                         │ protocol, data, tick │◀── messages, time ── progress loop
//!  caller ◀─ job ─ change └──────────────────────┘──── outgoing ──────▶      │
//!     └── done, finished ──────▲                                        transport
//! ```
//!
//! A thread that has an event for the protocol takes the lock, reports the event, and releases the lock. Then it runs a round of the progress loop if it can, which
//! sends what is to be sent. No thread computes, encodes, waits or runs the loop while it holds the lock, since the loop's clients take it. A thread that waits reads the count
//! of changes, checks the state under the lock, then waits at the loop until the count has changed: as the driver, if no other thread drives.
//!
//! | file | which events, reported by which thread |
//! |---|---|
//! | `caller` | a run begins, a job is done, what comes next: by the thread that called |
//! | `workers` | a part was split off, a value is needed: by a worker |
//! | `progress` | a message has come, time has passed: by the thread that drives the loop |
//! | `ends` | something went wrong; this rank leaves |

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

/// How often a rank says that it is there.
const SIGN_OF_LIFE: Duration = Duration::from_millis(250);

/// So many times as long as for another sign of life a rank waits for the first one: others may come late to their first run, as who has yet to read its data.
const ARRIVAL: u32 = 30;

/// How long a rank that has gone may still be heard of: longer than a message takes, and than a thread waits for its core.
const GRACE: Duration = Duration::from_millis(100);

/// How long a rank that leaves waits for the last messages of others: after a failure for all to hear of it and to end, too; else for the last sign of life. These would be left
/// over, for whoever uses the communicator next.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(crate) struct RankState {
    pub(crate) me: u32,
    pub(crate) size: u32,
    pub(crate) tables: Tables,
    pub(crate) stores: Stores,
    settings: OnceLock<Settings>,
    state: Mutex<State>,
    /// How often something has changed that a thread may wait for.
    changes: AtomicU64,
}

/// What is known when the cluster begins to talk.
struct Settings {
    patience: Duration,
    /// Is told four times a second how it stands.
    watch: Option<Mutex<OnStatus>>,
    /// The way to the loop.
    poller: Poller,
}

struct State {
    run: Run,
    thief: Thief<Instant>,
    /// To whom.
    outgoing: Vec<(u32, Packet)>,
    traffic: Traffic,
    failure: Option<Failure>,
    health: Health,
    departure: Departure,
    log: Log,
    reports: Reports,
    /// Values of other ranks that were asked for.
    data: HashMap<DataKey, Data>,
}

/// The run that is on, or was the last.
#[derive(Default)]
struct Run {
    /// The first is 1.
    number: u32,
    /// While it is on.
    protocol: Option<protocol::Rank<Vec<u8>>>,
    /// What came of it, once it is known.
    outcome: Option<Vec<u8>>,
    /// What the workers give to who has asked first.
    offer: Offer<ThreadId, Vec<u8>>,
    /// Of this rank.
    workers: usize,
    /// Ends of runs that this rank has not begun yet: from whom, of which run.
    early: Vec<(u32, u32, Message<Vec<u8>>)>,
}

/// Signs of life.
#[derive(Default)]
struct Health {
    /// When the next one is due.
    signs_at: Option<Instant>,
    /// When this rank gave its first sign.
    begun: Option<Instant>,
    /// When the rank before it was heard of last.
    heard: Option<Instant>,
    /// That one leaves, and has given its last sign.
    was_last: bool,
    /// A rank that has gone, and when that is the failure if no other becomes known.
    suspect: Option<(Instant, Error)>,
}

impl Health {
    /// This rank was stopped for `time`, and heard nobody: that says nothing about the others.
    fn sleep(&mut self, time: Duration) {
        let later = |at: &mut Option<Instant>| *at = at.map(|at| at + time);
        later(&mut self.begun);
        later(&mut self.heard);
    }
}

/// How this rank leaves.
#[derive(Default)]
struct Departure {
    /// Children in the tree that have said good-bye, and what they have said last.
    byes: BTreeMap<u32, Traffic>,
    /// Of those and all below them, how often the one has reported that did so least often, and which.
    fewest: Option<(u32, u32)>,
    /// This rank wants to.
    wanted: bool,
    /// It has said good-bye, with this of itself and all below it. From then on it sends nothing else but signs of life.
    said: Option<Traffic>,
    /// It may.
    farewell: bool,
    /// How long it then waits for the last sign of life of the rank before it, which may be lost.
    patient_until: Option<Instant>,
    /// The progress loop has ended.
    closed: bool,
}

/// Messages that ranks have sent and received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Traffic {
    sent: u64,
    received: u64,
}

/// Why there will be no result, and who else knows.
struct Failure {
    error: Error,
    /// Ranks that have said that they have failed, too: they send nothing any more.
    ended: BTreeSet<u32>,
    /// Ranks to which nothing can be sent.
    gone: BTreeSet<u32>,
    /// When this rank stops to wait for the others to end.
    patient_until: Instant,
}

impl Failure {
    fn new(error: Error) -> Self {
        Self { error, ended: BTreeSet::new(), gone: BTreeSet::new(), patient_until: Instant::now() + LAST_WORDS }
    }
}

/// What ranks tell of themselves.
#[derive(Default)]
struct Reports {
    /// How many times they have been gathered.
    gathered: u32,
    /// Whether rank 0 waits for the last of these.
    is_gathering: bool,
    /// Those of others, by number and rank.
    of_ranks: BTreeMap<(u32, u32), Vec<u8>>,
    /// What was heard last from the ranks below this one.
    below: BTreeMap<u32, Status>,
}

impl Reports {
    /// Whether rank 0 waits for the report of rank `from`, from which something later has come.
    fn is_missed_by(&self, from: u32) -> bool {
        self.is_gathering && !self.of_ranks.contains_key(&(self.gathered, from))
    }
}

/// A rank, and bytes of it.
pub(crate) type FromRank = (u32, Vec<u8>);

/// Which value: store, rank, key.
pub(crate) type DataKey = (u32, u32, u64);

enum Data {
    Asked,
    Here(Vec<u8>),
    /// A thread reads it.
    Taken,
    /// It is where everybody finds it.
    Kept,
}

/// What the calling thread does next.
pub(crate) enum Next {
    Job(Job<Vec<u8>>),
    /// All is done; this came of it.
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

    /// From now on it is connected.
    pub(crate) fn open(&self, victims: Victims, patience: Duration, watch: Option<OnStatus>, poller: Poller) {
        self.lock().thief = Thief::new(Seeker::new(self.me, self.size, victims));
        // Once a cluster.
        drop(self.settings.set(Settings { patience, watch: watch.map(Mutex::new), poller }));
    }

    /// Whether `from` is the rank whose signs of life this one waits for.
    fn is_before(&self, from: u32) -> bool {
        (from + 1) % self.size == self.me
    }

    fn poller(&self) -> Option<&Poller> {
        self.settings.get().map(|settings| &settings.poller)
    }

    // ---- the loop: never with the lock, which its clients take ----------------------------------------------------

    /// A run is on: its threads come by, or wait.
    pub(crate) fn start_polling(&self) -> Option<PollGuard> {
        self.poller().map(|poller| poller.start_polling())
    }

    /// Something is to be sent, or somebody who drives waits for what has changed.
    pub(crate) fn wake(&self) {
        if let Some(poller) = self.poller() {
            poller.wake();
        }
    }

    /// What the workers look at after each unit: raised when a message may have come, when somebody asks, and when all is over.
    pub(crate) fn flag(&self) -> Arc<Flag> {
        self.poller().map(|poller| Arc::clone(poller.flag())).unwrap_or_default()
    }

    /// Whether a worker has to poll the loop from time to time, since nothing tells it of messages.
    pub(crate) fn is_blind(&self) -> bool {
        self.poller().is_some_and(|poller| !poller.arrivals_raise_flag())
    }

    /// Receives what has come, and sends what waits. Says whether there was anything.
    pub(crate) fn poll(&self) -> bool {
        self.poller().is_some_and(Poller::poll)
    }

    /// To be read before looking at what one waits for.
    fn changes(&self) -> u64 {
        // Acquire: pairs with the Release in `notify`; what has changed lies behind the lock, but for a wait's end the count is all that is looked at.
        self.changes.load(Ordering::Acquire)
    }

    /// Something has changed that a thread may wait for.
    fn notify(&self) {
        shake();
        self.changes.fetch_add(1, Ordering::Release);
        shake();
        if let Some(poller) = self.poller() {
            poller.notify();
        }
    }

    /// Waits until something has, and sends and receives meanwhile, if nobody else does.
    fn await_change(&self, seen: u64) {
        if let Some(poller) = self.poller() {
            poller.wait(|| self.changes() != seen);
        }
    }

    /// Above and below this rank in the tree.
    fn neighbours(&self) -> impl Iterator<Item = u32> + Clone + use<> {
        self.me.checked_sub(1).map(|above| above / 2).into_iter().chain(self.children())
    }

    /// Below this rank in the tree.
    fn children(&self) -> impl Iterator<Item = u32> + Clone + use<> {
        let (me, size) = (self.me, self.size);
        [2 * me + 1, 2 * me + 2].into_iter().filter(move |&child| child < size)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        shake();
        // Nothing that is called with the lock panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After any change: workers shall come by. Who does lowers the flag first, and comes here again.
    fn announce(&self, state: &State) {
        let is_asked = state.run.protocol.as_ref().is_some_and(protocol::Rank::is_asked);
        let asked = state.failure.is_some() || state.run.offer.is_open() && is_asked;
        if let Some(poller) = self.poller()
            && asked
        {
            poller.flag().raise();
        }
    }

    /// Tells the protocol something, and keeps what it wants to send.
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

    /// Nothing after the others have been told of a failure: they do not wait for more.
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
