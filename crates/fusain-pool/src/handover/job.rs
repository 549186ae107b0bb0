//! The address of a job. A job lies somewhere in memory and can be run once, by whichever worker gets it.
//!
//! A *stack job* lies in the frame of a thread that waits for it ([`join`](crate::task::join), [`spawn`](crate::task::spawn)); a *heap job* owns its memory
//! ([`scope`](crate::task::scope), [`spawn`](crate::task::spawn), [`part`](crate::call::part)). Every job begins with a [`Header`](crate::worker::header::Header).
//! So only its address travels through mailboxes, queues and stacks; they need to know nothing else about it.

use std::ptr::{self, NonNull};

/// The address of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JobRef(NonNull<()>);

// SAFETY: this is only an address. Running the job is `unsafe`, and the code that makes a job ensures that what it captures is `Send`.
unsafe impl Send for JobRef {}

impl JobRef {
    /// The address of a job that begins with a [`Header`](crate::worker::header::Header).
    #[inline(always)]
    pub(crate) fn new<J>(job: NonNull<J>) -> Self {
        Self(job.cast())
    }

    /// The address as a number: never 0, and a multiple of 8.
    #[inline(always)]
    pub(crate) fn to_address(self) -> usize {
        self.0.as_ptr().expose_provenance()
    }

    /// Back from the number; `None` from 0.
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
