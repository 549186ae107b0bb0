//! A thread that is to be started, and what starts it: std, or the user's `spawn_handler`.

use fusain_pool::adapter::UnstartedWorker;
use std::sync::mpsc::Sender;
use std::{fmt, io, thread};

/// A thread of a pool that is to be started. The started thread has to call [`run`](Self::run).
pub struct ThreadBuilder {
    pub(crate) name: Option<String>,
    pub(crate) stack_size: Option<usize>,
    pub(crate) worker: UnstartedWorker,
    /// Gets a message when the thread runs.
    pub(crate) arrived: Sender<()>,
}

impl ThreadBuilder {
    /// Its number in the pool.
    pub fn index(&self) -> usize {
        self.worker.index()
    }

    /// The name that it is to have.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The bytes of stack that it is to have.
    pub fn stack_size(&self) -> Option<usize> {
        self.stack_size
    }

    /// Works for the pool on the calling thread until the pool has been dropped and is done.
    pub fn run(self) {
        // The receiver may be gone: not every build waits for the threads.
        let _ = self.arrived.send(());
        drop(self.arrived);
        self.worker.run();
    }
}

impl fmt::Debug for ThreadBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadBuilder")
            .field("index", &self.index())
            .field("name", &self.name)
            .field("stack_size", &self.stack_size)
            .finish_non_exhaustive()
    }
}

mod sealed {
    /// Cannot be implemented outside this crate.
    pub trait Sealed {}
}

/// Starts threads; implemented by the type parameter of [`ThreadPoolBuilder`](crate::ThreadPoolBuilder).
pub trait ThreadSpawn: sealed::Sealed {
    /// Starts a thread that calls [`ThreadBuilder::run`].
    ///
    /// # Errors
    /// If the thread does not start.
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()>;
}

/// Starts threads with std.
#[derive(Debug, Default)]
pub struct DefaultSpawn;

impl sealed::Sealed for DefaultSpawn {}

impl ThreadSpawn for DefaultSpawn {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        builder_for(&thread).spawn(|| thread.run())?;
        Ok(())
    }
}

/// Starts threads with the user's closure.
#[derive(Debug)]
pub struct CustomSpawn<F>(pub(crate) F);

impl<F> sealed::Sealed for CustomSpawn<F> {}

impl<F: FnMut(ThreadBuilder) -> io::Result<()>> ThreadSpawn for CustomSpawn<F> {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        (self.0)(thread)
    }
}

/// std's builder with the name and stack that `thread` is to have.
pub(crate) fn builder_for(thread: &ThreadBuilder) -> thread::Builder {
    let mut builder = thread::Builder::new();
    if let Some(name) = thread.name() {
        builder = builder.name(name.to_owned());
    }
    if let Some(bytes) = thread.stack_size() {
        builder = builder.stack_size(bytes);
    }
    builder
}
