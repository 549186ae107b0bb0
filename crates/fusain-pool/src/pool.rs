//! The pool: desks, threads, and the ways in.

use crate::builder::Builder;
use crate::call::{Brief, Outcome};
use crate::counters::Counters;
use crate::desk::Desk;
use crate::error::Error;
use crate::mailbox::{self, Claim};
use crate::pace::Grain;
use crate::seat::Seat;
use crate::sync::{AtomicBool, AtomicUsize, Ordering, fence, yield_now};
use crate::{Algorithm, idle, run, trace};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

/// Threads of the application that can share work at the same time; one more works off its call alone.
const GUESTS_MAX: usize = 64;

/// How idle workers wait for work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Spin, always: the fastest reaction, at the price of a core a worker. (PaSTeL's spinlocks.)
    Spin,
    /// Park on the operating system at once: no CPU time while idle, some 5 to 50 us to wake. (PaSTeL's mutexes.)
    Park,
    /// Spin for this long, then park. Workers beyond the number of cores sleep, and are not called.
    SpinThenPark(Duration),
}

/// A set of workers that share the work of each call; the calling thread is one of them.
///
/// Any number of threads may call at once, and what runs inside a call may call again; idle workers help whichever
/// call has work to share. Up to 64 threads of the application at a time share their work, one more works alone.
///
/// # Example
/// ```
/// use fusain_pool::Pool;
/// let pool = Pool::builder().threads(2).build()?;
/// let (a, b) = pool.join(|| 6 * 7, || "in parallel, if somebody is free");
/// assert_eq!(a, 42);
/// # Ok::<(), fusain_pool::Error>(())
/// ```
pub struct Pool {
    pub(crate) inner: Arc<Inner>,
    threads: Vec<JoinHandle<()>>,
}

/// Whose threads the workers run on.
pub(crate) enum Threads {
    /// The pool's own; a sleeping worker is parked.
    Own,
    /// Somebody else's; a sleeping worker has gone home, and this calls the one at a desk back.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "rayon is all we know to lend threads"))]
    Lent(Box<dyn Fn(usize) + Send + Sync>),
}

/// What the threads of a pool share.
pub(crate) struct Inner {
    /// Workers first, then guests.
    pub(crate) desks: Box<[Desk]>,
    /// Desks of started workers.
    pub(crate) workers: usize,
    /// How many workers a call is shared with: no more than find a core, unless the user has them wait otherwise.
    pub(crate) helpers_max: usize,
    pub(crate) cores: usize,
    pub(crate) wait: Wait,
    /// Desks that have ever been used: how far thieves look.
    used: AtomicUsize,
    ending: AtomicBool,
    threads: Threads,
}

impl Inner {
    fn counters(&self) -> Counters {
        let mut sum = Counters::default();
        for desk in &self.desks {
            desk.tally().add_to(&mut sum);
        }
        sum
    }

    pub(crate) fn new(workers: usize, wait: Wait, threads: Threads) -> Self {
        Self::with_guests(workers, GUESTS_MAX, wait, threads)
    }

