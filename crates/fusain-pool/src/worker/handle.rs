//! A worker handle: the private data of a thread while it takes part in a pool.
//!
//! The [`Slot`] is the public half of a worker; the handle is the private one. It lives on the stack of the thread. A pool thread has it for
//! life, a lent thread for a visit, and a caller (a thread of the application that calls into the pool) for its outermost call.
//!
//! A thread that is a worker of one pool may call into another, and from there into the first again. So it can have several handles: the *innermost* is that of the call
//! that it is in, and its *home* is that of the worker that it was started as. Work for that worker alone reaches the thread wherever it waits
//! ([`tasks::run_home`](crate::idle::tasks::run_home)), and a call into the pool of its home is made as that worker ([`Innermost::go_home`]). Otherwise a pool that waits
//! for another one, which waits for the first, would wait for ever.

use crate::handover::job::JobRef;
use crate::handover::latch::Latch;
use crate::handover::stack::Stack;
use crate::platform::place;
use crate::sync::Ordering;
use crate::trace;
use crate::worker::backoff::FirstLook;
use crate::worker::inner::Inner;
use crate::worker::kinds::Streaks;
use crate::worker::slot::{SEVERAL_ROOTS, Slot};
use crate::worker::uncounted::Uncounted;
use std::cell::Cell;
use std::ptr;
use std::time::Duration;

#[repr(C)]
pub(crate) struct Handle<'p> {
    pub(crate) pool: &'p Inner,
    pub(crate) index: usize,
    slot: &'p Slot,
    /// This worker's own fork-join jobs, oldest first.
    pub(crate) stack: Stack,
    /// The number of pieces of work on this thread's stack that it has taken while it waited.
    pub(crate) depth: Cell<usize>,
    /// Whether this worker runs a detached task that it has spawned itself.
    pub(crate) runs_detached: Cell<bool>,
    pub(crate) first_look: FirstLook,
    /// The kinds of jobs whose last published ones this worker [got to within a moment](crate::handover::stack::Shared::is_brief).
    /// A job of such a kind is published only if no other job is.
    ///
    /// Behind all that a push reads, which is then reached by the shortest instructions.
    pub(crate) short_kinds: Streaks,
    /// Whether this worker has begun a task of another worker, and not [passed that on](crate::idle::tasks::pass_on_news).
    pub(crate) has_news: Cell<bool>,
    /// The kinds of tasks whose last ones that this worker took from others were over sooner than a wake.
    pub(crate) quick_kinds: Streaks,
    uncounted: Uncounted,
}

/// The slots of all started workers but one, nearest to that one first; if the pool does not know which are near, from the next number on.
#[derive(Clone, Copy)]
pub(crate) struct WorkerOrder<'p> {
    near: &'p [u16],
    first: usize,
    len: usize,
    workers: usize,
}

impl<'p> WorkerOrder<'p> {
    /// The order of the worker or caller at slot `index`.
    #[inline(always)]
    pub(crate) fn of(pool: &'p Inner, index: usize) -> Self {
        let workers = pool.workers;
        let (near, first, len) = match &pool.victims {
            None if index < workers => (&[][..], index + 1, workers - 1),
            None => (&[][..], 0, workers),
            Some(victims) => {
                let near = &*victims.of(index).workers;
                (near, 0, near.len())
            }
        };
        Self { near, first, len, workers }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The slot at a place in the order.
    #[inline(always)]
    pub(crate) fn at(&self, at: usize) -> usize {
        // One expression for both, for few instructions: every call that is announced goes through here.
        match self.near.get(at) {
            Some(&slot) => usize::from(slot),
            None if self.first + at < self.workers => self.first + at,
            None => self.first + at - self.workers,
        }
    }
}

type Erased = *const Handle<'static>;

thread_local! {
    /// The innermost handle of this thread, or null.
    static CURRENT: Cell<Erased> = const { Cell::new(ptr::null()) };
    /// The same while it is inside a join or scope, else null: all that the fast path of `join` has to look at.
    static FORKED: Cell<Erased> = const { Cell::new(ptr::null()) };
    /// The handle of the worker that this thread was started as, or null.
    static HOME: Cell<Erased> = const { Cell::new(ptr::null()) };
}

impl<'p> Handle<'p> {
    pub(crate) fn new(pool: &'p Inner, index: usize) -> Self {
        debug_assert!(!pool.is_registry || index < pool.workers, "in a registry no code runs as a caller");
        let slot = pool.slots.get(index);
        Handle {
            pool,
            index,
            slot,
            stack: Stack::new(),
            depth: Cell::new(0),
            runs_detached: Cell::new(false),
            first_look: FirstLook::new(),
            short_kinds: Streaks::new(),
            has_news: Cell::new(false),
            quick_kinds: Streaks::new(),
            uncounted: Uncounted::new(),
        }
    }

