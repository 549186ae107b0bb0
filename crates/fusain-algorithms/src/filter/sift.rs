//! Filters that work tile by tile: elements are copied out of a slice, or moved within their own memory.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::block::Part;
use super::judge::Judge;
use super::kernel::{cloned, moved, sift_bits};
use super::near;
use crate::element::primitive::{is_primitive, may_be_primitive};
use crate::execution::first_panic::FirstPanic;
use crate::memory::output::{Output, collect_front};
use crate::policy::{Par, Plan, Team};
use crate::tiles::compact::{Joined, Runs, join, join_alone, tile_len};

fn tile_range(tile: usize, tile_len: usize, len: usize) -> Range<usize> {
    let start = tile * tile_len;
    start..len.min(start.saturating_add(tile_len))
}

/// Copies elements of a slice.
pub(super) struct Copying<'a, T, J> {
    pub(super) v: &'a [T],
    pub(super) judge: &'a J,
    pub(super) tile: usize,
}

impl<T: Clone + Send + Sync, J: Judge<T>, const N: usize> Runs<N> for Copying<'_, T, J> {
    type Item = T;

    fn count(&self) -> usize {
        self.v.len().div_ceil(self.tile)
    }

    unsafe fn make(&self, tile: usize, runs: [Vec<T>; N]) -> [Vec<T>; N] {
        // SAFETY: within the slice.
        unsafe { copies(self.v, tile_range(tile, self.tile, self.v.len()), self.judge, runs) }
    }
}

/// Clones the elements in `range` that stay, and with `N` = 2 the others, into `runs`, which are empty.
///
/// # Safety
///
/// The range lies within `v`.
unsafe fn copies<T: Clone, J: Judge<T>, const N: usize>(
    v: &[T],
    range: Range<usize>,
    judge: &J,
    runs: [Vec<T>; N],
) -> [Vec<T>; N] {
    let first = (J::LOOKS_BACK && range.start == 0).then_some(true);
    let part = Part { v: v.as_ptr(), range, first, judge };
    // SAFETY: all elements are there for as long as the slice is.
    unsafe { cloned(&part, runs) }
}

/// The elements of `v` that stay.
#[inline]
pub(super) fn vector<T: Clone + Send + Sync, J: Judge<T>>(policy: &Par<'_>, v: &[T], judge: J) -> Vec<T> {
    match policy.plan_tiles::<(Vec<T>, J)>(v.len()) {
        Plan::Sequential(watch) => watch.time(|| {
            // SAFETY: the whole slice.
            let [kept] = unsafe { copies(v, 0..v.len(), &judge, [Vec::new()]) };
            kept
        }),
        Plan::Parallel(team) => collect_front(v.len(), |room| into(Some(&team), v, room, false, &judge)),
    }
}

/// The elements of `v` that stay, in `room`.
#[inline]
pub(super) fn into_room<'r, T: Clone + Send + Sync, J: Judge<T>>(
    policy: &Par<'_>,
    v: &[T],
    room: &'r mut [MaybeUninit<T>],
    judge: J,
) -> &'r mut [T] {
    match policy.plan_tiles::<(J, [T])>(v.len()) {
        Plan::Sequential(watch) => watch.time(|| alone(v, room, &judge)),
        Plan::Parallel(team) => into(Some(&team), v, room, policy.is_far::<T>(v.len()), &judge),
    }
}

fn alone<'r, T: Clone + Send + Sync, J: Judge<T>>(v: &[T], room: &'r mut [MaybeUninit<T>], judge: &J) -> &'r mut [T] {
    if const { !may_be_primitive::<T>() } || !is_primitive::<T>() || room.len() < v.len() {
        return into(None, v, room, false, judge);
    }
    let first = (J::LOOKS_BACK && !v.is_empty()).then_some(true);
    let part = Part { v: v.as_ptr(), range: 0..v.len(), first, judge };
    let room = room.as_mut_ptr().cast::<T>();
    // SAFETY: all elements are there, and for each of them a slot; a number is its bits.
    let stay = unsafe { sift_bits::<_, _, 1>(&part, room, room) };
    // SAFETY: this many slots have been written; they are borrowed for 'r.
    unsafe { std::slice::from_raw_parts_mut(room, stay) }
}

fn into<'r, T: Clone + Send + Sync, J: Judge<T>>(
    team: Option<&Team<'_>>,
    v: &[T],
    room: &'r mut [MaybeUninit<T>],
    is_far: bool,
    judge: &J,
) -> &'r mut [T] {
    let room = match team {
        Some(team) if const { may_be_primitive::<T>() } && is_primitive::<T>() => {
            match near::into(team, v, room, judge) {
                Ok(kept) => return kept,
                Err(room) => room,
            }
        }
        _ => room,
    };
    let output = Output::new(room).far(is_far);
    let copying = Copying { v, judge, tile: tile_len::<T>(v.len(), team, is_far) };
    // SAFETY: the output is used for this alone.
    let joined = unsafe { Joined::<_, 1>::new(copying, [&output]) };
    match team {
        Some(team) => join(team, &joined),
        None => join_alone(&joined),
    }
    output.finish_front()
}

