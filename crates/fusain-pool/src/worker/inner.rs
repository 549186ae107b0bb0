//! What the threads of a pool share: its slots, its options, and how it ends.
//!
//! What depends on the calling worker is in [`handle`](crate::worker::handle), and in the modules above it.

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
/// About as long as a wake takes (tens of microseconds; `wake_ns` of `compare coarse`) or a few times that, so that short gaps need no wake and a long one wastes
/// little. `compare tick` shows what other lengths cost.
pub(crate) const SPINS: Duration = Duration::from_micros(100);

/// How idle workers wait for work; see [`Builder::wait`](crate::Builder::wait).
///
/// # Example
/// ```
/// # use fusain_pool as fusain;
/// use fusain::{Pool, Wait};
/// use std::time::Duration;
/// // For a program that calls every millisecond and has the cores for itself.
/// let pool = Pool::builder().threads(2).wait(Wait::SpinThenPark(Duration::from_millis(2))).build()?;
/// assert_eq!(pool.join(|| 1, || 2), (1, 2));
/// # Ok::<(), fusain::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wait {
    /// Workers always spin. They respond fastest, but each keeps a core busy.
    Spin,
    /// Workers sleep at once. They use no CPU time while idle, but waking one takes tens of microseconds.
    Park,
    /// Workers spin for this long, then sleep. Workers beyond the number of cores stay asleep.
    SpinThenPark(Duration),
}

/// The threads that the workers run on.
pub(crate) enum Threads {
    /// The pool's own; a sleeping worker is parked.
    Own,
    /// Threads of another pool; a sleeping worker has given its thread back.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "rayon is all we know to lend threads"))]
    Lent(Lender),
}

/// Another pool, which lends its threads to this one.
pub(crate) struct Lender {
    /// Calls the worker at a slot back: one of the lender's threads becomes that worker again.
    pub(crate) call_back: Box<dyn Fn(usize) + Send + Sync>,
    /// Whether the calling thread is one of the lender's.
    pub(crate) is_here: Box<dyn Fn() -> bool + Send + Sync>,
    /// Runs something that waits for one of the lender's threads on the calling thread, which is one; returns whether there was anything.
    pub(crate) run_one: Box<dyn Fn() -> bool + Send + Sync>,
}

/// What the threads of a pool share.
pub(crate) struct Inner {
    /// Workers first, then callers.
    pub(crate) slots: Slots,
    /// Started workers.
    pub(crate) workers: usize,
    /// The maximum number of workers that a call is shared with: no more than there are cores for, unless the user has them wait otherwise.
    pub(crate) helpers_max: usize,
    pub(crate) cores: usize,
    pub(crate) wait: Wait,
    /// The order in which workers turn to others, if the user has given one.
    pub(crate) victims: Option<Victims>,
    /// Tasks that any worker may take.
    pub(crate) inbox: Inbox,
    /// Held while a broadcast is put into the inboxes of the workers.
    pub(crate) broadcasts: Mutex<()>,
    /// Whether a sleeping worker is on [`watch`](crate::idle::watch). Relaxed: ordered by fences.
    watched: AtomicBool,
    /// How many [`phase`](crate::task::phase)s there are. Relaxed: ordered by fences.
    pub(crate) phases: AtomicUsize,
    /// The core of the last caller that found workers asleep, as [`place`] names it. Relaxed: a hint.
    pub(crate) callers_at: AtomicUsize,
    /// The worker that was given the last job of a thread [outside](crate::task::outside), and has kept it: it probably has its own core. Relaxed: a hint.
    pub(crate) last_delivered: AtomicUsize,
    /// The number of sleepers that are still to be woken, by workers that have been woken: see [`wake`](Inner::wake). Relaxed: a hint.
    pub(crate) wanted: AtomicUsize,
    ending: AtomicBool,
    /// Whether this is a registry of the [`adapter`](crate::adapter): then workers that wait run any task meanwhile.
    pub(crate) is_registry: bool,
    /// In a registry: data of the adapter.
    pub(crate) adapter: Box<dyn Any + Send + Sync>,
    /// The number of keepers: the pool's owner, and each detached task that has not ended, since it may need all workers. At 0 the workers leave.
    keepers: AtomicUsize,
    threads: Threads,
    pub(crate) handlers: Handlers,
}

