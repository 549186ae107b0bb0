//! Tasks that are run in the order in which they were spawned.

use crate::handover::job::JobRef;
use crate::handover::queue::Inbox;
use crate::worker::handle::Handle;
use crate::worker::header::{self, Header, Reopen, reopen};
use std::ptr::NonNull;

/// Tasks that one worker has spawned, to be run in the order of spawning although the worker's queue gives the newest first.
///
/// The queue has one entry for each task: the address of this `Fifo`. A worker that takes an entry runs the oldest task.
#[repr(C)]
pub(crate) struct Fifo {
    header: Header,
    inbox: Inbox,
}

impl Fifo {
    pub(crate) fn new() -> Self {
        Self { header: Header { run: Self::run }, inbox: Inbox::new() }
    }

    /// Adds a task. Returns the job that is to be queued in its place, and is valid until it has been run.
    pub(crate) fn push(&self, job: JobRef) -> JobRef {
        self.inbox.push(job);
        JobRef::new(NonNull::from(self))
    }

    /// # Safety
    /// `this` came from `push`, and has been run less often than that was called.
    unsafe fn run(this: *const Header, handle: &Handle<'_>, mailbox: Reopen<'_>) {
        let job = {
            // SAFETY: alive as long as tasks are left, of which there are as many as runs to come.
            let this = unsafe { &*this.cast::<Self>() };
            this.inbox.take()
        };
        match job {
            // SAFETY: taken out of the inbox, and a job of the pool in whose queue this `Fifo` was.
            Some(job) => unsafe { header::run(job, handle, mailbox) },
            None => reopen(mailbox),
        }
    }
}
