//! A chain of tiles: each tile adds to a sum that the tiles behind it need, in one sweep over memory.
//!
//! Idea: the input is cut into *tiles* that fit a cache. A worker claims the next tile, and computes in a first pass what the tile adds to the sum. As
//! soon as the *prefix* is known, which is the sum of everything before the tile, a second pass finishes the tile, from the cache. Prefixes are
//! known soon, since they need the sums of tiles only. No worker waits: if the prefix of a tile is not known after its first pass, the worker
//! leaves the tile and goes on. The worker that makes the prefix known finds the tile there and finishes it.
//! After Merrill & Garland's decoupled look-back (2016), where workers wait instead.
//!
//! How tiles are claimed depends on the size of the input. If it fits the caches of the workers, each worker has a long row of tiles, of which a
//! thief gets the back half. So a tile usually goes to the same worker from call to call, and lies in its cache. Larger input is claimed
//! tile by tile from a common counter, so that a tile is still in the cache when its prefix is known.
//!
//! In a scan the sum is that of the elements. In a filter it is the number of elements kept, which says where those of the next tile go.
//!
//! # States of a tile
//!
//! | `arrived` | which worker may use the slot's fields | next |
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
    /// The type of the sum.
    type Sum: Send;

    /// What is kept of a tile from the first pass to the second.
    type Kept: Send;

    /// Whether a tile whose prefix is known already costs less in one pass: see [`at_once`](Tiles::at_once).
    const AT_ONCE: bool;

    /// The number of tiles.
    fn count(&self) -> usize;

    /// The first pass: it computes what the tile adds to the sum.
    ///
    /// # Safety
    ///
    /// Nothing has been done with this tile before.
    unsafe fn look(&self, tile: usize) -> Self::Kept;

    /// The sum of everything up to the end of a tile.
    fn sum_after(&self, prefix: &Self::Sum, kept: &Self::Kept) -> Self::Sum;

    /// The second pass: finishes the tile. `prefix` is the sum of everything before it.
    ///
    /// # Safety
    ///
    /// This is called once, after [`look`](Tiles::look), with what that has returned. Every tile before has been looked at.
    unsafe fn finish(&self, tile: usize, prefix: Self::Sum, kept: Self::Kept);

    /// Both passes in one; returns the sum after the tile.
    ///
    /// # Safety
    ///
    /// As for [`look`](Tiles::look), and every tile before has been looked at.
    unsafe fn at_once(&self, tile: usize, prefix: Self::Sum) -> Self::Sum;
}

/// What is kept of a tile, and its prefix. On its own cache lines, since its neighbours may belong to another worker.
#[repr(align(64))]
struct Slot<S, K> {
    arrived: AtomicU8,
    kept: UnsafeCell<Option<K>>,
    prefix: UnsafeCell<Option<S>>,
}

/// The number of bytes of input for each worker up to which the caches hold the input and the result.
const NEAR: usize = 1 << 18;

/// The number of bytes up to which two steps over all of the input take less time than a chain of tiles. Beyond, traffic to memory counts for more, however many workers
/// there are.
const TWO_STEPS: usize = 1 << 23;

/// Whether the caches hold `bytes` of numbers well enough that each worker may go over all of its part twice, and wait for the others in between.
pub(crate) fn takes_two_steps(bytes: usize) -> bool {
    bytes <= TWO_STEPS
}

/// Whether `bytes` of input are more than the caches of that many workers hold.
pub(crate) fn is_far(bytes: usize, workers: usize) -> bool {
    bytes > workers * NEAR
}

/// The minimum number of elements in a tile, so that the cost of claiming it does not matter.
pub(crate) const TILE_MIN: usize = 256;
/// The minimum time in nanoseconds of a tile of expensive elements, which may be fewer.
const TILE_NS: f32 = 5_000.0;

/// The minimum number of elements in a tile, for `team`. It is 1 if the cost of an element is not known yet, as an element may take long.
pub(crate) fn least_tile(team: &Team<'_>) -> usize {
    team.elements_in(TILE_NS).unwrap_or(1).clamp(1, TILE_MIN)
}

