//! Filters that work tile by tile: elements are copied out of a slice, or moved within their own memory.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::block::Part;
use super::kernel::{cloned, moved, sift_bits};
use super::near;
use super::predicate::Predicate;
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
pub(super) struct Copying<'a, T, P> {
    pub(super) v: &'a [T],
    pub(super) predicate: &'a P,
    pub(super) tile: usize,
}

impl<T: Clone + Send + Sync, P: Predicate<T>, const N: usize> Runs<N> for Copying<'_, T, P> {
    type Item = T;

    fn count(&self) -> usize {
        self.v.len().div_ceil(self.tile)
    }

    unsafe fn make(&self, tile: usize, runs: [Vec<T>; N]) -> [Vec<T>; N] {
        // SAFETY: within the slice.
        unsafe { copies(self.v, tile_range(tile, self.tile, self.v.len()), self.predicate, runs) }
    }
}

/// Clones the elements in `range` that stay, and with `N` = 2 the others, into `runs`, which are empty.
///
/// # Safety
///
/// The range lies within `v`.
unsafe fn copies<T: Clone, P: Predicate<T>, const N: usize>(
    v: &[T],
    range: Range<usize>,
    predicate: &P,
    runs: [Vec<T>; N],
) -> [Vec<T>; N] {
    let first = (P::LOOKS_BACK && range.start == 0).then_some(true);
    let part = Part { v: v.as_ptr(), range, first, predicate };
    // SAFETY: all elements are there for as long as the slice is.
    unsafe { cloned(&part, runs) }
}

/// The elements of `v` that stay.
#[inline]
pub(super) fn vector<T: Clone + Send + Sync, P: Predicate<T>>(policy: &Par<'_>, v: &[T], predicate: P) -> Vec<T> {
    match policy.plan_tiles::<(Vec<T>, P)>(v.len()) {
        Plan::Sequential(watch) => watch.time(|| {
            // SAFETY: the whole slice.
            let [kept] = unsafe { copies(v, 0..v.len(), &predicate, [Vec::new()]) };
            kept
        }),
        Plan::Parallel(team) => collect_front(v.len(), |room| into(Some(&team), v, room, false, &predicate)),
    }
}

/// The elements of `v` that stay, in `room`.
#[inline]
pub(super) fn into_room<'r, T: Clone + Send + Sync, P: Predicate<T>>(
    policy: &Par<'_>,
    v: &[T],
    room: &'r mut [MaybeUninit<T>],
    predicate: P,
) -> &'r mut [T] {
    match policy.plan_tiles::<(P, [T])>(v.len()) {
        Plan::Sequential(watch) => watch.time(|| alone(v, room, &predicate)),
        Plan::Parallel(team) => into(Some(&team), v, room, policy.is_far::<T>(v.len()), &predicate),
    }
}

fn alone<'r, T: Clone + Send + Sync, P: Predicate<T>>(
    v: &[T],
    room: &'r mut [MaybeUninit<T>],
    predicate: &P,
) -> &'r mut [T] {
    if const { !may_be_primitive::<T>() } || !is_primitive::<T>() || room.len() < v.len() {
        return into(None, v, room, false, predicate);
    }
    let first = (P::LOOKS_BACK && !v.is_empty()).then_some(true);
    let part = Part { v: v.as_ptr(), range: 0..v.len(), first, predicate };
    let room = room.as_mut_ptr().cast::<T>();
    // SAFETY: all elements are there, and for each of them a slot; a number is its bits.
    let stay = unsafe { sift_bits::<_, _, 1>(&part, room, room) };
    // SAFETY: this many slots have been written; they are borrowed for 'r.
    unsafe { std::slice::from_raw_parts_mut(room, stay) }
}