    /// Makes this thread the worker of slot `index`, which it has leased, for as long as the thread lives.
    ///
    /// # Panics
    /// If the thread is inside of a pool: what has begun there would go on as another worker.
    pub(crate) fn stay(pool: &'static Inner, index: usize) {
        assert!(CURRENT.get().is_null(), "a thread is a worker of one pool");
        let handle: &'static Handle<'static> = Box::leak(Box::new(Handle::new(pool, index)));
        handle.slot().set_thread(crate::sync::current());
        CURRENT.set(handle);
        HOME.set(handle);
    }

    /// Runs `f` with this thread's innermost handle, or with none.
    #[inline(always)]
    pub(crate) fn current<R>(f: impl FnOnce(Option<&Handle<'_>>) -> R) -> R {
        // SAFETY: non-null only while an `Innermost` lives, and with it the handle on this thread's stack, and after `stay`, which has leaked it;
        // the reference cannot outlive `f`.
        f(unsafe { CURRENT.get().as_ref() })
    }

    /// Runs `f` with the handle of the worker that this thread was started as, or with none.
    #[inline]
    pub(crate) fn home<R>(f: impl FnOnce(Option<&Handle<'_>>) -> R) -> R {
        // SAFETY: non-null only while an `AtHome` lives, which ends before the handle does, and after `stay`; the reference cannot outlive `f`.
        f(unsafe { HOME.get().as_ref() })
    }

    /// Runs `f` with this thread's innermost handle if that is inside a join or scope, or with none.
    #[inline(always)]
    pub(crate) fn forked<R>(f: impl FnOnce(Option<&Handle<'_>>) -> R) -> R {
        // SAFETY: as in `current`: `Root` ends before the handle does.
        f(unsafe { FORKED.get().as_ref() })
    }

    #[inline(always)]
    pub(crate) fn slot(&self) -> &'p Slot {
        self.slot
    }

    /// The slots of all other started workers, nearest first; if the pool does not know which are near, from the next number on.
    #[inline(always)]
    pub(crate) fn other_workers(&self) -> impl Iterator<Item = usize> + use<'p> {
        let order = WorkerOrder::of(self.pool, self.index);
        (0..order.len()).map(move |at| order.at(at))
    }

    /// All other slots that are [in view](Inner::in_view), in the same order.
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> + use<'p> {
        let (own, used, workers) = (self.index, self.pool.in_view(), self.pool.workers);
        let order = self.pool.victims.as_ref().map(|victims| victims.of(own));
        let slot = move |at: usize| match order {
            None if own + at < used => own + at,
            None => own + at - used,
            Some(order) => {
                let (near, callers) = (order.before_callers, used - workers);
                match at {
                    _ if at < near => usize::from(order.workers[at]),
                    _ if at < near + callers => workers + at - near,
                    _ => usize::from(order.workers[at - callers]),
                }
            }
        };
        let count = order.map_or(used, |order| order.workers.len() + used - workers);
        (0..count).map(slot).filter(move |&slot| slot != own)
    }

    /// Notes that work has been handed over.
    #[inline(always)]
    pub(crate) fn gave(&self, to: usize) {
        self.slot().tally().steals_done.add(1);
        trace::gave(self.index, to);
    }

    /// Queues a task of this worker.
    pub(crate) fn push(&self, job: JobRef) {
        self.stack.precede_task(|| self.end_of_queue());
        // SAFETY: a slot is leased to one handle at a time, and this one is on its thread.
        unsafe { self.slot.queue.push(job) };
    }

    /// The [end](Slot::end_of_queue) of this worker's queue.
    pub(crate) fn end_of_queue(&self) -> usize {
        // SAFETY: as in `push`.
        unsafe { self.slot.end_of_queue() }
    }

    /// Takes the newest task of this worker.
    pub(crate) fn pop(&self) -> Option<JobRef> {
        // SAFETY: as in `push`.
        unsafe { self.slot.queue.pop() }
    }

    /// Whether there is a task of this worker's own.
    pub(crate) fn has_tasks(&self) -> bool {
        !self.slot.inbox.is_empty() || self.slot.queue.len() > 0
    }

    /// Counts a task that is about to be spawned.
    #[inline(always)]
    pub(crate) fn count(&self, latch: &Latch) {
        if !self.uncounted.give(latch) {
            latch.add();
        }
    }

    /// A task of `latch` begins: counts down those of another latch.
    #[inline(always)]
    pub(crate) fn begins(&self, latch: *const Latch) {
        if self.uncounted.of(latch) == 0 {
            self.count_down();
        }
    }

    /// A task of `latch` has ended.
    ///
    /// # Safety
    /// As for [`Uncounted::add`].
    #[inline(always)]
    pub(crate) unsafe fn ended(&self, latch: *const Latch, owner: usize) {
        self.begins(latch);
        // SAFETY: the caller's contract.
        unsafe { self.uncounted.add(latch, owner) };
    }

    /// Whether all participants of `latch` have ended, though this worker may still have to count some of them down. Relaxed: the waiter looks at the latch itself before it goes on.
    #[inline(always)]
    pub(crate) fn has_ended_all(&self, latch: &Latch) -> bool {
        latch.count() == self.uncounted.of(latch)
    }

