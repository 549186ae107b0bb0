//! fork_union: a pool whose threads always spin, without work stealing.

use std::fmt;
use std::hint::black_box;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use fork_union::ThreadPool;

/// A fork_union pool; the caller counts as one of its threads.
///
/// Its threads spin as long as it lives, so keep it for one turn only.
pub struct ForkUnion(Mutex<ThreadPool>);

impl fmt::Debug for ForkUnion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ForkUnion").finish()
    }
}

impl ForkUnion {
    /// A pool of `threads`.
    ///
    /// # Errors
    ///
    /// If the operating system cannot start the threads.
    pub fn new(threads: usize) -> anyhow::Result<Self> {
        let pool = ThreadPool::try_spawn(threads).map_err(|error| anyhow!("fork_union has no threads: {error:?}"))?;
        Ok(ForkUnion(Mutex::new(pool)))
    }

    /// Calls `task` with each index below `n`; each free thread takes the next index.
    pub fn for_n(&self, n: usize, task: impl Fn(usize) + Sync) {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The returned value runs the loop when it is dropped.
        drop(pool.for_n_dynamic(n, |prong| task(prong.task_index)));
    }

    /// Calls `f` with each element. Each thread gets a slice of the same length.
    pub fn for_each<T: Send>(&self, v: &mut [T], f: impl Fn(&mut T) + Sync) {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let len = v.len().div_ceil(pool.threads()).max(1);
        // Each thread locks its own slice only.
        let slices: Vec<Mutex<&mut [T]>> = v.chunks_mut(len).map(Mutex::new).collect();
        drop(pool.for_threads(|thread, _| {
            if let Some(slice) = slices.get(thread) {
                slice.lock().unwrap_or_else(PoisonError::into_inner).iter_mut().for_each(&f);
            }
        }));
    }

    /// The time in nanoseconds of `regions` empty regions on a new pool; NaN if its threads cannot be started.
    pub fn regions_ns(threads: usize, regions: usize) -> f64 {
        /// During the warm-up, regions wait for the threads to start.
        const WARM_UP: Duration = Duration::from_micros(200);
        let Ok(mut pool) = ThreadPool::try_spawn(threads) else { return f64::NAN };
        let mut region = || drop(pool.for_threads(|thread, _| _ = black_box(thread)));
        let start = Instant::now();
        while start.elapsed() < WARM_UP {
            region();
        }
        let start = Instant::now();
        (0..regions).for_each(|_| region());
        start.elapsed().as_nanos() as f64
    }
}
