//! Filters of numbers that lie in the caches, in two steps.
//!
//! First each worker finds which numbers of its share stay. When it is known how many stay in all shares before, the worker copies its numbers to their places.
//! If there is one share for each worker, all workers end the first step at about the same time. Then a worker goes on at once, without waiting for all others. A share
//! whose place is not known by then is copied later, by any worker.
//!
//! A worker keeps what it has found in one of two ways: a bit for each number, if the machine has an instruction that copies the numbers by their bits ([`Marked`]),
//! or else the numbers themselves, in separate memory ([`Apart`]). With the second way the numbers of the first share, whose place is known, go there at once. As each
//! worker copies what it has found, only a few words travel between the caches of two cores. The predicate is called once for each number, and what is read twice is
//! still in the worker's cache. (Blelloch, Prefix sums and their applications, 1990: pack.) Work O(n), memory for a bit for each number, or for the numbers.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::block::{BLOCK, Part};
use super::compress::{can_pack, mark, pack};
use super::kernel::sift_bits;
use super::predicate::Predicate;
use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::memory::scratch::Scratch;
use crate::platform::LINE;
use crate::policy::Team;
use crate::tiles::chained::takes_two_steps;
use crate::tiles::offsets::Offsets;

/// The number of blocks from which on one more share pays.
const SHARE_BLOCKS: usize = 4;

/// The length in bytes of a share if each worker has several, and the maximum number of shares for each worker. With several, the others can do more while a worker has lost
/// its core.
const SHARE_BYTES: usize = 1 << 16;
const SHARES_PER_WORKER: usize = 8;

/// Returns the numbers of `v` that stay, in `room`. Returns `Err(room)` if this way does not suit: `room` is too short, there are too few or too many numbers, or the caller
/// has set the grain.
pub(super) fn into<'r, T: Send + Sync, P: Predicate<T>>(
    team: &Team<'_>,
    v: &[T],
    room: &'r mut [MaybeUninit<T>],
    predicate: &P,
) -> Result<&'r mut [T], &'r mut [MaybeUninit<T>]> {
    let blocks = v.len().div_ceil(BLOCK);
    let each = (size_of_val(v) / team.workers() / SHARE_BYTES).clamp(1, SHARES_PER_WORKER);
    let count = (team.workers() * each).min(blocks / SHARE_BLOCKS);
    if count < 2 || !takes_two_steps(size_of_val(v)) || room.len() < v.len() || team.grain().is_some() {
        return Err(room);
    }
    let shares = Shares::new(team, v, count);
    let slots = Parts::new(room);
    let stay = if can_pack::<T>() {
        let mut marks = vec![0; blocks];
        in_two_steps(team, &shares, &Marked { v, predicate, slots: &slots, marks: Parts::new(&mut marks) })
    } else {
        let mut memory = Scratch::<T>::new(v.len());
        in_two_steps(team, &shares, &Apart { v, predicate, slots: &slots, memory: Parts::new(memory.room()) })
    };
    // SAFETY: the first `stay` slots have been written; they are borrowed for 'r.
    Ok(unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), stay) })
}

/// How the numbers are divided into shares: by whole blocks, except for the last one.
struct Shares {
    len: usize,
    /// The size of a number in bytes.
    element: usize,
    blocks: usize,
    count: usize,
    /// How many more blocks the caller's share has than the others: the other workers begin later.
    ahead: usize,
    /// Whether all shares are searched before any is copied.
    meets: bool,
}

impl Shares {
    fn new<T>(team: &Team<'_>, v: &[T], count: usize) -> Self {
        let len = v.len();
        let (blocks, meets) = (len.div_ceil(BLOCK), count > team.workers());
        let ahead = if meets { 0 } else { (team.delay() / BLOCK).min(blocks / (2 * team.workers())) };
        Shares { len, element: size_of::<T>(), blocks, count, ahead, meets }
    }

    fn bound(&self, i: usize) -> usize {
        let block = if i == 0 { 0 } else { self.ahead + i * (self.blocks - self.ahead) / self.count };
        (block * BLOCK).min(self.len)
    }

    fn get(&self, i: usize) -> Range<usize> {
        self.bound(i)..self.bound(i + 1)
    }
}

/// How a worker keeps the numbers that it has found until they are copied.
trait Way: Sync {
    /// Finds which numbers in `range` stay. Returns how many they are, and whether they are in their places already.
    ///
    /// # Safety
    ///
    /// The range is that of a share, and nothing has been done with this share before.
    unsafe fn find(&self, range: Range<usize>) -> (usize, bool);

    /// Copies the numbers that were found in `range` to `place`.
    ///
    /// # Safety
    ///
    /// `place` has as many slots as numbers were found, and no other thread uses them. This is called once for a share.
    unsafe fn copy(&self, range: Range<usize>, place: Range<usize>);
}

