//! A chain of tiles: each tile adds to a sum that the tiles behind it need, in one sweep over memory.
//!
//! Idea: the input is cut into *tiles* that fit a cache. A worker claims the next tile, and computes in a first pass what the tile adds to the sum. As
//! soon as the *prefix* is known, which is the sum of everything before the tile, a second pass finishes the tile, from the cache. Prefixes are
//! known soon, since they need the sums of tiles only. No worker waits: if the prefix of a tile is not known after its first pass, the worker
//! leaves the tile and goes on. The worker that makes the prefix known finds the tile there and finishes it.
//! After Merrill & Garland's decoupled look-back (2016), where workers wait instead.
//!
//! How tiles are claimed depends on the size of the input. If it fits the caches of the workers, each worker has a long row of tiles, of which a
//! thief gets the back half. So a tile mostly goes to the same worker from call to call, and lies in its cache. Larger input is claimed
//! tile by tile from a common counter, so that a tile is still in the cache when its prefix is known.
//!
//! In a scan the sum is that of the elements. In a filter it is the number of elements kept, which says where those of the next tile go.
//!
//! # States of a tile
//!
//! | `arrived` | who may touch the slot's fields | next |
//! |---|---|---|
//! | 0 | `kept`: the worker that claimed the tile; `prefix`: the worker that resolves the tile before it | one of them arrives |
//! | 1 | only the worker that has not arrived, as before | it arrives |
//! | 2 | the worker that arrived second | it finishes the tile, or gives it to another worker |

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;
use fusain_pool::Algorithm;

use crate::policy::Team;

/// Work in tiles, with two passes over each.
pub(crate) trait Tiles: Sync {
    /// What tiles add up to.
    type Sum: Send;

    /// What is kept of a tile from the first pass to the second.
    type Kept: Send;

    /// Whether a tile whose prefix is known already costs less in one pass: see [`at_once`](Tiles::at_once).
    const AT_ONCE: bool;

    /// How many there are.
    fn count(&self) -> usize;

    /// The first pass: it computes what the tile adds to the sum.
    ///
    /// # Safety
    ///
    /// The first thing that is done with this tile.
    unsafe fn look(&self, tile: usize) -> Self::Kept;

    /// What everything up to the end of a tile adds up to.
    fn sum_after(&self, prefix: &Self::Sum, kept: &Self::Kept) -> Self::Sum;

    /// The second pass: finishes the tile. `prefix` is the sum of everything before it.
    ///
    /// # Safety
    ///
    /// Once, after [`look`](Tiles::look), with what that has returned; every tile before has been looked at.
    unsafe fn finish(&self, tile: usize, prefix: Self::Sum, kept: Self::Kept);

    /// Both passes in one; returns the sum after the tile.
    ///
    /// # Safety
    ///
    /// As [`look`](Tiles::look), and every tile before has been looked at.
    unsafe fn at_once(&self, tile: usize, prefix: Self::Sum) -> Self::Sum;
}

/// What is kept of a tile, and its prefix. On cache lines of its own, since its neighbours may belong to another worker.
#[repr(align(64))]
struct Slot<S, K> {
    arrived: AtomicU8,
    kept: UnsafeCell<Option<K>>,
    prefix: UnsafeCell<Option<S>>,
}

/// With up to so many bytes of input for each worker, the caches hold the input and the result.
const NEAR: usize = 1 << 18;

/// With up to so many bytes, two steps over all of the input take less than a chain of tiles. Beyond, what memory a result takes up counts for more, however many workers
/// there are: with 16, two steps over 16 MiB take half as long again, and over 64 MiB twice as long.
const TWO_STEPS: usize = 1 << 23;

/// Whether `bytes` of numbers are so near that each worker may go over all of its part twice, and meet the others in between.
pub(crate) fn takes_two_steps(bytes: usize) -> bool {
    bytes <= TWO_STEPS
}

/// Whether `bytes` of input are more than the caches of so many workers hold.
pub(crate) fn is_far(bytes: usize, workers: usize) -> bool {
    bytes > workers * NEAR
}

/// Elements in a tile at least, and nanoseconds of one of elements that take longer: what claiming one costs must not show.
pub(crate) const TILE_MIN: usize = 256;
const TILE_NS: f32 = 5_000.0;

