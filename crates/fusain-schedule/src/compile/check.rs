//! Checks each operation by itself: everything that it names must exist, and the blocks that it reads must fit those that it writes.

use super::pieces::pieces;
use crate::binary::{MEMORIES_MAX, MEMORY_BYTES_MAX};
use crate::{Action, Block, Error, Result, TAGS};

/// The limits on the things that operations may name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    pub(crate) size: u32,
    pub(crate) functions: usize,
    /// The number of bytes of each memory.
    memories: &'a [u64],
    /// The number of bytes of all memories together.
    memory_bytes: u64,
}

impl<'a> Limits<'a> {
    /// Makes the limits. Refuses too many memories, and memories that are too long.
    pub(crate) fn new(size: u32, functions: usize, memories: &'a [u64]) -> Result<Self> {
        if memories.len() > MEMORIES_MAX {
            return Err(Error::TooLarge { what: format!("{} buffers, at most {MEMORIES_MAX}", memories.len()) });
        }
        if let Some(bytes) = memories.iter().find(|&&bytes| bytes > MEMORY_BYTES_MAX) {
            return Err(Error::TooLarge { what: format!("a memory of {bytes} bytes, at most {MEMORY_BYTES_MAX}") });
        }
        // The sum does not overflow: 2^16 memories of less than 2^48 bytes.
        Ok(Self { size, functions, memories, memory_bytes: memories.iter().sum() })
    }

    pub(crate) fn check(&self, operation: usize, action: Action, target: &[Block], source: &[Block]) -> Result<()> {
        for block in target.iter().chain(source) {
            self.in_bounds(operation, block)?;
        }
        let unknown = |why: String| Err(Error::UnknownOperation { operation, why });
        match action {
            Action::Send { to: peer, tag } | Action::Recv { from: peer, tag } => {
                if peer >= self.size {
                    return Err(Error::RankOutOfRange { operation, rank: peer.into(), size: self.size.into() });
                }
                if tag >= TAGS {
                    return Err(Error::TagOutOfRange { operation, tag, limit: TAGS });
                }
                let is_send = matches!(action, Action::Send { .. });
                if !(if is_send { target } else { source }).is_empty() {
                    return unknown("a send writes nothing and a receive reads nothing".to_owned());
                }
                // A send may name a block many times, and a run needs memory for the whole message: a schedule of few bytes could claim any
                // amount. (The blocks that a receive writes do not overlap, so it is never longer.)
                let (sent, all) = (length(source), self.memory_bytes);
                if sent > all {
                    let what = format!("operation {operation} sends {sent} bytes, at most the {all} of all memories");
                    return Err(Error::TooLarge { what });
                }
            }
            Action::Copy => equal_lengths(operation, target, source)?,
            Action::Apply { operator, element, .. } => {
                if !element.has(operator) {
                    return unknown(format!("{element:?} has no {operator:?}"));
                }
                equal_lengths(operation, target, source)?;
                whole_elements(operation, target, source, element.bytes())?;
            }
            Action::Call { function } => {
                if function as usize >= self.functions {
                    return unknown(format!("it calls function {function} of {}", self.functions));
                }
                if !source.is_empty() {
                    equal_lengths(operation, target, source)?;
                }
            }
            Action::Timestamp => {
                if !matches!(target, [Block { bytes: 8, .. }]) || !source.is_empty() {
                    return unknown("a timestamp is one block of 8 bytes".to_owned());
                }
            }
            Action::Calc { .. } => {
                if !(target.is_empty() && source.is_empty()) {
                    return unknown("a calculation touches no memory".to_owned());
                }
            }
        }
        no_overlap(operation, target, source)
    }

    fn in_bounds(&self, operation: usize, block: &Block) -> Result<()> {
        let bytes = self.memories.get(block.memory as usize).copied().unwrap_or(0);
        let end = block.offset.saturating_add(block.bytes);
        // Even an empty block must name a memory that exists.
        if end > bytes || block.memory as usize >= self.memories.len() {
            return Err(Error::OutOfBounds { operation, memory: block.memory, end, bytes });
        }
        Ok(())
    }
}

fn length(blocks: &[Block]) -> u64 {
    blocks.iter().fold(0, |sum, block| sum.saturating_add(block.bytes))
}

fn equal_lengths(operation: usize, target: &[Block], source: &[Block]) -> Result<()> {
    let (target_bytes, source_bytes) = (length(target), length(source));
    if target_bytes == source_bytes { Ok(()) } else { Err(Error::Lengths { operation, target_bytes, source_bytes }) }
}

