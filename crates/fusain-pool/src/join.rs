//! `join`: two closures, perhaps in parallel.
//!
//! The second closure becomes a [`JobRef`] on the worker's [private stack](crate::jobs); the first is run; then the second is taken back and run
//! too. That is the whole fast path: a push, a glance at the request line, a pop, all in the worker's own memory, no atomic
//! read-modify-write and no fence. Only when somebody has asked is the oldest job delivered to the thief's [mailbox](crate::mailbox).
//!
//! # A job that has been given away
//!
//! | `state`    | meaning                              | who leaves it, and how |
//! |------------|--------------------------------------|------------------------|
//! | `PENDING`  | the thief has not finished           | thief: swap to `DONE` · joiner: CAS to `SLEEPING` |
//! | `SLEEPING` | likewise, and the joiner is parked   | thief: swap to `DONE`, then unparks |
//! | `DONE`     | the result is written                | |
//!
//! The thief's swap is AcqRel: its Release pairs with the joiner's Acquire load of `DONE` (the result is seen), and since both
//! swap and CAS are read-modify-writes of one word, either the thief sees `SLEEPING` or the joiner's CAS fails. The swap
//! is the thief's last touch of the job. Checked by `models::join`.
//!
//! While it waits the joiner works for the same outermost join. Work it takes on lies above the waiting frame on its stack; [`DEPTH_MAX`]
//! bounds how often that may nest.

use crate::desk::askers;
use crate::idle::{Patience, Step};
use crate::jobs::{JobRef, Reopen};
use crate::mailbox::{self, Letter, Mailbox};
use crate::pool::Pool;
use crate::seat::{Forked, Seat};
use crate::sync::{AtomicUsize, Ordering, current};
use crate::trace;
use std::cell::{Cell, UnsafeCell};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

const PENDING: usize = 0;
const SLEEPING: usize = 1;
const DONE: usize = 2;

/// Pieces of work a thread may take on top of one another while it waits; beyond that it only waits.
const DEPTH_MAX: usize = 32;

/// Runs both closures, in parallel if a worker is free, and returns both results.
///
/// On the pool whose work the calling thread is doing, else on [`Pool::global`]. The calling thread runs `a`; it runs `b` too
/// unless somebody asked for it meanwhile. A join that nobody takes part of costs a few nanoseconds.
///
/// Recursions may be as deep as the stack of the thread allows: each level costs its frame and 16 bytes of heap.
///
/// # Panics
/// If `a` panics, after `b` has been run to its end or has been dropped without being run; if only `b` panics, with its payload.
///
/// # Example
/// ```
/// fn sum(data: &[u64]) -> u64 {
///     if data.len() < 100 { return data.iter().sum(); }
///     let (left, right) = data.split_at(data.len() / 2);
///     let (a, b) = fusain_pool::join(|| sum(left), || sum(right));
///     a + b
/// }
/// assert_eq!(sum(&(0..10_000).collect::<Vec<_>>()), 49_995_000);
/// ```
#[inline]
pub fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    Seat::forked(|seat| match seat {
        Some(seat) => join_inside(seat, a, b),
        None => join_first(a, b),
    })
}

/// A join outside of any other.
#[cold]
#[inline(never)]
fn join_first<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    Seat::current(|seat| match seat {
        Some(seat) => join_outermost(seat, a, b),
        None => Pool::global().join(a, b),
    })
}

impl Pool {
    /// Runs both closures, in parallel if a worker of this pool is free, and returns both results; see [`join`].
    ///
    /// # Panics
    /// As [`join`] does.
    #[inline]
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.inner.seated(|seat| match seat {
            Some(seat) if seat.jobs.root.get() != 0 => join_inside(seat, a, b),
            Some(seat) => join_outermost(seat, a, b),
            None => (a(), b()),
        })
    }
}

/// The first join of a recursion: says that there will be work to share, and hands `b` to a worker that is awake.
#[inline(never)]
pub(crate) fn join_outermost<A, B, RA, RB>(seat: &Seat<'_>, a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    as_root(seat, || join_with(seat, a, b, || announce(seat)))
}

/// Runs `f` as the outermost fork-join of this thread.
pub(crate) fn as_root<R>(seat: &Seat<'_>, f: impl FnOnce() -> R) -> R {
    // Any address on this stack that outlives the call is a token nobody else has.
    let anchor = 0_u64;
    let _forked = Forked::begin(seat, &raw const anchor as usize);
    f()
}

/// Gives the oldest job to a worker that is awake and idle, or wakes one that sleeps.
#[cold]
pub(crate) fn announce(seat: &Seat<'_>) {
    for index in 0..seat.pool.workers.min(seat.pool.helpers_max) {
        if index == seat.index {
            continue;
        }
        if let Some(claim) = seat.pool.desks[index].front.claim(mailbox::ANY) {
            if let Some(job) = seat.jobs.give() {
                mail(seat, index, claim, job);
            }
            return;
        }
    }
    seat.pool.wake(seat, 1);
}

