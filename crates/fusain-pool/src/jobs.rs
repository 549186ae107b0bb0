//! A worker's own stack of fork-join jobs: a *private deque*.
//!
//! Only the owner ever touches it, so a push or a pop is a few plain loads and stores (Acar, Charguéraud & Rainey,
//! "Scheduling parallel programs by work stealing with private deques", PPoPP'13). Thieves ask, the owner gives its
//! *oldest* job, which in a recursion is the largest.
//!
//! ```text
//!   0         given            len
//!   │ given away │ still here   │
//!   └────────────┴──────────────┘
//!     oldest              newest
//! ```
//!
//! Jobs are pushed and popped like stack frames, so a job's index says whether it has been given: it has exactly if
//! `given` is past it. The stack grows as deep as the recursion does; 16 bytes a level.

use crate::mailbox::Mailbox;
use crate::seat::Seat;
use std::cell::{Cell, UnsafeCell};

/// A job that lies on some thread's stack or heap: where, and what runs it.
#[derive(Clone, Copy)]
pub(crate) struct JobRef {
    pub(crate) job: *const (),
    /// Runs the job on the thread that calls it and reports to whoever waits. Never unwinds.
    pub(crate) execute: unsafe fn(*const (), &Seat<'_>, Reopen<'_>),
}

/// The mailbox a job came by and the state it gets as soon as the job is done; `None` where it did not come by mail.
pub(crate) type Reopen<'m> = Option<(&'m Mailbox, usize)>;

/// See the [module](self).
pub(crate) struct Jobs {
    stack: UnsafeCell<Vec<JobRef>>,
    given: Cell<usize>,
    /// Token of the outermost join or scope this worker is in, 0 for none.
    pub(crate) root: Cell<usize>,
}

impl Jobs {
    pub(crate) fn new() -> Self {
        Self { stack: UnsafeCell::new(Vec::new()), given: Cell::new(0), root: Cell::new(0) }
    }

    /// The one place that borrows the stack.
    #[inline(always)]
    fn stack<R>(&self, f: impl FnOnce(&mut Vec<JobRef>) -> R) -> R {
        // SAFETY: `Jobs` is not `Sync`, so this is the only thread, and none of the closures below calls back here.
        f(unsafe { &mut *self.stack.get() })
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.stack(|stack| stack.len())
    }

    /// Whether there is a job to give.
    #[inline(always)]
    pub(crate) fn has_any(&self) -> bool {
        self.len() > self.given.get()
    }

    /// Pushes the newest job; returns its index.
    #[inline(always)]
    pub(crate) fn push(&self, job: JobRef) -> usize {
        self.stack(|stack| {
            stack.push(job);
            stack.len() - 1
        })
    }

    /// Takes job `index` back if it is the newest and has not been given.
    #[inline(always)]
    pub(crate) fn take_back(&self, index: usize) -> bool {
        let mine = self.given.get() <= index && self.len() == index + 1;
        if mine {
            // SAFETY: as in `stack`; shorter than it was, and `JobRef` has no drop.
            self.stack(|stack| unsafe { stack.set_len(index) });
        }
        mine
    }

    /// Takes the newest job at or above `index` that has not been given; forgets those that have.
    pub(crate) fn pop_above(&self, index: usize) -> Option<JobRef> {
        self.stack(|stack| {
            let first = self.given.get().max(index);
            if stack.len() > first {
                return stack.pop();
            }
            stack.truncate(index);
            self.given.set(self.given.get().min(index));
            None
        })
    }

    /// Gives the oldest job away.
    pub(crate) fn give(&self) -> Option<JobRef> {
        self.stack(|stack| {
            let job = stack.get(self.given.get()).copied()?;
            self.given.set(self.given.get() + 1);
            Some(job)
        })
    }
}
