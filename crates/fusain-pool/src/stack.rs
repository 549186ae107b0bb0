//! A worker's own stack of fork-join jobs: a *private deque with one public place*.
//!
//! Only the owner touches the stack, so a push or a pop is a few plain loads and stores (Acar, Charguéraud & Rainey, "Scheduling parallel
//! programs by work stealing with private deques", PPoPP'13). A worker that is busy with a long closure answers nobody, though; so the *oldest* job,
//! which in a recursion is the largest, is laid out where anybody can take it without the owner's help: in one word of the owner's
//! [slot](crate::slot). (Split deques move a boundary between a private and a public part for the same reason: Rito & Paulino, "Scheduling computations
//! with provably low synchronization overheads", J. Scheduling 2022; van Dijk & van de Pol, "Lace", Euro-Par'14 workshops.)
//!
//! ```text
//!                public  private         newest
//!   ┌──────────┬────────┬───────┬───────┬──────┐
//!   │ laid out │  ...   │ private jobs         │
//!   └──────────┴────────┴───────┴───────┴──────┘
//!     oldest        ◄── older   newer ──►
//! ```
//!
//! Of the jobs laid out at most the newest is still in the public place, all before it have been taken. A job is laid out when it is pushed
//! and everything below it has been, or when a thief that has emptied the place asks for the next. So the place is empty only if
//! nothing is private, or if the owner has not looked since the last theft.
//!
//! Jobs are pushed and popped like the stack frames that they lie in, so they are linked where they are: there is nothing to grow, and a push depends on
//! no earlier one but by the address that it stores. The newest job was laid out exactly if it is `public`.

use crate::job::{Header, JobRef};
use crate::latch::Latch;
use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

/// What a job on a stack begins with. A push writes two words of it, and a third into the job before: most jobs are taken back, and need no more.
#[repr(C)]
pub(crate) struct Link {
    header: Header,
    older: Cell<*mut Link>,
    /// Written by the next push, if this job is private then.
    newer: Cell<MaybeUninit<*mut Link>>,
    /// Written when the job is laid out.
    shared: UnsafeCell<MaybeUninit<Shared>>,
}

/// What a job needs that others may run.
pub(crate) struct Shared {
    /// The slot of the one who has pushed it.
    pub(crate) owner: usize,
    /// Opens when it has been run.
    pub(crate) latch: Latch,
}

impl Link {
    #[inline(always)]
    pub(crate) fn new(header: Header) -> Self {
        Self {
            header,
            older: Cell::new(ptr::null_mut()),
            newer: Cell::new(MaybeUninit::uninit()),
            shared: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// # Safety
    /// The job has been laid out.
    pub(crate) unsafe fn shared(&self) -> &Shared {
        // SAFETY: written before it was laid out, and by nobody since.
        let shared = unsafe { &*self.shared.get() };
        // SAFETY: as above.
        unsafe { shared.assume_init_ref() }
    }

    /// Ends what laying out began. (There is nothing to drop, but in a model, which sees whether anybody touches it later.)
    ///
    /// # Safety
    /// The job has been laid out, and nobody looks at it any more; once.
    pub(crate) unsafe fn unshare(&self) {
        // SAFETY: the caller's: no other reference to it is left.
        let shared = unsafe { &mut *self.shared.get() };
        // SAFETY: written when it was laid out.
        unsafe { shared.assume_init_drop() };
    }
}

/// See the [module](self).
pub(crate) struct Stack {
    /// The newest job, or null.
    newest: Cell<*mut Link>,
    /// The newest job that has been laid out, or null. Where it is not `newest`, there are private jobs.
    public: Cell<*mut Link>,
    /// The oldest private job, where there are any.
    private: Cell<*mut Link>,
    /// Token of the outermost join or scope this worker is in, 0 for none.
    pub(crate) root: Cell<usize>,
}

impl Stack {
    pub(crate) fn new() -> Self {
        let null = || Cell::new(ptr::null_mut());
        Self { newest: null(), public: null(), private: null(), root: Cell::new(0) }
    }

    /// Pushes `job`; false where it is the only private job, of which [`set_only`](Self::set_only) is to be told.
    ///
    /// # Safety
    /// `job` stays where it is until it has been popped, by `take_back` or `forget`; what is pushed later is popped before. Its address is that of all of it.
    #[inline(always)]
    #[must_use]
    pub(crate) unsafe fn push(&self, job: NonNull<Link>) -> bool {
        let older = self.newest.replace(job.as_ptr());
        // SAFETY: the caller's.
        unsafe { job.as_ref() }.older.set(older);
        let has_more = older != self.public.get();
        if has_more {
            // SAFETY: there is a private job, so there is a newest one, which has not been popped.
            unsafe { &*older }.newer.set(MaybeUninit::new(job.as_ptr()));
        }
        has_more
    }

    /// `job` has been pushed, and is the only private one.
    pub(crate) fn set_only(&self, job: NonNull<Link>) {
        self.private.set(job.as_ptr());
    }

    /// Pops the newest job, which is `job`, if it has never been laid out.
    ///
    /// # Safety
    /// It is the newest, and has not been popped.
    #[inline(always)]
    pub(crate) unsafe fn take_back(&self, job: NonNull<Link>) -> bool {
        debug_assert_eq!(self.newest.get(), job.as_ptr(), "the newest job");
        let is_private = self.public.get() != job.as_ptr();
        if is_private {
            // SAFETY: it has not been popped.
            self.newest.set(unsafe { job.as_ref() }.older.get());
        }
        is_private
    }

    /// Pops the newest job, which is `job` and has been laid out.
    ///
    /// # Safety
    /// So it is, and it has not been popped.
    pub(crate) unsafe fn forget(&self, job: NonNull<Link>) {
        debug_assert_eq!((self.newest.get(), self.public.get()), (job.as_ptr(), job.as_ptr()));
        // SAFETY: it has not been popped.
        let older = unsafe { job.as_ref() }.older.get();
        self.newest.set(older);
        self.public.set(older);
    }

    /// The oldest private job of the worker of slot `owner`, whose stack this is; it is laid out from now on.
    pub(crate) fn lay_out(&self, owner: usize) -> Option<JobRef> {
        if !self.has_private() {
            return None;
        }
        let job = NonNull::new(self.private.get())?;
        self.public.set(job.as_ptr());
        // SAFETY: it has not been popped.
        let link = unsafe { job.as_ref() };
        // SAFETY: nobody else knows of it yet, and it is laid out once.
        unsafe { link.shared.get().write(MaybeUninit::new(Shared { owner, latch: Latch::new(1) })) };
        if self.has_private() {
            // SAFETY: it was private when the next one was pushed.
            self.private.set(unsafe { link.newer.get().assume_init() });
        }
        Some(JobRef::new(job))
    }

    /// Whether there is a job that has not been laid out.
    pub(crate) fn has_private(&self) -> bool {
        self.newest.get() != self.public.get()
    }
}
