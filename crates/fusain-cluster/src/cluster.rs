//! A communicator's ranks as one pool: how a run begins, and how one rank goes through it.

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

use crate::client::ProgressClient;
use crate::distributed::Distributed;
use crate::error::{Ended, Error, Result};
use crate::log::{OnStatus, Status};
use crate::poll::Polled;
use crate::protocol::{Job, Label};
use crate::rank_state::{Next, RankState};
use crate::victims::Victims;
use crate::wire::codec;

/// The ranks of a communicator, stealing work from each other.
///
/// Every rank makes a cluster and calls the same runs in the same order. Dropping it is collective too: a rank waits until no other rank will ask
/// it for work any more. After a failure it waits for at most one second, so that the others hear of it.
///
/// With one rank, a run is a call of the pool and nothing else.
///
/// If a rank never gets to its first run, the others wait for it, at the latest when they drop their cluster. Over MPI they wait for up to thirty
/// times the [`heartbeat_timeout`](Self::heartbeat_timeout).
///
/// # Example
///
/// An example with a loop. [`Search`](crate::Search) has an example of a search, [`ForkJoin`](crate::ForkJoin) of a recursion.
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
    heartbeat_timeout: Duration,
    watch: RefCell<Option<OnStatus>>,
    /// Whether a run is under way: another cannot begin inside it.
    busy: Cell<bool>,
}

/// How long a progress thread over MPI polls between runs before it sleeps. A worker may run on the same core. A thread that yields to it
/// waits until the scheduler takes it off the core; one that sleeps runs as soon as it wakes. Sleeping soon therefore frees a shared core.
/// `cargo xtask compare steal` shows it, with ranks bound to a core each.
const BUSY: Duration = Duration::from_micros(10);

/// The longest sleep of a progress thread between runs, and of a thread that has waited long for work. It is chosen such that an idle progress
/// thread takes at most 3 % of a core, which `cargo xtask compare steal` prints. A rank that has work does not sleep.
const LONGEST_NAP: Duration = Duration::from_micros(800);

/// The state of the connection to the other ranks.
enum Link<C: Communicator> {
    /// There is one rank, or nothing has run yet. None after a failed attempt to connect.
    Comm(Option<C>),
    /// A progress loop that the caller made.
    Handle(Handle<C>),
    Open {
        outbox: Outbox<C>,
        progress: Option<Progress<C>>,
    },
}

impl<'p, C: Communicator> Cluster<'p, C> {
    /// A cluster of the ranks of `comm`, of which it takes ownership. Each rank gets a progress thread. During a run, threads that wait and
    /// workers between two units do most of the sending and receiving (see the [crate's page](crate)).
    ///
    /// Over MPI this needs `MpiWorld::start_serialized` or `start_multiple`. At FUNNELED, where only the main thread may call MPI, use
    /// [`on`](Self::on) inside [`run_funneled`](fusain_comm::progress::run_funneled). Nothing is sent before the first run.
    pub fn over(comm: C) -> Self {
        let (rank, size) = (comm.rank(), comm.size());
        Self::with(Link::Comm(Some(comm)), rank, size)
    }

