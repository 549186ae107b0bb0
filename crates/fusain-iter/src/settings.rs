//! The options that a chain is run with.

use fusain_algorithms::{Par, internals, par};

use crate::flag::Flag;

/// The options of a chain. The adaptors of the chain write them when a run begins.
///
/// Programs meet this type only if they implement [`ParallelIterator`](crate::iter::ParallelIterator): they pass it on to the chains that theirs is made of.
///
/// ```
/// # mod fusain { pub use fusain_algorithms::*; pub use fusain_iter::*; }
/// use fusain::iter::{ParallelIterator, Settings};
///
/// fn length_known<I: ParallelIterator>(chain: I) -> bool {
///     chain.with_policy(fusain::par()).opt_len().is_some()
/// }
/// assert!(length_known(fusain::iter::repeat_n(7, 3)));
/// let _default = Settings::default();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Settings<'s> {
    pub(crate) policy: Par<'s>,
    /// The least number of elements in a part that is split off.
    pub(crate) least: usize,
    /// The maximum number of elements in a unit.
    pub(crate) most: usize,
    /// Raised when the whole chain must end. Sources check it if one of their elements may take long.
    pub(crate) over: Option<&'s Flag>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Settings { policy: par(), least: 1, most: usize::MAX, over: None }
    }
}

/// The number of elements in a block of a deterministic run if no grain was set. The results depend on it, as on the block length in reductions of slices.
const BLOCK: usize = 1 << 11;

impl<'s> Settings<'s> {
    /// Makes a source by `make`, whose chains within chains end when `over` is raised, unless there is a flag that ends the whole chain.
    #[inline(always)]
    pub(crate) fn until<S>(&mut self, over: &'s Flag, make: impl FnOnce(&mut Self) -> S) -> S {
        let outer = self.over;
        self.over = outer.or(Some(over));
        let source = make(self);
        // Another chain may follow this one, and `over` does not end that.
        self.over = outer;
        source
    }

    /// The length of blocks if the run is deterministic.
    #[inline(always)]
    pub(crate) fn block(&self) -> Option<usize> {
        internals::is_deterministic(&self.policy).then(|| internals::fixed_grain(&self.policy).unwrap_or(BLOCK))
    }
}
