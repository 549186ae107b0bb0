//! A job that lies in two places, where different workers look: whoever comes first runs it, and the other one finds nothing to do.
//!
//! Both places have a share of what stands for the job. Who comes second touches nothing else, so it may come as late as it likes, when whatever waited for the job is gone.
//! Checked by `checks::scope`.

use crate::handover::job::JobRef;
use crate::sync::Mutex;
use crate::worker::handle::Handle;
use crate::worker::header::{Header, Reopen, reopen};
use std::ptr::NonNull;
use std::sync::Arc;

/// See the [module](self).
#[repr(C)]
struct Twice {
    header: Header,
    /// Until somebody has come.
    job: Mutex<Option<JobRef>>,
}

/// What stands for `job` in two places: each of the two is to be run once, on workers of the pool that the job belongs to.
pub(crate) fn twice(job: JobRef) -> [JobRef; 2] {
    let one = Arc::new(Twice { header: Header { run }, job: Mutex::new(Some(job)) });
    [Arc::clone(&one), one].map(|share| {
        let share = NonNull::new(Arc::into_raw(share).cast_mut());
        JobRef::new(share.expect("what an `Arc` owns is somewhere"))
    })
}

/// # Safety
/// `this` came from `twice` and is run once.
unsafe fn run(this: *const Header, handle: &Handle<'_>, mailbox: Reopen<'_>) {
    // SAFETY: from `Arc::into_raw`; this share is given up once.
    let this = unsafe { Arc::from_raw(this.cast::<Twice>()) };
    let job = this.job.lock().expect("no panic happens under this lock").take();
    drop(this);
    let Some(job) = job else { return reopen(mailbox) };
    // SAFETY: jobs begin so, and it is there, since nobody else has taken it.
    let run = unsafe { (*job.as_ptr::<Header>()).run };
    // SAFETY: taken, so it is run once; the handle is of its pool by the caller's contract.
    unsafe { run(job.as_ptr(), handle, mailbox) };
}
