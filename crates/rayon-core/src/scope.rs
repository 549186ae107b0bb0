//! Tasks that may borrow from the frame that waits for them.

use crate::broadcast::BroadcastContext;
use crate::global::{global, in_worker};
use fusain_pool::adapter::{Group, with_worker};

/// Where tasks are spawned; see [`scope()`].
#[derive(Debug)]
#[repr(transparent)]
pub struct Scope<'scope>(Group<'scope>);

/// As [`Scope`], for tasks that each thread begins in the order in which it has spawned them; see [`scope_fifo`].
#[derive(Debug)]
#[repr(transparent)]
pub struct ScopeFifo<'scope>(Group<'scope>);

impl<'scope> Scope<'scope> {
    pub(crate) fn of<'g>(group: &'g Group<'scope>) -> &'g Self {
        // SAFETY: a transparent wrapper.
        unsafe { &*std::ptr::from_ref(group).cast() }
    }

    /// Spawns a task, to be run before the scope ends.
    pub fn spawn<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        self.0.spawn(|group| body(Scope::of(group)));
    }

    /// Spawns a task on each thread of the pool.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&Scope<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        self.0.spawn_broadcast(move |group, index| body(Scope::of(group), BroadcastContext::new(index)));
    }
}

impl<'scope> ScopeFifo<'scope> {
    pub(crate) fn of<'g>(group: &'g Group<'scope>) -> &'g Self {
        // SAFETY: a transparent wrapper.
        unsafe { &*std::ptr::from_ref(group).cast() }
    }

    /// Spawns a task, to be run before the scope ends, after those that this thread has spawned before.
    pub fn spawn_fifo<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&ScopeFifo<'scope>) + Send + 'scope,
    {
        self.0.spawn(|group| body(ScopeFifo::of(group)));
    }

    /// Spawns a task on each thread of the pool.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&ScopeFifo<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        self.0.spawn_broadcast(move |group, index| body(ScopeFifo::of(group), BroadcastContext::new(index)));
    }
}

/// Runs `op` on a thread of the pool, and returns when `op` and all tasks of the scope have ended. `op` and tasks may spawn tasks into the scope. Each thread begins its
/// newest task first.
///
/// # Panics
/// With the first panic of `op` or of a task, after all have ended.
///
/// # Example
/// ```
/// let mut counts = [0; 2];
/// let [even, odd] = &mut counts;
/// rayon_core::scope(|s| {
///     s.spawn(|_| *even = (0..10).filter(|n| n % 2 == 0).count());
///     s.spawn(|_| *odd = (0..9).filter(|n| n % 2 == 1).count());
/// });
/// assert_eq!(counts, [5, 4]);
/// ```
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    in_worker(|worker, _| worker.group(false, |group| op(Scope::of(group))))
}

/// As [`scope()`], but each thread begins its oldest task first.
///
/// # Panics
/// As [`scope()`].
///
/// # Example
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(1).build()?;
/// let begun = std::sync::Mutex::new(Vec::new());
/// pool.scope_fifo(|s| {
///     for n in 0..3 {
///         let begun = &begun;
///         s.spawn_fifo(move |_| begun.lock().unwrap().push(n));
///     }
/// });
/// assert_eq!(begun.into_inner().unwrap(), [0, 1, 2]);
/// # Ok::<(), rayon_core::ThreadPoolBuildError>(())
/// ```
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    in_worker(|worker, _| worker.group(true, |group| op(ScopeFifo::of(group))))
}

/// As [`scope()`], but `op` is run on the calling thread.
///
/// # Panics
/// As [`scope()`].
///
/// # Example
/// ```
/// // `Rc` cannot be sent to another thread, but the closure stays on this one.
/// let name = std::rc::Rc::new(String::from("here"));
/// let mut there = 0;
/// rayon_core::in_place_scope(|s| {
///     s.spawn(|_| there = 1);
///     assert_eq!(*name, "here");
/// });
/// assert_eq!(there, 1);
/// ```
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    in_place(false, |group| op(Scope::of(group)))
}

/// As [`scope_fifo`], but `op` is run on the calling thread.
///
/// # Panics
/// As [`scope()`].
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    in_place(true, |group| op(ScopeFifo::of(group)))
}

fn in_place<'scope, R>(in_order: bool, op: impl FnOnce(&Group<'scope>) -> R) -> R {
    with_worker(|worker| match worker {
        Some(worker) => worker.group(in_order, op),
        None => global().group(in_order, op),
    })
}
