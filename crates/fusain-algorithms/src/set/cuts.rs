//! Cuts two sorted slices into tiles. All tiles have the same number of elements of both slices together.
//!
//! A tile ends where the next one begins, and the [path](super::path) goes on from there. So a worker that has found a cut writes down where the merge path crosses its
//! diagonal. The next cut is searched for near it, among the elements that are about to be read. A search in all of both slices would wait for memory at each step.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::path::{balanced, crossing};

/// How many tiles back a known crossing is looked for: workers have tiles near each other, or each worker has the tiles of one part.
const NEAR: usize = 8;

/// A crossing that is not known yet. No crossing has this value, as slices are shorter.
const UNKNOWN: usize = usize::MAX;

/// See the [module](self).
pub(super) struct Cuts<'a, T, L> {
    a: &'a [T],
    b: &'a [T],
    less: L,
    tile: usize,
    /// For each tile, how many elements of `a` lie before the place where the merge path crosses its diagonal. Relaxed: a worker that does not see one computes it again.
    crossings: Vec<AtomicUsize>,
}

impl<'a, T, L: Fn(&T, &T) -> bool> Cuts<'a, T, L> {
    pub(super) fn new(a: &'a [T], b: &'a [T], less: L, tile: usize) -> Self {
        // There may be so many zero-sized elements that the sum overflows; they are one tile.
        let tiles = a.len().saturating_add(b.len()).div_ceil(tile);
        let crossings = (0..tiles).map(|_| AtomicUsize::new(UNKNOWN)).collect();
        Cuts { a, b, less, tile, crossings }
    }

    /// How many tiles there are.
    pub(super) fn tiles(&self) -> usize {
        self.crossings.len()
    }

    pub(super) fn less(&self) -> &L {
        &self.less
    }

    /// The elements of a tile, of either slice.
    pub(super) fn tile(&self, tile: usize) -> (&'a [T], &'a [T]) {
        let (start, end) = (self.start(tile), self.start(tile + 1));
        // Slices that are not sorted may have cuts that go back.
        (&self.a[start.0..end.0.max(start.0)], &self.b[start.1..end.1.max(start.1)])
    }

    /// Where a tile begins in either slice.
    fn start(&self, tile: usize) -> (usize, usize) {
        let Some(place) = self.crossings.get(tile) else { return (self.a.len(), self.b.len()) };
        let at = match self.known(tile) {
            Some(at) => at,
            None => {
                let (before, guess) = self.before(tile);
                let at = crossing(self.a, self.b, tile * self.tile, before, guess, &self.less);
                place.store(at.0, Relaxed);
                at
            }
        };
        balanced(self.a, self.b, at, &self.less)
    }

    /// A known crossing before that of `tile`, and a guess of how many elements of `a` lie before that of `tile`, made from the last two known ones.
    fn before(&self, tile: usize) -> ((usize, usize), usize) {
        let mut near = (1..=NEAR.min(tile)).filter_map(|back| Some((back, self.known(tile - back)?)));
        let Some((back, last)) = near.next() else { return ((0, 0), tile * self.tile / 2) };
        let each =
            near.next().map_or(self.tile / 2, |(further, first)| last.0.saturating_sub(first.0) / (further - back));
        (last, last.0 + back * each)
    }

    fn known(&self, tile: usize) -> Option<(usize, usize)> {
        let i = self.crossings[tile].load(Relaxed);
        (i != UNKNOWN).then(|| (i, tile * self.tile - i))
    }
}
