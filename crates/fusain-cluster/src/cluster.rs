//! A communicator's ranks as one pool: where a run begins, and how one rank goes through it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use fusain_comm::Communicator;
use fusain_comm::progress::{Handle, Outbox, Progress, Settings};
use fusain_pool::Pool;

use crate::client::{self, ProgressClient};
use crate::codec;
use crate::distributed::Distributed;
use crate::error::{Ended, Error, Result};
use crate::log::{OnStatus, Status};
use crate::poll::Polled;
use crate::protocol::{Job, Label};
use crate::rank_state::{Next, RankState};
use crate::victims::Victims;

/// The ranks of a communicator, stealing work from each other.
///
/// Every rank makes one and calls the same runs in the same order. Dropping it is collective too: it returns when no rank will ask any more. (After a
/// failure it returns at once.)
///
/// With one rank nothing of this exists: a run is a call of the pool.
///
/// A rank that never comes to its first run keeps the others: over MPI they wait for it, at the latest when they drop their cluster, for thirty times the
/// [`patience`](Self::patience).
///
/// # Example
/// A loop; [`Search`](crate::Search) and [`ForkJoin`](crate::ForkJoin) have a search and a recursion.
///
/// ```
/// use fusain_cluster::Cluster;
/// use fusain_comm::World;
///
/// let counts = World::threads(2).run(|comm| {
///     let cluster = Cluster::over(comm);
///     let is_prime = |n: usize| n > 1 && (2..n).take_while(|d| d * d <= n).all(|d| n % d != 0);
///     cluster.reduce(0..1_000, || 0, |count, run| *count += run.filter(|&n| is_prime(n)).count(), |a, b| a + b).unwrap()
/// });
/// assert_eq!(counts, [168; 2]);
/// ```
pub struct Cluster<'p, C: Communicator> {
    link: RefCell<Link<C>>,
    pub(crate) state: Arc<RankState>,
    rank: usize,
    size: usize,
    pool: Option<&'p Pool>,
    victims: Victims,
    patience: Duration,
    watch: RefCell<Option<OnStatus>>,
    /// A run is on: another can not begin inside it.
    busy: Cell<bool>,
}

/// Of a progress thread over MPI, between runs. A worker may sit on the same core, and who yields to it waits until the scheduler takes that off. Who naps is let in when it
/// wakes, so it naps soon: from one task to the next took a quarter of the time that it took with 100 us (`cargo xtask compare steal`, ranks bound to a core each).
const BUSY: Duration = Duration::from_micros(10);

/// The longest nap, of a progress thread between runs and of a thread that has waited for work for long. With 500 us an idle progress thread took 2.9 to 3.6 % of a
/// core, where 3 % are the aim; a rank at work does not nap.
const LONGEST_NAP: Duration = Duration::from_micros(800);

/// How far the connection to the others is made.
enum Link<C: Communicator> {
    /// One rank, or nothing has run yet.
    Comm(Option<C>),
    /// Somebody else's progress loop.
    Handle(Handle<C>),
    Open {
        outbox: Outbox<C>,
        progress: Option<Progress<C>>,
    },
}

impl<'p, C: Communicator> Cluster<'p, C> {
    /// The ranks of `comm`, which belongs to the cluster from now on. Each rank gets a progress thread; while a run is on, those who wait and workers between two units
    /// do most of its sending and receiving (see the [crate's page](crate)).
    ///
    /// Over MPI this needs `MpiWorld::start_serialized` or `start_multiple`; at FUNNELED, where only the main thread may
    /// call, use [`on`](Self::on) inside of [`run_funneled`](fusain_comm::progress::run_funneled). Nothing is sent before the first run.
    pub fn over(comm: C) -> Self {
        let (rank, size) = (comm.rank(), comm.size());
        Self::with(Link::Comm(Some(comm)), rank, size)
    }

    /// The ranks of a progress loop that a thread drives already ([`Progress::spawn`], or
    /// [`run_funneled`](fusain_comm::progress::run_funneled)). One cluster at a time. On a loop that is driven by hand
    /// ([`Progress::manual`]) the first run of several ranks gives [`Error::NoDriver`].
    pub fn on(handle: Handle<C>) -> Self {
        let (rank, size) = (handle.rank(), handle.size());
        Self::with(Link::Handle(handle), rank, size)
    }

    fn with(link: Link<C>, rank: usize, size: usize) -> Self {
        Self {
            link: RefCell::new(link),
            state: Arc::new(RankState::new(rank, size)),
            rank,
            size,
            pool: None,
            victims: Victims::default(),
            patience: Duration::from_secs(10),
            watch: RefCell::new(None),
            busy: Cell::new(false),
        }
    }

