//! What a thread may do as a worker of a registry.

use crate::idle::tasks::{self, Helps};
use crate::task::join::join_at;
use crate::worker::handle::{Handle, Innermost};
use crate::worker::inner::Inner;

/// The calling thread's worker in its innermost pool, which is a registry.
#[derive(Clone, Copy)]
pub struct Worker<'h>(pub(super) &'h Handle<'h>);

/// Runs `f` with this thread's worker in a registry, also if the thread is inside a pool of another kind; with `None` if it is no registry's worker.
#[inline(always)]
pub fn with_worker<R>(f: impl FnOnce(Option<Worker<'_>>) -> R) -> R {
    Handle::current(|handle| match handle.filter(|handle| handle.pool.is_registry) {
        Some(handle) => f(Some(Worker(handle))),
        None => at_home(f),
    })
}

/// A separate function, since a join with something to undo at its end would take twice as long (`compare rayon`, fib).
#[cold]
#[inline(never)]
fn at_home<R>(f: impl FnOnce(Option<Worker<'_>>) -> R) -> R {
    let _home = Innermost::go_home(|handle| handle.pool.is_registry);
    Handle::current(|handle| f(handle.filter(|handle| handle.pool.is_registry).map(Worker)))
}

/// Whether the calling thread is inside any pool.
pub fn is_inside() -> bool {
    Handle::current(|handle| handle.is_some())
}

impl<'h> Worker<'h> {
    /// Its number.
    #[inline]
    pub fn index(self) -> usize {
        self.0.index
    }

    /// Number of workers of its registry.
    #[inline]
    pub fn threads(self) -> usize {
        self.0.pool.workers
    }

    /// Runs both closures, `b` perhaps on another worker, which its argument says. `b` is run even if `a` panics; then the panic of `a` is resumed.
    #[inline(always)]
    pub fn join<A, B, RA, RB>(self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce(bool) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        join_at::<true, _, _, _, _>(self.0, a, b)
    }

    /// Runs one task that waits for a worker, if there is one, and returns whether there was one.
    pub fn yield_now(self) -> bool {
        self.run(tasks::find(self.0, Helps::Anybody, true).or_else(|| tasks::find_joined(self.0)))
    }

    /// Runs one of this worker's own tasks, if there is one, and returns whether there was one.
    pub fn yield_local(self) -> bool {
        self.run(tasks::find_local(self.0).or_else(|| tasks::find_joined(self.0)))
    }

    fn run(self, task: Option<tasks::Taken>) -> bool {
        let found = task.is_some();
        if let Some(task) = task {
            tasks::run(self.0, task, None);
        }
        found
    }

    /// Whether it has tasks that have not begun.
    pub fn has_pending(self) -> bool {
        let slot = self.0.slot();
        slot.queue.len() > 0 || slot.has_offer() || self.0.stack.has_private()
    }

    pub(super) fn inner(self) -> &'h Inner {
        self.0.pool
    }
}

impl std::fmt::Debug for Worker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Worker").field(&self.index()).finish()
    }
}
