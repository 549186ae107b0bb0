//! The same recursion by plain calls, on tiles that stay in their places.

use std::mem;
use std::ops::Range;

use super::blocks::{Blocks, rows};
use super::tile::{self, Row};

/// The factors of a square of tiles.
pub(super) fn factor(matrix: Blocks) -> Blocks {
    let side = matrix.columns();
    let mut grid = Grid { side, tiles: matrix.into_tiles() };
    grid.factor(0..side);
    Blocks::of_tiles(side, grid.tiles)
}

/// Tiles, row by row.
struct Grid {
    side: usize,
    tiles: Vec<Vec<f64>>,
}

type Tiles = Range<usize>;

fn halve(tiles: Tiles) -> [Tiles; 2] {
    let middle = tiles.start + tiles.len() / 2;
    [tiles.start..middle, middle..tiles.end]
}

impl Grid {
    fn tile(&self, row: usize, column: usize) -> &[Row] {
        rows(&self.tiles[row * self.side + column])
    }

    /// Changes a tile, from the contents of other tiles.
    fn change(&mut self, (row, column): (usize, usize), change: impl FnOnce(&Self, &mut [Row])) {
        let at = row * self.side + column;
        let mut tile = mem::take(&mut self.tiles[at]);
        change(self, tile.as_chunks_mut().0);
        self.tiles[at] = tile;
    }

    fn factor(&mut self, all: Tiles) {
        if all.len() == 1 {
            return self.change((all.start, all.start), |_, a| tile::factor(a));
        }
        let [first, last] = halve(all);
        self.factor(first.clone());
        self.left(first.clone(), last.clone());
        self.right(last.clone(), first.clone());
        self.update(last.clone(), last.clone(), first);
        self.factor(last);
    }

    /// Solves these columns for L, which is on the diagonal of these rows.
    fn left(&mut self, rows: Tiles, columns: Tiles) {
        if rows.len() == 1 && columns.len() == 1 {
            let (i, j) = (rows.start, columns.start);
            return self.change((i, j), |grid, b| tile::left(grid.tile(i, i), b));
        }
        if columns.len() > rows.len() {
            return halve(columns).into_iter().for_each(|columns| self.left(rows.clone(), columns));
        }
        let [first, last] = halve(rows);
        self.left(first.clone(), columns.clone());
        self.update(last.clone(), columns.clone(), first);
        self.left(last, columns);
    }

    /// Solves these rows for U, which is on the diagonal of these columns.
    fn right(&mut self, rows: Tiles, columns: Tiles) {
        if rows.len() == 1 && columns.len() == 1 {
            let (i, j) = (rows.start, columns.start);
            return self.change((i, j), |grid, b| tile::right(grid.tile(j, j), b));
        }
        if rows.len() > columns.len() {
            return halve(rows).into_iter().for_each(|rows| self.right(rows, columns.clone()));
        }
        let [first, last] = halve(columns);
        self.right(rows.clone(), first.clone());
        self.update(rows.clone(), last.clone(), first);
        self.right(rows, last);
    }

    /// Subtracts the product over `inner`.
    fn update(&mut self, rows: Tiles, columns: Tiles, inner: Tiles) {
        if rows.len() == 1 && columns.len() == 1 && inner.len() == 1 {
            let (i, j, k) = (rows.start, columns.start, inner.start);
            self.change((i, j), |grid, c| tile::update(c, grid.tile(i, k), grid.tile(k, j)));
        } else if inner.len() >= rows.len().max(columns.len()) {
            halve(inner).into_iter().for_each(|inner| self.update(rows.clone(), columns.clone(), inner));
        } else if rows.len() >= columns.len() {
            halve(rows).into_iter().for_each(|rows| self.update(rows, columns.clone(), inner.clone()));
        } else {
            halve(columns).into_iter().for_each(|columns| self.update(rows.clone(), columns, inner.clone()));
        }
    }
}