pub(crate) struct Chain<'w, W: Tiles> {
    tiles: &'w W,
    slots: Vec<Slot<W::Sum, W::Kept>>,
    /// The next tile that no worker has claimed.
    ///
    /// On its own cache line, like the next field: all workers write there, and read the fields above at every step.
    next: CachePadded<AtomicUsize>,
    /// The number of finished tiles.
    finished: CachePadded<AtomicUsize>,
}

// SAFETY: a slot's fields are used by the worker that the table of states names. What one worker leaves there another
// takes, and no two use it at once, hence `Send`, which the trait demands.
unsafe impl<W: Tiles> Sync for Chain<'_, W> {}

/// Runs `chain`, whose input may be `far`.
pub(crate) fn run_tiles<W: Tiles>(team: &Team<'_>, chain: &Chain<'_, W>, far: bool) {
    if least_tile(team) < TILE_MIN {
        // Elements take so long that no thief should wait for the end of a tile. In which cache they lie matters little then.
        team.run(chain, chain.root(true));
    } else {
        team.run_claims(chain, chain.root(far));
    }
}

/// `ready` are tiles whose prefix is known and that this state has to finish; `fresh` are tiles that it alone looks at. A state without
/// any tiles may claim new ones.
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
            // SAFETY: a tile is in one state's fresh range, which it leaves once, or no other worker has claimed it.
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
    /// Nothing has been done with any tile, and only this chain will work on them.
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
    /// Called only once.
    pub(crate) fn root(&self, far: bool) -> Local {
        let tiles = self.slots.len();
        // Relaxed: no worker has begun.
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
            // SAFETY: the worker that put the prefix there is done with the slot, and no other worker has claimed the tile.
            let prefix = unsafe { (*slot.prefix.get()).take() }.expect("the prefix has arrived");
            // SAFETY: the tile is ours. Its prefix is known, so every tile before has been looked at.
            let sum = unsafe { self.tiles.at_once(tile, prefix) };
            self.finished.fetch_add(1, Ordering::Relaxed);
            return tile + 1..self.resolve(tile + 1, sum);
        }
        // SAFETY: the tile is ours.
        let kept = unsafe { self.tiles.look(tile) };
        // SAFETY: `kept` belongs to the worker that claimed the tile.
        unsafe { *slot.kept.get() = Some(kept) };
        // AcqRel: Release, pairs with the Acquire in `resolve`, which will read what is kept; and Acquire, pairs with
        // the Release there, for the prefix.
        if slot.arrived.fetch_add(1, Ordering::AcqRel) == 0 {
            // The prefix is not known yet: the worker that makes it known goes on with this tile.
            return 0..0;
        }
        tile..self.resolve(tile + 1, self.sum_after(tile))
    }

    /// The sum of everything up to the end of a tile.
    fn sum_after(&self, tile: usize) -> W::Sum {
        let slot = &self.slots[tile];
        // SAFETY: both workers have arrived, and we came second: the slot is ours.
        let prefix = unsafe { (*slot.prefix.get()).as_ref() }.expect("the prefix has arrived");
        // SAFETY: as above.
        let kept = unsafe { (*slot.kept.get()).as_ref() }.expect("the tile has been looked at");
        self.tiles.sum_after(prefix, kept)
    }

    /// Gives `tile` its prefix, and the following tiles theirs as far as their first pass is done. Returns the first tile whose first pass is not
    /// done: the worker that makes that pass will go on.
    fn resolve(&self, mut tile: usize, mut prefix: W::Sum) -> usize {
        while let Some(slot) = self.slots.get(tile) {
            // SAFETY: `prefix` belongs to the worker that resolves the tile before.
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
    /// Both workers have arrived at the tile, and it is finished once.
    unsafe fn finish(&self, tile: usize) {
        let slot = &self.slots[tile];
        // SAFETY: both workers have arrived, and the tile was given to us.
        let prefix = unsafe { (*slot.prefix.get()).take() }.expect("the prefix has arrived");
        // SAFETY: as above.
        let kept = unsafe { (*slot.kept.get()).take() }.expect("the tile has been looked at");
        // SAFETY: the tile has been looked at and is finished once. A prefix is known only when every tile before has been looked at.
        unsafe { self.tiles.finish(tile, prefix, kept) };
        self.finished.fetch_add(1, Ordering::Relaxed);
    }
}
