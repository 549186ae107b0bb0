//! Tasks that are run in the order in which they were spawned.

use crate::handover::job::JobRef;
use crate::handover::queue::Inbox;
use crate::worker::handle::Handle;
use crate::worker::header::{self, Header, Reopen, reopen};
use std::ptr::NonNull;

/// Tasks that one worker has spawned, to be run in that order though its queue gives the newest first.
///
/// In the queue stands, for each of them, the address of the whole: whoever takes that runs the oldest.
#[repr(C)]
pub(crate) struct Fifo {
    header: Header,
    inbox: Inbox,
}

impl Fifo {
    pub(crate) fn new() -> Self {
        Self { header: Header { run: Self::run }, inbox: Inbox::new() }
    }

    /// Adds a task; what is returned is to be queued in its place, and is good until it has been run.
    pub(crate) fn push(&self, job: JobRef) -> JobRef {
        self.inbox.push(job);
        JobRef::new(NonNull::from(self))
    }

    /// # Safety
    /// `this` came from `push`, and has been run less often than that was called.
    unsafe fn run(this: *const Header, handle: &Handle<'_>, mailbox: Reopen<'_>) {
        let job = {
            // SAFETY: there, since as many tasks are left as times it has yet to be run.
            let this = unsafe { &*this.cast::<Self>() };
            this.inbox.take()
        };
        match job {
            // SAFETY: taken out, and of the pool in whose queue it stood.
            Some(job) => unsafe { header::run(job, handle, mailbox) },
            None => reopen(mailbox),
        }
    }
}