    /// The workers of this rank; without it [`Pool::global`]'s: as many as the process may use cores. Ranks that are threads then share them; processes on one
    /// machine that are not bound to cores of their own have them each, and too many: there give each its share, `Pool::builder().threads(1)` say.
    #[must_use]
    pub fn pool(mut self, pool: &'p Pool) -> Self {
        self.pool = Some(pool);
        self
    }

    /// Whom a rank without work asks; without it [`Victims::Random`].
    #[must_use]
    pub fn victims(mut self, victims: Victims) -> Self {
        self.victims = victims;
        self
    }

    /// How long a rank may give no sign of life before it is held for lost; without it 10 seconds. Signs are given, and if need be by the progress thread, four a
    /// second, so long units do no harm; a process that is stopped for longer does. A rank in good health is lost too if the
    /// time is so short that a few signs do not fit. Since ranks may come late to their first run, the first sign is awaited thirty times as long.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Has `watch` called on rank 0, four times a second, with how it stands: for a line that shows that something happens. All ranks set it, or none. It is
    /// called on whichever thread turns the progress loop, and must not block or call the cluster. With one rank, which has no progress loop, it is never
    /// called.
    ///
    /// Messages: one a rank each time, up the tree of ranks.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(Status) + Send + 'static) -> Self {
        self.watch = RefCell::new(Some(Box::new(watch)));
        self
    }

    /// This rank's number.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Collective: works off `input`, the state that rank 0 gives, on all ranks; each gets what came of it.
    ///
    /// The inputs of other ranks are not looked at: all make the same, and the program is that of one rank. The work starts on rank 0 and spreads as ranks
    /// ask; `algorithm` is each rank's own value of the same algorithm.
    ///
    /// Messages: two for each task that moves, what failed attempts cost ([`victims`](crate::victims)), and ranks − 1 at the end.
    ///
    /// # Errors
    /// [`Error::RankLost`] on all ranks if one panics, leaves or falls silent; [`Error::RankFailed`] if another ends with an error; [`Error::Corrupt`], [`Error::Encode`],
    /// [`Error::NoDriver`], [`Error::Transport`]. After an error the cluster stays failed, and `algorithm` holds a part of the results.
    ///
    /// # Panics
    /// With what a callback panics with, on the rank where it does. If a callback calls a run of the same cluster.
    pub fn run<A: Distributed>(&self, algorithm: &A, input: A::Local) -> Result<A::Output> {
        let pool = self.pool.unwrap_or_else(|| Pool::global());
        if self.size == 1 {
            let begun = Instant::now();
            self.state.begin(pool)?;
            let output = alone(pool, algorithm, input);
            self.state.worked(begun);
            self.state.end();
            return Ok(output);
        }
        let outbox = self.open()?;
        assert!(!self.busy.replace(true), "a run of a cluster can not begin inside another");
        let state = &*self.state;
        let attendance = state.attend();
        let guard = GivesUp { state, busy: &self.busy };
        let outcome = Course { pool, algorithm, state, found: BTreeMap::new(), whole: None }.run(input);
        std::mem::forget(guard);
        self.busy.set(false);
        state.wake();
        drop(attendance);
        match outcome {
            // The loop knows why it has ended.
            Err(Error::Transport(fusain_comm::Error::Abandoned)) => {
                match outbox.send(Vec::new(), self.rank, client::FIRST_TAG) {
                    Err(error) => Err(error.into()),
                    Ok(()) => Err(fusain_comm::Error::Abandoned.into()),
                }
            }
            outcome => outcome,
        }
    }

    /// Connects the rank state, the first time.
    pub(crate) fn open(&self) -> Result<Outbox<C>> {
        let mut link = self.link.borrow_mut();
        match &*link {
            Link::Open { outbox, .. } => Ok(outbox.clone()),
            // It was tried before.
            Link::Comm(None) => Err(self.state.failure().unwrap_or(fusain_comm::Error::Abandoned.into())),
            Link::Handle(handle) if handle.is_manual() => Err(Error::NoDriver),
            _ => self.connect(&mut link).map_err(|error| self.state.stays_shut(error)),
        }
    }

    fn connect(&self, link: &mut Link<C>) -> Result<Outbox<C>> {
        let (handle, progress) = match std::mem::replace(link, Link::Comm(None)) {
            Link::Comm(Some(comm)) => {
                let mut settings = Settings::default();
                (settings.busy, settings.ceiling) = (BUSY, LONGEST_NAP);
                let progress = Progress::spawn(comm, settings)?;
                (progress.handle(), Some(progress))
            }
            Link::Handle(handle) => (handle, None),
            Link::Comm(None) | Link::Open { .. } => return Err(fusain_comm::Error::Abandoned.into()),
        };
        let outbox = handle.outbox();
        let watch = self.watch.take();
        self.state.open(self.victims.clone(), self.patience, watch, handle.attendant());
        handle.serve(ProgressClient::new(&self.state, &handle))?;
        *link = Link::Open { outbox: outbox.clone(), progress };
        Ok(outbox)
    }
}

