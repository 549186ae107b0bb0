//! From the description of a pool to its threads.

use crate::builder::ThreadPoolBuilder;
use crate::error::ThreadPoolBuildError;
use crate::global::set_global;
use crate::start::{Started, start};
use crate::thread_pool::ThreadPool;
use crate::threads::{ThreadBuilder, ThreadSpawn, builder_for};
use std::thread;

impl ThreadPoolBuilder {
    /// Builds a pool whose threads may borrow from the caller, calls `with_pool` with it, and waits until its threads have ended. `wrapper` is called on each thread,
    /// and should call [`ThreadBuilder::run`].
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_scoped<W, F, R>(self, wrapper: W, with_pool: F) -> Result<R, ThreadPoolBuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&ThreadPool) -> R,
    {
        thread::scope(|scope| {
            let wrapper = &wrapper;
            let spawn = |thread: ThreadBuilder| {
                builder_for(&thread).spawn_scoped(scope, move || wrapper(thread))?;
                Ok(())
            };
            Ok(with_pool(&self.spawn_handler(spawn).build()?))
        })
    }
}

impl<S: ThreadSpawn> ThreadPoolBuilder<S> {
    /// Starts the threads.
    ///
    /// # Errors
    /// If a thread does not start, or if the calling thread is to join the pool but already belongs to one.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        let Started { registry, mut rest } = start(self)?;
        rest.join();
        registry.announce();
        Ok(ThreadPool::of(registry))
    }

    /// Builds the global pool, which is used outside any other pool, and waits until its threads run.
    ///
    /// # Errors
    /// As [`build`](Self::build), and if there is a global pool already.
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        set_global(self)
    }
}
