//! chili: heartbeat scheduling of `join`.

use std::fmt;
use std::num::NonZero;

use chili::{Config, Scope, ThreadPool};

/// A chili pool; the caller counts as one of its threads.
pub struct Chili(ThreadPool);

impl fmt::Debug for Chili {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Chili").finish()
    }
}

impl Chili {
    /// A pool of `threads`, with chili's own heartbeat.
    pub fn new(threads: usize) -> Self {
        Chili(ThreadPool::with_config(Config { thread_count: NonZero::new(threads), ..Config::default() }))
    }

    /// The scope in which joins begin.
    pub fn scope(&self) -> Scope<'_> {
        self.0.scope()
    }
}
