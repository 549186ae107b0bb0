//! Queens: a search.

use fusain_cluster::Search;

/// The ways to place queens that do not attack each other.
#[derive(Debug)]
pub struct Queens {
    /// How many, on a board of as many rows.
    pub n: u32,
}

/// Columns and diagonals that are taken; a queen a row.
#[derive(Clone, Debug, Default)]
pub struct Board {
    row: u32,
    columns: u64,
    rising: u64,
    falling: u64,
}

impl Search for Queens {
    type Node = Board;
    type Choice = u8;
    type Choices = Bits;
    type Output = u64;
    fn root(&self) -> Board {
        Board::default()
    }
    fn choices(&self, board: &Board, found: &mut u64) -> Bits {
        *found += u64::from(board.row == self.n);
        let taken = board.columns | board.rising >> board.row | board.falling >> (self.n - board.row);
        Bits(if board.row == self.n { 0 } else { !taken & ((1 << self.n) - 1) })
    }
    fn apply(&self, board: &mut Board, &column: &u8) {
        board.columns ^= 1 << column;
        board.rising ^= 1 << (u32::from(column) + board.row);
        board.falling ^= 1 << (u32::from(column) + self.n - board.row);
        board.row += 1;
    }
    fn undo(&self, board: &mut Board, column: &u8) {
        board.row -= 1;
        self.apply(board, column);
        board.row -= 1;
    }
    fn merge(&self, found: &mut u64, part: u64) {
        *found += part;
    }
}

/// The set bits of a word.
#[derive(Clone, Debug)]
pub struct Bits(u64);

impl Iterator for Bits {
    type Item = u8;
    fn next(&mut self) -> Option<u8> {
        let bit = self.0.trailing_zeros() as u8;
        (self.0 != 0).then(|| {
            self.0 &= self.0 - 1;
            bit
        })
    }
}
