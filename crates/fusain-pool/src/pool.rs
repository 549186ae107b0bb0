//! The pool: slots, threads, and the ways in.

use crate::builder::{Builder, SPINS};
use crate::call::Brief;
use crate::counters::Counters;
use crate::error::Error;
use crate::handle::Handle;
use crate::handlers::Handlers;
use crate::mailbox;
use crate::pace::Grain;
use crate::place;
use crate::platform;
use crate::queue::{Fifo, Inbox};
use crate::slots::Slots;
use crate::sync::{AtomicBool, AtomicUsize, Ordering, fence, yield_now};
use crate::victims::Victims;
use crate::watch::WATCHMAN;
use crate::{Algorithm, idle, run, trace};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

/// How idle workers wait for work; see [`Builder::wait`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wait {
    /// Workers always spin. They respond fastest, but each keeps a core busy.
    Spin,
    /// Workers sleep at once. They use no CPU time while idle, but waking one takes 5 to 50 us.
    Park,
    /// Workers spin for this long, then sleep. Workers beyond the number of cores stay asleep.
    SpinThenPark(Duration),
}

static GLOBAL: OnceLock<Result<Pool, Error>> = OnceLock::new();

/// The global pool, which is that of `builder` if there was none; and whether it is.
#[cold]
#[inline(never)]
fn global_or(builder: Builder) -> (&'static Result<Pool, Error>, bool) {
    let mut is_first = false;
    let global = GLOBAL.get_or_init(|| {
        is_first = true;
        builder.build_untold()
    });
    // Not before: a subscriber may use the global pool.
    if is_first && let Ok(pool) = global {
        trace::started(pool.workers());
    }
    (global, is_first)
}

/// Makes the pool of `builder` the global one.
pub(crate) fn set_global(builder: Builder) -> Result<(), Error> {
    let (global, is_first) = global_or(builder);
    match global {
        Ok(_) if is_first => Ok(()),
        Err(error) if is_first => Err(error.again()),
        _ => Err(Error::GlobalIsThere),
    }
}

/// A set of workers that share the work of each call. The calling thread is one of them.
///
/// Any number of threads may call at once, and calls may be nested. Idle workers help whichever call has work to share. Dropping a pool
/// ends its threads.
///
/// # Example
/// ```
/// use fusain_pool::Pool;
/// let pool = Pool::builder().threads(2).build()?;
/// let (a, b) = pool.join(|| 6 * 7, || "in parallel, if a worker is free");
/// assert_eq!(a, 42);
/// # Ok::<(), fusain_pool::Error>(())
/// ```
#[doc(alias = "ThreadPool")]
pub struct Pool {
    pub(crate) inner: Arc<Inner>,
    threads: Vec<JoinHandle<()>>,
}

/// Whose threads the workers run on.
pub(crate) enum Threads {
    /// The pool's own; a sleeping worker is parked.
    Own,
    /// Somebody else's; a sleeping worker has gone home, and this calls the one at a slot back.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "rayon is all we know to lend threads"))]
    Lent(Box<dyn Fn(usize) + Send + Sync>),
}

/// What the threads of a pool share.
pub(crate) struct Inner {
    /// Workers first, then callers.
    pub(crate) slots: Slots,
    /// Started workers.
    pub(crate) workers: usize,
    /// How many workers a call is shared with: no more than find a core, unless the user has them wait otherwise.
    pub(crate) helpers_max: usize,
    pub(crate) cores: usize,
    pub(crate) wait: Wait,
    /// Whom workers turn to first, where that has been told.
    pub(crate) victims: Option<Victims>,
    /// Tasks that any worker may take.
    pub(crate) inbox: Inbox,
    /// Whether a sleeping worker keeps [`watch`](crate::watch). Relaxed: a hint.
    watched: AtomicBool,
    /// How many [`phase`](crate::phase)s there are. Relaxed: ordered by fences.
    pub(crate) phases: AtomicUsize,
    /// Where the last caller ran that found workers asleep, as [`place`](crate::place) names it. Relaxed: a hint.
    pub(crate) callers_at: AtomicUsize,
    ending: AtomicBool,
    /// Whether this is a registry of the [`adapter`](crate::adapter): those who wait help anybody, and whoever falls asleep may keep the watch.
    pub(crate) is_registry: bool,
    /// Of a registry: for each worker, what it has spawned to be run in that order.
    pub(crate) fifos: Box<[Fifo]>,
    /// Of a registry: its owner, and each detached task that has not ended. At 0 the workers leave.
    keepers: AtomicUsize,
    threads: Threads,
    pub(crate) handlers: Handlers,
}

impl Inner {
    fn counters(&self) -> Counters {
        let mut sum = Counters::default();
        for slot in self.slots.iter() {
            slot.tally().add_to(&mut sum);
        }
        sum
    }

