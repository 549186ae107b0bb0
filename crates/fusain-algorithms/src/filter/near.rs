//! Filters of numbers that lie in the caches, in two steps: each worker finds which numbers of its part stay, and when it is known how many do in all parts before,
//! it copies them to their places.
//!
//! Where there is one part for each worker, all end the first step at about the same time. Then a worker goes on at once, and the workers need not meet in between. Parts
//! whose places are not known by then are copied later by anybody.
//!
//! What a worker has found it keeps in one of two ways: a bit for each number, where the machine has an instruction that copies the numbers by their bits
//! ([`Marked`]), or else the numbers themselves, in memory of its own ([`Apart`]); those of the first part, whose place is known, go there at once. No number
//! travels between the caches of two cores but for a few words, as it would if a part were copied to where another worker's belongs. The predicate is called
//! once for each number, and what is read twice is near. (Blelloch, Prefix sums and their applications, 1990: pack.) Work O(n), memory for a bit each, or for the numbers.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::block::{BLOCK, Part};
use super::compress::{can_pack, mark, pack};
use super::judge::Judge;
use super::kernel::sift_bits;
use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::memory::scratch::Scratch;
use crate::platform::LINE;
use crate::policy::Team;
use crate::tiles::chained::takes_two_steps;
use crate::tiles::offsets::Offsets;

/// Blocks for which one more worker pays.
const SHARE_BLOCKS: usize = 4;

/// Bytes of a share where there are several for each worker, and how many of these at most: more even out that a worker may lose its core for a while.
const SHARE_BYTES: usize = 1 << 16;
const SHARES_PER_WORKER: usize = 8;

/// The numbers of `v` that stay, in `room`, or the room where this is not the way: it is too small, or they are too many.
pub(super) fn into<'r, T: Send + Sync, J: Judge<T>>(
    team: &Team<'_>,
    v: &[T],
    room: &'r mut [MaybeUninit<T>],
    judge: &J,
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
        in_two_steps(team, &shares, &Marked { v, judge, slots: &slots, marks: Parts::new(&mut marks) })
    } else {
        let mut memory = Scratch::<T>::new(v.len());
        in_two_steps(team, &shares, &Apart { v, judge, slots: &slots, memory: Parts::new(memory.room()) })
    };
    // SAFETY: all of them have been written; they are borrowed for 'r.
    Ok(unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), stay) })
}

/// How the numbers are shared out: by whole blocks, but for the last one.
struct Shares {
    len: usize,
    /// The bytes of each.
    element: usize,
    blocks: usize,
    count: usize,
    /// Blocks that the caller has more than others, who begin later.
    ahead: usize,
    /// Whether all shares have been looked at before any is copied.
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

/// How what is found is kept until it is copied.
trait Way: Sync {
    /// Finds which numbers in `range` stay, and returns how many they are, and whether they are in their places.
    ///
    /// # Safety
    ///
    /// The range is that of a share, and this is the first thing that is done with it.
    unsafe fn find(&self, range: Range<usize>) -> (usize, bool);

    /// Copies them to `place`.
    ///
    /// # Safety
    ///
    /// As many as were found, once, and the slots are nobody else's.
    unsafe fn copy(&self, range: Range<usize>, place: Range<usize>);
}

/// Returns how many numbers stay.
fn in_two_steps(team: &Team<'_>, shares: &Shares, way: &impl Way) -> usize {
    let places = &Offsets::new(shares.count);
    team.run_ranges(shares.count, usize::MAX, move |mine| {
        for i in mine {
            let range = shares.get(i);
            // SAFETY: each share is looked at once.
            let (stay, is_there) = unsafe { way.find(range.clone()) };
            places.set(i, stay);
            if is_there {
                places.set_there(i);
            }
            if is_there || shares.meets {
                continue;
            }
            // Of two the first has begun before. Of many it may be that nobody has.
            let lines = range.len() * shares.element / LINE;
            let place = if shares.count == 2 { places.get_soon(i, lines) } else { places.get(i) };
            if let Some(place) = place {
                // SAFETY: shares have slots of their own, and each is copied once.
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
fn part<'j, T, J: Judge<T>>(v: &[T], range: Range<usize>, judge: &'j J) -> Part<'j, T, J> {
    let first = (J::LOOKS_BACK && range.start == 0).then_some(true);
    Part { v: v.as_ptr(), range, first, judge }
}

/// A bit for each number says whether it stays.
struct Marked<'a, T, J> {
    v: &'a [T],
    judge: &'a J,
    slots: &'a Parts<'a, MaybeUninit<T>>,
    marks: Parts<'a, u64>,
}

/// The words of the marks of a share: it begins with a whole block, so no two have a word in common.
fn words(range: &Range<usize>) -> Range<usize> {
    range.start / BLOCK..range.end.div_ceil(BLOCK)
}

impl<T: Send + Sync, J: Judge<T>> Way for Marked<'_, T, J> {
    unsafe fn find(&self, range: Range<usize>) -> (usize, bool) {
        // SAFETY: the caller's.
        let marks = unsafe { self.marks.part(words(&range)) };
        // SAFETY: all elements are there, and remain so; the machine can.
        (unsafe { mark(&part(self.v, range, self.judge), marks) }, false)
    }

    unsafe fn copy(&self, range: Range<usize>, place: Range<usize>) {
        // SAFETY: the caller's.
        let marks = unsafe { self.marks.part(words(&range)) };
        // SAFETY: the caller's.
        let kept = unsafe { self.slots.part(place) };
        // SAFETY: marked before, as many as there are slots.
        unsafe { pack(self.v.as_ptr(), range, marks, kept.as_mut_ptr().cast()) };
    }
}

/// The numbers that stay lie apart at first, at the front of as much memory as their share has numbers.
struct Apart<'a, T, J> {
    v: &'a [T],
    judge: &'a J,
    slots: &'a Parts<'a, MaybeUninit<T>>,
    memory: Parts<'a, MaybeUninit<T>>,
}

impl<T: Send + Sync, J: Judge<T>> Way for Apart<'_, T, J> {
    unsafe fn find(&self, range: Range<usize>) -> (usize, bool) {
        let is_first = range.start == 0;
        let to = if is_first { self.slots } else { &self.memory };
        // SAFETY: the caller's; nobody has slots before the first share has been counted.
        let to = unsafe { to.part(range.clone()) }.as_mut_ptr().cast();
        // SAFETY: all elements are there, and a slot for each; they are numbers, which are their bits.
        (unsafe { sift_bits::<_, _, 1>(&part(self.v, range, self.judge), to, to) }, is_first)
    }

    unsafe fn copy(&self, range: Range<usize>, place: Range<usize>) {
        // SAFETY: the caller's.
        let kept = unsafe { self.slots.part(place) };
        // SAFETY: the caller's.
        let found = &unsafe { self.memory.part(range) }[..kept.len()];
        // SAFETY: as many slots; memory of its own.
        unsafe { kept.as_mut_ptr().copy_from_nonoverlapping(found.as_ptr(), found.len()) };
    }
}
