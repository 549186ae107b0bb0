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

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use fusain_pool::Pool;

use crate::codec::{self, Head};
use crate::error::{Error, Result};
use crate::protocol::{self, Job, Label, Message};
use crate::report::{Log, RankReport, Status, Watch};
use crate::store::Shelves;
use crate::table::Tables;
use crate::victims::{Attempt, Seeker, Victims};

/// How many times a request is passed on to somebody who is known to have got work.
const HOPS: u8 = 2;

/// How often a rank says that it is there.
const SIGN_OF_LIFE: Duration = Duration::from_millis(250);

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
    /// A worker is splitting.
    offering: bool,
    /// Ends of runs that this rank has not begun yet.
    early: Vec<(u32, u32, Message<Vec<u8>>)>,
    outgoing: Vec<(u32, Vec<u8>)>,
    failure: Option<Error>,
    seeker: Seeker,
    /// When to ask again.
    asks_at: Option<Instant>,
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
            offering: false,
            early: Vec::new(),
            outgoing: Vec::new(),
            failure: None,
            seeker: Seeker::new(me as u32, size as u32, Victims::Random),
            asks_at: None,
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
        self.lock().seeker = Seeker::new(self.me, self.size, victims);
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
        let asked =
            state.failure.is_some() || !state.offering && state.protocol.as_ref().is_some_and(protocol::Rank::is_asked);
        self.asked.store(asked, Ordering::Relaxed);
    }

    /// Tells the protocol something, and keeps what it wants to send.
    fn tell<R>(
        &self,
        state: &mut State,
        act: impl FnOnce(&mut protocol::Rank<Vec<u8>>, &mut Vec<(u32, Message<Vec<u8>>)>) -> R,
    ) -> Option<R> {
        let mut out = Vec::new();
        let result = act(state.protocol.as_mut()?, &mut out);
        for (to, message) in out {
            state.post(to, message);
        }
        self.announce(state);
        Some(result)
    }

    // ---- the thread that called -----------------------------------------------------------------------------------

    /// A new run begins, on `pool`.
    pub(crate) fn begin(&self, pool: &Pool) -> Result<()> {
        let mut state = self.lock();
        if let Some(error) = &state.failure {
            return Err(error.clone());
        }
        state.run += 1;
        state.protocol = Some(protocol::Rank::new(self.me, self.size));
        state.outcome = None;
        state.log.begin(pool);
        state.seeker.begin();
        state.asks_at = None;
        let run = state.run;
        let (now, later) = std::mem::take(&mut state.early).into_iter().partition(|(_, of, _)| *of == run);
        state.early = later;
        let now: Vec<(u32, u32, Message<Vec<u8>>)> = now;
        for (from, _, message) in now {
            self.work_message(&mut state, from, message);
        }
        Ok(())
    }

    /// Waits for the next thing to do.
    pub(crate) fn next(&self) -> Result<Next> {
        let mut state = self.lock();
        loop {
            if let Some(error) = &state.failure {
                return Err(error.clone());
            }
            if let Some(outcome) = state.outcome.take() {
                state.protocol = None;
                self.announce(&state);
                drop(state);
                self.wake();
                return Ok(Next::End(outcome));
            }
            if let Some(Some(job)) = self.tell(&mut state, protocol::Rank::next) {
                return Ok(Next::Job(job));
            }
            state.seek(Instant::now());
            self.wake();
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The job at hand is worked off.
    pub(crate) fn done(&self) {
        let mut state = self.lock();
        self.tell(&mut state, |rank, _| rank.done());
    }

    /// A task has found this.
    pub(crate) fn finished(&self, label: Label, payload: Vec<u8>) {
        let mut state = self.lock();
        let outcome = (self.me == 0).then(|| payload.clone());
        if self.tell(&mut state, |rank, out| rank.finished(label, payload, out)) == Some(true) {
            state.outcome = outcome;
        }
    }

    /// The workers had work since `from`.
    pub(crate) fn worked(&self, from: Instant) {
        self.lock().log.worked(from);
    }

    /// The run has ended.
    pub(crate) fn end(&self, pool: &Pool) {
        self.lock().log.end(pool);
    }

    /// What this rank did in the last run.
    pub(crate) fn report(&self) -> RankReport {
        self.lock().log.report.clone()
    }

    /// Collective: everybody else's bytes, by rank, on rank 0.
    pub(crate) fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<(u32, Vec<u8>)>>> {
        let mut state = self.lock();
        state.gathers += 1;
        let number = state.gathers;
        if self.me != 0 {
            if let Some(error) = &state.failure {
                return Err(error.clone());
            }
            state.outgoing.push((0, codec::pack(&Head::Report { number }, bytes)));
            drop(state);
            self.wake();
            return Ok(None);
        }
        loop {
            if let Some(error) = &state.failure {
                return Err(error.clone());
            }
            let range = (number, 0)..=(number, u32::MAX);
            if state.reports.range(range).count() as u32 == self.size - 1 {
                let later = state.reports.split_off(&(number + 1, 0));
                let all = std::mem::replace(&mut state.reports, later);
                return Ok(Some(all.into_iter().map(|((_, from), bytes)| (from, bytes)).collect()));
            }
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    // ---- the workers ----------------------------------------------------------------------------------------------

    /// Whether a worker shall come to the counter. One relaxed load of a word that hardly ever changes.
    #[inline(always)]
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Whether the worker that asks this is the one to split something off now; it then [`offer`](Self::offer)s. An error ends the run.
    pub(crate) fn takes_offer(&self) -> Result<bool> {
        let mut state = self.lock();
        if let Some(error) = &state.failure {
            return Err(error.clone());
        }
        let takes = !state.offering && state.protocol.as_ref().is_some_and(protocol::Rank::is_asked);
        state.offering |= takes;
        self.announce(&state);
        Ok(takes)
    }

    /// What was split off, if anything.
    pub(crate) fn offer(&self, payload: Option<Vec<u8>>) {
        {
            let mut state = self.lock();
            state.offering = false;
            self.tell(&mut state, |rank, out| rank.offer(payload, out));
        }
        self.wake();
    }

    /// Asks for a value, unless somebody has, and waits for it. `None`: another thread has got it; look again.
    pub(crate) fn await_data(&self, key: DataKey) -> Result<Option<Vec<u8>>> {
        let mut state = self.lock();
        let (store, rank, number) = key;
        if let Entry::Vacant(entry) = state.data.entry(key) {
            entry.insert(Data::Asked);
            state.outgoing.push((rank, codec::pack(&Head::Fetch { store, key: number }, &[])));
            self.wake();
        }
        loop {
            if let Some(error) = &state.failure {
                return Err(error.clone());
            }
            match state.data.get_mut(&key) {
                None => return Ok(None),
                Some(Data::Asked | Data::Taken) => {}
                Some(data) => {
                    if let Data::Here(bytes) = std::mem::replace(data, Data::Taken) {
                        return Ok(Some(bytes));
                    }
                }
            }
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The value is where everybody finds it.
    pub(crate) fn has_data(&self, key: DataKey) {
        self.lock().data.remove(&key);
        self.bell.notify_all();
    }

    // ---- the progress thread --------------------------------------------------------------------------------------

    /// A message has come.
    pub(crate) fn receive(&self, from: usize, bytes: &[u8]) {
        let unpacked = codec::unpack(bytes);
        // Before the lock is taken: putting a value into bytes may take long.
        let answer = match &unpacked {
            Ok((Head::Fetch { store, key }, _)) => self.shelves.encode(*store, *key),
            _ => None,
        };
        let mut state = self.lock();
        let state = &mut *state;
        if state.is_before(from as u32, self) {
            state.heard = Some(Instant::now());
        }
        match unpacked {
            Err(why) => self.fail(state, Error::Corrupt { from, why }),
            Ok((Head::Alive, _)) => {}
            Ok((Head::Lost { rank }, why)) => {
                let why = String::from_utf8_lossy(why).into_owned();
                self.fail(state, Error::RankLost { rank: rank as usize, why });
            }
            Ok((Head::Bye, _)) => {
                state.byes += 1;
                self.part(state);
            }
            Ok((Head::Farewell, _)) => {
                state.farewell = true;
                self.part(state);
            }
            Ok((Head::Fetch { store, key }, _)) => match answer {
                Some(Ok(value)) => {
                    state.outgoing.push((from as u32, codec::pack(&Head::Data { store, key }, &value)));
                }
                Some(Err(error)) => self.fail(state, error),
                None => self.fail(state, Error::Corrupt { from, why: "it asks for what is not there".to_owned() }),
            },
            Ok((Head::Data { store, key }, value)) => {
                if let Some(data @ Data::Asked) = state.data.get_mut(&(store, from as u32, key)) {
                    *data = Data::Here(value.to_vec());
                }
            }
            Ok((Head::Report { number }, report)) => {
                state.reports.insert((number, from as u32), report.to_vec());
            }
            Ok((Head::Status { ranks, idle, tasks }, _)) => {
                state.below.insert(from as u32, Status { ranks, idle, tasks });
            }
            Ok((Head::Raise { table, cell, value }, _)) => self.tables.hear(table, cell, value),
            Ok((Head::Work { run, message }, payload)) => {
                let message = message.map(|()| payload.to_vec());
                if run == state.run && state.protocol.is_some() {
                    self.work_message(state, from as u32, message);
                } else if run > state.run {
                    match message {
                        // Not there yet.
                        Message::Request { thief, stays: false, .. } if thief < self.size => {
                            let head = Head::Work { run, message: Message::Refusal };
                            state.outgoing.push((thief, codec::pack(&head, &[])));
                        }
                        message => state.early.push((from as u32, run, message)),
                    }
                }
                // Else of a run that is over: nobody waits for it.
            }
        }
        self.bell.notify_all();
    }

    fn work_message(&self, state: &mut State, from: u32, message: Message<Vec<u8>>) {
        let (refused, fed) = (message == Message::Refusal, matches!(message, Message::Task { .. }));
        state.log.report.refusals += u64::from(refused);
        state.log.report.tasks_taken += u64::from(fed);
        let outcome = if let Message::Stop { payload } = &message { Some(payload.clone()) } else { None };
        let told = self.tell(state, |rank, out| rank.receive(from, message, out));
        if let Some(Err(fault)) = told {
            return self.fail(state, Error::Corrupt { from: from as usize, why: fault.to_string() });
        }
        if outcome.is_some() {
            state.outcome = outcome;
        }
        if refused {
            state.seeker.refused();
            state.seek(Instant::now());
        }
        if fed {
            state.seeker.fed(from);
        }
    }

    /// Time has passed. Says when to come again.
    pub(crate) fn tick(&self, now: Instant) -> Instant {
        let mut state = self.lock();
        if state.asks_at.is_some_and(|at| at <= now) {
            state.asks_at = None;
            state.seek(now);
        }
        let mut status = None;
        if state.signs_at.is_none_or(|at| at <= now) && state.failure.is_none() && !state.farewell {
            state.signs_at = Some(now + SIGN_OF_LIFE);
            status = self.give_signs(&mut state, now);
        }
        let due = state.signs_at.unwrap_or(now + SIGN_OF_LIFE);
        let due = state.asks_at.map_or(due, |at| at.min(due));
        let (raised, tells_at) = self.tables.changes(now);
        for (table, cell, value) in raised {
            let bytes = codec::pack(&Head::Raise { table, cell, value }, &[]);
            state.outgoing.extend(self.neighbours().map(|to| (to, bytes.clone())));
        }
        drop(state);
        if let Some((status, watch)) = status.zip(self.settings.get().and_then(|settings| settings.watch.as_ref())) {
            (watch.lock().unwrap_or_else(PoisonError::into_inner))(status);
        }
        tells_at.map_or(due, |at| at.min(due))
    }

    /// Says that this rank is there, looks whether the one before it is, and tells how it stands: above, or here.
    fn give_signs(&self, state: &mut State, now: Instant) -> Option<Status> {
        let settings = self.settings.get()?;
        state.outgoing.push(((self.me + 1) % self.size, codec::pack(&Head::Alive, &[])));
        if state.heard.is_some_and(|heard| now.duration_since(heard) > settings.patience) {
            let why = format!("no sign of life for {:.1} s", settings.patience.as_secs_f64());
            let rank = ((self.me + self.size - 1) % self.size) as usize;
            self.fail(state, Error::RankLost { rank, why });
            self.bell.notify_all();
        }
        settings.watch.as_ref()?;
        let is_idle = state.protocol.as_ref().is_none_or(protocol::Rank::is_idle);
        let mine = Status { ranks: 1, idle: u32::from(is_idle), tasks: state.log.report.tasks_taken };
        let status = state.below.values().fold(mine, |sum, status| sum.with(status));
        if self.me == 0 {
            return Some(status);
        }
        let Status { ranks, idle, tasks } = status;
        state.outgoing.push(((self.me - 1) / 2, codec::pack(&Head::Status { ranks, idle, tasks }, &[])));
        None
    }

    /// What waits to be sent. Says whether that is the last.
    pub(crate) fn take_outgoing(&self, into: &mut Vec<(u32, Vec<u8>)>) -> bool {
        let mut state = self.lock();
        state.log.report.bytes_sent += state.outgoing.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        into.append(&mut state.outgoing);
        state.leaves && (state.farewell || state.failure.is_some())
    }

    /// What was sent to `to` did not get there.
    pub(crate) fn transport_failed(&self, to: u32, error: fusain_comm::Error) {
        let mut state = self.lock();
        if state.farewell {
            return;
        }
        let error = match error {
            fusain_comm::Error::PeerPanicked { .. } => Error::panicked(to as usize),
            fusain_comm::Error::PeerLeft { .. } => Error::left(to as usize),
            other => Error::Transport(other),
        };
        self.fail(&mut state, error);
        self.bell.notify_all();
    }

    /// The progress loop has ended.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        if !state.farewell {
            self.fail(&mut state, Error::Transport(fusain_comm::Error::Abandoned));
        }
        self.bell.notify_all();
    }

    /// Whether there will be no result any more.
    pub(crate) fn has_failed(&self) -> bool {
        self.lock().failure.is_some()
    }

    // ---- ends -----------------------------------------------------------------------------------------------------

    /// The first failure stays, and everybody is told.
    fn fail(&self, state: &mut State, error: Error) {
        if state.failure.is_some() {
            return;
        }
        // Who reports is lost to the others as well: it gives no result.
        let (rank, why) = match &error {
            Error::RankLost { rank, why } => (*rank as u32, why.clone()),
            other => (self.me, other.to_string()),
        };
        let bytes = codec::pack(&Head::Lost { rank }, why.as_bytes());
        state.outgoing.extend((0..self.size).filter(|&to| to != self.me && to != rank).map(|to| (to, bytes.clone())));
        state.failure = Some(error);
        self.announce(state);
    }

    /// This rank gives up, and tells the others.
    pub(crate) fn give_up(&self, why: &str) {
        let mut state = self.lock();
        self.fail(&mut state, Error::RankLost { rank: self.me as usize, why: why.to_owned() });
    }

    /// This rank ends with an error of its own.
    pub(crate) fn fail_with(&self, error: Error) -> Error {
        let mut state = self.lock();
        self.fail(&mut state, error);
        self.bell.notify_all();
        state.failure.clone().unwrap_or(Error::Encode { why: String::new() })
    }

    /// Good-byes go up the tree, farewells down.
    fn part(&self, state: &mut State) {
        let children = [2 * self.me + 1, 2 * self.me + 2].into_iter().filter(|&child| child < self.size);
        if state.leaves && !state.farewell && state.byes == children.clone().count() as u32 {
            // Once only.
            state.byes = u32::MAX;
            match self.me {
                0 => state.farewell = true,
                me => state.outgoing.push(((me - 1) / 2, codec::pack(&Head::Bye, &[]))),
            }
        }
        if state.farewell {
            let bytes = codec::pack(&Head::Farewell, &[]);
            state.outgoing.extend(children.map(|child| (child, bytes.clone())));
        }
    }

    /// Waits until no rank will send anything any more, or a failure is known, and the courier has sent what was left.
    pub(crate) fn leave(&self) {
        let mut state = self.lock();
        state.leaves = true;
        self.part(&mut state);
        while !state.closed {
            self.wake();
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl State {
    fn post(&mut self, to: u32, message: Message<Vec<u8>>) {
        self.log.report.tasks_given += u64::from(matches!(message, Message::Task { .. }));
        let mut bytes = Vec::new();
        let message = message.map(|payload| bytes = payload);
        self.outgoing.push((to, codec::pack(&Head::Work { run: self.run, message }, &bytes)));
    }

    /// Asks somebody for work, if this rank is hungry and it is time.
    fn seek(&mut self, now: Instant) {
        if self.asks_at.is_some() || !self.protocol.as_ref().is_some_and(protocol::Rank::is_hungry) {
            return;
        }
        let Some(Attempt { victim, stays, pause }) = self.seeker.attempt() else { return };
        if !pause.is_zero() {
            self.asks_at = Some(now + pause);
            self.seeker.has_paused();
            return;
        }
        let mut out = Vec::new();
        if let Some(protocol) = &mut self.protocol {
            protocol.ask(victim, HOPS, stays, &mut out);
        }
        for (to, message) in out {
            self.post(to, message);
            self.log.report.requests += 1;
        }
    }

    fn is_before(&self, from: u32, station: &Station) -> bool {
        (from + 1) % station.size == station.me
    }
}
