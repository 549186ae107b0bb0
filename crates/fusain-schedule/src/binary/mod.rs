//! The binary form of a schedule: a sequence of 32-bit words, little-endian when stored as bytes.
//!
//! It is position-independent (places are counted in words from its beginning), so copying it is a memcpy. The layout follows figure 1 of
//! ESPGOAL (T. Schneider, S. Eckelmann, T. Hoefler, W. Rehm, "Kernel-based offload of collective operations", 2011): operations in
//! traversal order, the independent ones first, each with its arguments, a counter of unmet dependencies, and the places of the operations
//! that wait for it. All numbers are unsigned; a 64-bit number is two words, the low one first.
//!
//! # Header: 10 words
//!
//! | word | byte | content |
//! |---|---|---|
//! | 0 | 0 | magic: the bytes `FSCH` |
//! | 1 | 4 | version: 1 |
//! | 2 | 8 | number of words |
//! | 3 | 12 | the rank that the schedule is for |
//! | 4 | 16 | number of ranks |
//! | 5 | 20 | number of operations |
//! | 6 | 24 | number of independent operations: the first ones, all those without dependencies |
//! | 7 | 28 | number of memories: the scratchpad and the buffers, at most 65,536 |
//! | 8 | 32 | number of functions that it calls |
//! | 9 | 36 | number of operations that are messages |
//!
//! Then 2 words for each memory: its bytes, at most 2^48 - 1. Then the operations, without gaps.
//!
//! # An operation: 10 words and its lists
//!
//! | word | byte | what |
//! |---|---|---|
//! | 0 | 0 | byte 0: kind; byte 1: operator; byte 2: element type; byte 3: side of the target |
//! | 1 | 4 | number of the operation in the graph |
//! | 2 | 8 | dependencies |
//! | 3 | 12 | dependencies that are missing; equal to word 2 in a schedule at rest |
//! | 4 | 16 | rank to send to or receive from; function; low word of a duration; else 0 |
//! | 5 | 20 | tag; high word of a duration; else 0 |
//! | 6 | 24 | `t`: blocks it writes |
//! | 7 | 28 | `s`: blocks it reads |
//! | 8 | 32 | `e`: operations that wait for its end |
//! | 9 | 36 | `b`: operations that wait for its start |
//! | 10 | 40 | `t` blocks, then `s` blocks, 4 words each |
//! | 10 + 4 (t + s) | | `e` places of operations (of their word 0), then `b` |
//!
//! A block: 48 bits offset, 16 bits memory, 64 bits length. Every place is further on than the operation that names it, so
//! there is no cycle.
//!
//! Kinds: 0 send, 1 receive, 2 copy, 3 apply, 4 call, 5 timestamp, 6 calculate. Operators, types and sides are numbered as in
//! [`Operator::ALL`], [`ElementType::ALL`] and [`Side`]: from 0; they are 0 where the kind has none.

use std::ops::Range;

use crate::{Action, Block, ElementType, Operator, Side};

pub(crate) const MAGIC: u32 = u32::from_le_bytes(*b"FSCH");
pub(crate) const VERSION: u32 = 1;
pub(crate) const MEMORIES_MAX: usize = 1 << 16;
pub(crate) const MEMORY_BYTES_MAX: u64 = (1 << 48) - 1;

pub(crate) const HEADER_WORDS: usize = 10;
pub(crate) const OPERATION_WORDS: usize = 10;
pub(crate) const BLOCK_WORDS: usize = 4;

/// Words of an operation that are looked at or changed by themselves.
pub(crate) const DEPENDENCIES: usize = 2;
pub(crate) const MISSING: usize = 3;
pub(crate) const ON_END: usize = 8;
pub(crate) const ON_START: usize = 9;

const SEND: u8 = 0;
const RECV: u8 = 1;
const COPY: u8 = 2;
const APPLY: u8 = 3;
const CALL: u8 = 4;
const TIMESTAMP: u8 = 5;
const CALC: u8 = 6;

/// The header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) words: u32,
    pub(crate) rank: u32,
    pub(crate) size: u32,
    pub(crate) operations: u32,
    pub(crate) independent: u32,
    pub(crate) memories: u32,
    pub(crate) functions: u32,
    pub(crate) messages: u32,
}

impl Header {
    /// Without a look at magic and version.
    pub(crate) fn read(words: &[u32; HEADER_WORDS]) -> Self {
        let [_, _, words, rank, size, operations, independent, memories, functions, messages] = *words;
        Self { words, rank, size, operations, independent, memories, functions, messages }
    }

