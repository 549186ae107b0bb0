//! Code shared by the sorts that move elements into buckets: one worker moves each piece of the slice.
//!
//! Code that depends on the type of the elements is compiled for each type, so all other code is kept apart from it.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;

/// The number of pieces for each worker in which elements are counted and moved.
const PIECES_PER_WORKER: usize = 2;

/// The maximum number of units into which items are divided: many more than workers, and few enough that the cost of a unit does not matter.
const UNITS: usize = 1 << 8;

/// A piece of the slice, whose elements one worker counts and moves.
#[derive(Default)]
pub(super) struct Piece {
    pub(super) range: Range<usize>,
    /// For each bucket, first how many elements go into it, then where the next one goes.
    pub(super) next: Vec<usize>,
}

/// The pieces of `len` elements.
pub(super) fn pieces(executor: Option<&impl Executor>, len: usize) -> Vec<Piece> {
    let count = executor.map_or(1, |executor| executor.workers() * PIECES_PER_WORKER);
    let start = |i: usize| i * (len / count) + i.min(len % count);
    (0..count).map(|i| Piece { range: start(i)..start(i + 1), ..Piece::default() }).collect()
}

/// Turns counts into the places of first elements: bucket after bucket, and in each bucket piece after piece. Returns where each bucket lies.
pub(super) fn places(pieces: &mut [Piece]) -> Vec<Range<usize>> {
    let count = pieces.first().map_or(0, |piece| piece.next.len());
    let mut at = 0;
    let mut bucket = |number: usize| {
        let start = at;
        for piece in &mut *pieces {
            at += std::mem::replace(&mut piece.next[number], at);
        }
        start..at
    };
    (0..count).map(&mut bucket).collect()
}

/// Calls `f` with ranges that partition `0..count`, on `executor` if there is one and there is more than one item.
///
/// Ranges are short, since one item may cost far more than another.
fn share(executor: Option<&impl Executor>, count: usize, f: &(dyn Fn(Range<usize>) + Sync)) {
    let unit = count.div_ceil(UNITS).max(1);
    match executor.filter(|_| count > 1) {
        // With this weight a unit has one range.
        Some(executor) => executor.run_ranges(count.div_ceil(unit), usize::MAX, move |units| {
            f(units.start * unit..count.min(units.end * unit));
        }),
        None => f(0..count),
    }
}

/// Calls `f` with parts that partition `v`, each with the index of its first element.
pub(super) fn each_part<T: Send>(executor: Option<&impl Executor>, v: &mut [T], f: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let v = Parts::new(v);
    // SAFETY: ranges do not overlap.
    share(executor, v.len(), &|range| f(range.start, unsafe { v.part(range) }));
}

/// Calls `f` for each of `items`.
pub(super) fn each<I: Send>(executor: Option<&impl Executor>, items: &mut [I], f: &(dyn Fn(&mut I) + Sync)) {
    each_part(executor, items, &|_, part| part.iter_mut().for_each(f));
}

/// Calls `f` for each piece of `v`.
pub(super) fn each_piece<T: Send>(executor: Option<&impl Executor>, v: &mut [T], f: &(dyn Fn(&mut [T]) + Sync)) {
    let Some(executor) = executor else { return f(v) };
    let mut pieces = pieces(Some(executor), v.len());
    let v = Parts::new(v);
    // SAFETY: pieces do not overlap.
    each(Some(executor), &mut pieces, &|piece| f(unsafe { v.part(piece.range.clone()) }));
}

/// Calls `f` with the number of each bucket and its part of `v`.
pub(super) fn each_home<T: Send>(
    executor: Option<&impl Executor>,
    buckets: &[Range<usize>],
    v: &mut [T],
    f: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    assert!(buckets.iter().flat_map(|bucket| [bucket.start, bucket.end]).is_sorted(), "buckets do not overlap");
    let v = Parts::new(v);
    // SAFETY: no two ranges overlap, and neither do buckets.
    share(executor, buckets.len(), &|range| range.for_each(|i| f(i, unsafe { v.part(buckets[i].clone()) })));
}

/// Calls `f` for each bucket that is not empty, with its elements and the part of the slice where these belong.
pub(super) fn each_bucket<T: Send>(
    executor: Option<&impl Executor>,
    buckets: &[Range<usize>],
    [from, home]: [&mut [T]; 2],
    f: &(dyn Fn(&mut [T], &mut [T]) + Sync),
) {
    let from = Parts::new(from);
    each_home(executor, buckets, home, &|i, home| {
        if !home.is_empty() {
            // SAFETY: buckets do not overlap, as `each_home` has checked.
            f(unsafe { from.part(buckets[i].clone()) }, home);
        }
    });
}

/// Memory in which each piece writes its own slots.
pub(super) struct Slots<'r, T> {
    start: *mut T,
    room: PhantomData<&'r mut [MaybeUninit<T>]>,
}

// SAFETY: only elements are written there, each by the worker that has the slot.
unsafe impl<T: Send> Sync for Slots<'_, T> {}

impl<'r, T> Slots<'r, T> {
    pub(super) fn of(room: &'r mut [MaybeUninit<T>]) -> Self {
        Self { start: room.as_mut_ptr().cast(), room: PhantomData }
    }

    #[inline(always)]
    pub(super) fn at(&self, i: usize) -> *mut T {
        self.start.wrapping_add(i)
    }
}
