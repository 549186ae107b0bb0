//! The twelve pentominoes in a box of sixty cells, each once.

use std::mem;
use std::sync::Arc;

use clap::Args;
use fusain::cluster::{Cluster, Result, Search};
use fusain::comm::Communicator;

use super::{Parts, Program, expect, grouped};

/// Which box.
#[derive(Args, Clone, Debug)]
pub struct Pentomino {
    /// Rows of the box, of sixty cells in all.
    #[arg(default_value_t = 6, value_parser = clap::value_parser!(u32).range(3..=6))]
    pub rows: u32,
}

/// The pieces F, I, L, N, P, T, U, V, W, X, Y, Z.
const PIECES: [&str; 12] = [
    ".##/##./.#.",
    "#####",
    "####/#...",
    "##../.###",
    "##/##/#.",
    "###/.#./.#.",
    "#.#/###",
    "#../#../###",
    "#../##./.##",
    ".#./###/.#.",
    "..#./####",
    "##./.#./.##",
];

const CELLS: u32 = 60;

/// A piece in its place, seen from its first cell: bits for the cells from there on, as far as a piece can reach, and above them one bit for each piece. It fits if it has
/// no bit in common with what is [around](Filled::around) the first free cell.
type Placed = u64;

/// The bits for cells.
const AROUND: u64 = (1 << 40) - 1;

/// The cells that are filled, and the pieces in the box, whose bits are above those for cells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filled {
    cells: u64,
    pieces: u64,
}

impl Filled {
    /// The first free cell; [`CELLS`] if none is free.
    fn first_free(self) -> u32 {
        self.cells.trailing_ones()
    }

    fn around(self, first: u32) -> u64 {
        self.cells >> first & AROUND | self.pieces
    }

    fn with(self, placed: Placed, first: u32) -> Self {
        Self { cells: self.cells | (placed & AROUND) << first, pieces: self.pieces | placed & !AROUND }
    }
}

/// The search, with all placements by their first cell.
struct Packing<'a>(&'a [Vec<Placed>]);

impl<'a> Search for Packing<'a> {
    type Node = Filled;
    type Choice = Placed;
    type Choices = Fitting<'a>;
    type Undo = Filled;
    type Output = u64;
    fn root(&self) -> Filled {
        Filled::default()
    }
    /// The placements that can cover the first free cell.
    fn choices(&self, filled: &Filled, found: &mut u64) -> Fitting<'a> {
        let first = filled.first_free();
        *found += u64::from(first == CELLS);
        Fitting { rest: self.0[first as usize].iter(), around: filled.around(first) }
    }
    fn apply(&self, filled: &mut Filled, &placed: &Placed) -> Filled {
        mem::replace(filled, filled.with(placed, filled.first_free()))
    }
    fn undo(&self, filled: &mut Filled, before: &Filled) {
        *filled = *before;
    }
    fn merge(&self, found: &mut u64, part: u64) {
        *found += part;
    }
}

/// The placements that overlap no filled cell and use no piece that is in the box.
#[derive(Debug)]
struct Fitting<'a> {
    rest: std::slice::Iter<'a, Placed>,
    around: u64,
}

impl Iterator for Fitting<'_> {
    type Item = Placed;
    fn next(&mut self) -> Option<Placed> {
        let around = self.around;
        self.rest.find(|&placed| placed & around == 0).copied()
    }
}

/// All placements by their first cell; none begins behind the last cell. Cells are counted down the columns, which are short.
fn placements(rows: u32) -> Vec<Vec<Placed>> {
    let columns = CELLS / rows;
    let mut by_first = vec![Vec::new(); CELLS as usize + 1];
    for (piece, shape) in PIECES.iter().enumerate() {
        for shape in turned(shape) {
            let (width, height) = (1 + greatest(&shape, |cell| cell.0), 1 + greatest(&shape, |cell| cell.1));
            for x in 0..(columns + 1).saturating_sub(width) {
                for y in 0..(rows + 1).saturating_sub(height) {
                    let cells: u64 = shape.iter().map(|cell| 1 << ((x + cell.0) * rows + y + cell.1)).sum();
                    let first = cells.trailing_zeros();
                    by_first[first as usize].push(cells >> first | (AROUND + 1) << piece);
                }
            }
        }
    }
    by_first
}