#[inline(always)]
fn join_inside<A, B, RA, RB>(seat: &Seat<'_>, a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    join_with(seat, a, b, || {
        if seat.desk().is_asked() {
            answer(seat);
        }
    })
}

#[inline(always)]
fn join_with<A, B, RA, RB>(seat: &Seat<'_>, a: A, b: B, pushed: impl FnOnce()) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    let job = StackJob::new(b, seat);
    job.index.set(seat.jobs.push(JobRef { job: (&raw const job).cast(), execute: StackJob::<B, RB>::execute }));
    let retract = Retract(&job);
    pushed();
    let ra = a();
    std::mem::forget(retract);
    if seat.jobs.take_back(job.index.get()) {
        // SAFETY: taken back, so it will not be executed.
        let b = unsafe { job.take() };
        return (ra, b());
    }
    (ra, job.settle())
}

fn forget_given(seat: &Seat<'_>, index: usize) {
    let left = seat.jobs.pop_above(index);
    debug_assert!(left.is_none(), "what lies below a job that was given has been given too");
}

/// Runs all jobs of this worker from `index` up that have not been given.
pub(crate) fn drain(seat: &Seat<'_>, index: usize) {
    while seat.jobs.len() > index {
        let Some(job) = seat.jobs.pop_above(index) else { return };
        // SAFETY: popped, so nobody else runs it.
        unsafe { (job.execute)(job.job, seat, None) };
    }
}

/// Undoes a push when `a` unwinds: the job is dropped unrun, or its end awaited.
struct Retract<'j, 'p, B: FnOnce() -> RB + Send, RB: Send>(&'j StackJob<'p, B, RB>);

impl<B: FnOnce() -> RB + Send, RB: Send> Drop for Retract<'_, '_, B, RB> {
    #[cold]
    fn drop(&mut self) {
        match self.0.retrieve() {
            Retrieved::Unrun(b) => drop(b),
            // The panic of `a` is the one that counts.
            Retrieved::Done(result) => drop(result),
        }
    }
}

/// A job on the joiner's stack.
///
/// Invariants: (1) `func` is there until `take` or `execute`, of which exactly one happens, once; (2) `result` is written
/// before `state` becomes `DONE`; (3) the joiner does not leave the frame before the job is taken back or `DONE`.
struct StackJob<'j, B, RB> {
    func: UnsafeCell<ManuallyDrop<B>>,
    result: UnsafeCell<MaybeUninit<thread::Result<RB>>>,
    state: AtomicUsize,
    /// The joiner's.
    seat: &'j Seat<'j>,
    /// Where it lies on the joiner's stack of jobs.
    index: Cell<usize>,
}

/// What became of a job whose joiner wants it back.
enum Retrieved<B, RB> {
    Unrun(B),
    Done(thread::Result<RB>),
}

impl<'j, B: FnOnce() -> RB + Send, RB: Send> StackJob<'j, B, RB> {
    #[inline(always)]
    fn new(func: B, seat: &'j Seat<'j>) -> Self {
        Self {
            func: UnsafeCell::new(ManuallyDrop::new(func)),
            result: UnsafeCell::new(MaybeUninit::uninit()),
            state: AtomicUsize::new(PENDING),
            seat,
            index: Cell::new(0),
        }
    }

    /// The joiner's slow path to a result.
    #[cold]
    #[inline(never)]
    fn settle(&self) -> RB {
        match self.retrieve() {
            Retrieved::Unrun(b) => b(),
            Retrieved::Done(Ok(result)) => result,
            Retrieved::Done(Err(payload)) => resume_unwind(payload),
        }
    }

    /// Runs what `a` left above the job, then takes it back or awaits its end.
    #[cold]
    fn retrieve(&self) -> Retrieved<B, RB> {
        let seat = self.seat;
        drain(seat, self.index.get() + 1);
        if seat.jobs.take_back(self.index.get()) {
            // SAFETY: taken back, so it will not be executed.
            return Retrieved::Unrun(unsafe { self.take() });
        }
        forget_given(seat, self.index.get());
        wait_for(seat, || self.state.load(Ordering::Acquire) == DONE, || self.sleep());
        // SAFETY: `DONE`, and read once.
        Retrieved::Done(unsafe { self.result() })
    }

    /// # Safety
    /// Once, and only if the job is not executed: invariant 1.
    #[inline(always)]
    unsafe fn take(&self) -> B {
        // SAFETY: invariant 1; nobody else looks at `func` then.
        let func = unsafe { &mut *self.func.get() };
        // SAFETY: invariant 1, once.
        unsafe { ManuallyDrop::take(func) }
    }

    /// # Safety
    /// Once, after `DONE` has been seen with Acquire: invariant 2.
    unsafe fn result(&self) -> thread::Result<RB> {
        // SAFETY: invariant 2, and the thief is gone.
        let result = unsafe { &*self.result.get() };
        // SAFETY: written, read once.
        unsafe { result.assume_init_read() }
    }

