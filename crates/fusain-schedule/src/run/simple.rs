//! Simple operations, decoded when a run is prepared: copy or apply, with one source block and one target block.
//!
//! For a few numbers, reading the record of such an operation takes longer than the operation: 18 words and the lists after them, most of which
//! have one entry. Here it is 40 bytes, in the order in which strands are executed. Simple operations that follow one another in a strand and work
//! on the same memories are executed in one go: outside the strand, no operation waits for any of them but the last, so nothing need be checked in
//! between.

use std::ops::Range;

use super::counters::FOLLOWS;
use super::memory::Pair;
use crate::binary::{self, BLOCK_WORDS, OPERATION_WORDS, Record};
use crate::kernel::{self, DivisorIsZero};
use crate::{Action, Block, ElementType, Operator, Result, Side};

/// A simple operation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simple {
    /// The number of operations executed in one go from this one on; 0 if it is not simple.
    pub(super) together: u32,
    /// The operator to apply; None for a copy.
    applies: Option<(Operator, ElementType, Side)>,
    pub(super) number: u32,
    /// The memories of target and source; `offsets` are the offsets in them.
    pub(super) memories: [u16; 2],
    offsets: [u32; 2],
    pub(super) bytes: u32,
    /// The place of the list of operations that wait for it; `waiting_count` is the length of that list.
    pub(super) waiting: u32,
    pub(super) waiting_count: u32,
}

impl Simple {
    /// Decodes all operations, given their places and counters.
    pub(super) fn all(words: &[u32], places: &[u32], counters: &[u32]) -> Vec<Self> {
        let of = |&at: &u32| Self::of(words, at as usize).unwrap_or_default();
        let mut all: Vec<Self> = places.iter().map(of).collect();
        // From the end, so that the number of operations that follow an operation is known already.
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

    /// Decodes the operation at a place; returns `None` if it is not simple, or its blocks are beyond 4 GiB.
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
