//! Results whose number is not known beforehand: each tile makes a *run* of them, and the runs are put one after the other.
//!
//! Idea: a [chain of tiles](crate::tiles::chained) whose sum is the number of results. The first pass over a tile makes its run, in memory that stays in
//! the cache. The second pass, when the number of results before it is known, moves the run to its place. So the caller's closures are called
//! once for each element, and nothing is read twice from memory.
//! Filters, partitions into two outputs, and operations on sorted sets use it.
//! Work O(n), span O(tile + n/tile), memory for the runs of tiles that wait for one before them: about one for each worker.

use std::sync::{Mutex, PoisonError};

use crate::memory::output::Output;
use crate::policy::Team;
use crate::tiles::chained::{Chain, TILE_MIN, Tiles, is_far, least_tile, run_tiles};

/// The size of a tile in bytes: what it reads and its run fit a common second-level cache several times over.
const TILE_BYTES: usize = 1 << 15;

/// The size of a tile in bytes if [results are far](crate::memory::nontemporal): no cache holds the results, and memory is read faster in long runs
/// (`compare algorithms --only copy_if --log2 24`).
const FAR_TILE_BYTES: usize = 1 << 17;

/// The minimum number of tiles for each worker, so that all workers finish at about the same time.
const TILES_PER_WORKER: usize = 4;

/// The number of elements in a tile, for `len` elements of type `T`, on `team` or on one worker.
pub(crate) fn tile_len<T>(len: usize, team: Option<&Team<'_>>, is_far: bool) -> usize {
    let bytes = if is_far { FAR_TILE_BYTES } else { TILE_BYTES };
    let most = bytes / size_of::<T>().max(1);
    // One worker alone gets tiles as long as the cache allows.
    let even = |workers: usize| if workers > 1 { len / (workers * TILES_PER_WORKER) } else { most };
    match team {
        None => most.max(TILE_MIN),
        Some(team) => team.grain().unwrap_or_else(|| even(team.workers()).min(most).max(least_tile(team))),
    }
}

/// Runs of results, made tile by tile: each tile makes one run for each of `N` outputs.
pub(crate) trait Runs<const N: usize>: Sync {
    type Item: Send;

    /// How many tiles there are.
    fn count(&self) -> usize;

    /// Makes the runs of a tile in `runs`, which are empty.
    ///
    /// # Safety
    ///
    /// This is called once for each tile.
    unsafe fn make(&self, tile: usize, runs: [Vec<Self::Item>; N]) -> [Vec<Self::Item>; N];
}

/// Runs, and where they go.
pub(crate) struct Joined<'o, 'r, R: Runs<N>, const N: usize> {
    runs: R,
    outputs: [&'o Output<'r, R::Item>; N],
    /// Memory of runs that have been put in their places. If it were freed and allocated again, allocators would give it back to the system, and its pages would have to be
    /// made anew.
    spare: Mutex<Vec<[Vec<R::Item>; N]>>,
}

impl<'o, 'r, R: Runs<N>, const N: usize> Joined<'o, 'r, R, N> {
    /// # Safety
    ///
    /// Nothing else is ever put into the outputs. If an output is the memory of the elements themselves, no run is longer
    /// than its tile, and the elements of a tile are not used any more once it has made its runs.
    pub(crate) unsafe fn new(runs: R, outputs: [&'o Output<'r, R::Item>; N]) -> Self {
        Joined { runs, outputs, spare: Mutex::default() }
    }
}

impl<R: Runs<N>, const N: usize> Tiles for Joined<'_, '_, R, N> {
    /// How many results there are for each output.
    type Sum = [usize; N];
    type Kept = [Vec<R::Item>; N];

    const AT_ONCE: bool = false;

    fn count(&self) -> usize {
        self.runs.count()
    }

    unsafe fn look(&self, tile: usize) -> Self::Kept {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // SAFETY: guaranteed by the caller.
        unsafe { self.runs.make(tile, spare.unwrap_or([const { Vec::new() }; N])) }
    }

    fn sum_after(&self, prefix: &[usize; N], kept: &Self::Kept) -> [usize; N] {
        std::array::from_fn(|n| prefix[n] + kept[n].len())
    }

    unsafe fn finish(&self, _tile: usize, prefix: [usize; N], mut kept: Self::Kept) {
        for n in 0..N {
            // SAFETY: the runs of all tiles lie one behind the other. In the elements' own memory no run ends behind its
            // tile, and all tiles up to it have made their runs.
            unsafe { self.outputs[n].place(prefix[n], &mut kept[n]) };
        }
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
    }

    unsafe fn at_once(&self, tile: usize, prefix: [usize; N]) -> [usize; N] {
        // SAFETY: guaranteed by the caller.
        let kept = unsafe { self.look(tile) };
        let sum = self.sum_after(&prefix, &kept);
        // SAFETY: as above.
        unsafe { self.finish(tile, prefix, kept) };
        sum
    }
}

/// Makes all runs and puts them in their places.
#[inline(never)]
pub(crate) fn join<R: Runs<N>, const N: usize>(team: &Team<'_>, joined: &Joined<'_, '_, R, N>) {
    // SAFETY: nothing has been done yet, and `joined` is used for this alone.
    let chain = unsafe { Chain::new(joined, [0; N]) };
    // Tiles of this size are assumed: far tiles are longer, but there are enough of them.
    run_tiles(team, &chain, is_far(joined.count() * TILE_BYTES, team.workers()));
}

/// Like [`join`], on the calling thread alone.
pub(crate) fn join_alone<R: Runs<N>, const N: usize>(joined: &Joined<'_, '_, R, N>) {
    // SAFETY: tile by tile, each once.
    (0..joined.count()).fold([0; N], |prefix, tile| unsafe { joined.at_once(tile, prefix) });
}
