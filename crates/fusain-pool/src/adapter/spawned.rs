//! Detached tasks of a registry, and closures on each of its workers.

use super::registry::{Fifos, Registry};
use super::worker::Worker;
use crate::handover::latch::Latch;
use crate::task::spawn::{AwaitedJob, DetachedJob, all_or_first_panic, and_wait};
use crate::worker::inner::Inner;
use std::sync::Arc;

impl Registry {
    /// Runs `task` later, on some worker. A worker runs its own tasks newest first, but those spawned `in_order` oldest first.
    pub fn spawn(&self, task: impl FnOnce() + Send + 'static, in_order: bool) {
        spawn(self.inner(), task, in_order);
    }

    /// Runs `f` later, once on every worker.
    pub fn spawn_broadcast(&self, f: impl Fn(usize) + Send + Sync + 'static) {
        spawn_broadcast(self.inner(), f);
    }

    /// Runs `f` once on every worker, and returns the results in the order of workers.
    ///
    /// # Panics
    /// With the first panic of `f`, in the order of workers, after it has ended everywhere.
    pub fn broadcast<R: Send>(&self, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
        broadcast(self.inner(), f)
    }
}

impl Worker<'_> {
    /// As [`Registry::spawn`].
    pub fn spawn(self, task: impl FnOnce() + Send + 'static, in_order: bool) {
        spawn(self.inner(), task, in_order);
    }

    /// As [`Registry::spawn_broadcast`].
    pub fn spawn_broadcast(self, f: impl Fn(usize) + Send + Sync + 'static) {
        spawn_broadcast(self.inner(), f);
    }

    /// As [`Registry::broadcast`].
    pub fn broadcast<R: Send>(self, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
        broadcast(self.inner(), f)
    }
}

fn spawn(pool: &Inner, task: impl FnOnce() + Send + 'static, in_order: bool) {
    let job = DetachedJob::boxed(task, pool);
    match pool.adapter.downcast_ref::<Fifos>() {
        Some(fifos) if in_order => pool.enqueue_as(|own| fifos[own].push(job), job),
        _ => pool.enqueue(job),
    }
}

fn spawn_broadcast(pool: &Inner, f: impl Fn(usize) + Send + Sync + 'static) {
    let f = Arc::new(f);
    let job = |to| {
        let f = Arc::clone(&f);
        DetachedJob::boxed(move || f(to), pool)
    };
    pool.give_all((0..pool.workers).map(job).collect());
}

fn broadcast<R: Send>(pool: &Inner, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let latch = Latch::new(pool.workers);
    let f = &f;
    let jobs: Vec<_> = (0..pool.workers).map(|to| AwaitedJob::new(move || f(to), &latch)).collect();
    and_wait(pool, &latch, |owner| pool.give_all(jobs.iter().map(|job| job.to_ref(owner)).collect()));
    all_or_first_panic(jobs.into_iter().map(AwaitedJob::into_result).collect())
}
