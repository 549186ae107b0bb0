//! How the threads of a pool are started.

use crate::builder::ThreadPoolBuilder;
use crate::error::{ErrorKind, ThreadPoolBuildError};
use crate::handlers::{PanicHandler, guarded, handle_panic};
use crate::threads::{ThreadBuilder, ThreadSpawn};
use fusain_pool::adapter::{Registry, is_inside};
use std::sync::Arc;
use std::sync::mpsc::channel;

/// Starts the threads that `builder` describes; waits until they run, if it is to wait.
pub(crate) fn start<S: ThreadSpawn>(
    mut builder: ThreadPoolBuilder<S>,
    waits: bool,
) -> Result<Registry, ThreadPoolBuildError> {
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
    for worker in workers {
        // For the current thread, too, which has its name already: rayon's closure hears of every number.
        let name = builder.thread_name.as_mut().map(|name| name(worker.index()));
        if builder.use_current_thread && worker.index() == 0 {
            worker.stay();
            continue;
        }
        let thread = ThreadBuilder { name, stack_size: builder.stack_size, worker, arrived: arrived.clone() };
        builder.spawn_handler.spawn(thread).map_err(ErrorKind::Io)?;
    }
    drop(arrived);
    if waits {
        for () in arrivals {}
    }
    Ok(registry)
}
