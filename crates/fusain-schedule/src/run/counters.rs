//! The words of a run: counters, and records of operations.

use crate::binary::{OPERATION_WORDS, Record};

/// Set in the counters of messages.
pub(super) const IS_MESSAGE: u32 = 1 << 31;
/// Set in the counters of operations that are not the first of their strand.
pub(super) const FOLLOWS: u32 = 1 << 30;
/// The rest of a counter.
pub(super) const COUNT: u32 = FOLLOWS - 1;

#[inline]
pub(super) fn record(words: &[u32], at: usize) -> Record {
    Record::read(words[at..].first_chunk::<OPERATION_WORDS>().expect("a valid schedule's operations are whole"))
}