    /// A cluster on a progress loop that a thread already drives ([`Progress::spawn`], or [`run_funneled`](fusain_comm::progress::run_funneled)).
    /// A loop may have one cluster at a time. On a manual loop ([`Progress::manual`]) the first run of several ranks gives [`Error::NoDriver`].
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
            heartbeat_timeout: Duration::from_secs(10),
            watch: RefCell::new(None),
            busy: Cell::new(false),
        }
    }

    /// Sets the workers of this rank. The default is [`Pool::global`], which has a worker for each core that the process may use. Ranks that are
    /// threads share that pool. If several processes run on one machine and are not bound to separate cores, they have too many workers in all.
    /// Give each process its share then, such as `Pool::builder().threads(1)`.
    #[must_use]
    pub fn pool(mut self, pool: &'p Pool) -> Self {
        self.pool = Some(pool);
        self
    }

    /// Sets how a rank without work chooses the rank that it asks. The default is [`Victims::Random`].
    #[must_use]
    pub fn victims(mut self, victims: Victims) -> Self {
        self.victims = victims;
        self
    }

    /// Sets how long a rank may send no heartbeat before it counts as lost. The default is 10 seconds.
    ///
    /// A rank sends four heartbeats a second, if necessary from its progress thread, so long units do no harm. A process that is stopped
    /// for longer counts as lost for the other ranks. Choose at least a second, so that several heartbeats fit in. The first one may take thirty times as long,
    /// since ranks may be late to their first run.
    #[must_use]
    pub fn heartbeat_timeout(mut self, timeout: Duration) -> Self {
        self.heartbeat_timeout = timeout;
        self
    }

    /// Calls `watch` on rank 0 with the state of the run, four times a second, to show progress to a user. All ranks must set it, or none.
    /// The thread that runs the progress loop calls it, so it must not block or call the cluster. With one rank it is never called.
    ///
    /// Messages: each time one from each rank, up the tree of ranks.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(Status) + Send + 'static) -> Self {
        self.watch = RefCell::new(Some(Box::new(watch)));
        self
    }

    /// This rank's number.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Collective: runs `algorithm` from the state `input` of rank 0 on all ranks. Each rank gets the result.
    ///
    /// The inputs of other ranks are ignored, so all ranks can run the same code. The work starts on rank 0 and spreads as other ranks ask for it.
    /// `algorithm` is each rank's own value of the same algorithm.
    ///
    /// Messages: three for each task that moves (the request, the task, its result), those of failed attempts ([`victims`](crate::victims)), and
    /// ranks − 1 at the end. A request costs another message each time it is passed on to a rank that has work, which happens at most twice.
    ///
    /// # Errors
    /// [`Error::RankLost`] on all ranks if one panics, leaves or falls silent; [`Error::RankFailed`] if another rank ends with an error;
    /// [`Error::Corrupt`], [`Error::Encode`], [`Error::NoDriver`], [`Error::Transport`]. After an error the cluster stays failed, and `algorithm`
    /// holds a part of the results.
    ///
    /// # Panics
    /// With the payload of a callback's panic, on the rank where it panics. Also if a callback starts a run of the same cluster, or if no [`pool`](Self::pool) was given and
    /// the global one cannot be built.
    pub fn run<A: Distributed>(&self, algorithm: &A, input: A::Local) -> Result<A::Output> {
        let pool = self.pool.unwrap_or_else(|| Pool::global());
        if self.size == 1 {
            let begun = Instant::now();
            self.state.begin(pool)?;
            let output = unless_ended(&self.state, || Ok(alone(pool, algorithm, input)));
            self.state.worked(begun);
            self.state.end();
            return output;
        }
        let outbox = self.open()?;
        assert!(!self.busy.replace(true), "a run of a cluster cannot begin inside another");
        let state = &*self.state;
        let polling = state.start_polling();
        let guard = GivesUp { state, busy: &self.busy };
        let course = Course { pool, algorithm, state, found: BTreeMap::new(), whole: None };
        let outcome = unless_ended(state, || course.run(input));
        std::mem::forget(guard);
        self.busy.set(false);
        state.wake();
        drop(polling);
        match outcome {
            // There may have been a reason.
            Err(Error::Transport(fusain_comm::Error::Abandoned)) => {
                Err(outbox.end().unwrap_or(fusain_comm::Error::Abandoned).into())
            }
            outcome => outcome,
        }
    }

    /// Connects the rank state to the other ranks, the first time that it is called.
    pub(crate) fn open(&self) -> Result<Outbox<C>> {
        let mut link = self.link.borrow_mut();
        match &*link {
            Link::Open { outbox, .. } => Ok(outbox.clone()),
            // An earlier attempt failed.
            Link::Comm(None) => Err(self.state.failure().unwrap_or(fusain_comm::Error::Abandoned.into())),
            Link::Handle(handle) if handle.is_manual() => Err(Error::NoDriver),
            _ => self.connect(&mut link).map_err(|error| self.state.stays_shut(error)),
        }
    }

    fn connect(&self, link: &mut Link<C>) -> Result<Outbox<C>> {
        let (handle, progress) = match std::mem::replace(link, Link::Comm(None)) {
            Link::Comm(Some(comm)) => {
                let mut settings = Settings::default();
                (settings.spin, settings.max_sleep) = (BUSY, LONGEST_NAP);
                let progress = Progress::spawn(comm, settings)?;
                (progress.handle(), Some(progress))
            }
            Link::Handle(handle) => (handle, None),
            Link::Comm(None) | Link::Open { .. } => return Err(fusain_comm::Error::Abandoned.into()),
        };
        let outbox = handle.outbox();
        let watch = self.watch.take();
        self.state.open(self.victims.clone(), self.heartbeat_timeout, watch, handle.poller());
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

/// Ends a run on all ranks if it ends by a panic on this one.
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

/// A run of one rank: the pool's result is the result.
fn alone<A: Distributed>(pool: &Pool, algorithm: &A, input: A::Local) -> A::Output {
    pool.run(algorithm, input);
    let mut output = algorithm.take();
    while let Some(state) = algorithm.resume() {
        pool.run(algorithm, state);
        algorithm.merge(&mut output, algorithm.take());
    }
    output
}

/// Runs `run`, and returns the error of a callback that has ended it, whether a worker or the caller called it.
fn unless_ended<T>(state: &RankState, run: impl FnOnce() -> Result<T>) -> Result<T> {
    // Caller and workers share only the algorithm, which is the caller's.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| match payload.downcast::<Ended>() {
        // The error may come from a store of another cluster, so the ranks of this one have not heard of it.
        Ok(ended) => Err(state.fail_with(ended.0)),
        Err(payload) => resume_unwind(payload),
    })
}

/// One rank's way through a run.
struct Course<'a, A: Distributed> {
    pool: &'a Pool,
    algorithm: &'a A,
    state: &'a RankState,
    /// The results of this rank's unfinished tasks so far.
    found: BTreeMap<Label, A::Output>,
    /// The root's result. Rank 0 has it, and need not decode it.
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
                    // Each worker of the giver may have added a state.
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

    /// Processes states, and the states that they make possible.
    fn work(&mut self, label: Label, states: Vec<A::Local>) -> Result<()> {
        let polled = Polled::new(self.algorithm, self.state);
        let from = Instant::now();
        let resumed = || polled.bundle(iter::from_fn(|| self.algorithm.resume()));
        let mut bundle = polled.bundle(states);
        while let Some(local) = bundle.take().or_else(resumed) {
            self.pool.run(&polled, local);
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