impl Inner {
    /// The sum of what all slots have counted so far.
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
            // No worker is there before it is called.
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

    /// For programs written for rayon, whose tasks may block: all workers are called, even if they have to share a core.
    pub(crate) fn registry(workers: usize, handlers: Handlers, adapter: Box<dyn Any + Send + Sync>) -> Self {
        Self {
            helpers_max: workers,
            is_registry: true,
            adapter,
            ..Self::new(workers, Wait::SpinThenPark(SPINS), Threads::Own, handlers)
        }
    }

    /// How many slots may have something to share, or be of a thread that asks: all that are in use. In a registry no code runs as a caller, so only those of workers: threads outside, of
    /// which there may be thousands, cost the workers nothing.
    #[inline(always)]
    pub(crate) fn in_view(&self) -> usize {
        if self.is_registry { self.workers } else { self.slots.in_use() }
    }

    /// Adds a keeper. Relaxed: the caller is a keeper itself, or holds the pool.
    pub(crate) fn keep(&self) {
        self.keepers.fetch_add(1, Ordering::Relaxed);
    }

    /// Removes a keeper; at 0 the pool ends. AcqRel: what the others did before they let go happens before the end.
    pub(crate) fn let_go(&self) {
        if self.keepers.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.end();
        }
    }

    /// Whether worker `index` must not sleep now, since there is a [`phase`](crate::task::phase). One core is left to the caller.
    pub(crate) fn stays_awake(&self, index: usize) -> bool {
        self.phases.load(Ordering::Relaxed) > 0
            && index < self.helpers_max.min(self.cores.saturating_sub(1))
            && !self.lends_threads()
            && !self.is_ending()
    }

    /// Whether more threads take part than there are cores, so that a thread that spins has to yield.
    pub(crate) fn is_crowded(&self) -> bool {
        self.helpers_max >= self.cores
    }

    /// Whether the workers are to leave. Acquire: pairs with the Release in [`end`](Self::end).
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }

    /// Asks the workers to leave as soon as they are idle.
    pub(crate) fn end(&self) {
        // Release: pairs with the Acquire in `is_ending`. A worker that has looked earlier is parked, or about to be, and is unparked below.
        self.ending.store(true, Ordering::Release);
        for slot in self.slots.workers() {
            slot.unpark();
        }
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Whether worker `index`, which is about to sleep, is on watch from now on. Any worker may be kept busy for long, so one that finds no other on watch takes it.
    pub(crate) fn begins_watch(&self, index: usize) -> bool {
        let may_watch = !cfg!(loom) && index < self.helpers_max && !self.is_watched();
        may_watch && self.watched.compare_exchange(false, true, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Ends the watch: its worker has something to do, or there was no call for long. It then looks for a task that no worker was told of because of the watch.
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
        // The owner opens its mailbox when it runs again. Until then, which may take tens of microseconds, a message would lie unread.
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

    /// Whether a worker that has something to run may have to come to the calling thread, which is lent and waits itself.
    pub(crate) fn is_lending_due(&self) -> bool {
        match &self.threads {
            Threads::Own => false,
            Threads::Lent(lender) => {
                self.slots.workers().iter().any(|slot| !slot.inbox.is_empty()) && (lender.is_here)()
            }
        }
    }

    /// If [that is due](Self::is_lending_due), lets a worker come to the calling thread, or runs something else there that waits for a thread; returns whether there was any.
    pub(crate) fn lend_on(&self) -> bool {
        match &self.threads {
            Threads::Lent(lender) if self.is_lending_due() => (lender.run_one)(),
            _ => false,
        }
    }

    /// Runs `f` with the index of a caller's slot, which is leased meanwhile.
    pub(crate) fn with_lease<R>(&self, f: impl FnOnce(usize) -> R) -> R {
        let lease = Lease(self, self.slots.lease());
        f(lease.1)
    }
}

/// The lease of a slot, which ends when this is dropped.
pub(crate) struct Lease<'p>(pub(crate) &'p Inner, pub(crate) usize);

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.0.slots.release(self.1);
    }
}
