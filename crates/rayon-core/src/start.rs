//! How the threads of a pool are started.

use crate::builder::ThreadPoolBuilder;
use crate::error::{ErrorKind, ThreadPoolBuildError};
use crate::handlers::{PanicHandler, guarded, handle_panic};
use crate::threads::{ThreadBuilder, ThreadSpawn};
use fusain_pool::adapter::{Registry, UnstartedWorker, is_inside};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

/// A pool whose threads have been spawned.
pub(crate) struct Started {
    pub(crate) registry: Registry,
    pub(crate) rest: Rest,
}

/// What is left to be done once it is certain that the pool will be used.
pub(crate) struct Rest {
    /// The worker that the calling thread is to become for the rest of its life.
    current: Option<(UnstartedWorker, Promised)>,
    /// This channel ends when all threads run.
    arrivals: Receiver<()>,
}

impl Rest {
    /// Makes the calling thread a worker, if it is to become one.
    pub(crate) fn join(&mut self) {
        if let Some((worker, _promised)) = self.current.take() {
            worker.stay();
        }
    }

    /// Waits until all threads run.
    pub(crate) fn wait(self) {
        for () in self.arrivals {}
    }
}

thread_local! {
    /// Whether this thread is to become a worker of a pool that is being built.
    static IS_PROMISED: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, the thread that has made it is to become a worker. The thread becomes one when it is certain that the pool will be used. Until then, closures of the user's
/// that are called may build another pool.
struct Promised(PhantomData<*const ()>);

impl Promised {
    /// `None` if the thread is inside a pool, or is to become a worker already.
    fn begin() -> Option<Self> {
        let is_free = !is_inside() && !IS_PROMISED.replace(true);
        is_free.then(|| Self(PhantomData))
    }
}

impl Drop for Promised {
    fn drop(&mut self) {
        IS_PROMISED.set(false);
    }
}

/// Starts the threads that `builder` describes.
pub(crate) fn start<S: ThreadSpawn>(mut builder: ThreadPoolBuilder<S>) -> Result<Started, ThreadPoolBuildError> {
    let threads = builder.count().min(Registry::THREADS_MAX);
    let panic: Option<Arc<PanicHandler>> = builder.panic_handler.take().map(Arc::from);
    let start = guarded(builder.start_handler.take(), panic.clone());
    let exit = guarded(builder.exit_handler.take(), panic.clone());
    let (registry, workers) =
        Registry::new(threads, start, exit, move |payload| handle_panic(panic.as_deref(), payload));
    let (arrived, arrivals) = channel();
    let mut current = None;
    for worker in workers {
        // Also for the current thread, which keeps its name: as in rayon, the closure is called with every number.
        let name = builder.thread_name.as_mut().map(|name| name(worker.index()));
        if builder.use_current_thread && worker.index() == 0 {
            // Only after the closure for names has been called, which may have made this thread a worker.
            let promised = Promised::begin().ok_or(ErrorKind::CurrentThreadAlreadyInPool)?;
            current = Some((worker, promised));
            continue;
        }
        let thread = ThreadBuilder { name, stack_size: builder.stack_size, worker, arrived: arrived.clone() };
        builder.spawn_handler.spawn(thread).map_err(ErrorKind::Io)?;
    }
    Ok(Started { registry, rest: Rest { current, arrivals } })
}
