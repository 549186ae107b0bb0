//! `inclusive_scan`, `exclusive_scan`: all prefix sums, in one sweep over memory.
//!
//! Idea: the input lies in *tiles* that fit a cache. A worker claims the next tile, folds it, and scans it from the
//! cache as soon as the sum of everything before it is known; that sum travels from tile to tile much faster than
//! data does. Nobody waits: when a tile has been folded and its prefix is not known yet, the tile is left behind, and
//! whoever makes the prefix known finds it there and goes on with it.
//! After Merrill & Garland's decoupled look-back (2016), with their waiting replaced by that hand-over.
//! C++'s `std::inclusive_scan`. Work O(n), two operations an element, span O(tile + n/tile), memory one sum a tile.
//!
//! # States of a tile
//!
//! | `arrived` | who may touch the slot's fields | next |
//! |---|---|---|
//! | 0 | `folded`: who claimed it; `prefix`: who resolves its predecessor | either arrives |
//! | 1 | the one that arrived is done with it, the other as before | the other arrives |
//! | 2 | who arrived second | scanned by them, or by whom they give it to |

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use fusain_pool::Algorithm;

use super::elements::Elements;
use super::tile::{self, Folded};
use crate::kind::is_light;
use crate::policy::Team;

/// Bytes of a tile: what it reads and writes fits a common second-level cache several times over.
const TILE_BYTES: usize = 1 << 15;

/// Tiles for each worker at least, so that the last ones come out even.
const TILES_PER_WORKER: usize = 4;

/// Elements in a tile at least: what claiming one costs must not show.
const TILE_MIN: usize = 256;

/// A tile's sum and what comes before it.
struct Slot<T> {
    arrived: AtomicU8,
    folded: UnsafeCell<Option<Folded<T>>>,
    prefix: UnsafeCell<Option<T>>,
}

pub(super) struct Chain<'e, T, E> {
    elements: &'e E,
    range: Range<usize>,
    tile: usize,
    slots: Vec<Slot<T>>,
    /// The next tile that nobody has claimed.
    next: AtomicUsize,
    /// Tiles scanned.
    scanned: AtomicUsize,
    sums: PhantomData<T>,
}

// SAFETY: a slot's fields are touched by the one the table of states names; sums made by one worker are read by
// another, hence `Send` and `Sync`.
unsafe impl<T: Send + Sync, E: Sync> Sync for Chain<'_, T, E> {}

/// Tiles whose prefix is known and that are this state's to scan. A state without any may claim new ones.
pub(super) struct Local {
    ready: Range<usize>,
}

impl<T: Clone + Send + Sync, E: Elements<T>> Algorithm for Chain<'_, T, E> {
    type Local = Local;

    fn has_global_work(&self) -> bool {
        // Relaxed: a hint.
        self.scanned.load(Ordering::Relaxed) < self.slots.len()
    }

    fn has_local_work(&self, local: &Local) -> bool {
        !local.ready.is_empty() || self.has_unclaimed()
    }

    fn do_unit(&self, local: &mut Local, _grain: usize) {
        if let Some(tile) = local.ready.next() {
            // SAFETY: a tile is in one state's ready range only, and leaves it once.
            unsafe { self.scan(tile) };
            return;
        }
        // Relaxed: claims need only be distinct; data travels by `arrived`.
        let tile = self.next.fetch_add(1, Ordering::Relaxed);
        if tile < self.slots.len() {
            // SAFETY: nobody else has claimed this tile.
            local.ready = unsafe { self.begin(tile) };
        }
    }

    fn commit(&self, _local: &mut Local) {}

    fn steal(&self, victim: &mut Local) -> Option<Local> {
        if victim.ready.len() > 1 {
            let middle = victim.ready.start + victim.ready.len().div_ceil(2);
            let stolen = middle..victim.ready.end;
            victim.ready.end = middle;
            return Some(Local { ready: stolen });
        }
        // Tiles are claimed from a common counter: to let somebody in is to give nothing.
        self.has_unclaimed().then_some(Local { ready: 0..0 })
    }
}

impl<'e, T: Clone + Send + Sync, E: Elements<T>> Chain<'e, T, E> {
    /// The scan of the elements in `range`, before which everything adds up to `prefix`, in tiles of `tile` elements.
    ///
    /// # Safety
    ///
    /// The elements in `range` are this scan's, and no result has been put there.
    pub(super) unsafe fn new(elements: &'e E, range: Range<usize>, prefix: T, tile: usize) -> Self {
        let slot = |_| Slot { arrived: AtomicU8::new(0), folded: None.into(), prefix: None.into() };
        let mut slots: Vec<Slot<T>> = (0..range.len().div_ceil(tile)).map(slot).collect();
        if let Some(first) = slots.first_mut() {
            *first.prefix.get_mut() = Some(prefix);
            *first.arrived.get_mut() = 1;
        }
        let (next, scanned) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Chain { elements, range, tile, slots, next, scanned, sums: PhantomData }
    }

