//! The ways to place queens that do not attack each other.

use clap::Args;
use fusain::cluster::{Cluster, Result, Search};
use fusain::comm::Communicator;

use super::{Program, grouped};

/// So many queens, on a board of as many rows and columns.
#[derive(Args, Clone, Debug)]
pub(super) struct Queens {
    /// How many queens.
    #[arg(default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=WAYS.len() as i64))]
    pub n: u32,
}

/// What is taken: columns, and the diagonals as they cross the next row.
#[derive(Debug)]
pub(super) struct Board {
    columns: u32,
    rising: u64,
    /// 32 bits up, so that nothing is lost below.
    falling: u64,
}

impl Search for Queens {
    type Node = Board;
    type Choice = u32;
    type Choices = Bits;
    type Output = u64;
    fn root(&self) -> Board {
        Board { columns: 0, rising: 0, falling: 0 }
    }
    fn choices(&self, board: &Board, found: &mut u64) -> Bits {
        let all = (1 << self.n) - 1;
        *found += u64::from(board.columns == all);
        Bits(all & !(board.columns | board.rising as u32 | (board.falling >> 32) as u32))
    }
    fn apply(&self, board: &mut Board, &column: &u32) {
        board.columns ^= column;
        board.rising = (board.rising ^ u64::from(column)) << 1;
        board.falling = (board.falling ^ u64::from(column) << 32) >> 1;
    }
    fn undo(&self, board: &mut Board, &column: &u32) {
        board.columns ^= column;
        board.rising = board.rising >> 1 ^ u64::from(column);
        board.falling = board.falling << 1 ^ u64::from(column) << 32;
    }
    fn merge(&self, found: &mut u64, part: u64) {
        *found += part;
    }
}

/// The set bits of a word, the lowest first.
#[derive(Clone, Debug)]
pub(super) struct Bits(u32);

impl Iterator for Bits {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        let lowest = self.0 & self.0.wrapping_neg();
        self.0 ^= lowest;
        (lowest != 0).then_some(lowest)
    }
}

/// For 1 queen, 2, 3, ...: A000170 of the On-Line Encyclopedia of Integer Sequences.
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

impl Program for Queens {
    fn answer<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<String> {
        cluster.search(self).map(|ways| self.say(ways))
    }

    fn expected(&self) -> String {
        self.say(WAYS[self.n as usize - 1])
    }
}

impl Queens {
    fn say(&self, ways: u64) -> String {
        format!("{} queens: {} ways", self.n, grouped(ways))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular::tests::on_some_ranks;

    /// The recursion.
    fn ways(n: u32, columns: u32, rising: u32, falling: u32) -> u64 {
        let all = (1 << n) - 1;
        let free = Bits(all & !(columns | rising | falling));
        let below = free.map(|bit| ways(n, columns | bit, (rising | bit) << 1 & all, (falling | bit) >> 1));
        if columns == all { 1 } else { below.sum() }
    }

    #[test]
    fn as_many_as_the_recursion_finds() {
        for n in 1..=9 {
            let program = Queens { n };
            assert_eq!(program.say(ways(n, 0, 0, 0)), program.expected());
            on_some_ranks(&program);
        }
    }

    #[test]
    fn going_back_restores_the_board() {
        let queens = Queens { n: 18 };
        let mut board = queens.root();
        let places: Vec<u32> = (0..18).map(|row| 1 << (row * 7 % 18)).collect();
        places.iter().for_each(|place| queens.apply(&mut board, place));
        places.iter().rev().for_each(|place| queens.undo(&mut board, place));
        assert_eq!((board.columns, board.rising, board.falling), (0, 0, 0));
    }
}
