//! Cuts two lists of blocks into pieces, each of which lies within one block of either list.

use crate::Block;

/// A position in two lists of equal length.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Walk {
    target: Cursor,
    source: Cursor,
}

/// A block of a list, and the number of its bytes that are done.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    index: usize,
    done_bytes: u64,
}

impl Cursor {
    /// The rest of the first block that has any bytes left.
    fn rest(&mut self, count: usize, block: impl Fn(usize) -> Block) -> Option<Block> {
        while self.index < count {
            let Block { memory, offset, bytes } = block(self.index);
            if self.done_bytes < bytes {
                return Some(Block { memory, offset: offset + self.done_bytes, bytes: bytes - self.done_bytes });
            }
            *self = Self { index: self.index + 1, done_bytes: 0 };
        }
        None
    }
}

impl Walk {
    /// The next pair of pieces. A list is given by its length and a function from index to block.
    pub(crate) fn next(
        &mut self,
        targets: (usize, impl Fn(usize) -> Block),
        sources: (usize, impl Fn(usize) -> Block),
    ) -> Option<(Block, Block)> {
        let target = self.target.rest(targets.0, targets.1)?;
        let source = self.source.rest(sources.0, sources.1)?;
        let bytes = target.bytes.min(source.bytes);
        self.target.done_bytes += bytes;
        self.source.done_bytes += bytes;
        Some((Block { bytes, ..target }, Block { bytes, ..source }))
    }
}

/// All pairs of pieces.
pub(crate) fn pieces<'a>(target: &'a [Block], source: &'a [Block]) -> impl Iterator<Item = (Block, Block)> + 'a {
    let mut walk = Walk::default();
    std::iter::from_fn(move || walk.next((target.len(), |index| target[index]), (source.len(), |index| source[index])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_within_blocks_of_both_lists() {
        let block = |offset: u64, bytes: u64| Block { memory: 0, offset, bytes };
        let found: Vec<_> = pieces(&[block(0, 3), block(10, 0), block(20, 5)], &[block(50, 1), block(60, 7)]).collect();
        let expected = [(block(0, 1), block(50, 1)), (block(1, 2), block(60, 2)), (block(20, 5), block(62, 5))];
        assert_eq!(found, expected);
        assert_eq!(pieces(&[], &[]).count(), 0);
    }
}
