//! Operations of the plainest kind, decoded when a run is prepared: copy or apply, one block from, one block to.
//!
//! On a few numbers, reading the record of such an operation costs more than the operation: 18 words and the lists behind them, of which
//! most say "one". Here it is 40 bytes, in the order in which strands are executed. Those that follow one another in a strand and work on the same
//! memories are executed in one go: nobody outside waits for any of them but the last, so nothing need be looked at in between.

use std::ops::Range;

use super::counters::FOLLOWS;
use super::memory::Pair;
use crate::binary::{self, BLOCK_WORDS, OPERATION_WORDS, Record};
use crate::kernel::{self, DivisorIsZero};
use crate::{Action, Block, ElementType, Operator, Result, Side};

/// One such operation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simple {
    /// How many are executed in one go from this one on; 0 if it is of another kind.
    pub(super) together: u32,
    /// None if it copies.
    applies: Option<(Operator, ElementType, Side)>,
    pub(super) number: u32,
    /// Target and source: memories, and where in them.
    pub(super) memories: [u16; 2],
    offsets: [u32; 2],
    pub(super) bytes: u32,
    /// Where those that wait for it are listed, and how many.
    pub(super) waiting: u32,
    pub(super) waiting_count: u32,
}

impl Simple {
    /// Of all operations, given their places and counters.
    pub(super) fn all(words: &[u32], places: &[u32], counters: &[u32]) -> Vec<Self> {
        let of = |&at: &u32| Self::of(words, at as usize).unwrap_or_default();
        let mut all: Vec<Self> = places.iter().map(of).collect();
        // From behind, so that who follows knows already how many follow it.
        for at in (1..all.len()).rev() {
            let next = all[at];
            let before = &mut all[at - 1];
            let goes_on = counters[at] & FOLLOWS != 0 && before.memories == next.memories && before.waiting_count == 0;
            if goes_on && before.together > 0 {
                before.together += next.together;
            }
        }
        all
    }

    /// Of the operation at a place; `None` if it is of another kind, or its blocks are beyond 4 GiB.
    fn of(words: &[u32], at: usize) -> Option<Self> {
        let record = Record::at(words, at);
        let is_plain = matches!(record.action(), Some(Action::Copy | Action::Apply { .. }));
        if !is_plain || (record.targets, record.sources) != (1, 1) {
            return None;
        }
        let blocks = words[at + OPERATION_WORDS..].first_chunk::<{ 2 * BLOCK_WORDS }>()?;
        let (blocks, _) = blocks.as_chunks::<BLOCK_WORDS>();
        let (target, source) = (binary::block(&blocks[0]), binary::block(&blocks[1]));
        let fits = |block: &Block| block.offset.checked_add(block.bytes).is_some_and(|end| end <= u64::from(u32::MAX));
        let memory = |block: &Block| u16::try_from(block.memory).ok();
        let dependents = record.dependents(at);
        (fits(&target) && fits(&source)).then_some(Self {
            together: 1,
            applies: Record::applied(record.code),
            number: record.number,
            memories: [memory(&target)?, memory(&source)?],
            offsets: [target.offset as u32, source.offset as u32],
            bytes: target.bytes as u32,
            waiting: u32::try_from(dependents.start).ok()?,
            waiting_count: u32::try_from(dependents.len()).ok()?,
        })
    }

    #[inline]
    pub(super) fn range(&self, end: usize) -> Range<usize> {
        let start = self.offsets[end] as usize;
        start..start + self.bytes as usize
    }

    #[inline]
    pub(super) fn execute(&self, pair: Pair<'_>) -> Result<(), DivisorIsZero> {
        match (self.applies, pair) {
            (None, Pair::Apart(target, source)) => target.copy_from_slice(source),
            (None, Pair::Same(_)) => {}
            (Some((operator, element, side)), Pair::Apart(target, source)) => {
                kernel::apply(element, operator, side, target, source)?;
            }
            (Some((operator, element, side)), Pair::Same(both)) => {
                kernel::apply_to_itself(element, operator, side, both)?;
            }
        }
        Ok(())
    }
}
