//! Operations of the plainest kind, decoded when a run is prepared: copy or apply, one block from, one block to.
//!
//! On a few numbers, reading the record of such an operation costs more than the operation: 18 words and the lists behind them, of which
//! most say "one". Here it is 40 bytes, in the order in which strands are executed. Those that follow one another in a strand and work on the same
//! memories are executed in one go: nobody outside waits for any of them but the last, so nothing need be looked at in between.

use std::ops::Range;

use super::State;
use super::memory::Pair;
use super::state::{FOLLOWS, record};
use crate::binary::{self, BLOCK_WORDS, OPERATION_WORDS, Record};
use crate::kernel::{self, DivisorIsZero};
use crate::{Action, Block, ElementType, Error, Operator, Result, Side};

/// One such operation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simple {
    /// How many are executed in one go from this one on; 0 if it is of another kind.
    pub(super) together: u32,
    /// None if it copies.
    applies: Option<(Operator, ElementType, Side)>,
    number: u32,
    /// Target and source: memories, and where in them.
    memories: [u16; 2],
    offsets: [u32; 2],
    bytes: u32,
    /// Where those that wait for it are listed, and how many.
    waiting: u32,
    waiting_count: u32,
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
        let record = record(words, at);
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
    fn range(&self, end: usize) -> Range<usize> {
        let start = self.offsets[end] as usize;
        start..start + self.bytes as usize
    }

    #[inline]
    fn execute(&self, pair: Pair<'_>) -> Result<(), DivisorIsZero> {
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

impl State {
    /// Executes an operation and those that go with it, until the budget is used up; releases what waits for the last one, and returns it.
    pub(super) fn run_simple(&mut self, first: u32, budget: &mut usize, least: usize) -> Result<u32> {
        // Who follows in a strand waits for nothing outside of it, so has no counter to be set back.
        if self.missing[first as usize] & FOLLOWS == 0 {
            self.begin(first);
        }
        let all = &self.simple[first as usize..];
        let all = &all[..all[0].together as usize];
        let [target, source] = all[0].memories.map(usize::from);
        let mut memories = self.memories.both(target, source);
        let mut executed = 0;
        for simple in all {
            let pair = memories.reborrow().at(simple.range(0), simple.range(1));
            let outcome = simple.execute(pair);
            outcome.map_err(|DivisorIsZero| Error::DivisionByZero { operation: simple.number as usize })?;
            executed += 1;
            *budget = budget.saturating_sub(least.max(simple.bytes as usize));
            if *budget == 0 {
                break;
            }
        }
        let Simple { waiting, waiting_count, .. } = all[executed - 1];
        self.left -= executed;
        for at in waiting..waiting + waiting_count {
            self.release(self.words[at as usize]);
        }
        Ok(first + executed as u32 - 1)
    }
}