    pub(crate) fn new(workers: usize, wait: Wait, threads: Threads, handlers: Handlers) -> Self {
        let cores = platform::cores();
        let slots = Slots::new(workers);
        if let Threads::Lent(_) = threads {
            // Nobody is there before being called.
            for slot in slots.workers() {
                slot.front.open(mailbox::ASLEEP);
            }
        }
        Self {
            slots,
            workers,
            helpers_max: match wait {
                Wait::SpinThenPark(_) => workers.min(cores.saturating_sub(1)),
                Wait::Spin | Wait::Park => workers,
            },
            cores,
            wait,
            victims: None,
            inbox: Inbox::new(),
            watched: AtomicBool::new(false),
            phases: AtomicUsize::new(0),
            callers_at: AtomicUsize::new(place::UNKNOWN),
            ending: AtomicBool::new(false),
            is_registry: false,
            fifos: Box::new([]),
            keepers: AtomicUsize::new(1),
            threads,
            handlers,
        }
    }

    /// For programs written for rayon, whose tasks may block: all workers are called, also where they have to share a core.
    pub(crate) fn registry(workers: usize, handlers: Handlers) -> Self {
        Self {
            helpers_max: workers,
            is_registry: true,
            fifos: (0..workers).map(|_| Fifo::new()).collect(),
            ..Self::new(workers, Wait::SpinThenPark(SPINS), Threads::Own, handlers)
        }
    }

    /// One more who needs the workers. Relaxed: whoever adds one is a keeper itself, or holds the registry.
    pub(crate) fn keep(&self) {
        self.keepers.fetch_add(1, Ordering::Relaxed);
    }

