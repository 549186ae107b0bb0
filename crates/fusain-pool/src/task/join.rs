//! `join`: two closures, perhaps in parallel.
//!
//! The second closure becomes a [job](crate::handover::job) on the worker's [private stack](crate::handover::stack); the first is run; then the second is taken back and run
//! too. That is the whole fast path: a push, a check of the request line and a pop, all in the worker's own memory, with no atomic
//! read-modify-write and no fence. Only the oldest few jobs are published, so that other workers can take them; taking one of these back costs two exchanges.
//!
//! If a job has been taken, its joiner waits for a [latch](crate::handover::latch), and works for the same outermost join meanwhile.
//! Checked by `checks::join`.
//!
//! **What panics do.** A panic of `a` is caught, `b` is taken back and dropped unrun, or awaited, and then the panic is resumed. This is not done by the destructor of a guard:
//! a joiner that waits for `b` runs other tasks, and these may ask [`std::thread::panicking`], as the guards of locks do. (Where nothing panics, the compiler makes the same
//! code of both.) A panic of a value that is dropped is caught, too ([`panics`](crate::panics)). Tested by `panics_on_either_side` (`tests/fork_join.rs`), `drops_that_panic`
//! (`tests/hostile.rs`) and `tests/unwinding.rs`.

use crate::handover::job::JobRef;
use crate::handover::latch::Latch;
use crate::handover::stack::{Link, Linked};
use crate::idle::tasks::{Helps, announce, answer, as_root, begin, got_to, kind_of, pass_on_news, publish};
use crate::idle::{opens_soon, wait_for};
use crate::panics::{Payload, discard};
use crate::pool::Pool;
use crate::task::worth::{Worth, announce_first};
use crate::trace;
use crate::worker::handle::Handle;
use crate::worker::header::{Header, Reopen, reopen};
use crate::worker::slot::SEVERAL_ROOTS;
use std::cell::UnsafeCell;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::thread;

/// Runs both closures, in parallel if a worker is free, and returns both results.
///
/// It uses the pool whose work the calling thread is doing, or else [`Pool::global`]. The calling thread runs `a`; it then runs `b`, too,
/// unless another worker has taken it. A `join` whose `b` no other worker takes costs a few nanoseconds.
///
/// While it waits for a worker that has taken `b`, the calling thread runs other tasks, if there are any: those of the same outermost `join` or scope, those that it has
/// itself spawned, and closures of broadcasts. So do not call `join` while you hold a lock that these tasks take, or a borrow of a thread-local `RefCell` that they use.
///
/// Recursions may be as deep as the thread's stack allows: each level costs its stack frame.
///
/// # Panics
/// With the payload of `a` if `a` panics; by then `b` has ended, or has been dropped without being run (what it has captured does not see
/// [`std::thread::panicking`] then). With the payload of `b` if only `b`
/// panics. If the global pool is meant and cannot be built, as [`Pool::global`] does.
///
/// # Example
/// ```
/// # use fusain_pool as fusain;
/// fn sum(data: &[u64]) -> u64 {
///     if data.len() < 100 { return data.iter().sum(); }
///     let (left, right) = data.split_at(data.len() / 2);
///     let (a, b) = fusain::join(|| sum(left), || sum(right));
///     a + b
/// }
/// assert_eq!(sum(&(0..10_000).collect::<Vec<_>>()), 49_995_000);
/// ```
#[doc(alias = "parallel_invoke")]
#[doc(alias = "sections")]
// A recursion then goes through this function, into which the recursive function is inlined: half of its calls are leaves, and these then cost no call. When inlining was
// left to the compiler, unrelated changes of this crate changed the time of fib by a third (`compare join`).
#[inline(never)]
pub fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    Handle::forked(|handle| match handle {
        Some(handle) => join_inside::<false, _, _, _, _>(handle, a, |_| b()),
        None => join_first(a, b),
    })
}

/// A join outside any other.
#[cold]
#[inline(never)]
fn join_first<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    Pool::here(|pool| pool.enter(|handle| join_outermost::<false, _, _, _, _>(handle, a, |_| b())))
}

impl Pool {
    /// Like [`join`](join()), on this pool.
    ///
    /// # Panics
    /// As [`join`](join()) does.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// let pool = fusain::Pool::builder().threads(2).build()?;
    /// assert_eq!(pool.join(|| 1, || 2), (1, 2));
    /// # Ok::<(), fusain::Error>(())
    /// ```
    #[inline]
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.inner.enter(|handle| join_at::<false, _, _, _, _>(handle, a, |_| b()))
    }
}