/// The elements of `v` that stay, and the others.
#[inline]
pub(super) fn vectors<T: Clone + Send + Sync, J: Judge<T>>(policy: &Par<'_>, v: &[T], judge: J) -> (Vec<T>, Vec<T>) {
    match policy.plan_tiles::<((Vec<T>, Vec<T>), J)>(v.len()) {
        Plan::Sequential(watch) => watch.time(|| {
            // SAFETY: the whole slice.
            let [kept, rest] = unsafe { copies(v, 0..v.len(), &judge, [Vec::new(), Vec::new()]) };
            (kept, rest)
        }),
        Plan::Parallel(team) => {
            let mut rest = Vec::new();
            let kept = collect_front(v.len(), |kept_room| {
                let mut kept = None;
                rest = collect_front(v.len(), |rest_room| {
                    let (stay, go) = into_both(Some(&team), v, kept_room, rest_room, false, &judge);
                    kept = Some(stay);
                    go
                });
                kept.unwrap_or_default()
            });
            (kept, rest)
        }
    }
}

/// The elements of `v` that stay in one room, and the others in the other.
#[inline]
pub(super) fn into_rooms<'r, T: Clone + Send + Sync, J: Judge<T>>(
    policy: &Par<'_>,
    v: &[T],
    kept: &'r mut [MaybeUninit<T>],
    rest: &'r mut [MaybeUninit<T>],
    judge: J,
) -> (&'r mut [T], &'r mut [T]) {
    match policy.plan_tiles::<(J, J, [T])>(v.len()) {
        Plan::Sequential(watch) => watch.time(|| into_both(None, v, kept, rest, false, &judge)),
        Plan::Parallel(team) => into_both(Some(&team), v, kept, rest, policy.is_far::<T>(v.len()), &judge),
    }
}

fn into_both<'k, 'r, T: Clone + Send + Sync, J: Judge<T>>(
    team: Option<&Team<'_>>,
    v: &[T],
    kept: &'k mut [MaybeUninit<T>],
    rest: &'r mut [MaybeUninit<T>],
    is_far: bool,
    judge: &J,
) -> (&'k mut [T], &'r mut [T]) {
    let (kept, rest) = (Output::new(kept).far(is_far), Output::new(rest).far(is_far));
    let copying = Copying { v, judge, tile: tile_len::<T>(v.len(), team, is_far) };
    {
        // SAFETY: the outputs are used for this alone.
        let joined = unsafe { Joined::<_, 2>::new(copying, [&kept, &rest]) };
        match team {
            Some(team) => join(team, &joined),
            None => join_alone(&joined),
        }
    }
    (kept.finish_front(), rest.finish_front())
}

/// Moves elements out of the memory of an output. Those that stay go back to the same memory.
///
/// Invariant: 1. every element that has not been moved is there, and belongs to this.
pub(crate) struct Moving<'o, 'r, T, J> {
    home: &'o Output<'r, T>,
    judge: J,
    tile: usize,
    /// Panics of elements that were dropped.
    panics: &'o FirstPanic,
    /// For each tile, whether its first element stays. Empty if the judge does not look back.
    firsts: Vec<bool>,
}

impl<'o, 'r, T: Send, J: Judge<T>> Moving<'o, 'r, T, J> {
    /// # Safety
    ///
    /// The slots of `home` are initialised, and the result owns their elements from now on. The slots are used for it and
    /// for its runs only. Either elements own nothing, or the judge does not look back and does not panic.
    pub(crate) unsafe fn new(home: &'o Output<'r, T>, judge: J, tile: usize, panics: &'o FirstPanic) -> Self {
        let firsts = if J::LOOKS_BACK {
            // When a tile is judged, the tile before may have been moved already.
            // SAFETY: all elements are there, and none of these is the first.
            let asked = (tile..home.len()).step_by(tile).map(|i| unsafe { judge.stays(home.slot(0), i) });
            std::iter::once(true).chain(asked).collect()
        } else {
            Vec::new()
        };
        Moving { home, judge, tile, panics, firsts }
    }
}

impl<T: Send, J: Judge<T>, const N: usize> Runs<N> for Moving<'_, '_, T, J> {
    type Item = T;

    fn count(&self) -> usize {
        self.home.len().div_ceil(self.tile)
    }

    unsafe fn make(&self, tile: usize, runs: [Vec<T>; N]) -> [Vec<T>; N] {
        let range = tile_range(tile, self.tile, self.home.len());
        let first = self.firsts.get(tile).copied();
        let part = Part { v: self.home.slot(0), range, first, judge: &self.judge };
        // SAFETY: invariant 1. Each tile is moved once. The element before it, which may have been moved, is not read.
        unsafe { moved(&part, runs, self.panics) }
    }
}
