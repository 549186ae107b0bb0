//! What the threads of one rank share: the protocol behind a lock, a bell for the thread that runs the work, and one word for the workers.
//!
//! ```text
//!  workers ── glance ──▶ word ◀── set ──┐
//!     └── offer ─────────▶┌──────────────────────┐
//!                         │ protocol, mail, tick │◀── messages, time ── progress thread
//!  caller ◀── job ── bell └──────────────────────┘──── outgoing ──────▶      │
//!     └── done, finished ──────▲                                        transport
//! ```
//!
//! Whoever has something to tell the protocol takes the lock, tells it, and leaves what is to be sent for the progress thread. Nobody computes, encodes or
//! waits with the lock, but on the bell.
//!
//! | file | what is told there, by whom |
//! |---|---|
//! | `caller` | a run begins, a job is done, what next? By the thread that called |
//! | `workers` | a part was split off, a value is needed |
//! | `progress` | a message has come, time has passed |
//! | `ends` | something went wrong; this rank leaves |

mod caller;
mod ends;
mod progress;
mod workers;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use crate::codec::{self, Head};
use crate::error::Error;
use crate::protocol::{self, Job, Message};
use crate::report::{Log, Status, Watch};
use crate::store::Shelves;
use crate::table::Tables;
use crate::thief::Thief;
use crate::victims::{Seeker, Victims};

/// How often a rank says that it is there.
const SIGN_OF_LIFE: Duration = Duration::from_millis(250);

/// How long a rank that has gone may still be heard of: longer than a message takes, and than a thread waits for its core.
const GRACE: Duration = Duration::from_millis(100);

pub(crate) struct Station {
    pub(crate) me: u32,
    pub(crate) size: u32,
    pub(crate) tables: Tables,
    pub(crate) shelves: Shelves,
    settings: OnceLock<Settings>,
    state: Mutex<State>,
    /// The thread that called waits here.
    bell: Condvar,
    /// Somebody asks, or all is over: what the workers glance at after each unit. Relaxed everywhere: what it announces lies behind the lock.
    asked: AtomicBool,
}

/// What is known when the cluster begins to talk.
struct Settings {
    patience: Duration,
    /// Is told four times a second how it stands.
    watch: Option<Mutex<Watch>>,
    /// Has the progress thread look here.
    wake: Box<dyn Fn() + Send + Sync>,
}

struct State {
    /// The number of the run that is on, or was the last; the first is 1.
    run: u32,
    /// Its protocol, while it is on.
    protocol: Option<protocol::Rank<Vec<u8>>>,
    /// What came of it, once it is known.
    outcome: Option<Vec<u8>>,
    /// What the workers give to who has asked first.
    parcel: Parcel,
    /// Of this rank.
    workers: usize,
    /// Ends of runs that this rank has not begun yet.
    early: Vec<(u32, u32, Message<Vec<u8>>)>,
    outgoing: Vec<FromRank>,
    failure: Option<Error>,
    /// A rank that has gone, and when that is the failure if no other becomes known.
    suspect: Option<(Instant, Error)>,
    thief: Thief<Instant>,
    signs_at: Option<Instant>,
    /// When the rank before this one was heard of last.
    heard: Option<Instant>,
    /// Children in the tree that have said good-bye; this rank wants to leave; may leave.
    byes: u32,
    leaves: bool,
    farewell: bool,
    /// The progress loop has ended.
    closed: bool,
    log: Log,
    /// How many times reports have been gathered, and those of others, by number and rank.
    gathers: u32,
    reports: BTreeMap<(u32, u32), Vec<u8>>,
    /// What was heard last from the ranks below this one.
    below: BTreeMap<u32, Status>,
    /// Values of other ranks that are on their way.
    data: HashMap<DataKey, Data>,
}

/// Parts of what the workers have, for one rank that has asked: about half of it all.
///
/// It is closed when all workers have given, or when one that has given comes by again: in the meantime each that is at work has ended a unit.
#[derive(Default)]
struct Parcel {
    givers: Vec<ThreadId>,
    /// Givers that have not laid their part down yet.
    splitting: usize,
    is_closed: bool,
    parts: Vec<Vec<u8>>,
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
}

/// What the calling thread does next.
pub(crate) enum Next {
    Job(Job<Vec<u8>>),
    /// All is done; this came of it.
    End(Vec<u8>),
}

impl Station {
    pub(crate) fn new(me: usize, size: usize) -> Self {
        let state = State {
            run: 0,
            protocol: None,
            outcome: None,
            parcel: Parcel::default(),
            workers: 1,
            early: Vec::new(),
            outgoing: Vec::new(),
            failure: None,
            suspect: None,
            thief: Thief::new(Seeker::new(me as u32, size as u32, Victims::Random)),
            signs_at: None,
            heard: None,
            byes: 0,
            leaves: false,
            farewell: false,
            closed: false,
            log: Log::default(),
            gathers: 0,
            reports: BTreeMap::new(),
            below: BTreeMap::new(),
            data: HashMap::new(),
        };
        Self {
            me: me as u32,
            size: size as u32,
            tables: Tables::default(),
            shelves: Shelves::default(),
            settings: OnceLock::new(),
            state: Mutex::new(state),
            bell: Condvar::new(),
            asked: AtomicBool::new(false),
        }
    }

    /// From now on it is connected.
    pub(crate) fn open(
        &self,
        victims: Victims,
        patience: Duration,
        watch: Option<Watch>,
        wake: impl Fn() + Send + Sync + 'static,
    ) {
        self.lock().thief = Thief::new(Seeker::new(self.me, self.size, victims));
        // Once a cluster.
        drop(self.settings.set(Settings { patience, watch: watch.map(Mutex::new), wake: Box::new(wake) }));
    }

    /// Has the progress thread look here.
    pub(crate) fn wake(&self) {
        if let Some(settings) = self.settings.get() {
            (settings.wake)();
        }
    }

    /// Above and below this rank in the tree.
    fn neighbours(&self) -> impl Iterator<Item = u32> + Clone + use<> {
        let (me, size) = (self.me, self.size);
        let below = [2 * me + 1, 2 * me + 2].into_iter().filter(move |&child| child < size);
        me.checked_sub(1).map(|above| above / 2).into_iter().chain(below)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that is called with the lock panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After any change: what the workers shall see.
    fn announce(&self, state: &State) {
        let is_asked = state.protocol.as_ref().is_some_and(protocol::Rank::is_asked);
        let asked = state.failure.is_some() || !state.parcel.is_closed && is_asked;
        self.asked.store(asked, Ordering::Relaxed);
    }

    /// Tells the protocol something, and keeps what it wants to send.
    fn tell<R>(
        &self,
        state: &mut State,
        act: impl FnOnce(&mut Thief<Instant>, &mut protocol::Rank<Vec<u8>>, &mut Vec<(u32, Message<Vec<u8>>)>) -> R,
    ) -> Option<R> {
        let mut out = Vec::new();
        let result = act(&mut state.thief, state.protocol.as_mut()?, &mut out);
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
        self.outgoing.push((to, codec::pack(&Head::Work { run: self.run, message }, &bytes)));
    }

    fn is_before(&self, from: u32, station: &Station) -> bool {
        (from + 1) % station.size == station.me
    }
}
