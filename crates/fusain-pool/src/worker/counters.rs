//! What the workers did: counts, cheap enough to leave on.

use crate::sync::{AtomicU64, Ordering};

/// What the workers of a pool have done since it was built; [`Pool::counters`](crate::Pool::counters) returns it.
///
/// The numbers are exact while no call is running. Counting is cheap, so it is always on.
///
/// ```
/// # use fusain_pool as fusain;
/// let pool = fusain::Pool::builder().threads(2).build()?;
/// let before = pool.counters();
/// pool.join(|| (), || ());
/// assert_eq!(pool.counters().calls - before.calls, 1);
/// # Ok::<(), fusain::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Calls that began: outermost joins and scopes, and runs of [`Algorithm`](crate::Algorithm)s.
    pub calls: u64,
    /// Units of work done by [`Algorithm`](crate::Algorithm)s.
    pub units: u64,
    /// How often a worker found a request, after a unit or at a `join` or `spawn`, and answered it.
    pub polls_answered: u64,
    /// Requests that workers without work made.
    pub steals_tried: u64,
    /// Parts of calls that were handed to another worker, on request or at the start of a call, and tasks and parts that another worker has taken.
    pub steals_done: u64,
    /// Requests that found nothing worth splitting.
    pub steals_refused: u64,
    /// Times a worker, or a caller that waits, went to sleep on the operating system.
    pub parks: u64,
    /// Times a sleeping worker or caller was woken for a call, or for a task that another worker has passed on. Other wakes for spawned tasks, and those for phases, are
    /// not counted.
    pub wakes: u64,
    /// Panics in callbacks of [`Algorithm`](crate::Algorithm)s that were caught and passed on to the caller.
    pub panics: u64,
}

/// One slot's counts. Only the slot's owner writes, so an increment is a plain load and store.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) calls: Count,
    pub(crate) units: Count,
    pub(crate) polls_answered: Count,
    pub(crate) steals_tried: Count,
    pub(crate) steals_done: Count,
    pub(crate) steals_refused: Count,
    pub(crate) parks: Count,
    pub(crate) wakes: Count,
    pub(crate) panics: Count,
}

#[derive(Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    /// Relaxed: one writer, and readers want a number, not an order.
    #[inline(always)]
    pub(crate) fn add(&self, n: u64) {
        self.0.store(self.0.load(Ordering::Relaxed) + n, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Tally {
    pub(crate) fn add_to(&self, sum: &mut Counters) {
        sum.calls += self.calls.get();
        sum.units += self.units.get();
        sum.polls_answered += self.polls_answered.get();
        sum.steals_tried += self.steals_tried.get();
        sum.steals_done += self.steals_done.get();
        sum.steals_refused += self.steals_refused.get();
        sum.parks += self.parks.get();
        sum.wakes += self.wakes.get();
        sum.panics += self.panics.get();
    }
}