impl<C: Communicator> Drop for Cluster<'_, C> {
    fn drop(&mut self) {
        let Link::Open { progress, .. } = self.link.get_mut() else { return };
        if thread::panicking() {
            self.state.give_up("it panicked");
        }
        self.state.leave();
        if let Some(progress) = progress.take() {
            progress.shutdown();
        }
    }
}

impl<C: Communicator> fmt::Debug for Cluster<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("rank", &self.rank).field("size", &self.size).finish_non_exhaustive()
    }
}

/// A run that ends by a panic ends for all.
struct GivesUp<'a> {
    state: &'a RankState,
    busy: &'a Cell<bool>,
}

impl Drop for GivesUp<'_> {
    fn drop(&mut self) {
        self.busy.set(false);
        self.state.give_up("it panicked");
    }
}

/// One rank: what the pool leaves behind is all there is.
fn alone<A: Distributed>(pool: &Pool, algorithm: &A, input: A::Local) -> A::Output {
    pool.run(algorithm, input);
    let mut output = algorithm.take();
    while let Some(state) = algorithm.resume() {
        pool.run(algorithm, state);
        algorithm.merge(&mut output, algorithm.take());
    }
    output
}

/// One rank's way through a run.
struct Course<'a, A: Distributed> {
    pool: &'a Pool,
    algorithm: &'a A,
    state: &'a RankState,
    /// What the unfinished tasks of this rank have found so far.
    found: BTreeMap<Label, A::Output>,
    /// What the root has found: on the rank that has it nothing has to be read.
    whole: Option<A::Output>,
}

impl<A: Distributed> Course<'_, A> {
    fn run(mut self, input: A::Local) -> Result<A::Output> {
        self.state.begin(self.pool)?;
        let mut input = Some(input);
        loop {
            match self.state.next()? {
                Next::End(payload) => {
                    self.state.end();
                    if let Some(whole) = self.whole {
                        return Ok(whole);
                    }
                    return codec::decode(&payload).map_err(|why| self.refuse(0, why));
                }
                Next::Job(Job::Start { label, from, payload }) => {
                    // Each worker of the giver may have added one.
                    let begun = Instant::now();
                    let states: Vec<A::Local> = match payload {
                        Some(payload) => codec::part(&payload).map_err(|why| self.refuse(from, why))?,
                        None => input.take().into_iter().collect(),
                    };
                    self.state.has_read(begun.elapsed());
                    if states.is_empty() {
                        return Err(self.refuse(from, "a task without a state".to_owned()));
                    }
                    if !states.iter().all(|state| self.algorithm.accepts(state)) {
                        return Err(self.refuse(from, "the algorithm does not accept its state".to_owned()));
                    }
                    self.work(label, states)?;
                }
                Next::Job(Job::Merge { label, from, payload }) => {
                    let part = codec::decode(&payload).map_err(|why| self.refuse(from, why))?;
                    match self.found.get_mut(&label) {
                        Some(found) => self.algorithm.merge(found, part),
                        None => return Err(self.refuse(from, "a result of no task".to_owned())),
                    }
                    self.work(label, Vec::new())?;
                }
                Next::Job(Job::Finish { label }) => {
                    let Some(found) = self.found.remove(&label) else {
                        return Err(self.refuse(self.state.me, "the end of no task".to_owned()));
                    };
                    let payload = codec::encode(&found).map_err(|error| self.state.fail_with(error))?;
                    if self.state.finished(label, payload) {
                        self.whole = Some(found);
                    }
                }
            }
        }
    }

    /// Works off states, and what they make possible.
    fn work(&mut self, label: Label, states: Vec<A::Local>) -> Result<()> {
        let polled = Polled::new(self.algorithm, self.state);
        let from = Instant::now();
        let resumed = || polled.bundle(iter::from_fn(|| self.algorithm.resume()));
        let mut bundle = polled.bundle(states);
        while let Some(local) = bundle.take().or_else(resumed) {
            // What the workers share is the algorithm, which is the caller's.
            match catch_unwind(AssertUnwindSafe(|| self.pool.run(&polled, local))) {
                Ok(()) => {}
                Err(payload) => match payload.downcast::<Ended>() {
                    Ok(ended) => return Err(ended.0),
                    Err(payload) => resume_unwind(payload),
                },
            }
            let part = self.algorithm.take();
            match self.found.get_mut(&label) {
                Some(found) => self.algorithm.merge(found, part),
                None => drop(self.found.insert(label, part)),
            }
        }
        self.state.worked(from);
        self.state.done();
        Ok(())
    }

    fn refuse(&self, from: u32, why: String) -> Error {
        self.state.fail_with(Error::Corrupt { from: from as usize, why })
    }
}