/// A join of a worker that may be inside another join. `b` is told whether another worker has taken it. If `RUNS_B`, it is run even if `a` panics.
#[inline]
pub(crate) fn join_at<const RUNS_B: bool, A, B, RA, RB>(handle: &Handle<'_>, a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    match handle.stack.root.get() {
        0 => join_outermost::<RUNS_B, _, _, _, _>(handle, a, b),
        _ => join_inside::<RUNS_B, _, _, _, _>(handle, a, b),
    }
}

/// The first join of a recursion: announces that there is work to share.
#[inline(never)]
pub(crate) fn join_outermost<const RUNS_B: bool, A, B, RA, RB>(handle: &Handle<'_>, a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    as_root(handle, || {
        let mut worth = Worth::of::<(A, B)>();
        let results = join_with::<RUNS_B, _, _, _, _>(handle, a, b, || {
            publish(handle);
            announce(handle, || worth.is_worth_waking());
        });
        worth.end();
        results
    })
}

#[inline(always)]
fn join_inside<const RUNS_B: bool, A, B, RA, RB>(handle: &Handle<'_>, a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    join_with::<RUNS_B, _, _, _, _>(handle, a, b, || {
        if handle.slot().is_asked() {
            answer_or_announce(handle);
        }
    })
}

/// There are requests: answers them. The first job of an outermost scope always finds one, which the scope has made itself, and is announced if no worker that has asked knows of it.
#[cold]
#[inline(never)]
fn answer_or_announce(handle: &Handle<'_>) {
    if !answer(handle) {
        announce_first(handle);
        pass_on_news(handle);
    }
}

#[inline(always)]
fn join_with<const RUNS_B: bool, A, B, RA, RB>(handle: &Handle<'_>, a: A, b: B, pushed: impl FnOnce()) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let job = StackJob::new(b);
    // SAFETY: it is popped before this returns or unwinds, and whatever `a` pushes is popped before it.
    unsafe { handle.stack.push(job.link()) };
    let first = AssertUnwindSafe(|| {
        pushed();
        a()
    });
    let ra = catch_unwind(first).unwrap_or_else(|payload| job.retract::<RUNS_B>(handle, payload));
    // SAFETY: what was pushed after it has been popped, and it has not.
    if unsafe { handle.stack.take_back(job.link()) } {
        // SAFETY: taken back, so it will not be run.
        let b = unsafe { job.take() };
        return (ra, b(false));
    }
    (ra, job.settle(handle))
}

/// A job on the joiner's stack.
///
/// Invariants: (1) `func` is there until `take` or `run`, of which exactly one happens, once; (2) `result` is written
/// before the latch opens; (3) the joiner does not leave the frame before the job is taken back or the latch open.
#[repr(C)]
struct StackJob<B, RB> {
    linked: Linked<Header>,
    func: UnsafeCell<ManuallyDrop<B>>,
    result: UnsafeCell<MaybeUninit<thread::Result<RB>>>,
}

/// What became of a job whose joiner wants it back.
enum Retrieved<B, RB> {
    Unrun(B),
    Done(thread::Result<RB>),
}

