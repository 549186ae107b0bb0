//! How the threads of a pool are started.

use crate::builder::ThreadPoolBuilder;
use crate::error::{ErrorKind, ThreadPoolBuildError};
use crate::handlers::{PanicHandler, guarded, handle_panic};
use crate::threads::{ThreadBuilder, ThreadSpawn};
use fusain_pool::adapter::{Registry, UnstartedWorker, is_inside};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

/// A pool whose threads have been spawned.
pub(crate) struct Started {
    pub(crate) registry: Registry,
    pub(crate) rest: Rest,
}

/// What is left to be done once it is clear that the pool is wanted.
pub(crate) struct Rest {
    /// The worker that the calling thread is to be, for good.
    current: Option<UnstartedWorker>,
    /// Ends when all threads run.
    arrivals: Receiver<()>,
}

impl Rest {
    /// Makes the calling thread the worker that it is to be, if any.
    pub(crate) fn join(&mut self) {
        if let Some(worker) = self.current.take() {
            worker.stay();
        }
    }

    /// Waits until all threads run.
    pub(crate) fn wait(self) {
        for () in self.arrivals {}
    }
}

/// Starts the threads that `builder` describes.
pub(crate) fn start<S: ThreadSpawn>(mut builder: ThreadPoolBuilder<S>) -> Result<Started, ThreadPoolBuildError> {
    if builder.use_current_thread && is_inside() {
        return Err(ErrorKind::CurrentThreadAlreadyInPool.into());
    }
    let threads = builder.count().min(Registry::THREADS_MAX);
    let panic: Option<Arc<PanicHandler>> = builder.panic_handler.take().map(Arc::from);
    let start = guarded(builder.start_handler.take(), panic.clone());
    let exit = guarded(builder.exit_handler.take(), panic.clone());
    let (registry, workers) =
        Registry::new(threads, start, exit, move |payload| handle_panic(panic.as_deref(), payload));
    let (arrived, arrivals) = channel();
    let mut current = None;
    for worker in workers {
        // For the current thread, too, which has its name already: rayon's closure hears of every number.
        let name = builder.thread_name.as_mut().map(|name| name(worker.index()));
        if builder.use_current_thread && worker.index() == 0 {
            current = Some(worker);
            continue;
        }
        let thread = ThreadBuilder { name, stack_size: builder.stack_size, worker, arrived: arrived.clone() };
        builder.spawn_handler.spawn(thread).map_err(ErrorKind::Io)?;
    }
    Ok(Started { registry, rest: Rest { current, arrivals } })
}
