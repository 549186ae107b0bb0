//! The queens problem as a search.

use fusain_cluster::Search;

/// The ways to place queens that do not attack each other.
#[derive(Debug)]
pub struct Queens {
    /// The number of queens, and of rows of the board.
    pub n: u32,
}

/// The occupied columns, and the occupied diagonals as they cross the next row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Board {
    columns: u32,
    rising: u32,
    falling: u32,
}

impl Search for Queens {
    type Node = Board;
    type Choice = u32;
    type Choices = Bits;
    type Undo = Board;
    type Output = u64;
    fn root(&self) -> Board {
        Board::default()
    }
    fn choices(&self, board: &Board, found: &mut u64) -> Bits {
        let all = (1 << self.n) - 1;
        *found += u64::from(board.columns == all);
        Bits(all & !(board.columns | board.rising | board.falling))
    }
    fn apply(&self, board: &mut Board, &place: &u32) -> Board {
        let columns = board.columns | place;
        let (rising, falling) = ((board.rising | place) << 1, (board.falling | place) >> 1);
        std::mem::replace(board, Board { columns, rising, falling })
    }
    fn undo(&self, board: &mut Board, before: &Board) {
        *board = *before;
    }
    fn merge(&self, found: &mut u64, part: u64) {
        *found += part;
    }
}

/// The set bits of a word, the lowest first.
#[derive(Debug)]
pub struct Bits(u32);

impl Iterator for Bits {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        let lowest = self.0 & self.0.wrapping_neg();
        self.0 ^= lowest;
        (lowest != 0).then_some(lowest)
    }
}