/// Elements in a tile at least, for `team`. Where nobody knows yet what one takes, it may be long.
pub(crate) fn least_tile(team: &Team<'_>) -> usize {
    team.elements_in(TILE_NS).unwrap_or(1).clamp(1, TILE_MIN)
}

pub(crate) struct Chain<'w, W: Tiles> {
    tiles: &'w W,
    slots: Vec<Slot<W::Sum, W::Kept>>,
    /// The next tile that nobody has claimed.
    ///
    /// On a cache line of its own, like the next field: all workers write there, and read the fields above at every step.
    next: CachePadded<AtomicUsize>,
    /// Tiles finished.
    finished: CachePadded<AtomicUsize>,
}

// SAFETY: a slot's fields are touched by the one the table of states names; what one worker leaves there another takes,
// and no two look at it at once, hence `Send`, which the trait demands.
unsafe impl<W: Tiles> Sync for Chain<'_, W> {}

/// Runs `chain`, whose input may be `far`.
pub(crate) fn run_tiles<W: Tiles>(team: &Team<'_>, chain: &Chain<'_, W>, far: bool) {
    if least_tile(team) < TILE_MIN {
        // Elements take so long that nobody should wait for the end of a tile to be given some. Where they lie matters little then.
        team.run(chain, chain.root(true));
    } else {
        team.run_claims(chain, chain.root(far));
    }
}

/// Tiles whose prefix is known and that are this state's to finish, and tiles that it alone looks at. A state without any may claim
/// new ones.
pub(crate) struct Local {
    ready: Range<usize>,
    fresh: Range<usize>,
}

/// The back half of some tiles, if there are two.
fn back_half(tiles: &mut Range<usize>) -> Option<Range<usize>> {
    let middle = tiles.start + tiles.len().div_ceil(2);
    (tiles.len() > 1).then(|| middle..std::mem::replace(&mut tiles.end, middle))
}

impl<W: Tiles> Algorithm for Chain<'_, W> {
    type Local = Local;

    fn wants_help(&self) -> bool {
        // Relaxed: a hint.
        self.finished.load(Ordering::Relaxed) < self.slots.len()
    }

    fn has_local_work(&self, local: &Local) -> bool {
        !local.ready.is_empty() || !local.fresh.is_empty() || self.has_unclaimed()
    }

    fn do_unit(&self, local: &mut Local, _grain: usize) {
        if let Some(tile) = local.ready.next() {
            // SAFETY: a tile is in one state's ready range only, and leaves it once.
            unsafe { self.finish(tile) };
            return;
        }
        // Relaxed: claims need only be distinct; data travels by `arrived`.
        let tile = local.fresh.next().unwrap_or_else(|| self.next.fetch_add(1, Ordering::Relaxed));
        if tile < self.slots.len() {
            // SAFETY: a tile is in one state's fresh range, which it leaves once, or has been claimed by nobody else.
            local.ready = unsafe { self.begin(tile) };
        }
    }

    fn commit(&self, _local: &mut Local) {}

    fn split(&self, victim: &mut Local) -> Option<Local> {
        if let Some(fresh) = back_half(&mut victim.fresh) {
            return Some(Local { ready: 0..0, fresh });
        }
        if let Some(ready) = back_half(&mut victim.ready) {
            return Some(Local { ready, fresh: 0..0 });
        }
        // Tiles are claimed from a common counter, so a thief needs no tiles from this state.
        self.has_unclaimed().then_some(Local { ready: 0..0, fresh: 0..0 })
    }
}

impl<'w, W: Tiles> Chain<'w, W> {
    /// The chain of `tiles`, before which everything adds up to `prefix`.
    ///
    /// # Safety
    ///
    /// Nothing has been done with any tile, and nothing else will be.
    pub(crate) unsafe fn new(tiles: &'w W, prefix: W::Sum) -> Self {
        let slot = |_| Slot { arrived: AtomicU8::new(0), kept: None.into(), prefix: None.into() };
        let mut slots: Vec<_> = (0..tiles.count()).map(slot).collect();
        if let Some(first) = slots.first_mut() {
            *first.prefix.get_mut() = Some(prefix);
            *first.arrived.get_mut() = 1;
        }
        Chain { tiles, slots, next: CachePadded::default(), finished: CachePadded::default() }
    }

