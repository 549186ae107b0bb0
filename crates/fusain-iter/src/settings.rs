//! What a chain says about how it is to be run.

use fusain_algorithms::{Par, internals, par};

/// How a chain runs; collected while its sources are made.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'s> {
    pub(crate) policy: Par<'s>,
    /// Fewer elements than this are not split off.
    pub(crate) least: usize,
    /// More elements than this do not make a unit.
    pub(crate) most: usize,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Settings { policy: par(), least: 1, most: usize::MAX }
    }
}

/// Elements in a block where none other is asked for: as in the reductions of slices, part of what "the same result" means.
const BLOCK: usize = 1 << 11;

impl Settings<'_> {
    /// The length of blocks, where the result is to depend on nothing else.
    pub(crate) fn block(&self) -> Option<usize> {
        internals::is_deterministic(&self.policy).then(|| internals::fixed_grain(&self.policy).unwrap_or(BLOCK))
    }
}
