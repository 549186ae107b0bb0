//! A worker's own stack of fork-join jobs: a *private deque with one public place*.
//!
//! Only the owner touches the stack, so a push or a pop is a few plain loads and stores (Acar, Charguéraud & Rainey, "Scheduling parallel
//! programs by work stealing with private deques", PPoPP'13). A worker that is busy with a long closure answers nobody, though; so the *oldest* job,
//! which in a recursion is the largest, is laid out where anybody can take it without the owner's help: in one word of the owner's
//! [slot](crate::slot). (Split deques move a boundary between a private and a public part for the same reason: Rito & Paulino, "Scheduling computations
//! with provably low synchronization overheads", J. Scheduling 2022; van Dijk & van de Pol, "Lace", Euro-Par'14 workshops.)
//!
//! ```text
//!   0        public             len
//!   │ laid out │ private         │
//!   └──────────┴─────────────────┘
//!     oldest               newest
//! ```
//!
//! Of the jobs laid out at most the newest is still in the public place, all before it have been taken. A job is laid out when it is pushed
//! and everything below it has been, or when a thief that has emptied the place asks for the next. So the place is empty only if
//! nothing is private, or if the owner has not looked since the last theft.
//!
//! Jobs are pushed and popped like stack frames, so a job's index says whether it was ever laid out: it was exactly if `public` is past it.
//! The stack grows as deep as the recursion does; 8 bytes a level.

use crate::job::JobRef;
use std::cell::{Cell, UnsafeCell};

/// See the [module](self).
pub(crate) struct Stack {
    jobs: UnsafeCell<Vec<JobRef>>,
    public: Cell<usize>,
    /// Token of the outermost join or scope this worker is in, 0 for none.
    pub(crate) root: Cell<usize>,
}

impl Stack {
    pub(crate) fn new() -> Self {
        Self { jobs: UnsafeCell::new(Vec::new()), public: Cell::new(0), root: Cell::new(0) }
    }

    /// The one place that borrows the jobs.
    #[inline(always)]
    fn jobs<R>(&self, f: impl FnOnce(&mut Vec<JobRef>) -> R) -> R {
        // SAFETY: `Stack` is not `Sync`, so this is the only thread, and none of the closures below calls back here.
        f(unsafe { &mut *self.jobs.get() })
    }

    /// Pushes the newest job; returns its index.
    #[inline(always)]
    pub(crate) fn push(&self, job: JobRef) -> usize {
        self.jobs(|jobs| {
            jobs.push(job);
            jobs.len() - 1
        })
    }

    /// Whether everything below `index` has been laid out, and what is there has not.
    #[inline(always)]
    pub(crate) fn is_oldest_private(&self, index: usize) -> bool {
        self.public.get() == index
    }

    /// Takes the newest job, which is at `index`, back if it has never been laid out.
    #[inline(always)]
    pub(crate) fn take_back(&self, index: usize) -> bool {
        let is_private = self.public.get() <= index;
        if is_private {
            debug_assert_eq!(self.jobs(|jobs| jobs.len()), index + 1, "the newest job");
            // SAFETY: as in `jobs`; not longer than it was, for `index` is that of a job, and `JobRef` has no drop.
            self.jobs(|jobs| unsafe { jobs.set_len(index) });
        }
        is_private
    }

    /// The oldest private job, which is laid out from now on.
    pub(crate) fn lay_out(&self) -> Option<JobRef> {
        let job = self.jobs(|jobs| jobs.get(self.public.get()).copied())?;
        self.public.set(self.public.get() + 1);
        Some(job)
    }

    /// Whether there is a job that has not been laid out.
    pub(crate) fn has_private(&self) -> bool {
        self.jobs(|jobs| jobs.len() > self.public.get())
    }

    /// Forgets the newest job, at `index`, which has been laid out.
    pub(crate) fn forget(&self, index: usize) {
        self.jobs(|jobs| jobs.truncate(index));
        self.public.set(self.public.get().min(index));
    }
}