    /// The first state. It has all tiles, or if the input is `far`, none: then all are claimed from the counter.
    ///
    /// To be called once.
    pub(crate) fn root(&self, far: bool) -> Local {
        let tiles = self.slots.len();
        // Relaxed: nobody works yet.
        self.next.store(if far { 0 } else { tiles }, Ordering::Relaxed);
        Local { ready: 0..0, fresh: if far { 0..0 } else { 0..tiles } }
    }

    fn has_unclaimed(&self) -> bool {
        // Relaxed: a hint; the claim itself decides.
        self.next.load(Ordering::Relaxed) < self.slots.len()
    }

    /// Makes the first pass over a tile, and returns the tiles that this worker is to finish now.
    ///
    /// # Safety
    ///
    /// Called once for a tile.
    unsafe fn begin(&self, tile: usize) -> Range<usize> {
        let slot = &self.slots[tile];
        // Acquire: pairs with the Release in `resolve`, for the prefix.
        if W::AT_ONCE && slot.arrived.load(Ordering::Acquire) == 1 {
            // SAFETY: whoever put the prefix there is done with the slot, and nobody else has claimed the tile.
            let prefix = unsafe { (*slot.prefix.get()).take() }.expect("the prefix has arrived");
            // SAFETY: the tile is ours, and that its prefix is known says that the others have been looked at.
            let sum = unsafe { self.tiles.at_once(tile, prefix) };
            self.finished.fetch_add(1, Ordering::Relaxed);
            return tile + 1..self.resolve(tile + 1, sum);
        }
        // SAFETY: the tile is ours.
        let kept = unsafe { self.tiles.look(tile) };
        // SAFETY: `kept` is for the one who claimed the tile.
        unsafe { *slot.kept.get() = Some(kept) };
        // AcqRel: Release, pairs with the Acquire in `resolve`, which will read what is kept; and Acquire, pairs with
        // the Release there, for the prefix.
        if slot.arrived.fetch_add(1, Ordering::AcqRel) == 0 {
            // The prefix is not known yet: the worker that makes it known goes on with this tile.
            return 0..0;
        }
        tile..self.resolve(tile + 1, self.sum_after(tile))
    }

    /// What everything up to the end of a tile adds up to.
    fn sum_after(&self, tile: usize) -> W::Sum {
        let slot = &self.slots[tile];
        // SAFETY: both have arrived, and we came second: the slot is ours.
        let prefix = unsafe { (*slot.prefix.get()).as_ref() }.expect("the prefix has arrived");
        // SAFETY: likewise.
        let kept = unsafe { (*slot.kept.get()).as_ref() }.expect("the tile has been looked at");
        self.tiles.sum_after(prefix, kept)
    }

    /// Gives `tile` its prefix, and the following tiles as long as their first pass is done. Returns the first one where it is not: the worker
    /// that does that pass will go on.
    fn resolve(&self, mut tile: usize, mut prefix: W::Sum) -> usize {
        while let Some(slot) = self.slots.get(tile) {
            // SAFETY: `prefix` is for the one who resolves the predecessor.
            unsafe { *slot.prefix.get() = Some(prefix) };
            // AcqRel: Release, pairs with the Acquire in `begin`, which will read the prefix; and Acquire, pairs with
            // the Release there, for what is kept.
            if slot.arrived.fetch_add(1, Ordering::AcqRel) == 0 {
                break;
            }
            prefix = self.sum_after(tile);
            tile += 1;
        }
        tile
    }

    /// Finishes a tile.
    ///
    /// # Safety
    ///
    /// Both have arrived at the tile, and it is finished once.
    unsafe fn finish(&self, tile: usize) {
        let slot = &self.slots[tile];
        // SAFETY: both have arrived, and the tile was given to us.
        let prefix = unsafe { (*slot.prefix.get()).take() }.expect("the prefix has arrived");
        // SAFETY: likewise.
        let kept = unsafe { (*slot.kept.get()).take() }.expect("the tile has been looked at");
        // SAFETY: looked at before, finished once; a prefix is known only when every tile before has been looked at.
        unsafe { self.tiles.finish(tile, prefix, kept) };
        self.finished.fetch_add(1, Ordering::Relaxed);
    }
}
