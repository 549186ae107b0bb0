//! What a job begins with, and how it is run.

use crate::handover::job::JobRef;
use crate::handover::mailbox::Mailbox;
use crate::trace;
use crate::worker::handle::Handle;

/// What every job begins with. What follows is known only to the code that made the job, and to `run`.
///
/// Aligned as mailboxes require of a job's address, also where words have four bytes: allocators need not align more than they are asked to.
#[repr(C, align(8))]
pub(crate) struct Header {
    pub(crate) run: Run,
}

/// Runs the job at an address on the thread of a handle, tells the thread that waits for it, and never unwinds.
pub(crate) type Run = unsafe fn(job: *const Header, handle: &Handle<'_>, reopen: Reopen<'_>);

/// The mailbox that is to be opened, and in which state, as soon as the job is done and before the waiter is told: the waiter may share its next
/// call at once, and should find the worker ready. `None` if the worker is not free after the job. (A task may leave it shut, for the worker to open: [`reopen_if_idle`].)
pub(crate) type Reopen<'m> = Option<(&'m Mailbox, usize)>;

/// Runs the job.
///
/// # Safety
/// The job is alive, and no other thread runs it or has run it. `handle` is that of this thread, in the pool that the job belongs to.
#[inline(always)]
pub(crate) unsafe fn run(job: JobRef, handle: &Handle<'_>, reopen: Reopen<'_>) {
    let _during = trace::taken(handle.index);
    let header = job.as_ptr::<Header>();
    // SAFETY: the job is alive, and begins with it.
    let run = unsafe { (*header).run };
    // SAFETY: the caller's contract.
    unsafe { run(header, handle, reopen) };
}

/// Opens the mailbox that is to be opened after a job.
#[inline(always)]
pub(crate) fn reopen(reopen: Reopen<'_>) {
    if let Some((mailbox, state)) = reopen {
        mailbox.open(state);
    }
}

/// As [`reopen`], after a task. If the worker has more tasks of its own, perhaps spawned by this one, it goes on with them, and its mailbox stays shut.
#[inline(always)]
pub(crate) fn reopen_if_idle(handle: &Handle<'_>, mailbox: Reopen<'_>) {
    if mailbox.is_some() && !handle.has_tasks() {
        reopen(mailbox);
    }
}