    /// With room for `guests` threads of the application.
    pub(crate) fn with_guests(workers: usize, guests: usize, wait: Wait, threads: Threads) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let desks: Box<[Desk]> = (0..workers + guests).map(|_| Desk::new()).collect();
        if let Threads::Lent(_) = threads {
            // Nobody is there before being called.
            for desk in &desks[..workers] {
                desk.front.open(mailbox::ASLEEP);
            }
        }
        Self {
            desks,
            workers,
            helpers_max: match wait {
                Wait::SpinThenPark(_) => workers.min(cores.saturating_sub(1)),
                Wait::Spin | Wait::Park => workers,
            },
            cores,
            wait,
            used: AtomicUsize::new(workers),
            ending: AtomicBool::new(false),
            threads,
        }
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
        for desk in &self.desks[..self.workers] {
            desk.unpark();
        }
    }

    pub(crate) fn lends_threads(&self) -> bool {
        !matches!(self.threads, Threads::Own)
    }

    /// The calling thread becomes worker `index` until the pool ends (or, on lent threads, until it would sleep).
    pub(crate) fn visit(&self, index: usize) {
        let desk = &self.desks[index];
        // On lent threads the visit before this one may still be on its last steps, after it was seen asleep.
        while !desk.try_sit() {
            yield_now();
        }
        let _lease = Lease(desk);
        Seat::take(self, index, |seat| {
            desk.set_thread(crate::sync::current());
            desk.front.open(mailbox::ANY);
            idle::serve(seat);
        });
    }

    /// A thief asks desks that serve a call of which `wanted` approves.
    pub(crate) fn ask(&self, seat: &Seat<'_>, wanted: impl Fn(usize) -> bool) {
        let used = self.used.load(Ordering::Relaxed);
        let after = (seat.index + 1..used).chain(0..seat.index.min(used));
        for index in after {
            let desk = &self.desks[index];
            if wanted(desk.serves()) && desk.ask(seat.index) {
                seat.desk().tally().steals_tried.add(1);
            }
        }
    }

    /// Wakes up to `count` sleeping workers, so that they come and ask.
    #[cold]
    pub(crate) fn wake(&self, seat: &Seat<'_>, count: usize) {
        // Pairs with the fence in `idle::serve`: a worker that does not see this desk serve is seen asleep here.
        fence(Ordering::SeqCst);
        let mut left = count;
        for index in 0..self.helpers_max {
            if left > 0 && self.desks[index].front.peek() == mailbox::ASLEEP && self.wake_one(seat, index) {
                left -= 1;
            }
        }
        if left < count {
            // A scheduler that has put the woken one on this core lets it wait for the end of a time slice, some milliseconds, for this thread goes on.
            // It gets to run now, and leaves (see `place`).
            yield_now();
        }
    }

    /// Wakes the sleeper at desk `index`, or calls it back, if it still is one.
    fn wake_one(&self, seat: &Seat<'_>, index: usize) -> bool {
        // The owner opens its mailbox on arrival: until then, which may take 50 us, a letter would lie unread.
        let is_mine = self.desks[index].front.change(mailbox::ASLEEP, mailbox::SHUT);
        if is_mine {
            self.rouse(index);
            seat.desk().tally().wakes.add(1);
        }
        is_mine
    }

    /// The right to deliver to desk `index` within the call or root `token`, if its owner still waits for such work.
    ///
    /// A sleeper on a lent thread is called back instead, and will ask again: a letter must only lie where somebody is there to
    /// read it, or callers on all of the lent threads could wait for letters that none of these threads comes to read.
    pub(crate) fn claim_for(&self, seat: &Seat<'_>, index: usize, token: usize) -> Option<Claim<'_>> {
        let desk = &self.desks[index];
        if self.lends_threads() && desk.front.peek() == mailbox::ASLEEP {
            self.wake_one(seat, index);
            return None;
        }
        desk.claim_for(token, !self.lends_threads())
    }

    /// Gets the owner of a desk that has just left `ASLEEP` going.
    pub(crate) fn rouse(&self, index: usize) {
        trace::woke(index);
        match &self.threads {
            Threads::Own => self.desks[index].unpark(),
            Threads::Lent(call_back) => call_back(index),
        }
    }

    /// A free guest desk.
    pub(crate) fn sit(&self) -> Option<usize> {
        let index = (self.workers..self.desks.len()).find(|&index| self.desks[index].try_sit())?;
        if self.used.load(Ordering::Relaxed) <= index {
            self.used.fetch_max(index + 1, Ordering::Relaxed);
        }
        Some(index)
    }

    /// Runs `f` with this thread seated in this pool: where it sits already, else at a free desk, else nowhere.
    #[inline]
    pub(crate) fn seated<R>(&self, f: impl FnOnce(Option<&Seat<'_>>) -> R) -> R {
        Seat::current(|current| match current {
            Some(seat) if std::ptr::eq(seat.pool, self) => f(Some(seat)),
            _ => match self.sit() {
                Some(index) => {
                    let _lease = Lease(&self.desks[index]);
                    Seat::take(self, index, |seat| f(Some(seat)))
                }
                None => f(None),
            },
        })
    }
}

struct Lease<'p>(&'p Desk);

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Pool {
    /// A description of a pool to be built.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The pool that calls use when none is named: the default [`Builder`], built at first use.
    ///
    /// # Panics
    /// If it cannot be built, with the message of the [`Error`]; [`Pool::try_global`] returns it instead.
    #[inline]
    pub fn global() -> &'static Pool {
        match Pool::try_global() {
            Ok(pool) => pool,
            Err(error) => panic!("the global pool: {error}"),
        }
    }

    /// The pool that calls use when none is named, or why there is none.
    ///
    /// # Errors
    /// Those of [`Builder::build`]; the first attempt's outcome stays.
    #[inline]
    pub fn try_global() -> Result<&'static Pool, &'static Error> {
        static GLOBAL: OnceLock<Result<Pool, Error>> = OnceLock::new();
        GLOBAL.get_or_init(|| Pool::builder().build()).as_ref()
    }

    pub(crate) fn of(inner: Arc<Inner>, threads: Vec<JoinHandle<()>>) -> Self {
        Self { inner, threads }
    }

    pub(crate) fn add_thread(&mut self, thread: JoinHandle<()>) {
        self.threads.push(thread);
    }

    /// Number of workers, the caller among them.
    pub fn workers(&self) -> usize {
        self.inner.workers + 1
    }

    /// What the workers have done since the pool was built.
    pub fn counters(&self) -> Counters {
        self.inner.counters()
    }

    /// Reads the counters from any thread, also while the pool runs something, and when it is gone.
    ///
    /// ```
    /// let pool = fusain_pool::Pool::builder().threads(1).build()?;
    /// let meter = pool.meter();
    /// drop(pool);
    /// assert_eq!(meter.counters().units, 0);
    /// # Ok::<(), fusain_pool::Error>(())
    /// ```
    pub fn meter(&self) -> Meter {
        Meter { inner: Arc::clone(&self.inner) }
    }

    /// Runs `algorithm` from the state `local` until no work is left anywhere.
    ///
    /// Idle workers take part as soon as there is something to split. Nothing is estimated beforehand: sleeping workers
    /// are woken, and the grain is found from one element up.
    ///
    /// # Panics
    /// With the payload of the first panic in any of the callbacks, after every worker has left. The states that
    /// were at work then are dropped, not committed.
    #[inline]
    pub fn run<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        self.run_briefed(algorithm, local, Brief { grain: Grain::From(0), work: 0, wakes: true });
    }

    #[inline]
    pub(crate) fn run_briefed<A: Algorithm>(&self, algorithm: &A, local: A::Local, brief: Brief) -> Outcome {
        self.inner.seated(|seat| match seat {
            Some(seat) => run::run(seat, algorithm, local, brief),
            None => run::run_alone(algorithm, local, brief),
        })
    }
}

/// A look at a pool's counters from outside; made by [`Pool::meter`].
#[derive(Clone)]
pub struct Meter {
    inner: Arc<Inner>,
}

impl Meter {
    /// What the pool's workers have done so far, in O(workers). While a call runs, each count is some moments old.
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
        for thread in self.threads.drain(..) {
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