    pub(super) fn root(&self) -> Local {
        Local { ready: 0..0 }
    }

    fn has_unclaimed(&self) -> bool {
        // Relaxed: a hint; the claim itself decides.
        self.next.load(Ordering::Relaxed) < self.slots.len()
    }

    fn range(&self, tile: usize) -> Range<usize> {
        let start = self.range.start + tile * self.tile;
        start..self.range.end.min(start + self.tile)
    }

    /// Folds a tile, and returns the tiles that can be scanned now and that nobody else will.
    ///
    /// # Safety
    ///
    /// Called once for a tile.
    unsafe fn begin(&self, tile: usize) -> Range<usize> {
        let slot = &self.slots[tile];
        // Acquire: pairs with the Release in `resolve`, for the prefix.
        if !is_light::<T>() && slot.arrived.load(Ordering::Acquire) == 1 {
            // What comes before is known already, and adding costs: so every element is added once, not twice.
            // SAFETY: whoever put the prefix there is done with the slot, and nobody else has claimed the tile.
            let prefix = unsafe { (*slot.prefix.get()).take() }.expect("the prefix has arrived");
            // SAFETY: the tile is ours.
            let total = unsafe { tile::scan_plain(self.elements, self.range(tile), prefix) };
            self.scanned.fetch_add(1, Ordering::Relaxed);
            return tile + 1..self.resolve(tile + 1, total);
        }
        // SAFETY: the tile is ours, and not scanned before it has been folded.
        let folded = unsafe { tile::fold(self.elements, self.range(tile)) };
        // SAFETY: `folded` is for the one who claimed the tile.
        unsafe { *slot.folded.get() = Some(folded) };
        // AcqRel: Release, pairs with the Acquire in `resolve`, which will read the sum; and Acquire, pairs with the
        // Release there, for the prefix.
        if slot.arrived.fetch_add(1, Ordering::AcqRel) == 0 {
            // The prefix is not known yet: who makes it known goes on with this tile.
            return 0..0;
        }
        tile..self.resolve(tile + 1, self.sum_after(tile))
    }

    /// What everything up to the end of a tile adds up to.
    fn sum_after(&self, tile: usize) -> T {
        let slot = &self.slots[tile];
        // SAFETY: both have arrived, and we came second: the slot is ours.
        let prefix = unsafe { (*slot.prefix.get()).as_ref() }.expect("the prefix has arrived");
        // SAFETY: likewise.
        let folded = unsafe { (*slot.folded.get()).as_ref() }.expect("the sum has arrived");
        self.elements.combine(prefix, &folded.total)
    }

    /// Tells `tile` what comes before it, and the following ones as long as they have been folded; returns the first
    /// that has not been: whoever folds that will go on.
    fn resolve(&self, mut tile: usize, mut prefix: T) -> usize {
        while let Some(slot) = self.slots.get(tile) {
            // SAFETY: `prefix` is for the one who resolves the predecessor.
            unsafe { *slot.prefix.get() = Some(prefix) };
            // AcqRel: Release, pairs with the Acquire in `begin`, which will read the prefix; and Acquire, pairs with
            // the Release there, for the sum.
            if slot.arrived.fetch_add(1, Ordering::AcqRel) == 0 {
                break;
            }
            prefix = self.sum_after(tile);
            tile += 1;
        }
        tile
    }

    /// Scans a tile.
    ///
    /// # Safety
    ///
    /// Both have arrived at the tile, and it is scanned once.
    unsafe fn scan(&self, tile: usize) {
        let slot = &self.slots[tile];
        // SAFETY: both have arrived, and the tile was given to us.
        let prefix = unsafe { (*slot.prefix.get()).take() }.expect("the prefix has arrived");
        // SAFETY: likewise.
        let folded = unsafe { (*slot.folded.get()).take() }.expect("the sum has arrived");
        // SAFETY: the tile is ours and was not scanned.
        unsafe { tile::scan(self.elements, self.range(tile), &prefix, folded.lanes) };
        self.scanned.fetch_add(1, Ordering::Relaxed);
    }
}

/// Scans all elements; without an `init` the first element is one.
#[inline(never)]
pub(super) fn scan<T: Clone + Send + Sync, E: Elements<T>>(team: Team<'_>, elements: &E, init: Option<T>) {
    // SAFETY: the elements are ours, and this is the first thing done with them.
    let Some((prefix, rest)) = (unsafe { elements.start(init) }) else { return };
    let tile = team.grain().unwrap_or_else(|| {
        let even = rest.len() / (team.workers() * TILES_PER_WORKER);
        even.min(TILE_BYTES / size_of::<T>().max(1)).max(TILE_MIN)
    });
    // SAFETY: the elements in `rest` are ours and untouched.
    let chain = unsafe { Chain::new(elements, rest, prefix, tile) };
    team.run(&chain, chain.root());
}