    /// One less. AcqRel: what the others did before they let go happens before the end.
    pub(crate) fn let_go(&self) {
        if self.keepers.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.end();
        }
    }

    /// Whether worker `index` does not sleep for now.
    pub(crate) fn stays_awake(&self, index: usize) -> bool {
        self.phases.load(Ordering::Relaxed) > 0 && index < self.helpers_max.min(self.cores) && !self.lends_threads()
    }

    /// Whether more workers take part than there are cores, so that whoever spins has to yield.
    pub(crate) fn is_crowded(&self) -> bool {
        self.helpers_max >= self.cores
    }

    /// Acquire: pairs with the Release in [`end`](Self::end).
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }

    /// Asks the workers to leave as soon as they are idle.
    pub(crate) fn end(&self) {
        // Release: pairs with the Acquire in `is_ending`. A worker that has looked before is parked, or about to be, and unparked.
        self.ending.store(true, Ordering::Release);
        for slot in self.slots.workers() {
            slot.unpark();
        }
    }

    /// Whether all workers that a call of this thread could be shared with sleep. A hint.
    pub(crate) fn is_asleep(&self) -> bool {
        let own =
            Handle::current(|handle| handle.filter(|handle| std::ptr::eq(handle.pool, self)).map(|own| own.index));
        (0..self.helpers_max).all(|index| own == Some(index) || self.slots.get(index).front.peek() == mailbox::ASLEEP)
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    pub(crate) fn set_watched(&self, watched: bool) {
        self.watched.store(watched, Ordering::Relaxed);
    }

    /// Whether worker `index`, which is about to sleep, is to keep the watch; if so it is noted. Of a registry any worker may be the one that is kept busy for
    /// long, so whoever finds nobody on watch takes it.
    pub(crate) fn begins_watch(&self, index: usize) -> bool {
        let watches = if cfg!(loom) || index >= self.helpers_max {
            false
        } else if self.is_registry {
            !self.is_watched()
                && self.watched.compare_exchange(false, true, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        } else {
            index == WATCHMAN
        };
        if watches {
            self.set_watched(true);
        }
        watches
    }

    /// The worker on watch has something to do.
    pub(crate) fn leaves_watch(&self) {
        if self.is_registry {
            self.set_watched(false);
        }
    }

    pub(crate) fn lends_threads(&self) -> bool {
        !matches!(self.threads, Threads::Own)
    }

    /// The calling thread becomes worker `index` until the pool ends (or, on lent threads, until it would sleep).
    pub(crate) fn visit(&self, index: usize) {
        let slot = self.slots.get(index);
        // On lent threads the visit before this one may still be on its last steps, after it was seen asleep.
        while !slot.try_lease() {
            yield_now();
        }
        let _lease = Lease(self, index);
        Handle::with(self, index, |handle| {
            slot.set_thread(crate::sync::current());
            slot.front.open(mailbox::ANY);
            (self.handlers.start)(index);
            idle::serve(handle);
            (self.handlers.exit)(index);
        });
    }

    /// A thief asks slots that serve a call of which `wanted` approves.
    pub(crate) fn ask(&self, handle: &Handle<'_>, wanted: impl Fn(usize) -> bool) {
        for index in handle.others() {
            if wanted(self.slots.get(index).serves()) {
                self.ask_one(handle, index);
            }
        }
    }

    /// A thief that has just run out of work asks the nearest one that has some; where nobody knows who that is, all.
    ///
    /// What comes from near travels less, and is more often in a cache that both share. The thief asks all at its next look, since the nearest one may be deep
    /// in a long unit or have nothing to split.
    pub(crate) fn ask_nearest(&self, handle: &Handle<'_>) {
        let is_busy = |index: &usize| self.slots.get(*index).serves() != 0;
        match self.victims.as_ref().and_then(|_| handle.others().find(is_busy)) {
            Some(nearest) => self.ask_one(handle, nearest),
            None => self.ask(handle, |serves| serves != 0),
        }
    }

    fn ask_one(&self, handle: &Handle<'_>, index: usize) {
        if self.slots.get(index).ask(handle.index) {
            handle.slot().tally().steals_tried.add(1);
        }
    }

    /// Wakes up to `count` sleeping workers, so that they come and look for work.
    #[cold]
    pub(crate) fn wake(&self, handle: &Handle<'_>, count: usize) -> bool {
        // Pairs with the fence in `idle::fall_asleep`: a worker that sees neither this slot serve nor its task is seen asleep here.
        fence(Ordering::SeqCst);
        let mut left = count;
        let mut wake = |index| {
            if left > 0 && index < self.helpers_max && self.wake_one(handle, index) {
                left -= 1;
            }
        };
        match self.victims {
            Some(_) => handle.other_workers().for_each(&mut wake),
            None => (0..self.helpers_max).for_each(&mut wake),
        }
        let has_woken = left < count;
        if has_woken {
            give_way();
        }
        has_woken
    }

    /// Wakes the worker of slot `index`, or calls it back, if it sleeps.
    pub(crate) fn wake_one(&self, handle: &Handle<'_>, index: usize) -> bool {
        let sleeps = self.wake_quietly(index);
        if sleeps {
            handle.slot().tally().wakes.add(1);
        }
        sleeps
    }

    /// As [`wake_one`](Self::wake_one), by a thread that need not be in the pool.
    pub(crate) fn wake_quietly(&self, index: usize) -> bool {
        // The owner opens its mailbox on arrival: until then, which may take 50 us, a message would lie unread.
        let front = &self.slots.get(index).front;
        let sleeps = front.peek() == mailbox::ASLEEP && front.change(mailbox::ASLEEP, mailbox::SHUT);
        if sleeps {
            self.call(index);
        }
        sleeps
    }

    fn call(&self, index: usize) {
        trace::woke(index);
        match &self.threads {
            Threads::Own => self.slots.get(index).unpark(),
            Threads::Lent(call_back) => call_back(index),
        }
    }

    /// Gets the owner of a slot that has just left `ASLEEP` going.
    pub(crate) fn rouse(&self, handle: &Handle<'_>, index: usize) {
        self.call(index);
        handle.slot().tally().wakes.add(1);
    }

    /// Runs `f` with this thread as a worker of this pool: as the one it is already, else as a caller.
    #[inline]
    pub(crate) fn enter<R>(&self, f: impl FnOnce(&Handle<'_>) -> R) -> R {
        Handle::current(|current| match current {
            Some(handle) if std::ptr::eq(handle.pool, self) => f(handle),
            _ => self.with_lease(|index| Handle::with(self, index, |handle| f(handle))),
        })
    }

    /// Runs `f` with the number of a caller's slot.
    pub(crate) fn with_lease<R>(&self, f: impl FnOnce(usize) -> R) -> R {
        let lease = Lease(self, self.slots.lease());
        f(lease.1)
    }
}

/// After a wake. A scheduler that has put the woken one on this core lets it wait for the end of a time slice, some milliseconds, for this thread
/// goes on. It gets to run now, and leaves (see `place`).
pub(crate) fn give_way() {
    yield_now();
}

/// A slot that is this thread's until it is dropped.
struct Lease<'p>(&'p Inner, usize);

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.0.slots.get(self.1).release();
    }
}

