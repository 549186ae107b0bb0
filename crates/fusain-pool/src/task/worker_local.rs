//! A value for each worker.

use crate::task::spawn::{current_worker_index, current_workers};
use crossbeam_utils::CachePadded;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A value for each worker, made when it is first asked for: a buffer, a random number generator, a tally.
///
/// A closure that runs a million times borrows one of a few values instead of making a million. Unlike a thread-local, the values are
/// dropped with this one, may borrow from their surroundings, and can be looked at afterwards.
///
/// While a worker waits inside [`with`](Self::with), it may run another task that calls `with`. That call gets a value of its own. So there may be more values
/// than workers, but never two borrowers of one.
///
/// # Example
/// ```
/// # use fusain_pool as fusain;
/// use fusain::{WorkerLocal, join};
/// let counts = WorkerLocal::new(|| 0_u64);
/// fn visit(counts: &WorkerLocal<'_, u64>, depth: u32) {
///     counts.with(|count| *count += 1);
///     if depth > 0 {
///         join(|| visit(counts, depth - 1), || visit(counts, depth - 1));
///     }
/// }
/// visit(&counts, 9);
/// assert_eq!(counts.into_values().sum::<u64>(), 1023);
/// ```
pub struct WorkerLocal<'f, T> {
    /// One list for each worker, and one for all other threads. Threads of several pools may share a list.
    free: Box<[CachePadded<Mutex<Vec<T>>>]>,
    make: Box<dyn Fn() -> T + Send + Sync + 'f>,
}

impl<'f, T: Send> WorkerLocal<'f, T> {
    /// Values for the workers of the current pool (see [`current_workers`]). The worker that needs a value calls `make`.
    ///
    /// # Panics
    /// As [`current_workers`] does.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// let length = 1 << 10;
    /// let buffers = fusain::WorkerLocal::new(|| vec![0_u8; length]);
    /// fusain::join(|| buffers.with(|buffer| buffer[0] = 1), || buffers.with(|buffer| buffer[1] = 2));
    /// assert!(buffers.into_values().count() <= 2); // one for each worker that needed one
    /// ```
    pub fn new(make: impl Fn() -> T + Send + Sync + 'f) -> Self {
        Self { free: (0..=current_workers()).map(|_| CachePadded::default()).collect(), make: Box::new(make) }
    }

    /// Lends this worker's value to `f`. Takes a lock before and after that, which is seldom contended.
    ///
    /// # Panics
    /// If `f` or the closure that makes values panics. The value is kept as `f` has left it.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// let buffers = fusain::WorkerLocal::new(String::new);
    /// let reversed = |word: &str| {
    ///     buffers.with(|buffer| {
    ///         buffer.clear();
    ///         buffer.extend(word.chars().rev());
    ///         buffer == word
    ///     })
    /// };
    /// assert_eq!(fusain::join(|| reversed("level"), || reversed("worker")), (true, false));
    /// ```
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let others = self.free.len() - 1;
        let place = &self.free[current_worker_index().map_or(others, |index| index % others.max(1))];
        // `make` may panic, so it is not called under the lock.
        let value = lock(place).pop();
        let mut borrowed = Borrowed { place, value: Some(value.unwrap_or_else(|| (self.make)())) };
        f(borrowed.value.as_mut().expect("there until it is given back"))
    }

    /// All values that were made, in no particular order.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// let longest = fusain::WorkerLocal::new(|| 0);
    /// let note = |word: &str| longest.with(|longest| *longest = word.len().max(*longest));
    /// fusain::join(|| note("pool"), || note("worker"));
    /// assert_eq!(longest.into_values().max(), Some(6));
    /// ```
    pub fn into_values(self) -> impl Iterator<Item = T> {
        self.free.into_iter().flat_map(|place| place.into_inner().into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// No panic happens under this lock, so it is never poisoned.
fn lock<T>(place: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A value that is given back when this is dropped, also by a panic.
struct Borrowed<'v, T> {
    place: &'v Mutex<Vec<T>>,
    value: Option<T>,
}

impl<T> Drop for Borrowed<'_, T> {
    fn drop(&mut self) {
        lock(self.place).extend(self.value.take());
    }
}

impl<T> fmt::Debug for WorkerLocal<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerLocal").finish_non_exhaustive()
    }
}
