//! The address of a job: what lies somewhere in memory and can be run once, by whichever worker gets it.
//!
//! A *stack job* lies in the frame of somebody who waits for it ([`join`](crate::join), [`part`](crate::call::part)); a *heap job* owns itself
//! ([`scope`](crate::scope), [`spawn`](crate::spawn), [`part`](crate::call::part)). Each begins with a [`Header`](crate::worker::header::Header), so an address is all that travels
//! through mailboxes, queues and stacks, which need to know no more.

use std::ptr::{self, NonNull};

/// The address of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JobRef(NonNull<()>);

// SAFETY: an address; running the job is `unsafe`, and whoever makes a job sees to it that what it captures is `Send`.
unsafe impl Send for JobRef {}

impl JobRef {
    /// Of a job that begins with a [`Header`](crate::worker::header::Header).
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

    #[inline(always)]
    pub(crate) fn as_ptr<H>(self) -> *const H {
        self.0.as_ptr().cast_const().cast()
    }
}
