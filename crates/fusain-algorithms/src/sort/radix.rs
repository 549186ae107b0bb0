//! `sort_unstable` of numbers: by their bits, without a comparison.
//!
//! Idea: all keys lie between the least and the greatest, and that range is cut into some hundred buckets of the same width. Each
//! worker counts how many of its elements go into each, then moves them there, to other memory; a bucket that fits the
//! cache is cut once more in the same way, back into the slice, and what is left, a few dozen elements, std sorts. Who takes
//! which bucket is left to the pool. Where most of the keys are in few buckets, because some are far away from the others, comparing
//! is better, and nothing has been moved yet.
//!
//! The first pass of a radix sort by the most significant digit, in parallel as in Satish et al., Fast sort on CPUs and GPUs
//! (2010), sections 4 and 5. Work O(n) passes, span O(n / buckets + buckets), memory for n elements and the counts. What is in
//! order already, upwards or downwards, is seen before.

use crate::feed::FeedMut;
use crate::kind::{is_float, is_integer};
use crate::map::ForEachMut;
use crate::natural::{FLOAT, Natural, SIGNED, UNSIGNED, Word};
use crate::pages::expect_writes;
use crate::policy::Crew;

/// Elements from which moving them about by their bits beats comparing them.
const FEW: usize = 600;

/// Buckets: a line of each fits the first-level cache.
const BUCKETS: usize = 1 << 8;

/// Elements from which there are more buckets, so that one still fits the second-level cache.
const MANY: usize = 1 << 21;

/// How many then.
const BUCKETS_MANY: usize = 1 << 10;

/// Elements in a bucket up to which std sorts it.
const SMALL: usize = 96;

/// Elements up to which one worker counts and moves them all: to call others for each step would take longer.
const COUNTED_ALONE: usize = 1 << 14;

/// Pieces for each worker in which elements are counted and moved.
const PIECES_PER_WORKER: usize = 2;

/// No bucket may have more than one of so many elements.
const SKEW: usize = 6;

/// Sorts `v`, numbers ordered as `natural` says, with `crew` or on this thread. Returns whether it has: if not, `v` is as it was.
#[inline(never)]
pub(super) fn sort<T>(crew: Option<&impl Crew>, v: &mut [T], natural: Natural) -> bool {
    assert!(is_integer::<T>() || is_float::<T>(), "numbers only");
    let (start, len) = (v.as_mut_ptr(), v.len());
    match size_of::<T>() {
        // SAFETY: numbers of one byte, every bit of which is one; the slice is borrowed.
        1 => words(crew, unsafe { std::slice::from_raw_parts_mut(start.cast::<u8>(), len) }, natural),
        // SAFETY: numbers of two bytes, and likewise.
        2 => words(crew, unsafe { std::slice::from_raw_parts_mut(start.cast::<u16>(), len) }, natural),
        // SAFETY: numbers of four bytes, and likewise.
        4 => words(crew, unsafe { std::slice::from_raw_parts_mut(start.cast::<u32>(), len) }, natural),
        // SAFETY: numbers of eight bytes, and likewise; all of them are aligned alike.
        8 => words(crew, unsafe { std::slice::from_raw_parts_mut(start.cast::<u64>(), len) }, natural),
        _ => false,
    }
}

fn words<W: Word>(crew: Option<&impl Crew>, v: &mut [W], natural: Natural) -> bool {
    match natural {
        _ if v.len() < FEW => false,
        Natural::Unsigned => sort_words::<_, UNSIGNED>(crew, v),
        Natural::Signed => sort_words::<_, SIGNED>(crew, v),
        Natural::Float => sort_words::<_, FLOAT>(crew, v),
    }
}

/// Which bucket keys go into: the range from the least to the greatest, in parts of the same width.
#[derive(Clone, Copy)]
struct Buckets<W> {
    least: W,
    shift: u32,
    count: usize,
}

impl<W: Word> Buckets<W> {
    fn between(least: W, greatest: W, count: usize) -> Self {
        debug_assert!(count.is_power_of_two());
        let bits = u64::BITS - greatest.above(least).leading_zeros();
        Buckets { least, shift: bits.saturating_sub(count.ilog2()), count }
    }

    #[inline(always)]
    fn of(self, key: W) -> usize {
        (key.above(self.least) >> self.shift) as usize & (self.count - 1)
    }

    /// Whether keys in one bucket are equal.
    fn sort_fully(self) -> bool {
        self.shift == 0
    }
}

/// Elements that one worker counts and moves.
struct Piece<'p, W> {
    elements: &'p [W],
    least: W,
    greatest: W,
    /// First how many elements go into each bucket, then where the next of them goes.
    next: Vec<usize>,
}

/// Memory that pieces share out.
struct Slots<W>(*mut W);

// SAFETY: what is written there are keys, by whoever has the slot.
unsafe impl<W: Send> Sync for Slots<W> {}

impl<W> Slots<W> {
    #[inline(always)]
    fn at(&self, i: usize) -> *mut W {
        self.0.wrapping_add(i)
    }
}

