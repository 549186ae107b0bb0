//! A matrix of tiles that can be taken apart and put together without touching a number.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::numbers::Numbers;
use super::tile::{Row, SIDE};

/// Tiles, row by row. A tile that is not shared is changed in place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Blocks {
    columns: usize,
    tiles: Vec<Arc<Numbers>>,
}

impl Blocks {
    /// A square of `tiles` tiles in each direction. `number` gives the number at a row and a column.
    pub(super) fn square(tiles: usize, mut number: impl FnMut(usize, usize) -> f64) -> Self {
        let mut tile = |at: usize| {
            let (row, column) = (at / tiles * SIDE, at % tiles * SIDE);
            let numbers = (0..SIDE * SIDE).map(|entry| number(row + entry / SIDE, column + entry % SIDE));
            Arc::new(Numbers(numbers.collect()))
        };
        Self { columns: tiles, tiles: (0..tiles * tiles).map(&mut tile).collect() }
    }

    /// The number of columns of tiles.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// The number of rows of tiles.
    pub(super) fn rows(&self) -> usize {
        self.tiles.len() / self.columns.max(1)
    }

    pub(super) fn is_tile(&self) -> bool {
        self.tiles.len() == 1
    }

    /// The only tile.
    pub(super) fn tile(&self) -> &[Row] {
        rows(&self.tiles[0])
    }

    /// Changes the only tile.
    pub(super) fn change(mut self, change: impl FnOnce(&mut [Row])) -> Self {
        change(Arc::make_mut(&mut self.tiles[0]).as_chunks_mut().0);
        self
    }

    pub(super) fn halve_rows(mut self) -> [Self; 2] {
        let below = self.tiles.split_off(self.rows() / 2 * self.columns);
        let columns = self.columns;
        [self, Self { columns, tiles: below }]
    }

    pub(super) fn above(mut self, mut below: Self) -> Self {
        self.tiles.append(&mut below.tiles);
        self
    }

    pub(super) fn halve_columns(self) -> [Self; 2] {
        let columns = [self.columns / 2, self.columns.div_ceil(2)];
        let mut halves = columns.map(|columns| Self { columns, tiles: Vec::with_capacity(columns * self.rows()) });
        for (at, tile) in self.tiles.into_iter().enumerate() {
            halves[usize::from(at % self.columns >= columns[0])].tiles.push(tile);
        }
        halves
    }

    pub(super) fn beside(self, right: Self) -> Self {
        let columns = self.columns + right.columns;
        let mut tiles = Vec::with_capacity(self.tiles.len() + right.tiles.len());
        let (mut left_tiles, mut right_tiles) = (self.tiles.into_iter(), right.tiles.into_iter());
        while left_tiles.len() + right_tiles.len() > 0 {
            tiles.extend(left_tiles.by_ref().take(self.columns));
            tiles.extend(right_tiles.by_ref().take(right.columns));
        }
        Self { columns, tiles }
    }

    /// The two quarters above, then the two below.
    pub(super) fn quarters(self) -> [Self; 4] {
        let [[a, b], [c, d]] = self.halve_rows().map(Self::halve_columns);
        [a, b, c, d]
    }

    pub(super) fn of_quarters([a, b, c, d]: [Self; 4]) -> Self {
        a.beside(b).above(c.beside(d))
    }

    /// The product with a vector. `of` replaces the number at each row and column.
    pub(super) fn times(&self, x: &[f64], of: impl Fn(usize, usize, f64) -> f64) -> Vec<f64> {
        let mut product = vec![0.0; self.rows() * SIDE];
        for (at, tile) in self.tiles.iter().enumerate() {
            for (i, numbers) in rows(tile).iter().enumerate() {
                let (row, columns) = (at / self.columns * SIDE + i, at % self.columns * SIDE..);
                let terms = columns.zip(numbers).map(|(column, number)| of(row, column, *number) * x[column]);
                product[row] += terms.sum::<f64>();
            }
        }
        product
    }

    /// The tiles, for loops over them.
    pub(super) fn into_tiles(self) -> Vec<Vec<f64>> {
        self.tiles.into_iter().map(|tile| Arc::unwrap_or_clone(tile).0).collect()
    }

    pub(super) fn of_tiles(columns: usize, tiles: Vec<Vec<f64>>) -> Self {
        Self { columns, tiles: tiles.into_iter().map(|tile| Arc::new(Numbers(tile))).collect() }
    }
}

/// The rows of a tile.
pub(super) fn rows(tile: &[f64]) -> &[Row] {
    tile.as_chunks().0
}