impl<B: FnOnce(bool) -> RB + Send, RB: Send> StackJob<B, RB> {
    #[inline(always)]
    fn new(func: B) -> Self {
        Self {
            linked: Linked::new(Header { run: Self::run }),
            func: UnsafeCell::new(ManuallyDrop::new(func)),
            result: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    #[inline(always)]
    fn link(&self) -> NonNull<Link> {
        // SAFETY: a `StackJob` begins with its `Linked`, and this is the address of the whole job.
        unsafe { Linked::<Header>::link(NonNull::from(self)) }
    }

    /// The joiner's slow path to a result, for a job that has been published.
    #[cold]
    #[inline(never)]
    fn settle(&self, handle: &Handle<'_>) -> RB {
        match self.retrieve(handle) {
            Retrieved::Unrun(b) => b(false),
            Retrieved::Done(Ok(result)) => result,
            Retrieved::Done(Err(payload)) => resume_unwind(payload),
        }
    }

    /// After a panic of the first closure: drops the job unrun, or runs it if `RUNS_B`, or awaits its end if it has been taken. Then resumes that panic.
    #[cold]
    #[inline(never)]
    fn retract<const RUNS_B: bool>(&self, handle: &Handle<'_>, payload: Payload) -> ! {
        // SAFETY: what was pushed after it has been popped, and it has not.
        let retrieved = if unsafe { handle.stack.take_back(self.link()) } {
            // SAFETY: taken back, so no other thread will run it.
            Retrieved::Unrun(unsafe { self.take() })
        } else {
            self.retrieve(handle)
        };
        match retrieved {
            Retrieved::Unrun(b) if RUNS_B => discard(catch_unwind(AssertUnwindSafe(|| b(false)))),
            Retrieved::Unrun(b) => discard(b),
            // The panic of `a` takes precedence.
            Retrieved::Done(result) => discard(result),
        }
        resume_unwind(payload)
    }

    /// Takes the job back from the public place, or awaits its end.
    #[cold]
    fn retrieve(&self, handle: &Handle<'_>) -> Retrieved<B, RB> {
        // SAFETY: it is the newest, has been published, and has not been popped.
        unsafe { handle.stack.forget(self.link()) };
        let job = JobRef::new(NonNull::from(self));
        let is_unrun = handle.slot().retract(handle.stack.published(), job);
        // SAFETY: published.
        let shared = unsafe { self.linked.get().shared() };
        // SAFETY: this is the job.
        unsafe { got_to(handle, job, shared.is_brief(), is_unrun) };
        // SAFETY: as above.
        let is_quick = || handle.quick_kinds.has_streak(unsafe { kind_of(job) });
        if !is_unrun && !opens_soon(handle, &shared.latch, is_quick) {
            wait_for(handle, &shared.latch, Helps::Root(handle.stack.root.get()));
        }
        // SAFETY: taken back, so no other thread has seen it; or the latch is open, and opening it was the thief's last access.
        unsafe { self.linked.get().unshare() };
        match is_unrun {
            // SAFETY: taken back, so it will not be run.
            true => Retrieved::Unrun(unsafe { self.take() }),
            // SAFETY: the latch is open, and this happens once.
            false => Retrieved::Done(unsafe { self.result() }),
        }
    }

    /// # Safety
    /// Once, and only if the job is not run: invariant 1.
    #[inline(always)]
    unsafe fn take(&self) -> B {
        // SAFETY: invariant 1; no other thread accesses `func` then.
        let func = unsafe { &mut *self.func.get() };
        // SAFETY: invariant 1, once.
        unsafe { ManuallyDrop::take(func) }
    }

    /// # Safety
    /// Once, after the latch has been seen open: invariant 2.
    unsafe fn result(&self) -> thread::Result<RB> {
        // SAFETY: invariant 2, and the thief is gone.
        let result = unsafe { &*self.result.get() };
        // SAFETY: written, read once.
        unsafe { result.assume_init_read() }
    }

    /// # Safety
    /// `this` is a `StackJob<B, RB>` that was published and taken, run once.
    unsafe fn run(this: *const Header, handle: &Handle<'_>, mailbox: Reopen<'_>) {
        let this = this.cast::<Self>();
        let (owner, latch) = {
            // SAFETY: invariant 3 keeps it alive until the latch is open, and this reference ends before that.
            let this = unsafe { &*this };
            // SAFETY: taken from the joiner, so the joiner does not take it.
            let func = unsafe { this.take() };
            // SAFETY: published, since it was taken.
            let shared = unsafe { this.linked.get().shared() };
            let result = {
                let shown = handle.pool.slots.get(shared.owner()).root();
                let _root = begin(handle, if shown == SEVERAL_ROOTS { 0 } else { shown });
                catch_unwind(AssertUnwindSafe(|| func(true)))
            };
            if result.is_err() {
                trace::caught_panic(handle.index);
            }
            // SAFETY: the joiner does not look before the latch is open.
            unsafe { this.result.get().write(MaybeUninit::new(result)) };
            (shared.owner(), &raw const shared.latch)
        };
        reopen(mailbox);
        // SAFETY: alive until this; the one count is ours.
        if unsafe { Latch::count_down(latch) } {
            handle.unpark(owner);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::platform::HAS_TICKS;
    use crate::platform::moment::stopped;
    use crate::worker::header;
    use crate::worker::slot::Oldest;
    use crate::{Algorithm, scope};
    use std::sync::Mutex;

    /// Counts down from a number, by one in each unit. Panics at this number, if it gets there.
    struct Countdown(u32);

    impl Algorithm for Countdown {
        type Local = u32;

        fn has_local_work(&self, left: &u32) -> bool {
            *left > 0
        }

        fn do_unit(&self, left: &mut u32, _grain: usize) {
            assert!(*left != self.0, "on purpose");
            *left -= 1;
        }

        fn commit(&self, _left: &mut u32) {}

        fn split(&self, _left: &mut u32) -> Option<u32> {
            None
        }
    }

    /// Whether a job of this thread lies where other workers may take it.
    fn is_published() -> bool {
        Handle::current(|handle| handle.expect("inside of a join").slot().has_offer())
    }

    /// An idle worker finds the oldest job without its owner's help, whatever the owner has done before.
    #[test]
    fn the_oldest_job_is_published() {
        let pool = Pool::builder().threads(1).build().expect("a pool without threads");
        let twice = || {
            for _ in 0..2 {
                assert!(join(is_published, || ()).0);
                assert!(join(|| join(|| (), || ()), || join(is_published, || ()).0).1);
            }
        };
        pool.install(|| {
            // The second closure is taken back, and then nothing is published.
            join(
                || assert!(is_published()),
                || {
                    assert!(!is_published());
                    twice();
                    // Its run loop takes all requests.
                    for units in [0, 1, 1_000] {
                        pool.run(&Countdown(0), units);
                        twice();
                    }
                    for panics_at in [3, 2, 1] {
                        let panics = catch_unwind(AssertUnwindSafe(|| pool.run(&Countdown(panics_at), 3)));
                        assert!(panics.is_err());
                        pool.run(&Countdown(0), 5);
                        twice();
                    }
                },
            );
            scope(|_| twice());
            scope(|scope| scope.spawn(|_| twice()));
            // A task in the queue is no job for a public place, also where a worker has asked.
            for is_asked in [false, true] {
                scope(|scope| {
                    if is_asked {
                        Handle::current(|handle| handle.expect("inside of a scope").slot().ask(0));
                    }
                    scope.spawn(|_| ());
                    twice();
                });
            }
        });
    }

    /// Runs all that a thief could take from this thread, in that order.
    fn run_as_thief() {
        Handle::current(|handle| {
            let handle = handle.expect("inside of a pool");
            while let Some(work) = {
                publish(handle);
                handle.slot().take_oldest(true)
            } {
                let (Oldest::Joined(job) | Oldest::Queued { job, .. }) = work;
                // SAFETY: taken from this thread, so it is run on it once.
                unsafe { header::run(job, handle, None) };
            }
        });
    }

    #[test]
    fn thieves_take_what_is_oldest() {
        let pool = Pool::builder().threads(1).build().expect("a pool without threads");
        let order = Mutex::new(Vec::new());
        let note = |number: u32| order.lock().expect("nobody panics with it").push(number);
        pool.install(|| {
            scope(|scope| {
                scope.spawn(|_| note(0));
                join(
                    || {
                        scope.spawn(|_| note(2));
                        scope.spawn(|_| note(3));
                        join(|| join(run_as_thief, || note(5)), || note(4));
                    },
                    || note(1),
                );
                scope.spawn(|_| note(6));
                join(run_as_thief, || note(7));
            });
        });
        assert_eq!(order.into_inner().expect("nobody has panicked"), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    /// How many jobs are published inside `joins` nested joins of one kind, whose first closures take `each_ns` each.
    fn published_in(joins: usize, each_ns: f32) -> usize {
        match joins {
            0 => Handle::current(|handle| handle.expect("inside of a join").stack.published()),
            _ => {
                let first = || {
                    stopped::pass(each_ns);
                    published_in(joins - 1, each_ns)
                };
                join(first, || 0).0
            }
        }
    }

    /// Jobs fill all public places, but use only one if the last jobs of their kind were taken back within a moment.
    #[test]
    fn short_jobs_use_one_place() {
        let pool = Pool::builder().threads(1).build().expect("a pool without threads");
        let (short, long) = (|| published_in(20, 1.0), || published_in(20, 1e6));
        let within = || {
            let all = long();
            assert!(all > 2);
            // All places are used until several jobs have been short.
            assert_eq!(short(), all);
            short();
            // The one is the job of the join around everything. (It is of another kind. If each call had such a join, the two kinds might collide in the table of kinds.)
            assert_eq!(short(), if HAS_TICKS { 1 } else { all });
        };
        pool.install(|| {
            stopped::with(|| join(within, || ()));
            // Jobs of another kind are not affected.
            join(|| join(|| assert_eq!(published_in(0, 0.0), 2), || ()), || ());
        });
    }

    /// Who waits for one join takes no jobs of another from a worker that is in both.
    #[test]
    fn a_slot_shows_no_root_while_it_may_have_jobs_of_another() {
        let pool = Pool::builder().threads(1).build().expect("a pool without threads");
        let check = |handle: &Handle<'_>| {
            let seen = || (handle.slot().root(), handle.stack.root.get());
            let outer = begin(handle, 64);
            let same = begin(handle, 64);
            assert_eq!(seen(), (64, 64));
            let other = begin(handle, 128);
            assert_eq!(seen(), (SEVERAL_ROOTS, 128));
            let none = begin(handle, 0);
            let innermost = begin(handle, 192);
            assert_eq!(seen(), (SEVERAL_ROOTS, 192));
            drop(innermost);
            drop(none);
            drop(other);
            assert_eq!(seen(), (64, 64));
            drop(same);
            drop(outer);
            assert_eq!(seen(), (0, 0));
            // A job that was taken from such a worker.
            let unknown = begin(handle, 0);
            let within = begin(handle, 64);
            assert_eq!(seen(), (SEVERAL_ROOTS, 64));
            drop(within);
            drop(unknown);
        };
        pool.install(|| Handle::current(|handle| check(handle.expect("inside of a pool"))));
    }
}
