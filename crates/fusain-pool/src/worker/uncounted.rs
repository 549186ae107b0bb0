//! Tasks of a scope that have ended on this worker, and that the scope's latch still counts.
//!
//! A scope's latch counts up when a task is spawned, and down when it ends. If several workers did that for each task, the latch's cache line would move from core to core twice
//! a task, which takes longer than a short task. So a worker that goes on to tasks of its own does not count down at once. It keeps the counts of ended tasks, and the next tasks that it
//! spawns into the same scope take them over. In a recursion almost no count is left that reaches the latch.
//!
//! Until a kept count is taken over or counted down, the latch stays shut, and the scope's frame stays alive. The waiter waits no longer for that: when the worker finds no more tasks of
//! its own, or one that is not of that scope, it counts down first ([`tasks::run_next`](crate::idle::tasks::run_next)). And whatever a task of the scope does, the scope waits for
//! that task anyway.
//!
//! A count is taken over on the thread on which the task that left it has ended, so the new task sees what that one wrote, wherever it is run. When it is counted down, the
//! waiter sees both. Checked by `checks::scope`.

use crate::handover::latch::Latch;
use std::cell::Cell;
use std::ptr;

/// Ended tasks of one latch.
pub(crate) struct Uncounted {
    /// Invariant: if `tasks` is not 0, the latch is alive, and counts them.
    latch: Cell<*const Latch>,
    /// The slot of the thread that waits at the latch.
    owner: Cell<usize>,
    tasks: Cell<usize>,
}

impl Uncounted {
    pub(crate) fn new() -> Self {
        Self { latch: Cell::new(ptr::null()), owner: Cell::new(0), tasks: Cell::new(0) }
    }

    /// How many tasks of `latch` there are.
    #[inline(always)]
    pub(crate) fn of(&self, latch: *const Latch) -> usize {
        if ptr::eq(self.latch.get(), latch) { self.tasks.get() } else { 0 }
    }

    /// Gives the count of a task of `latch` to a new task, if there is one.
    #[inline(always)]
    pub(crate) fn give(&self, latch: *const Latch) -> bool {
        let tasks = self.of(latch);
        if tasks > 0 {
            self.tasks.set(tasks - 1);
        }
        tasks > 0
    }

    /// Adds a task of `latch`. There are no tasks of another latch.
    ///
    /// # Safety
    /// The latch is alive, and counts the task, which gives up that count. `owner` is the slot of the thread that waits.
    #[inline(always)]
    pub(crate) unsafe fn add(&self, latch: *const Latch, owner: usize) {
        self.tasks.set(self.of(latch) + 1);
        self.latch.set(latch);
        self.owner.set(owner);
    }

    /// Counts all tasks down, and returns the slot of the thread that is to be unparked, if it is.
    #[inline(always)]
    pub(crate) fn count_down(&self) -> Option<usize> {
        let tasks = self.tasks.replace(0);
        // SAFETY: by the invariant.
        (tasks > 0 && unsafe { Latch::count_down_by(self.latch.get(), tasks) }).then(|| self.owner.get())
    }
}
