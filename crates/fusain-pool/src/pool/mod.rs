//! The pool: its threads and its interface.

pub(crate) mod builder;
pub(crate) mod global;
#[cfg(feature = "rayon")]
mod rayon;

use crate::Algorithm;
use crate::call::CallOptions;
use crate::call::pace::Grain;
use crate::run::opaque;
use crate::trace;
use crate::worker::counters::Counters;
use crate::worker::handle::Handle;
use crate::worker::inner::Inner;
use std::sync::Arc;
use std::thread::JoinHandle;

/// A set of workers that share the work of each call. The calling thread is one of them.
///
/// Any number of threads may call at once, and calls may be nested. Idle workers help whichever call has work to share. Dropping a pool
/// waits for its spawned tasks, then for its threads to end. It does not wait if a worker of this or another pool drops it, or if the pool is on
/// rayon's threads; spawned tasks are run all the same. The [global pool](Pool::global) is never dropped.
///
/// # Example
/// ```
/// # use fusain_pool as fusain;
/// use fusain::Pool;
/// let pool = Pool::builder().threads(2).build()?;
/// let (a, b) = pool.join(|| 6 * 7, || "in parallel, if a worker is free");
/// assert_eq!(a, 42);
/// # Ok::<(), fusain::Error>(())
/// ```
#[doc(alias = "ThreadPool")]
pub struct Pool {
    pub(crate) inner: Arc<Inner>,
    threads: Vec<JoinHandle<()>>,
    /// Whether `tracing` knows of it.
    is_announced: bool,
}

impl Pool {
    pub(crate) fn of(inner: Arc<Inner>, threads: Vec<JoinHandle<()>>) -> Self {
        Self { inner, threads, is_announced: false }
    }

    /// Tells `tracing` that the pool has started.
    pub(crate) fn announce(&mut self) {
        self.is_announced = true;
        trace::started(self.workers());
    }

    pub(crate) fn add_thread(&mut self, thread: JoinHandle<()>) {
        self.threads.push(thread);
    }

    /// The number of workers, the calling thread included.
    ///
    /// ```
    /// # use fusain_pool as fusain;
    /// let pool = fusain::Pool::builder().threads(3).build()?;
    /// assert_eq!(pool.workers(), 3);
    /// # Ok::<(), fusain::Error>(())
    /// ```
    #[doc(alias = "current_num_threads")]
    pub fn workers(&self) -> usize {
        self.inner.workers + 1
    }

    /// Returns what workers and callers have done since the pool was built. Takes O(workers + callers).
    ///
    /// ```
    /// # use fusain_pool as fusain;
    /// let pool = fusain::Pool::builder().threads(2).build()?;
    /// pool.join(|| (), || ());
    /// assert_eq!(pool.counters().calls, 1);
    /// # Ok::<(), fusain::Error>(())
    /// ```
    pub fn counters(&self) -> Counters {
        self.inner.counters()
    }

    /// A handle that reads the counters from any thread, also while the pool is busy and after it has been dropped.
    ///
    /// ```
    /// # use fusain_pool as fusain;
    /// let pool = fusain::Pool::builder().threads(1).build()?;
    /// let meter = pool.meter();
    /// drop(pool);
    /// assert_eq!(meter.counters().units, 0);
    /// # Ok::<(), fusain::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn meter(&self) -> Meter {
        Meter { inner: Arc::clone(&self.inner) }
    }

    /// Runs `algorithm` from the state `local` until no work is left anywhere.
    ///
    /// Idle workers take part as soon as there is something to split. Nothing is estimated beforehand: sleeping workers are woken, and the
    /// grain starts at one element and grows. [`Algorithm`] has an example.
    ///
    /// # Panics
    /// With the payload of the first panic in a callback, after every worker has left. States that are unfinished by then are dropped, not
    /// committed.
    #[inline]
    pub fn run<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        let options = CallOptions { grain: Grain::from(1), work: 0, wakes: true, offers: true };
        self.inner.enter(|handle| opaque::run(handle, algorithm, local, options));
    }
}

/// Reads a pool's counters from outside, for the reports of `fusain-cluster`; made by [`Pool::meter`]. Not part of the interface.
#[derive(Clone)]
pub struct Meter {
    inner: Arc<Inner>,
}

impl Meter {
    /// Counts what the pool's workers have done so far, in O(workers). While a call runs, the numbers lag a little behind.
    pub fn counters(&self) -> Counters {
        self.inner.counters()
    }
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Meter").field(&self.counters()).finish()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.inner.let_go();
        // The threads end without help. A worker of this or another pool does not wait for them: what they still run may wait for that worker, or
        // for the task that it is in, or drop that worker's pool and wait in turn. A thread that is a worker for the rest of its life may be in a task at any time.
        let is_worker = Handle::home(|home| home.is_some());
        for thread in self.threads.drain(..).filter(|_| !is_worker) {
            // A worker catches every panic of the work that it runs. One that escaped all the same is not resumed in this destructor.
            drop(thread.join());
        }
        if self.is_announced {
            trace::ended(self.workers());
        }
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("workers", &self.workers()).field("wait", &self.inner.wait).finish_non_exhaustive()
    }
}
