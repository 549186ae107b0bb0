//! Jobs: what lies somewhere in memory and can be run once, by whichever worker gets its address.
//!
//! A *stack job* lies in the frame of somebody who waits for it ([`join`](crate::join), [`part`](crate::part)); a *heap job* owns itself
//! ([`scope`](crate::scope), [`spawn`](crate::spawn), [`part`](crate::part)). Each begins with a [`Header`], so an address is all that travels.

use crate::handle::Handle;
use crate::mailbox::Mailbox;
use crate::trace;
use std::ptr::{self, NonNull};

/// What every job begins with; what follows is between the one who made it and `run`.
#[repr(C)]
pub(crate) struct Header {
    pub(crate) run: Run,
}

/// Runs the job at an address on the thread of a handle, tells whoever waits for it, and never unwinds.
pub(crate) type Run = unsafe fn(job: *const Header, handle: &Handle<'_>, reopen: Reopen<'_>);

/// The mailbox that is to be opened, and in which state, as soon as the job is done and before anybody is told: whoever waits may share its next
/// call at once, and shall find the worker ready. `None` where a job is run by somebody who has not finished with it.
pub(crate) type Reopen<'m> = Option<(&'m Mailbox, usize)>;

/// The address of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JobRef(NonNull<Header>);

// SAFETY: an address; running the job is `unsafe`, and whoever makes a job sees to it that what it captures is `Send`.
unsafe impl Send for JobRef {}

impl JobRef {
    /// Of a job that begins with a [`Header`].
    #[inline(always)]
    pub(crate) fn new<J>(job: NonNull<J>) -> Self {
        Self(job.cast())
    }

    /// Never 0, and a multiple of 8.
    #[inline(always)]
    pub(crate) fn to_address(self) -> usize {
        self.0.as_ptr().expose_provenance()
    }

    /// `None` from 0.
    ///
    /// # Safety
    /// `address` came from [`to_address`](Self::to_address), or is 0.
    #[inline(always)]
    pub(crate) unsafe fn from_address(address: usize) -> Option<Self> {
        NonNull::new(ptr::with_exposed_provenance_mut(address)).map(Self)
    }

    /// Runs the job.
    ///
    /// # Safety
    /// The job is there, and nobody else runs it or has run it. `handle` is that of this thread, in the pool that the job belongs to.
    #[inline(always)]
    pub(crate) unsafe fn run(self, handle: &Handle<'_>, reopen: Reopen<'_>) {
        let _during = trace::taken(handle.index);
        // SAFETY: the job is there.
        let run = unsafe { self.0.as_ref().run };
        // SAFETY: the caller's.
        unsafe { run(self.0.as_ptr(), handle, reopen) };
    }
}

/// Opens what is to be opened after a job.
#[inline(always)]
pub(crate) fn reopen(reopen: Reopen<'_>) {
    if let Some((mailbox, state)) = reopen {
        mailbox.open(state);
    }
}
