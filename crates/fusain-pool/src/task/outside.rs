//! A thread that is in no pool has a worker do something, and waits for it. (Only programs written for rayon do so: fusain's own calls run on the thread that makes them.)
//!
//! The job goes into the mailbox of a worker that is awake and idle, if there is one: by way of an inbox, where it has to be found, it gets there far later. Such a worker may have
//! lost its core, perhaps to the very thread that waits. So whoever waits looks after a while whether the job still lies there, and then takes it back and gives it to another.
//! The worker that had the last one is asked first. Checked by `checks::whole`.
//!
//! **Spin or yield.** Where there are as many workers as cores, who spins here keeps one of them from working, and who yields gets its core back some 3 us late. A job of a kind that was long
//! the last time is worth the second, others the first for as long as that.

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

/// From here on a job is long.
const LONG_NS: f32 = 10_000.0;

thread_local! {
    /// Whether the last job of a kind was long.
    static LONG: Kinds<bool> = const { Kinds::new() };
}

impl Pool {
    /// Runs `f` on a started worker of this pool and waits for it; on the calling thread if it is one. A pool without started workers runs it there, too.
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
    /// Runs `f` on some started worker, of which there are some, and waits for it.
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
        tasks::tell(self);
    }

    /// Hands `job`, which somebody waits for, to a worker that is awake and idle, looking at worker `first` first, and says to which; else leaves it to anybody.
    fn deliver(&self, first: usize, job: JobRef) -> Option<usize> {
        let callable = self.helpers_max.max(1).min(self.workers);
        let claim = |index: usize| {
            let front = &self.slots.get(index).front;
            (front.peek() == mailbox::ANY).then(|| front.claim(mailbox::ANY)).flatten().map(|claim| (index, claim))
        };
        let Some((index, claim)) = (0..callable).find_map(|at| claim((first + at) % callable)) else {
            self.leave_to_anybody(job);
            return None;
        };
        // SAFETY: whoever waits for it keeps it until it has been run, and nobody else knows of it.
        unsafe { claim.deliver(job) };
        if self.last_delivered.load(Ordering::Relaxed) != index {
            self.last_delivered.store(index, Ordering::Relaxed);
        }
        Some(index)
    }
}