fn sort_words<W: Word, const N: u8>(crew: Option<&impl Crew>, v: &mut [W]) -> bool {
    // Upwards or downwards: a look at the first few tells mostly.
    if v.is_sorted_by_key(|x| x.to_key::<N>()) {
        return true;
    }
    if v.is_sorted_by(|x, y| x.to_key::<N>() >= y.to_key::<N>()) {
        v.reverse();
        return true;
    }
    let mut pieces = pieces(crew, v);
    each(crew, &mut pieces, |piece| (piece.least, piece.greatest) = range(piece.elements, W::to_key::<N>));
    let least = pieces.iter().map(|piece| piece.least).min().unwrap_or_default();
    let greatest = pieces.iter().map(|piece| piece.greatest).max().unwrap_or_default();
    let count = if v.len() < MANY { BUCKETS } else { BUCKETS_MANY };
    let buckets = Buckets::between(least, greatest, count);
    each(crew, &mut pieces, |piece| {
        let mut next = vec![0; count];
        piece.elements.iter().for_each(|x| next[buckets.of(x.to_key::<N>())] += 1);
        piece.next = next;
    });
    let ends = places(&mut pieces, count);
    let largest = (0..count).map(|b| ends[b] - b.checked_sub(1).map_or(0, |b| ends[b])).max().unwrap_or(0);
    if !buckets.sort_fully() && largest > v.len() / SKEW {
        return false;
    }

    let mut keys: Vec<W> = Vec::with_capacity(v.len());
    expect_writes(keys.spare_capacity_mut());
    let room = Slots(keys.as_mut_ptr());
    each(crew, &mut pieces, |piece| {
        for x in piece.elements {
            let key = x.to_key::<N>();
            let next = &mut piece.next[buckets.of(key)];
            // SAFETY: a piece has as many slots for a bucket as it has counted elements for it, inside the room.
            unsafe { room.at(*next).write(key) };
            *next += 1;
        }
    });
    drop(pieces);
    // SAFETY: every key has been put in its place.
    unsafe { keys.set_len(v.len()) };

    let mut parts = Vec::with_capacity(count);
    let (mut keys, mut home, mut at) = (&mut keys[..], v, 0);
    for end in ends {
        let (part, keys_left) = keys.split_at_mut(end - at);
        let (part_home, home_left) = home.split_at_mut(end - at);
        (keys, home, at) = (keys_left, home_left, end);
        parts.push((part, part_home));
    }
    each(crew, &mut parts, |(keys, home)| {
        if buckets.sort_fully() {
            put_back::<_, N>(keys, home);
        } else {
            sort_bucket::<_, N>(keys, home);
        }
    });
    true
}

fn pieces<'v, W: Word>(crew: Option<&impl Crew>, v: &'v [W]) -> Vec<Piece<'v, W>> {
    let shared = crew.filter(|_| v.len() > COUNTED_ALONE);
    let count = shared.map_or(1, |crew| crew.workers() * PIECES_PER_WORKER);
    let piece = |elements| Piece { elements, least: W::default(), greatest: W::default(), next: Vec::new() };
    v.chunks(v.len().div_ceil(count)).map(piece).collect()
}

/// Calls `f` for each of `items`, by the crew if there is one, and more to do than one can.
fn each<I: Send>(crew: Option<&impl Crew>, items: &mut [I], f: impl Fn(&mut I) + Sync) {
    match crew {
        Some(crew) if items.len() > 1 => crew.run(&ForEachMut::new(|_, item: &mut I| f(item)), FeedMut::new(items)),
        _ => items.iter_mut().for_each(f),
    }
}

/// The least and the greatest key.
fn range<W: Word>(elements: &[W], key: impl Fn(W) -> W) -> (W, W) {
    let first = elements.first().map_or(W::default(), |x| key(*x));
    elements.iter().fold((first, first), |(least, greatest), x| (least.min(key(*x)), greatest.max(key(*x))))
}

/// Turns counts into the places of first elements, bucket after bucket and in each piece after piece; returns where buckets end.
fn places<W>(pieces: &mut [Piece<'_, W>], count: usize) -> Vec<usize> {
    let mut at = 0;
    let mut end_of = |bucket: usize| {
        for piece in pieces.iter_mut() {
            at += std::mem::replace(&mut piece.next[bucket], at);
        }
        at
    };
    (0..count).map(&mut end_of).collect()
}

/// Sorts the keys of a bucket; the numbers go to `home`.
fn sort_bucket<W: Word, const N: u8>(keys: &mut [W], home: &mut [W]) {
    if keys.len() <= SMALL {
        keys.sort_unstable();
        return put_back::<_, N>(keys, home);
    }
    let (least, greatest) = range(keys, |key| key);
    let buckets = Buckets::between(least, greatest, BUCKETS);
    let mut ends = [0; BUCKETS];
    keys.iter().for_each(|key| ends[buckets.of(*key)] += 1);
    let mut next = [0; BUCKETS];
    let mut at = 0;
    for (next, end) in next.iter_mut().zip(&mut ends) {
        *next = at;
        at += *end;
        *end = at;
    }
    for key in &*keys {
        let next = &mut next[buckets.of(*key)];
        home[*next] = *key;
        *next += 1;
    }
    if !buckets.sort_fully() {
        let mut start = 0;
        for end in ends {
            home[start..end].sort_unstable();
            start = end;
        }
    }
    if N != UNSIGNED {
        home.iter_mut().for_each(|key| *key = key.of_key::<N>());
    }
}

/// Makes numbers of keys.
fn put_back<W: Word, const N: u8>(keys: &[W], home: &mut [W]) {
    home.iter_mut().zip(keys).for_each(|(home, key)| *home = key.of_key::<N>());
}