fn whole_elements(operation: usize, target: &[Block], source: &[Block], element_bytes: u64) -> Result<()> {
    match target.iter().chain(source).find(|block| block.bytes % element_bytes != 0) {
        Some(block) => Err(Error::PartialElement { operation, bytes: block.bytes, element_bytes }),
        None => Ok(()),
    }
}

/// Checks that written blocks do not overlap each other, and that each is apart from all that is read, or is exactly the piece that it is
/// combined with. O(n log n) for n blocks.
fn no_overlap(operation: usize, target: &[Block], source: &[Block]) -> Result<()> {
    if target.len() > 1 {
        let mut sorted: Vec<&Block> = target.iter().filter(|block| block.bytes > 0).collect();
        sorted.sort_by_key(|block| (block.memory, block.offset));
        if sorted.windows(2).any(|pair| pair[0].overlaps(pair[1])) {
            return Err(Error::Overlap { operation });
        }
    }
    let is_apart = match (target, source) {
        ([target], [source]) => target == source || !target.overlaps(source),
        _ => pieces_are_apart(target, source),
    };
    if is_apart { Ok(()) } else { Err(Error::Overlap { operation }) }
}

/// Whether no piece that is read overlaps a piece that is written, except that a piece may be combined with itself. The targets do not
/// overlap each other.
///
/// Pieces are combined one after another, so a later piece would read what an earlier one has written.
fn pieces_are_apart(target: &[Block], source: &[Block]) -> bool {
    let pairs: Vec<(Block, Block)> = pieces(target, source).collect();
    let mut written: Vec<&Block> = pairs.iter().map(|(target, _)| target).collect();
    written.sort_unstable_by_key(|block| (block.memory, block.offset));
    pairs.iter().all(|(target, source)| {
        // The first target that ends after the source's begin. If it is the source itself, the later targets are apart from the source.
        let start = (source.memory, source.offset);
        let first = written.partition_point(|block| (block.memory, block.offset + block.bytes) <= start);
        written.get(first).is_none_or(|first| !first.overlaps(source) || (*first == target && target == source))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(offset: u64, bytes: u64) -> Block {
        Block { memory: 0, offset, bytes }
    }

    #[test]
    fn overlap_is_refused_unless_in_place() {
        let limits = Limits::new(1, 0, &[100]).unwrap();
        let check = |target: &[Block], source: &[Block]| limits.check(4, Action::Copy, target, source);
        assert_eq!(check(&[block(0, 8)], &[block(8, 8)]), Ok(()));
        assert_eq!(check(&[block(0, 8)], &[block(0, 8)]), Ok(()));
        assert_eq!(check(&[block(0, 8)], &[block(4, 8)]), Err(Error::Overlap { operation: 4 }));
        assert_eq!(check(&[block(0, 8), block(4, 8)], &[block(50, 16)]), Err(Error::Overlap { operation: 4 }));
    }

    #[test]
    fn a_piece_that_is_read_is_apart_from_all_that_is_written_before() {
        let limits = Limits::new(1, 0, &[100, 100]).unwrap();
        let check = |target: &[Block], source: &[Block]| limits.check(4, Action::Copy, target, source);
        let (overlap, [a, b, c]) = (Err(Error::Overlap { operation: 4 }), [0, 8, 16].map(|offset| block(offset, 8)));
        let elsewhere = Block { memory: 1, ..a };
        // Blocks that are exchanged, moved on, or read twice.
        assert_eq!(check(&[a, b], &[b, a]), overlap);
        assert_eq!(check(&[b, c], &[a, b]), overlap);
        assert_eq!(check(&[a, b], &[a, a]), overlap);
        // Blocks with different boundaries, so that a part is read where another part is written.
        assert_eq!(check(&[block(0, 16)], &[block(20, 12), block(2, 4)]), overlap);
        assert_eq!(check(&[a, elsewhere], &[elsewhere, c]), overlap);
        // Blocks combined with themselves piece by piece, and blocks of another memory read twice.
        assert_eq!(check(&[block(0, 16), c], &[a, block(8, 16)]), Ok(()));
        assert_eq!(check(&[c, a], &[c, a]), Ok(()));
        assert_eq!(check(&[a, c], &[elsewhere, elsewhere]), Ok(()));
        assert_eq!(check(&[a, block(30, 0)], &[block(4, 0), b]), Ok(()));
    }
}