    pub(crate) fn write(self) -> [u32; HEADER_WORDS] {
        let Self { words, rank, size, operations, independent, memories, functions, messages } = self;
        [MAGIC, VERSION, words, rank, size, operations, independent, memories, functions, messages]
    }

    /// Where the operations begin.
    pub(crate) fn first_operation(self) -> usize {
        HEADER_WORDS + 2 * self.memories as usize
    }
}

/// The fixed part of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) code: [u8; 4],
    pub(crate) number: u32,
    pub(crate) dependencies: u32,
    pub(crate) arguments: [u32; 2],
    pub(crate) targets: u32,
    pub(crate) sources: u32,
    pub(crate) on_end: u32,
    pub(crate) on_start: u32,
}

impl Record {
    /// The record at a place among the words of a valid schedule.
    #[inline]
    pub(crate) fn at(words: &[u32], place: usize) -> Self {
        Self::read(words[place..].first_chunk().expect("a valid schedule's operations are whole"))
    }

    #[inline]
    pub(crate) fn read(words: &[u32; OPERATION_WORDS]) -> Self {
        let [code, number, dependencies, _, a, b, targets, sources, on_end, on_start] = *words;
        Self { code: code.to_le_bytes(), number, dependencies, arguments: [a, b], targets, sources, on_end, on_start }
    }

    /// What it does; `None` if the numbers name nothing.
    #[inline]
    pub(crate) fn action(&self) -> Option<Action> {
        let [a, b] = self.arguments;
        Some(match self.code[0] {
            SEND => Action::Send { to: a, tag: b },
            RECV => Action::Recv { from: a, tag: b },
            COPY => Action::Copy,
            APPLY => {
                let (operator, element, side) = Self::applied(self.code)?;
                Action::Apply { operator, element, side }
            }
            CALL => Action::Call { function: a },
            TIMESTAMP => Action::Timestamp,
            CALC => Action::Calc { duration_ns: wide(a, b) },
            _ => return None,
        })
    }

    /// What an operation of this code applies; `None` if it applies nothing.
    #[inline]
    pub(crate) fn applied([kind, operator, element, side]: [u8; 4]) -> Option<(Operator, ElementType, Side)> {
        if kind != APPLY {
            return None;
        }
        let operator = *Operator::ALL.get(operator as usize)?;
        let element = *ElementType::ALL.get(element as usize)?;
        Some((operator, element, *[Side::Left, Side::Right].get(side as usize)?))
    }

    /// Words of the whole operation, its lists included.
    pub(crate) fn words(&self) -> usize {
        let blocks = self.targets as usize + self.sources as usize;
        OPERATION_WORDS + BLOCK_WORDS * blocks + self.on_end as usize + self.on_start as usize
    }

    /// Where those that wait for it are listed, if it is at `at`.
    #[inline]
    pub(crate) fn dependents(&self, at: usize) -> Range<usize> {
        let end = at + self.words();
        end - (self.on_end as usize + self.on_start as usize)..end
    }

    #[inline]
    pub(crate) fn is_message(&self) -> bool {
        self.code[0] <= RECV
    }
}

/// The first word of an operation that does this.
pub(crate) fn code(action: Action) -> [u8; 4] {
    code_of(action).0
}

/// The code and arguments of an action.
pub(crate) fn code_of(action: Action) -> ([u8; 4], [u32; 2]) {
    match action {
        Action::Send { to, tag } => ([SEND, 0, 0, 0], [to, tag]),
        Action::Recv { from, tag } => ([RECV, 0, 0, 0], [from, tag]),
        Action::Copy => ([COPY, 0, 0, 0], [0, 0]),
        Action::Apply { operator, element, side } => ([APPLY, operator as u8, element as u8, side as u8], [0, 0]),
        Action::Call { function } => ([CALL, 0, 0, 0], [function, 0]),
        Action::Timestamp => ([TIMESTAMP, 0, 0, 0], [0, 0]),
        Action::Calc { duration_ns } => ([CALC, 0, 0, 0], narrow(duration_ns)),
    }
}

#[inline]
pub(crate) fn block(words: &[u32; BLOCK_WORDS]) -> Block {
    let place = wide(words[0], words[1]);
    Block { memory: (place >> 48) as u32, offset: place & MEMORY_BYTES_MAX, bytes: wide(words[2], words[3]) }
}

pub(crate) fn write_block(block: &Block) -> [u32; BLOCK_WORDS] {
    let [a, b] = narrow(block.offset | u64::from(block.memory) << 48);
    let [c, d] = narrow(block.bytes);
    [a, b, c, d]
}

#[inline]
pub(crate) fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

pub(crate) fn narrow(wide: u64) -> [u32; 2] {
    [wide as u32, (wide >> 32) as u32]
}

#[cfg(test)]
mod tests;