fn into<'r, T: Clone + Send + Sync, P: Predicate<T>>(
    team: Option<&Team<'_>>,
    v: &[T],
    room: &'r mut [MaybeUninit<T>],
    is_far: bool,
    predicate: &P,
) -> &'r mut [T] {
    let room = match team {
        Some(team) if const { may_be_primitive::<T>() } && is_primitive::<T>() => {
            match near::into(team, v, room, predicate) {
                Ok(kept) => return kept,
                Err(room) => room,
            }
        }
        _ => room,
    };
    let output = Output::new(room).far(is_far);
    let copying = Copying { v, predicate, tile: tile_len::<T>(v.len(), team, is_far) };
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
pub(super) fn vectors<T: Clone + Send + Sync, P: Predicate<T>>(
    policy: &Par<'_>,
    v: &[T],
    predicate: P,
) -> (Vec<T>, Vec<T>) {
    match policy.plan_tiles::<((Vec<T>, Vec<T>), P)>(v.len()) {
        Plan::Sequential(watch) => watch.time(|| {
            // SAFETY: the whole slice.
            let [kept, rest] = unsafe { copies(v, 0..v.len(), &predicate, [Vec::new(), Vec::new()]) };
            (kept, rest)
        }),
        Plan::Parallel(team) => {
            let mut rest = Vec::new();
            let kept = collect_front(v.len(), |kept_room| {
                let mut kept = None;
                rest = collect_front(v.len(), |rest_room| {
                    let (stay, go) = into_both(Some(&team), v, kept_room, rest_room, false, &predicate);
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
pub(super) fn into_rooms<'r, T: Clone + Send + Sync, P: Predicate<T>>(
    policy: &Par<'_>,
    v: &[T],
    kept: &'r mut [MaybeUninit<T>],
    rest: &'r mut [MaybeUninit<T>],
    predicate: P,
) -> (&'r mut [T], &'r mut [T]) {
    match policy.plan_tiles::<(P, P, [T])>(v.len()) {
        Plan::Sequential(watch) => watch.time(|| into_both(None, v, kept, rest, false, &predicate)),
        Plan::Parallel(team) => into_both(Some(&team), v, kept, rest, policy.is_far::<T>(v.len()), &predicate),
    }
}

fn into_both<'k, 'r, T: Clone + Send + Sync, P: Predicate<T>>(
    team: Option<&Team<'_>>,
    v: &[T],
    kept: &'k mut [MaybeUninit<T>],
    rest: &'r mut [MaybeUninit<T>],
    is_far: bool,
    predicate: &P,
) -> (&'k mut [T], &'r mut [T]) {
    let (kept, rest) = (Output::new(kept).far(is_far), Output::new(rest).far(is_far));
    let copying = Copying { v, predicate, tile: tile_len::<T>(v.len(), team, is_far) };
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
pub(crate) struct Moving<'o, 'r, T, P> {
    home: &'o Output<'r, T>,
    predicate: P,
    tile: usize,
    /// Panics of elements that were dropped.
    panics: &'o FirstPanic,
    /// For each tile, whether its first element stays. Empty if the predicate does not look back.
    firsts: Vec<bool>,
}

impl<'o, 'r, T: Send, P: Predicate<T>> Moving<'o, 'r, T, P> {
    /// # Safety
    ///
    /// The slots of `home` are initialised, and the result owns their elements from now on. The slots are used for it and
    /// for its runs only. Either elements own nothing, or the predicate does not look back and does not panic.
    pub(crate) unsafe fn new(home: &'o Output<'r, T>, predicate: P, tile: usize, panics: &'o FirstPanic) -> Self {
        let firsts = if P::LOOKS_BACK {
            // When a tile is tested, the tile before may have been moved already.
            // SAFETY: all elements are there, and none of these is the first.
            let asked = (tile..home.len()).step_by(tile).map(|i| unsafe { predicate.keeps(home.slot(0), i) });
            std::iter::once(true).chain(asked).collect()
        } else {
            Vec::new()
        };
        Moving { home, predicate, tile, panics, firsts }
    }
}

impl<T: Send, P: Predicate<T>, const N: usize> Runs<N> for Moving<'_, '_, T, P> {
    type Item = T;

    fn count(&self) -> usize {
        self.home.len().div_ceil(self.tile)
    }

    unsafe fn make(&self, tile: usize, runs: [Vec<T>; N]) -> [Vec<T>; N] {
        let range = tile_range(tile, self.tile, self.home.len());
        let first = self.firsts.get(tile).copied();
        let part = Part { v: self.home.slot(0), range, first, predicate: &self.predicate };
        // SAFETY: invariant 1. Each tile is moved once. The element before it, which may have been moved, is not read.
        unsafe { moved(&part, runs, self.panics) }
    }
}
