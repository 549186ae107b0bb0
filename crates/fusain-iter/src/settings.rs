//! The options that a chain is run with.

use fusain_algorithms::{Par, internals, par};

use crate::flag::Flag;

/// The options of a chain, which the chain's parts write when a run begins.
///
/// Programs meet it only if they implement [`ParallelIterator`](crate::iter::ParallelIterator): they pass it on to the chains that theirs is made of.
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
    /// Fewer elements than this are not split off.
    pub(crate) least: usize,
    /// More elements than this do not make a unit.
    pub(crate) most: usize,
    /// Raised when the whole chain is to end: for sources of which one element may be long.
    pub(crate) over: Option<&'s Flag>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Settings { policy: par(), least: 1, most: usize::MAX, over: None }
    }
}

/// Elements in a block where none other is asked for: as in the reductions of slices, part of what "the same result" means.
const BLOCK: usize = 1 << 11;

impl Settings<'_> {
    /// The length of blocks, where the result is to depend on nothing else.
    #[inline(always)]
    pub(crate) fn block(&self) -> Option<usize> {
        internals::is_deterministic(&self.policy).then(|| internals::fixed_grain(&self.policy).unwrap_or(BLOCK))
    }
}