    /// Counts down the tasks that have ended.
    #[inline(always)]
    pub(crate) fn count_down(&self) {
        if let Some(owner) = self.uncounted.count_down() {
            self.unpark(owner);
        }
    }

    /// Puts a part on [offer](crate::run::offers).
    pub(crate) fn offer(&self, part: JobRef) {
        // SAFETY: as in `push`.
        unsafe { self.slot.parts.push(part) };
    }

    /// Takes back the newest part that this worker has on offer.
    pub(crate) fn take_back_offer(&self) -> Option<JobRef> {
        // SAFETY: as in `push`.
        unsafe { self.slot.parts.pop() }
    }

    /// Notes the core that this thread runs on, for workers that are about to sleep.
    #[cold]
    pub(crate) fn calls_sleepers(&self) {
        let (at, here) = (&self.pool.callers_at, place::current());
        if at.load(Ordering::Relaxed) != here {
            at.store(here, Ordering::Relaxed);
        }
    }

    /// Parks until it is unparked.
    pub(crate) fn park(&self) {
        self.slot.park(self.pool.callers_at.load(Ordering::Relaxed));
    }

    /// Parks for `time` at most.
    pub(crate) fn park_timeout(&self, time: Duration) {
        self.slot.park_timeout(self.pool.callers_at.load(Ordering::Relaxed), time);
    }

    /// Moves to another core if this thread runs on that of the last caller, which has not woken it.
    pub(crate) fn leave_callers(&self) {
        place::leave(self.pool.callers_at.load(Ordering::Relaxed));
    }

    /// Unparks the thread that waits at slot `owner`.
    #[cold]
    pub(crate) fn unpark(&self, owner: usize) {
        self.pool.slots.get(owner).unpark();
        self.slot().tally().wakes.add(1);
    }
}

/// While it lives, a handle is the innermost one of its thread.
pub(crate) struct Innermost {
    /// The innermost handle before.
    current: Erased,
    forked: Erased,
}

impl Innermost {
    /// # Safety
    /// It is dropped before `handle` is, on this thread.
    pub(crate) unsafe fn begin(handle: &Handle<'_>) -> Self {
        let is_forked = handle.stack.root.get() != 0;
        // The cast only erases a lifetime; the readers restore one that is bounded by a call.
        let handle: Erased = (&raw const *handle).cast();
        Self { current: CURRENT.replace(handle), forked: FORKED.replace(if is_forked { handle } else { ptr::null() }) }
    }
}

impl Innermost {
    /// If this thread's home `fits`, and its innermost handle does not, the home is the innermost one while the result lives.
    #[inline]
    pub(crate) fn go_home(fits: impl Fn(&Handle<'_>) -> bool) -> Option<Self> {
        if Handle::current(|current| current.is_some_and(&fits)) {
            return None;
        }
        // SAFETY: the home lies below this frame, or is leaked, so it outlives what is returned.
        Handle::home(|home| home.filter(|home| fits(home)).map(|home| unsafe { Innermost::begin(home) }))
    }
}

impl Drop for Innermost {
    fn drop(&mut self) {
        CURRENT.set(self.current);
        FORKED.set(self.forked);
    }
}

/// While it lives, a handle is the home of its thread.
pub(crate) struct AtHome(Erased);

impl AtHome {
    /// # Safety
    /// It is dropped before `handle` is, on this thread.
    pub(crate) unsafe fn begin(handle: &Handle<'_>) -> Self {
        Self(HOME.replace((&raw const *handle).cast()))
    }
}

impl Drop for AtHome {
    fn drop(&mut self) {
        HOME.set(self.0);
    }
}

/// While it lives, `handle` (this thread's innermost) is inside the outermost join or scope `token`, and its slot serves that.
///
/// The slot shows the token, unless the thread is inside another join or scope already, as it is in a task that it runs while it waits. Older jobs of that one may lie in the
/// slot, and who waits for `token` must not take these. (In a registry, whoever waits takes any task.)
pub(crate) struct Root<'h, 'p> {
    handle: &'h Handle<'p>,
    outer: Erased,
    token: usize,
    shown: usize,
    served: usize,
}

impl<'h, 'p> Root<'h, 'p> {
    pub(crate) fn begin(handle: &'h Handle<'p>, token: usize) -> Self {
        let (served, shown) = (handle.slot().serves(), handle.slot().root());
        handle.slot().serve(token);
        let is_alone = (token != 0 && (shown == 0 || shown == token)) || handle.pool.is_registry;
        handle.slot().set_root(if is_alone { token } else { SEVERAL_ROOTS });
        let this: *const Handle<'p> = handle;
        Self { handle, outer: FORKED.replace(this.cast()), token: handle.stack.root.replace(token), shown, served }
    }
}

impl Drop for Root<'_, '_> {
    fn drop(&mut self) {
        FORKED.set(self.outer);
        self.handle.stack.root.set(self.token);
        self.handle.slot().set_root(self.shown);
        self.handle.slot().serve(self.served);
    }
}