type Shape = Vec<(u32, u32)>;

fn greatest(shape: &Shape, side: impl Fn(&(u32, u32)) -> u32) -> u32 {
    shape.iter().map(side).max().unwrap_or(0)
}

/// A piece as it is drawn, turned and turned over, each form once.
fn turned(drawn: &str) -> Vec<Shape> {
    let lines = (0..).zip(drawn.split('/'));
    let cells = lines.flat_map(|(y, line)| (0..).zip(line.chars()).map(move |(x, sign)| ((x, y), sign)));
    let mut shape: Shape = cells.filter(|&(_, sign)| sign == '#').map(|(cell, _)| cell).collect();
    let mut forms = Vec::new();
    for turn in 0..8 {
        let height = greatest(&shape, |cell| cell.1);
        shape = shape.iter().map(|&(x, y)| (height - y, x)).collect();
        if turn == 4 {
            shape = shape.iter().map(|&(x, y)| (y, x)).collect();
        }
        shape.sort_unstable();
        forms.push(shape.clone());
    }
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// The number of ways to fill the rest, by recursion.
fn ways(placements: &[Vec<Placed>], filled: Filled) -> u64 {
    let first = filled.first_free();
    if first == CELLS {
        return 1;
    }
    let around = filled.around(first);
    let mut ways_below = 0;
    for &placed in &placements[first as usize] {
        if placed & around == 0 {
            ways_below += ways(placements, filled.with(placed, first));
        }
    }
    ways_below
}

impl Program for Pentomino {
    type Found = u64;
    fn run<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<u64> {
        cluster.search(&Packing(&placements(self.rows)))
    }
    fn plain(&self) -> u64 {
        ways(&placements(self.rows), Filled::default())
    }
    /// Each way is one of four that are mirror images of each other. As no piece is there twice, no way is its own mirror image.
    fn say(&self, ways: &u64) -> String {
        let (rows, columns) = (self.rows, CELLS / self.rows);
        format!("{rows} x {columns}: {} ways, {} up to symmetry", grouped(*ways), grouped(ways / 4))
    }
    /// The numbers are known since C. B. and J. G. Haselgrove, "A computer program for pentominoes", Eureka 23, 1960 (6 x 10), and their successors.
    fn check(&self, ways: &u64) -> anyhow::Result<()> {
        expect(ways, &(4 * [2, 368, 1_010, 2_339][self.rows as usize - 3]))
    }
}

impl Parts for Pentomino {
    type Part = (Arc<Vec<Vec<Placed>>>, Filled);
    /// Boxes with the first two pieces in their places.
    fn parts(&self) -> (Vec<Self::Part>, u64) {
        let placements = Arc::new(placements(self.rows));
        let packing = &Packing(&placements);
        let mut boxes = vec![packing.root()];
        for _ in 0..2 {
            let below = |filled: Filled| {
                packing.choices(&filled, &mut 0).map(move |placed| filled.with(placed, filled.first_free()))
            };
            boxes = boxes.into_iter().flat_map(below).collect();
        }
        (boxes.into_iter().map(|filled| (Arc::clone(&placements), filled)).collect(), 0)
    }
    fn part(&self, (placements, filled): &Self::Part) -> u64 {
        ways(placements, *filled)
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
        on_ranks(&Pentomino { rows: 3 });
        in_parts(&Pentomino { rows: 3 });
        on_any_ranks(&Pentomino { rows: 3 });
    }

    #[test]
    fn each_piece_has_its_forms() {
        assert_eq!(PIECES.map(|piece| turned(piece).len()), [8, 2, 8, 8, 8, 4, 4, 4, 4, 1, 8, 4]);
    }
}
