//! The public place of a stack: see [`slot`](crate::worker::slot).

use super::{Frame, check, finds, pool};
use crate::handover::job::JobRef;
use crate::sync::UnsafeCell;
use crate::sync::faulty::Fault;
use crate::worker::handle::Handle;
use crate::worker::header::{self, Header, Reopen};
use loom::thread;
use std::ptr::NonNull;

/// A job that counts how often it was run.
#[repr(C)]
struct Counted {
    header: Header,
    runs: UnsafeCell<usize>,
}

// SAFETY: loom checks each access.
unsafe impl Sync for Counted {}
// SAFETY: as above.
unsafe impl Send for Counted {}

unsafe fn count(job: *const Header, _: &Handle<'_>, _: Reopen<'_>) {
    // SAFETY: leaked by the model.
    let job = unsafe { &*job.cast::<Counted>() };
    // SAFETY: run by one thread, or the model fails.
    job.runs.with_mut(|runs| unsafe { *runs += 1 });
}

impl Counted {
    fn new() -> Frame<Self> {
        Frame::new(Self { header: Header { run: count }, runs: UnsafeCell::new(0) })
    }

    fn to_ref(&self) -> JobRef {
        JobRef::new(NonNull::from(self))
    }

    fn runs(&self) -> usize {
        // SAFETY: no thread runs it any more, or the model fails.
        self.runs.with(|runs| unsafe { *runs })
    }
}

/// The owner publishes a job and takes it back, unless a thief has been quicker. Then the same with a second job in the same place.
fn contended() {
    let pool = pool(2, 0);
    let jobs = [Counted::new(), Counted::new()];
    let thief = thread::spawn(move || {
        let handle = Handle::new(&pool, 1);
        if let Some(job) = pool.slots.get(0).take_offer(true) {
            // SAFETY: taken.
            unsafe { header::run(job, &handle, None) };
        }
    });
    let handle = Handle::new(&pool, 0);
    for job in jobs {
        if !handle.slot().has_place(0) {
            break;
        }
        // SAFETY: no other thread knows of it yet. (A write of the owner's, which the thief must see.)
        job.runs.with_mut(|runs| unsafe { *runs = 0 });
        handle.slot().offer(0, job.to_ref(), 0);
        if handle.slot().retract(0, job.to_ref()) {
            // SAFETY: taken back.
            unsafe { header::run(job.to_ref(), &handle, None) };
        }
    }
    thief.join().unwrap();
    for job in jobs {
        assert_eq!(job.runs(), 1, "each job is run once");
    }
}

#[test]
fn a_job_published_is_run_once() {
    check(3, contended);
}

#[test]
fn a_job_published_is_run_once_faults() {
    finds(&[Fault::WeakStore, Fault::WeakRmw, Fault::TornRmw], 3, contended);
}
