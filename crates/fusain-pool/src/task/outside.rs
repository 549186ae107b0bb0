//! Runs a job on a worker for a thread that is in no pool and waits for it. (Only programs written for rayon need this: fusain's own calls run on the thread that makes them.)
//!
//! The job is delivered to the mailbox of a worker that is awake and idle, if there is one. In an inbox, where a worker would have to find it, it would wait far longer. The
//! operating system may have taken the core from that worker, perhaps to run the very thread that waits. So after a while the waiting thread checks whether the job still
//! lies in the mailbox. If so, it takes the job back and delivers it to another worker. The search for a worker begins with the one that got the last job. Checked by
//! `checks::whole`.
//!
//! **Spin or yield.** Where there are as many workers as cores, a waiting thread that spins keeps one worker from its core. One that yields gets its core back some
//! microseconds late, which is little beside a long job. So the thread yields soon if the last job of this kind was long; otherwise it first spins for a few microseconds.

use crate::handover::job::JobRef;
use crate::handover::latch::Latch;
use crate::handover::mailbox;
use crate::idle::tasks;
use crate::idle::wait_outside;
use crate::platform::moment::{Moment, ticks_in};
use crate::pool::Pool;
use crate::sync::Ordering;
use crate::task::spawn::{AwaitedJob, and_wait};
use crate::worker::handle::Handle;
use crate::worker::inner::Inner;
use crate::worker::kinds::{Kinds, kind_of};
use std::cell::Cell;
use std::panic::resume_unwind;

/// A job that takes longer than this is long.
const LONG_NS: f32 = 10_000.0;

thread_local! {
    /// Whether the last job of a kind was long.
    static LONG: Kinds<bool> = const { Kinds::new() };
}

impl Pool {
    /// Runs `f` on a started worker of this pool and waits for it. If the calling thread is such a worker, or the pool has none, the calling thread runs it.
    #[doc(hidden)]
    pub fn in_worker<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        let pool = &*self.inner;
        let is_worker = |handle: &Handle<'_>| std::ptr::eq(handle.pool, pool) && handle.index < pool.workers;
        if pool.workers == 0 || Handle::current(|handle| handle.is_some_and(is_worker)) {
            return pool.enter(|_| f());
        }
        pool.run_in_worker(f)
    }
}

impl Inner {
    /// Runs `f` on a started worker and waits for it. There must be a started worker.
    pub(crate) fn run_in_worker<F: FnOnce() -> R + Send, R: Send>(&self, f: F) -> R {
        let latch = Latch::new(1);
        let job = AwaitedJob::new(f, &latch);
        if Handle::current(|handle| handle.is_some()) {
            and_wait(self, &latch, |owner| self.leave_to_anybody(job.to_ref(owner)));
        } else {
            let (kind, begun) = (kind_of::<F>(), Moment::now());
            // A model has no clock.
            let is_long = !cfg!(loom) && LONG.with(|long| long.get(kind)) == Some(true);
            self.with_lease(|owner| {
                let job = job.to_ref(owner);
                let worker = Cell::new(self.deliver(self.last_delivered.load(Ordering::Relaxed), job));
                wait_outside(self, self.slots.get(owner), &latch, is_long, || {
                    if let Some(index) = worker.get()
                        && self.slots.get(index).front.take_job_back(job)
                    {
                        worker.set(self.deliver(index + 1, job));
                    }
                });
            });
            LONG.with(|long| long.set(kind, begun.ticks() > u64::from(ticks_in(LONG_NS))));
        }
        job.into_result().unwrap_or_else(|payload| resume_unwind(payload))
    }

    fn leave_to_anybody(&self, job: JobRef) {
        self.inbox.push(job);
        tasks::tell(self, false);
    }

    /// Delivers `job`, for which the calling thread waits, to a worker that is awake and idle, and returns that worker's number. The search begins with worker `first`. If there is
    /// none, leaves the job to any worker.
    fn deliver(&self, first: usize, job: JobRef) -> Option<usize> {
        let callable = self.helpers_max.max(1).min(self.workers);
        let claim = |index: usize| {
            let front = &self.slots.get(index).front;
            (front.peek() == mailbox::ANY).then(|| front.claim(mailbox::ANY)).flatten().map(|claim| (index, claim))
        };
        let find = || (0..callable).find_map(|at| claim((first + at) % callable));
        // Not past tasks that were spawned before, for which the job may wait.
        let Some((index, claim)) = (if self.inbox.is_empty() { find() } else { None }) else {
            self.leave_to_anybody(job);
            return None;
        };
        // SAFETY: the waiting thread keeps the job until it has been run, and no other thread knows of it.
        unsafe { claim.deliver(job) };
        if self.last_delivered.load(Ordering::Relaxed) != index {
            self.last_delivered.store(index, Ordering::Relaxed);
        }
        Some(index)
    }
}
