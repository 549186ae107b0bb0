//! The bits of the counters of a run.

/// Set in the counters of messages.
pub(super) const IS_MESSAGE: u32 = 1 << 31;
/// Set in the counters of operations that are not the first of their strand.
pub(super) const FOLLOWS: u32 = 1 << 30;
/// The rest of a counter.
pub(super) const COUNT: u32 = FOLLOWS - 1;
