//! The registry that is used where none is named: that of the calling worker, or else the global one.

use crate::builder::ThreadPoolBuilder;
use crate::error::{ErrorKind, ThreadPoolBuildError};
use crate::start::{Started, start};
use crate::threads::ThreadSpawn;
use fusain_pool::adapter::{Registry, Worker, with_worker};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};

static GLOBAL: OnceLock<Registry> = OnceLock::new();

/// The thread that is in [`set_global`].
static BUILDER: Mutex<Option<ThreadId>> = Mutex::new(None);

/// Notified when it has made the registry, or failed.
static BUILT: Condvar = Condvar::new();

/// Waits until no other thread is about to make the global registry, as in rayon.
fn await_builder() -> MutexGuard<'static, Option<ThreadId>> {
    let me = thread::current().id();
    let is_building = |builder: &mut Option<ThreadId>| builder.is_some_and(|builder| builder != me);
    let builder = BUILDER.lock().unwrap_or_else(PoisonError::into_inner);
    BUILT.wait_while(builder, is_building).unwrap_or_else(PoisonError::into_inner)
}

/// While it lives, this thread makes the global registry.
struct Building;

impl Building {
    /// `None` if this thread is about to do so already.
    fn begin() -> Option<Self> {
        let before = await_builder().replace(thread::current().id());
        before.is_none().then(|| Self)
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        *BUILDER.lock().unwrap_or_else(PoisonError::into_inner) = None;
        BUILT.notify_all();
    }
}

/// The global registry, made at first use.
#[inline]
pub(crate) fn global() -> &'static Registry {
    GLOBAL.get().unwrap_or_else(first_global)
}

#[cold]
fn first_global() -> &'static Registry {
    drop(await_builder());
    let mut is_first = false;
    let registry = GLOBAL.get_or_init(|| match start(ThreadPoolBuilder::new()).or_else(alone) {
        Ok(Started { registry, mut rest }) => {
            rest.join();
            rest.wait();
            is_first = true;
            registry
        }
        Err(error) => panic!("the global thread pool: {error}"),
    });
    if is_first {
        registry.announce();
    }
    registry
}

/// The global registry where no thread can be started: the first thread that calls is its only one, as in rayon.
fn alone(error: ThreadPoolBuildError) -> Result<Started, ThreadPoolBuildError> {
    if !error.is_unsupported() {
        return Err(error);
    }
    start(ThreadPoolBuilder::new().num_threads(1).use_current_thread()).map_err(|_| error)
}

/// Makes the registry of `builder` the global one.
pub(crate) fn set_global<S: ThreadSpawn>(builder: ThreadPoolBuilder<S>) -> Result<(), ThreadPoolBuildError> {
    let taken = || Err(ErrorKind::GlobalPoolAlreadyInitialized.into());
    let building = Building::begin();
    if GLOBAL.get().is_some() {
        return taken();
    }
    let Started { registry, mut rest } = start(builder)?;
    // Another thread may have been quicker: then the started threads leave again, and the calling thread has never joined them.
    if GLOBAL.set(registry).is_err() {
        return taken();
    }
    drop(building);
    rest.join();
    rest.wait();
    global().announce();
    Ok(())
}

/// Runs `f` on this thread if it is a worker, or else on a worker of the global registry. The second argument of `f` says whether it was moved to another thread.
#[inline]
pub(crate) fn in_worker<R: Send>(f: impl FnOnce(Worker<'_>, bool) -> R + Send) -> R {
    with_worker(|worker| match worker {
        Some(worker) => f(worker, false),
        None => global().in_worker(f),
    })
}

/// The most threads a pool can have.
pub fn max_num_threads() -> usize {
    Registry::THREADS_MAX
}

/// The number of threads of the pool that the calling thread belongs to, or else of the global pool.
pub fn current_num_threads() -> usize {
    with_worker(|worker| match worker {
        Some(worker) => worker.threads(),
        None => global().threads(),
    })
}

/// The number of the calling thread in its pool, below the number of threads; `None` outside any pool.
#[inline]
pub fn current_thread_index() -> Option<usize> {
    with_worker(|worker| worker.map(Worker::index))
}

/// Whether the calling thread has tasks that have not begun; `None` outside any pool.
#[inline]
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    with_worker(|worker| worker.map(Worker::has_pending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn a_thread_is_alone_where_none_can_be_started() {
        let error = |kind: io::ErrorKind| ErrorKind::Io(kind.into()).into();
        let (threads, index) = thread::spawn(move || {
            let Started { registry, mut rest } = alone(error(io::ErrorKind::Unsupported)).unwrap();
            rest.join();
            rest.wait();
            (registry.threads(), current_thread_index())
        })
        .join()
        .unwrap();
        assert_eq!((threads, index), (1, Some(0)));
        assert!(alone(error(io::ErrorKind::WouldBlock)).is_err());
    }
}
