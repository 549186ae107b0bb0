//! Phases: stretches of a program in which the workers stay awake.
//!
//! A program may know that a burst of short calls begins, which the pool cannot know. Phases are counted. A worker that is about to sleep reads the count, after the fence of
//! [`idle`](crate::idle). A thread that begins a phase adds to the count, executes a fence and wakes sleeping workers. So at least one of the two sees the other.

use crate::pool::Pool;
use crate::sync::{Ordering, fence};

/// A period in which a pool's workers do not sleep; made by [`Pool::phase`]. It ends when the `Phase` is dropped. A leaked `Phase` never ends.
#[derive(Debug)]
#[must_use = "the workers may sleep again as soon as it is dropped"]
pub struct Phase<'p> {
    pool: &'p Pool,
}

impl Pool {
    /// Wakes the workers, without waiting for them to run, and keeps them awake until the result is dropped.
    ///
    /// It is for bursts of short calls with rests between them: the first call of a burst finds its workers awake. Each worker spins meanwhile, and so uses a core.
    /// Workers beyond the number of cores still sleep, and so do those of a pool on rayon's threads. Phases may overlap.
    ///
    /// Takes up to three system calls for each sleeping worker. A woken worker may run only some tens of microseconds later.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// use fusain::Pool;
    /// let pool = Pool::builder().threads(2).build()?;
    /// {
    ///     let _burst = pool.phase();
    ///     for step in 0..10 {
    ///         assert_eq!(pool.join(|| step, || 2 * step), (step, 2 * step));
    ///     }
    /// }
    /// // From here on idle workers sleep again.
    /// # Ok::<(), fusain::Error>(())
    /// ```
    pub fn phase(&self) -> Phase<'_> {
        let pool = &*self.inner;
        pool.phases.fetch_add(1, Ordering::Relaxed);
        // Pairs with the fence of a worker that falls asleep.
        fence(Ordering::SeqCst);
        for index in 0..pool.helpers_max {
            if pool.stays_awake(index) {
                pool.wake_quietly(index);
            }
        }
        Phase { pool: self }
    }
}

impl Drop for Phase<'_> {
    fn drop(&mut self) {
        self.pool.inner.phases.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(any(loom, fusain_single))))]
mod tests {
    use super::*;
    use crate::platform::cores;
    use std::thread::sleep;
    use std::time::Duration;

    #[test]
    fn a_worker_stays_awake_in_a_phase() {
        if cores() == 1 {
            return;
        }
        let pool = Pool::builder().threads(2).build().expect("threads can be started");
        // The parks of the worker only: the caller may sleep while it waits for the worker.
        let parks = || pool.inner.slots.get(0).tally().parks.get();
        let rest = || {
            sleep(Duration::from_millis(2));
            // This needs the worker, so it is woken if it sleeps.
            pool.broadcast(|_| ());
        };
        {
            let _phase = pool.phase();
            // The worker may have been about to sleep.
            rest();
            let before = parks();
            (0..10).for_each(|_| rest());
            assert_eq!(parks(), before);
        }
        let before = parks();
        assert!((0..10_000).any(|_| {
            rest();
            parks() > before
        }));
    }
}
