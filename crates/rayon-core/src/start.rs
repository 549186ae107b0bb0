//! How the threads of a pool are started: by std, or by the user's `spawn_handler`.

use crate::builder::ThreadPoolBuilder;
use crate::error::{ErrorKind, ThreadPoolBuildError};
use crate::handlers::{PanicHandler, guarded, handle_panic};
use fusain_pool::adapter::{Registry, UnstartedWorker, with_worker};
use std::sync::mpsc::{Sender, channel};
use std::{fmt, io, sync::Arc, thread};

/// A thread of a pool that is to be started: [`run`](Self::run) is its life.
pub struct ThreadBuilder {
    name: Option<String>,
    stack_size: Option<usize>,
    worker: UnstartedWorker,
    /// Told when the thread runs.
    arrived: Sender<()>,
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
        // The receiver may have left: not all wait for it.
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
    /// Not to be implemented outside.
    pub trait Sealed {}
}

/// Starts threads: what the type parameter of [`ThreadPoolBuilder`] can do.
pub trait ThreadSpawn: sealed::Sealed {
    /// Starts one that calls [`ThreadBuilder::run`].
    ///
    /// # Errors
    /// If it does not start.
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()>;
}

/// Threads as std starts them.
#[derive(Debug, Default)]
pub struct DefaultSpawn;

impl sealed::Sealed for DefaultSpawn {}

impl ThreadSpawn for DefaultSpawn {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        builder_for(&thread).spawn(|| thread.run())?;
        Ok(())
    }
}

/// Threads as the user's closure starts them.
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

/// Starts the threads that `builder` describes; waits until they run, if it is to wait.
pub(crate) fn start<S: ThreadSpawn>(
    mut builder: ThreadPoolBuilder<S>,
    waits: bool,
) -> Result<Registry, ThreadPoolBuildError> {
    if builder.use_current_thread && with_worker(|worker| worker.is_some()) {
        return Err(ErrorKind::CurrentThreadAlreadyInPool.into());
    }
    let threads = builder.count().min(Registry::THREADS_MAX);
    let panic: Option<Arc<PanicHandler>> = builder.panic_handler.take().map(Arc::from);
    let start = guarded(builder.start_handler.take(), panic.clone());
    let exit = guarded(builder.exit_handler.take(), panic.clone());
    let (registry, workers) =
        Registry::new(threads, start, exit, move |payload| handle_panic(panic.as_deref(), payload));
    let (arrived, arrivals) = channel();
    for worker in workers {
        if builder.use_current_thread && worker.index() == 0 {
            worker.stay();
            continue;
        }
        let name = builder.thread_name.as_mut().map(|name| name(worker.index()));
        let thread = ThreadBuilder { name, stack_size: builder.stack_size, worker, arrived: arrived.clone() };
        builder.spawn_handler.spawn(thread).map_err(ErrorKind::Io)?;
    }
    drop(arrived);
    if waits {
        for () in arrivals {}
    }
    Ok(registry)
}
