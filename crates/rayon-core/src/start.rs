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

/// What is left to be done once it is clear that the pool is wanted.
pub(crate) struct Rest {
    /// The worker that the calling thread is to be, for good.
    current: Option<(UnstartedWorker, Promised)>,
    /// Ends when all threads run.
    arrivals: Receiver<()>,
}

impl Rest {
    /// Makes the calling thread the worker that it is to be, if any.
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
    /// Whether this thread is to be a worker of a pool that is being built.
    static IS_PROMISED: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, the thread that has made it is to be a worker. It becomes one when it is clear that the pool is wanted, and closures of the user's that
/// are called until then may build another pool.
struct Promised(PhantomData<*const ()>);

impl Promised {
    /// Unless the thread is a worker of a pool, or is to be one.
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
        // For the current thread, too, which has its name already: rayon's closure hears of every number.
        let name = builder.thread_name.as_mut().map(|name| name(worker.index()));
        if builder.use_current_thread && worker.index() == 0 {
            // Not before its name has been asked for: that may have made it a worker.
            let promised = Promised::begin().ok_or(ErrorKind::CurrentThreadAlreadyInPool)?;
            current = Some((worker, promised));
            continue;
        }
        let thread = ThreadBuilder { name, stack_size: builder.stack_size, worker, arrived: arrived.clone() };
        builder.spawn_handler.spawn(thread).map_err(ErrorKind::Io)?;
    }
    Ok(Started { registry, rest: Rest { current, arrivals } })
}
