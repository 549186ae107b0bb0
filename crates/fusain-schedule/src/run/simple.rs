//! Operations of the plainest kind, decoded when a run is prepared: copy or apply, one block from, one block to.
//!
//! On a few numbers, reading the record of such an operation costs more than the operation: 18 words and the lists behind them, of which
//! most say "one". Here it is 36 bytes, in the order in which strands are executed.

use std::ops::Range;

use super::State;
use super::memory::Pair;
use super::state::{FOLLOWS, record};
use crate::binary::{self, BLOCK_WORDS, OPERATION_WORDS, Record};
use crate::kernel::{self, DivisorIsZero};
use crate::{Action, Block, Error, Result};

/// One such operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simple {
    code: [u8; 4],
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
    /// Of the operation at a place; `None` if it is of another kind, or its blocks are beyond 4 GiB.
    pub(super) fn of(words: &[u32], at: usize) -> Option<Self> {
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
            code: record.code,
            number: record.number,
            memories: [memory(&target)?, memory(&source)?],
            offsets: [target.offset as u32, source.offset as u32],
            bytes: target.bytes as u32,
            waiting: u32::try_from(dependents.start).ok()?,
            waiting_count: u32::try_from(dependents.len()).ok()?,
        })
    }

    fn range(&self, end: usize) -> Range<usize> {
        let start = self.offsets[end] as usize;
        start..start + self.bytes as usize
    }
}

impl State {
    /// Executes it, and releases what waits for it. Returns how many bytes it has written.
    #[inline]
    pub(super) fn run_simple(&mut self, operation: u32, simple: &Simple) -> Result<usize> {
        // Who follows in a strand waits for nothing outside of it, so has no counter to be set back.
        if self.missing[operation as usize] & FOLLOWS == 0 {
            self.begin(operation);
        }
        let [target, source] = simple.memories.map(usize::from);
        let pair = self.memories.pair_of((target, simple.range(0)), (source, simple.range(1)));
        match (Record::applied(simple.code), pair) {
            (None, Pair::Apart(target, source)) => target.copy_from_slice(source),
            (None, Pair::Same(_)) => {}
            (Some((operator, element, side)), pair) => {
                let outcome = match pair {
                    Pair::Apart(target, source) => kernel::apply(element, operator, side, target, source),
                    Pair::Same(both) => kernel::apply_to_itself(element, operator, side, both),
                };
                outcome.map_err(|DivisorIsZero| Error::DivisionByZero { operation: simple.number as usize })?;
            }
        }
        self.left -= 1;
        for at in simple.waiting..simple.waiting + simple.waiting_count {
            self.release(self.words[at as usize]);
        }
        Ok(simple.bytes as usize)
    }
}
