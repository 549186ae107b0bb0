//! `inclusive_scan`, `exclusive_scan`: all prefix sums, in one sweep over memory.
//!
//! Idea: a [chain of tiles](crate::tiles::chained). The first pass over a tile folds it, the second scans it, from the cache. If the sum before a tile is
//! known already, one pass does both. C++'s `std::inclusive_scan`. Work O(n), two operations for each element, nearly three for floats, span O(tile + n/tile), memory for
//! one sum of each tile.

use std::marker::PhantomData;
use std::ops::Range;

use super::elements::Elements;
use super::{near, tile};
use crate::memory::nontemporal;
use crate::policy::Team;
use crate::tiles::chained::{Chain, Tiles, is_far, least_tile, run_tiles};

/// The size of a tile in bytes: what it reads and writes fits a common second-level cache several times over.
const TILE_BYTES: usize = 1 << 15;

/// The size of a tile in bytes if [results are far](crate::memory::nontemporal): no cache holds what it writes, and memory is read faster in long runs
/// (`compare algorithms --only inclusive_scan --log2 24`).
const FAR_TILE_BYTES: usize = 1 << 17;

/// The minimum number of tiles for each worker, so that all workers finish at about the same time.
const TILES_PER_WORKER: usize = 4;

/// The elements in `range`, in tiles of `tile` elements.
pub(super) struct Tiled<'e, T, E> {
    pub(super) elements: &'e E,
    pub(super) range: Range<usize>,
    pub(super) tile: usize,
    pub(super) sums: PhantomData<fn() -> T>,
}

impl<T, E> Tiled<'_, T, E> {
    fn range(&self, tile: usize) -> Range<usize> {
        let start = self.range.start + tile * self.tile;
        start..self.range.end.min(start.saturating_add(self.tile))
    }
}

impl<T: Clone + Send + Sync, E: Elements<T>> Tiles for Tiled<'_, T, E> {
    type Sum = T;
    type Kept = T;

    /// A tile whose prefix is known need not be folded.
    const AT_ONCE: bool = true;

    fn count(&self) -> usize {
        self.range.len().div_ceil(self.tile)
    }

    unsafe fn look(&self, tile: usize) -> T {
        // SAFETY: the tile is ours, and not scanned before it has been folded.
        unsafe { tile::fold(self.elements, self.range(tile)) }
    }

    fn sum_after(&self, prefix: &T, total: &T) -> T {
        self.elements.combine(prefix, total)
    }

    unsafe fn finish(&self, tile: usize, prefix: T, _total: T) {
        // SAFETY: the tile is ours and was not scanned.
        unsafe { tile::scan(self.elements, self.range(tile), prefix) };
    }

    unsafe fn at_once(&self, tile: usize, prefix: T) -> T {
        // SAFETY: the tile is ours.
        unsafe { tile::scan(self.elements, self.range(tile), prefix) }
    }
}

/// Scans all elements. Without an `init` the first element takes its place.
#[inline(never)]
pub(super) fn scan<T: Clone + Send + Sync, E: Elements<T>>(team: Team<'_>, elements: &E, init: Option<T>) {
    // SAFETY: the elements are ours, and this is the first thing done with them.
    let Some((prefix, range)) = (unsafe { elements.start(init) }) else { return };
    if near::is_near::<T>(&team, range.len()) {
        // SAFETY: the elements in `range` are ours and untouched.
        unsafe { near::scan(&team, elements, range.clone(), prefix) };
    } else {
        // SAFETY: as above.
        unsafe { scan_tiles(&team, elements, range.clone(), prefix) };
    }
    // SAFETY: just scanned.
    unsafe { tile::count(elements, range) };
}

/// Scans the elements in `range`, before which everything adds up to `prefix`.
///
/// # Safety
///
/// The elements belong to the caller, and nothing has been done with them.
unsafe fn scan_tiles<T, E>(team: &Team<'_>, elements: &E, range: Range<usize>, prefix: T)
where
    T: Clone + Send + Sync,
    E: Elements<T>,
{
    let tile = team.grain().unwrap_or_else(|| {
        let even = range.len() / (team.workers() * TILES_PER_WORKER);
        let bytes = if nontemporal::is_far::<T>(range.len()) { FAR_TILE_BYTES } else { TILE_BYTES };
        even.min(bytes / size_of::<T>().max(1)).max(least_tile(team))
    });
    let far = is_far(range.len() * size_of::<T>(), team.workers());
    let tiles = Tiled { elements, range, tile, sums: PhantomData };
    // SAFETY: guaranteed by the caller.
    let chain = unsafe { Chain::new(&tiles, prefix) };
    run_tiles(team, &chain, far);
}
