//! Deprecated names from earlier versions of rayon.
#![allow(deprecated, reason = "they name one another")]

use crate::builder::ThreadPoolBuilder;
use crate::thread_pool::ThreadPool;
use std::any::Any;
use std::error::Error;

/// The earlier name of [`ThreadPoolBuilder`].
#[deprecated(note = "Use `ThreadPoolBuilder`")]
#[derive(Debug, Default)]
pub struct Configuration {
    pub(crate) builder: ThreadPoolBuilder,
}

impl Configuration {
    /// See [`ThreadPoolBuilder::new`].
    pub fn new() -> Self {
        Self::default()
    }

    /// See [`ThreadPoolBuilder::build`].
    ///
    /// # Errors
    /// As that method.
    pub fn build(self) -> Result<ThreadPool, Box<dyn Error + 'static>> {
        self.builder.build().map_err(Box::from)
    }

    /// See [`ThreadPoolBuilder::thread_name`].
    pub fn thread_name<F: FnMut(usize) -> String + 'static>(self, name: F) -> Self {
        Self { builder: self.builder.thread_name(name) }
    }

    /// See [`ThreadPoolBuilder::num_threads`].
    pub fn num_threads(self, num_threads: usize) -> Self {
        Self { builder: self.builder.num_threads(num_threads) }
    }

    /// See [`ThreadPoolBuilder::panic_handler`].
    pub fn panic_handler<H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static>(self, handler: H) -> Self {
        Self { builder: self.builder.panic_handler(handler) }
    }

    /// See [`ThreadPoolBuilder::stack_size`].
    pub fn stack_size(self, stack_size: usize) -> Self {
        Self { builder: self.builder.stack_size(stack_size) }
    }

    /// See [`ThreadPoolBuilder::breadth_first`].
    pub fn breadth_first(self) -> Self {
        Self { builder: self.builder.breadth_first() }
    }

    /// See [`ThreadPoolBuilder::start_handler`].
    pub fn start_handler<H: Fn(usize) + Send + Sync + 'static>(self, handler: H) -> Self {
        Self { builder: self.builder.start_handler(handler) }
    }

    /// See [`ThreadPoolBuilder::exit_handler`].
    pub fn exit_handler<H: Fn(usize) + Send + Sync + 'static>(self, handler: H) -> Self {
        Self { builder: self.builder.exit_handler(handler) }
    }
}

impl ThreadPool {
    /// The earlier name of [`ThreadPoolBuilder::build`].
    ///
    /// # Errors
    /// As that method.
    #[deprecated(note = "Use `ThreadPoolBuilder::build`")]
    #[allow(deprecated, reason = "of the same time")]
    pub fn new(configuration: Configuration) -> Result<Self, Box<dyn Error>> {
        ThreadPoolBuilder::build(configuration.builder).map_err(Box::from)
    }
}

/// The earlier name of [`ThreadPoolBuilder::build_global`].
///
/// # Errors
/// As that method.
#[deprecated(note = "use `ThreadPoolBuilder::build_global`")]
pub fn initialize(config: Configuration) -> Result<(), Box<dyn Error>> {
    config.builder.build_global().map_err(Box::from)
}
