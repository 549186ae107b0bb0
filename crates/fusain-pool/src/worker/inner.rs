//! What the threads of a pool share: slots, options, how it ends.
//!
//! What needs to know who is asking stands with the [handle](crate::worker::handle), and above it.

use crate::handlers::Handlers;
use crate::handover::mailbox;
use crate::handover::queue::Inbox;
use crate::platform;
use crate::platform::place;
use crate::sync::{AtomicBool, AtomicUsize, Mutex, Ordering, fence};
use crate::trace;
use crate::worker::counters::Counters;
use crate::worker::slots::Slots;
use crate::worker::victims::Victims;
use std::any::Any;
use std::time::Duration;

/// How long an idle worker of the default pool spins before it parks.
///
/// A few times what a wake costs (5 to 50 us), so that short gaps need no wake and a long one wastes little. `compare tick` shows what
/// other lengths cost.
pub(crate) const SPINS: Duration = Duration::from_micros(100);

/// How idle workers wait for work; see [`Builder::wait`](crate::Builder::wait).
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

/// Whose threads the workers run on.
pub(crate) enum Threads {
    /// The pool's own; a sleeping worker is parked.
    Own,
    /// Somebody else's; a sleeping worker has gone home.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "rayon is all we know to lend threads"))]
    Lent(Lender),
}

/// Whoever lends threads to a pool.
pub(crate) struct Lender {
    /// Calls the worker at a slot back, to any of these threads.
    pub(crate) call_back: Box<dyn Fn(usize) + Send + Sync>,
    /// Whether the calling thread is one of them.
    pub(crate) is_here: Box<dyn Fn() -> bool + Send + Sync>,
    /// Runs on the calling thread, which is one of them, something that waits for one; says whether there was anything.
    pub(crate) run_one: Box<dyn Fn() -> bool + Send + Sync>,
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
    /// Held while a broadcast is put into the inboxes of the workers.
    pub(crate) broadcasts: Mutex<()>,
    /// Whether a sleeping worker keeps [`watch`](crate::idle::watch). Relaxed: ordered by fences.
    watched: AtomicBool,
    /// How many [`phase`](crate::task::phase)s there are. Relaxed: ordered by fences.
    pub(crate) phases: AtomicUsize,
    /// Where the last caller ran that found workers asleep, as [`place`] names it. Relaxed: a hint.
    pub(crate) callers_at: AtomicUsize,
    /// The worker that was given the last job of a thread [outside](crate::task::outside), and has kept it: most likely it has a core of its own. Relaxed: a hint.
    pub(crate) last_delivered: AtomicUsize,
    /// How many sleepers are still to be woken, by those that have been: see [`wake`](Inner::wake). Relaxed: a hint.
    pub(crate) wanted: AtomicUsize,
    ending: AtomicBool,
    /// Whether this is a registry of the [`adapter`](crate::adapter): those who wait help anybody.
    pub(crate) is_registry: bool,
    /// Of a registry: what the adapter keeps with it.
    pub(crate) adapter: Box<dyn Any + Send + Sync>,
    /// Its owner, and each detached task that has not ended, for that may need all workers. At 0 they leave.
    keepers: AtomicUsize,
    threads: Threads,
    pub(crate) handlers: Handlers,
}

impl Inner {
    /// What all have done so far.
    pub(crate) fn counters(&self) -> Counters {
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
                slot.set_asleep(true);
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
            broadcasts: Mutex::new(()),
            watched: AtomicBool::new(false),
            phases: AtomicUsize::new(0),
            callers_at: AtomicUsize::new(place::UNKNOWN),
            last_delivered: AtomicUsize::new(0),
            wanted: AtomicUsize::new(0),
            ending: AtomicBool::new(false),
            is_registry: false,
            adapter: Box::new(()),
            keepers: AtomicUsize::new(1),
            threads,
            handlers,
        }
    }

    /// For programs written for rayon, whose tasks may block: all workers are called, also where they have to share a core.
    pub(crate) fn registry(workers: usize, handlers: Handlers, adapter: Box<dyn Any + Send + Sync>) -> Self {
        Self {
            helpers_max: workers,
            is_registry: true,
            adapter,
            ..Self::new(workers, Wait::SpinThenPark(SPINS), Threads::Own, handlers)
        }
    }

    /// One more who needs the workers. Relaxed: whoever adds one is a keeper itself, or holds the pool.
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

    pub(crate) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Whether worker `index`, which is about to sleep, keeps the watch from now on. Any worker may be kept busy for long, so whoever finds nobody on watch takes it.
    pub(crate) fn begins_watch(&self, index: usize) -> bool {
        let may_watch = !cfg!(loom) && index < self.helpers_max && !self.is_watched();
        may_watch && self.watched.compare_exchange(false, true, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// The worker on watch has something to do, or nobody has called for long. It looks for a task of which nobody was told because of the watch.
    pub(crate) fn ends_watch(&self) {
        self.watched.store(false, Ordering::Relaxed);
        // Pairs with the fence in `tasks::announce`.
        fence(Ordering::SeqCst);
    }

    pub(crate) fn lends_threads(&self) -> bool {
        !matches!(self.threads, Threads::Own)
    }

    /// Wakes the worker of slot `index`, or calls it back, if it sleeps.
    pub(crate) fn wake_quietly(&self, index: usize) -> bool {
        // The owner opens its mailbox on arrival: until then, which may take 50 us, a message would lie unread.
        let slot = self.slots.get(index);
        if slot.front.peek() != mailbox::ASLEEP {
            return false;
        }
        slot.set_asleep(false);
        let sleeps = slot.front.change(mailbox::ASLEEP, mailbox::SHUT);
        if sleeps {
            self.call(index);
        }
        sleeps
    }

    /// Unparks the worker of slot `index`, or calls it back.
    pub(crate) fn call(&self, index: usize) {
        trace::woke(index);
        match &self.threads {
            Threads::Own => self.slots.get(index).unpark(),
            Threads::Lent(lender) => (lender.call_back)(index),
        }
    }

    /// Whether somebody waits for a worker that may have to come to the calling thread, which is lent and waits itself.
    pub(crate) fn is_lending_due(&self) -> bool {
        match &self.threads {
            Threads::Own => false,
            Threads::Lent(lender) => {
                self.slots.workers().iter().any(|slot| !slot.inbox.is_empty()) && (lender.is_here)()
            }
        }
    }

    /// Lets a worker come to the calling thread if [that is due](Self::is_lending_due), and says whether one has, or something else has that waits for a thread.
    pub(crate) fn lend_on(&self) -> bool {
        match &self.threads {
            Threads::Lent(lender) if self.is_lending_due() => (lender.run_one)(),
            _ => false,
        }
    }

    /// Runs `f` with the number of a caller's slot.
    pub(crate) fn with_lease<R>(&self, f: impl FnOnce(usize) -> R) -> R {
        let lease = Lease(self, self.slots.lease());
        f(lease.1)
    }
}

/// A slot that is this thread's until it is dropped.
pub(crate) struct Lease<'p>(pub(crate) &'p Inner, pub(crate) usize);

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.0.slots.release(self.1);
    }
}