    /// # Safety
    /// `this` is a `StackJob<B, RB>` that was given away or popped, executed once.
    unsafe fn execute(this: *const (), seat: &Seat<'_>, reopen: Reopen<'_>) {
        // SAFETY: invariant 3 keeps it alive until `DONE`.
        let this = unsafe { &*this.cast::<Self>() };
        // SAFETY: given away, so the joiner does not take it.
        let func = unsafe { this.take() };
        let mark = seat.jobs.len();
        let result = catch_unwind(AssertUnwindSafe(func));
        drain(seat, mark);
        if result.is_err() {
            trace::caught_panic(seat.index);
        }
        // SAFETY: the joiner does not look before `DONE`.
        unsafe { this.result.get().write(MaybeUninit::new(result)) };
        if let Some((mailbox, state)) = reopen {
            mailbox.open(state);
        }
        let owner = this.seat.index;
        // AcqRel: see the module docs. Afterwards the job, and the joiner's seat, may be gone.
        if this.state.swap(DONE, Ordering::AcqRel) == SLEEPING {
            seat.pool.desks[owner].unpark();
            seat.desk().tally().wakes.add(1);
        }
    }

    #[cold]
    fn sleep(&self) {
        let seat = self.seat;
        seat.desk().set_thread(current());
        if self.state.compare_exchange(PENDING, SLEEPING, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            seat.desk().tally().parks.add(1);
            while self.state.load(Ordering::Acquire) != DONE {
                seat.desk().park();
            }
        }
    }
}

/// Waits until `is_done`, working for the same root meanwhile; `sleep` parks until it is.
#[cold]
pub(crate) fn wait_for(seat: &Seat<'_>, is_done: impl Fn() -> bool, sleep: impl Fn()) {
    let mailbox = &seat.desk().side;
    let root = seat.jobs.root.get();
    let helps = seat.depth.get() < DEPTH_MAX;
    let mut patience = Patience::of_caller(seat.pool);
    if helps {
        mailbox.open(root);
    }
    loop {
        if helps {
            seat.depth.set(seat.depth.get() + 1);
            // SAFETY: this thread's.
            let has_worked = unsafe { mailbox.run_letter(seat, root) };
            seat.depth.set(seat.depth.get() - 1);
            if has_worked {
                patience = Patience::of_caller(seat.pool);
                continue;
            }
        }
        // A giver may be writing at this moment; then the letter comes first.
        if is_done() && (!helps || mailbox.change(root, mailbox::SHUT)) {
            return;
        }
        match patience.step() {
            Step::Spin => {}
            Step::Look if helps => seat.pool.ask(seat, |serves| serves == root),
            Step::Look => {}
            Step::Sleep => {
                if !helps || mailbox.change(root, mailbox::SHUT) {
                    sleep();
                    return;
                }
            }
        }
    }
}

/// A job on its way to a thief, on the heap.
#[repr(C)]
struct Mail {
    letter: Letter,
    job: JobRef,
    /// The outermost join or scope it belongs to.
    root: usize,
}

/// Runs the job of a [`Mail`].
///
/// # Safety
/// `letter` is that of a `Mail` on the heap that has been delivered and is run once; its job is there until it has been executed.
unsafe fn run_mail(letter: *const Letter, seat: &Seat<'_>, mailbox: &Mailbox, reopen: usize) {
    // SAFETY: by the contract; it begins with its letter.
    let mail = unsafe { Box::from_raw(letter.cast_mut().cast::<Mail>()) };
    let Mail { job, root, .. } = *mail;
    let _forked = Forked::begin(seat, root);
    // Whoever receives work passes the news on, so that a large recursion wakes the whole pool, one by one.
    if seat.pool.workers > 1 {
        seat.pool.wake(seat, 1);
    }
    // SAFETY: by the contract.
    unsafe { (job.execute)(job.job, seat, Some((mailbox, reopen))) };
}

fn mail(seat: &Seat<'_>, to: usize, claim: mailbox::Claim<'_>, job: JobRef) {
    let asleep = claim.is_asleep();
    let mail = Box::new(Mail { letter: Letter { run: run_mail }, job, root: seat.jobs.root.get() });
    // SAFETY: the job has been given, so it is run once, there; its owner waits for it. What it captures is `Send`.
    unsafe { claim.deliver(Box::into_raw(mail).cast()) };
    seat.gave(to);
    if asleep {
        seat.pool.rouse(to);
        seat.desk().tally().wakes.add(1);
    }
}

/// Gives the oldest jobs to all who have asked.
#[cold]
#[inline(never)]
pub(crate) fn answer(seat: &Seat<'_>) {
    let tally = seat.desk().tally();
    tally.polls_answered.add(1);
    let requests = seat.desk().take_requests();
    for thief in askers(requests, seat.pool.desks.len()) {
        give_to(seat, thief);
    }
}

/// Gives the oldest job to `thief` if it still waits.
pub(crate) fn give_to(seat: &Seat<'_>, thief: usize) {
    if thief == seat.index || !seat.jobs.has_any() {
        return;
    }
    let Some(claim) = seat.pool.claim_for(seat, thief, seat.jobs.root.get()) else { return };
    if let Some(job) = seat.jobs.give() {
        mail(seat, thief, claim, job);
    }
}