impl Pool {
    /// The options of a new pool; [`Builder::build`] builds it.
    ///
    /// ```
    /// let pool = fusain_pool::Pool::builder().threads(2).build()?;
    /// assert_eq!(pool.workers(), 2);
    /// # Ok::<(), fusain_pool::Error>(())
    /// ```
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The pool that calls use when no other is named. It is built at first use, with the options of [`Builder::default`].
    ///
    /// # Panics
    /// If it cannot be built, with the message of the [`Error`]. [`Pool::try_global`] returns the error instead.
    ///
    /// # Example
    /// ```
    /// assert!(fusain_pool::Pool::global().workers() >= 1);
    /// ```
    #[inline]
    pub fn global() -> &'static Pool {
        match Pool::try_global() {
            Ok(pool) => pool,
            Err(error) => panic!("the global pool: {error}"),
        }
    }

    /// Like [`global`](Pool::global), but returns an error where that panics.
    ///
    /// # Errors
    /// Those of [`Builder::build`]. The result of the first attempt is kept.
    ///
    /// # Example
    /// ```
    /// assert!(fusain_pool::Pool::try_global().is_ok());
    /// ```
    #[inline]
    pub fn try_global() -> Result<&'static Pool, &'static Error> {
        GLOBAL.get().unwrap_or_else(|| global_or(Pool::builder()).0).as_ref()
    }

    /// Runs `f` with the pool whose work the calling thread is doing, else with the global one.
    #[inline]
    pub(crate) fn here<R>(f: impl FnOnce(&Inner) -> R) -> R {
        Handle::current(|handle| match handle {
            Some(handle) => f(handle.pool),
            None => f(&Pool::global().inner),
        })
    }

    /// Likewise with `pool`, if one is named.
    #[inline]
    pub(crate) fn named_or_here<R>(pool: Option<&Pool>, f: impl FnOnce(&Inner) -> R) -> R {
        match pool {
            Some(pool) => f(&pool.inner),
            None => Pool::here(f),
        }
    }

    pub(crate) fn of(inner: Arc<Inner>, threads: Vec<JoinHandle<()>>) -> Self {
        Self { inner, threads }
    }

    pub(crate) fn add_thread(&mut self, thread: JoinHandle<()>) {
        self.threads.push(thread);
    }

    /// The number of workers, the calling thread included.
    ///
    /// ```
    /// let pool = fusain_pool::Pool::builder().threads(3).build()?;
    /// assert_eq!(pool.workers(), 3);
    /// # Ok::<(), fusain_pool::Error>(())
    /// ```
    #[doc(alias = "current_num_threads")]
    pub fn workers(&self) -> usize {
        self.inner.workers + 1
    }

    /// Returns what workers and callers have done since the pool was built. Takes O(workers + callers).
    ///
    /// ```
    /// let pool = fusain_pool::Pool::builder().threads(2).build()?;
    /// pool.join(|| (), || ());
    /// assert_eq!(pool.counters().calls, 1);
    /// # Ok::<(), fusain_pool::Error>(())
    /// ```
    pub fn counters(&self) -> Counters {
        self.inner.counters()
    }

    /// A handle that reads the counters from any thread, also while the pool is busy and after it has been dropped.
    ///
    /// ```
    /// let pool = fusain_pool::Pool::builder().threads(1).build()?;
    /// let meter = pool.meter();
    /// drop(pool);
    /// assert_eq!(meter.counters().units, 0);
    /// # Ok::<(), fusain_pool::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn meter(&self) -> Meter {
        Meter { inner: Arc::clone(&self.inner) }
    }

    /// Runs `algorithm` from the state `local` until no work is left anywhere.
    ///
    /// Idle workers take part as soon as there is something to split. Nothing is estimated beforehand: sleeping workers are woken, and the
    /// grain starts at one element and grows. [`Algorithm`] has an example.
    ///
    /// # Panics
    /// With the payload of the first panic in a callback, after every worker has left. States that are unfinished by then are dropped, not
    /// committed.
    #[inline]
    pub fn run<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        let brief = Brief { grain: Grain::From(0), work: 0, wakes: true };
        let algorithm: &run::Steps<'_, A::Local> = algorithm;
        self.inner.enter(|handle| run::run(handle, algorithm, local, brief));
    }
}

/// A look at a pool's counters from outside, which `fusain-cluster` reports; made by [`Pool::meter`]. No part of the interface.
#[derive(Clone)]
pub struct Meter {
    inner: Arc<Inner>,
}

impl Meter {
    /// Counts what the pool's workers have done so far, in O(workers). While a call runs, the numbers lag a little behind.
    pub fn counters(&self) -> Counters {
        self.inner.counters()
    }
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Meter").field(&self.counters()).finish()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.inner.end();
        let own = std::thread::current().id();
        for thread in self.threads.drain(..) {
            if thread.thread().id() == own {
                // The last owner of the pool was one of its own tasks. This worker ends when it has finished.
                continue;
            }
            // A worker catches every panic of the work it runs; one that got out is not ours to raise while dropping.
            drop(thread.join());
        }
        trace::ended(self.workers());
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("workers", &self.workers()).field("wait", &self.inner.wait).finish_non_exhaustive()
    }
}