/// Returns how many numbers stay.
fn in_two_steps(team: &Team<'_>, shares: &Shares, way: &impl Way) -> usize {
    let places = &Offsets::new(shares.count);
    team.run_ranges(shares.count, usize::MAX, move |mine| {
        for i in mine {
            let range = shares.get(i);
            // SAFETY: each share is searched once.
            let (stay, is_there) = unsafe { way.find(range.clone()) };
            places.set(i, stay);
            if is_there {
                places.set_there(i);
            }
            if is_there || shares.meets {
                continue;
            }
            // If there are two shares, the first was begun before this one. If there are more, no worker may have begun one of those before.
            let lines = range.len() * shares.element / LINE;
            let place = if shares.count == 2 { places.get_soon(i, lines) } else { places.get(i) };
            if let Some(place) = place {
                // SAFETY: the slots of shares do not overlap, and each share is copied once.
                unsafe { way.copy(range, place) };
                places.set_there(i);
            }
        }
    });
    if (0..shares.count).any(|i| !places.is_there(i)) {
        team.run_ranges(shares.count, usize::MAX, move |mine| {
            for i in mine.filter(|i| !places.is_there(*i)) {
                // SAFETY: as above.
                unsafe { way.copy(shares.get(i), places.get(i).expect("all have been counted")) };
            }
        });
    }
    places.get(shares.count - 1).map_or(0, |place| place.end)
}

/// The numbers in `range`.
fn part<'p, T, P: Predicate<T>>(v: &[T], range: Range<usize>, predicate: &'p P) -> Part<'p, T, P> {
    let first = (P::LOOKS_BACK && range.start == 0).then_some(true);
    Part { v: v.as_ptr(), range, first, predicate }
}

/// A bit for each number says whether it stays.
struct Marked<'a, T, P> {
    v: &'a [T],
    predicate: &'a P,
    slots: &'a Parts<'a, MaybeUninit<T>>,
    marks: Parts<'a, u64>,
}

/// The words that hold the marks of a share. A share begins with a whole block, so no two have a word in common.
fn words(range: &Range<usize>) -> Range<usize> {
    range.start / BLOCK..range.end.div_ceil(BLOCK)
}

impl<T: Send + Sync, P: Predicate<T>> Way for Marked<'_, T, P> {
    unsafe fn find(&self, range: Range<usize>) -> (usize, bool) {
        // SAFETY: guaranteed by the caller.
        let marks = unsafe { self.marks.part(words(&range)) };
        // SAFETY: all elements are there, and remain so; `can_pack` has been checked.
        (unsafe { mark(&part(self.v, range, self.predicate), marks) }, false)
    }

    unsafe fn copy(&self, range: Range<usize>, place: Range<usize>) {
        // SAFETY: guaranteed by the caller.
        let marks = unsafe { self.marks.part(words(&range)) };
        // SAFETY: guaranteed by the caller.
        let kept = unsafe { self.slots.part(place) };
        // SAFETY: the numbers were marked before, as many as there are slots.
        unsafe { pack(self.v.as_ptr(), range, marks, kept.as_mut_ptr().cast()) };
    }
}

/// The numbers that stay are first put into separate memory: each share has as many slots there as numbers, and uses the front ones.
struct Apart<'a, T, P> {
    v: &'a [T],
    predicate: &'a P,
    slots: &'a Parts<'a, MaybeUninit<T>>,
    memory: Parts<'a, MaybeUninit<T>>,
}

impl<T: Send + Sync, P: Predicate<T>> Way for Apart<'_, T, P> {
    unsafe fn find(&self, range: Range<usize>) -> (usize, bool) {
        let is_first = range.start == 0;
        let to = if is_first { self.slots } else { &self.memory };
        // SAFETY: guaranteed by the caller; no other share has slots before the first one has been counted.
        let to = unsafe { to.part(range.clone()) }.as_mut_ptr().cast();
        // SAFETY: all elements are there, and a slot for each; they are numbers, so their bits may be copied.
        (unsafe { sift_bits::<_, _, 1>(&part(self.v, range, self.predicate), to, to) }, is_first)
    }

    unsafe fn copy(&self, range: Range<usize>, place: Range<usize>) {
        // SAFETY: guaranteed by the caller.
        let kept = unsafe { self.slots.part(place) };
        // SAFETY: guaranteed by the caller.
        let found = &unsafe { self.memory.part(range) }[..kept.len()];
        // SAFETY: as many slots, in separate memory.
        unsafe { kept.as_mut_ptr().copy_from_nonoverlapping(found.as_ptr(), found.len()) };
    }
}
