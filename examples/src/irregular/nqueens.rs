//! The ways to place queens that do not attack each other.

use std::mem;

use clap::Args;
use fusain::cluster::{Cluster, Result, Search};
use fusain::comm::Communicator;

use super::{Parts, Program, expect, grouped};

/// The number of queens, on a board of as many rows and columns.
#[derive(Args, Clone, Debug)]
pub struct Queens {
    /// How many queens.
    #[arg(default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=WAYS.len() as i64))]
    pub n: u32,
}

/// What is taken: columns, and the diagonals as they cross the next row.
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
        mem::replace(board, Board { columns, rising, falling })
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

/// The number of ways for 1 queen, 2, 3, ...: A000170 of the On-Line Encyclopedia of Integer Sequences.
const WAYS: [u64; 18] = [
    1,
    0,
    0,
    2,
    10,
    4,
    40,
    92,
    352,
    724,
    2_680,
    14_200,
    73_712,
    365_596,
    2_279_184,
    14_772_512,
    95_815_104,
    666_090_624,
];

/// The number of ways to go on from a board, by recursion.
fn ways(all: u32, columns: u32, rising: u32, falling: u32) -> u64 {
    if columns == all {
        return 1;
    }
    let mut free = all & !(columns | rising | falling);
    let mut ways_below = 0;
    while free != 0 {
        let place = free & free.wrapping_neg();
        free ^= place;
        ways_below += ways(all, columns | place, (rising | place) << 1, (falling | place) >> 1);
    }
    ways_below
}

impl Program for Queens {
    type Found = u64;
    fn run<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<u64> {
        cluster.search(self)
    }
    fn plain(&self) -> u64 {
        ways((1 << self.n) - 1, 0, 0, 0)
    }
    fn say(&self, ways: &u64) -> String {
        format!("{} queens: {} ways", self.n, grouped(*ways))
    }
    fn check(&self, ways: &u64) -> anyhow::Result<()> {
        expect(ways, &WAYS[self.n as usize - 1])
    }
}

impl Parts for Queens {
    type Part = [u32; 3];
    /// Boards with the first two queens in their places.
    fn parts(&self) -> (Vec<[u32; 3]>, u64) {
        let all = (1 << self.n) - 1;
        let mut boards = vec![[0; 3]];
        for _ in 0..self.n.min(2) {
            let below = |[columns, rising, falling]: [u32; 3]| {
                let place = move |place| [columns | place, (rising | place) << 1, (falling | place) >> 1];
                Bits(all & !(columns | rising | falling)).map(place)
            };
            boards = boards.into_iter().flat_map(below).collect();
        }
        (boards, 0)
    }
    fn part(&self, &[columns, rising, falling]: &[u32; 3]) -> u64 {
        ways((1 << self.n) - 1, columns, rising, falling)
    }
    fn join(&self, ways: u64, more: u64) -> u64 {
        ways + more
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular::tests::{in_parts, on_any_ranks, on_ranks};

    #[test]
    fn as_many_as_is_known() {
        for n in 1..=7 {
            on_ranks(&Queens { n });
            in_parts(&Queens { n });
        }
        on_any_ranks(&Queens { n: 7 });
    }
}
