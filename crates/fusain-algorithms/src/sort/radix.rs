//! Sorts of numbers by their bits. Only neighbours are compared, at the end.
//!
//! Idea: the range from the least key to the greatest is cut into 256 or 1024 buckets of the same width. (For floats the range of
//! values is cut, if a sample says that this spreads them more evenly than the range of bits.)
//!
//! 1. Each worker counts how many of its elements go into each bucket, then moves them there, to other memory.
//! 2. A bucket that fits the cache is cut again in the same way, into as many buckets as it has elements, and moved back into the slice.
//!    One insertion sort over all of them ends it. If many elements share a bucket, each bucket is sorted on its own.
//!
//! The pool decides which worker takes which bucket. A slice that fits the cache as a whole begins with step 2. If one bucket has more than
//! a sixth of the elements, because some keys are far away from the others, comparing is better. No element has been moved by then; integers have been replaced by
//! their keys, and are turned back.
//!
//! Step 1 is the first pass of a radix sort by the most significant digit, in parallel as in Satish et al., Fast sort on CPUs and GPUs
//! (2010), sections 4 and 5. Work O(n) for each pass, span O(n / buckets + buckets), memory for n elements and the counts.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::element::bit_order::{BitOrder, FLOAT, UNSIGNED, Word, of_keys, to_keys};
use crate::execution::executor::Executor;
use crate::memory::scratch::Scratch;
use crate::platform::ROUNDS_FLOATS;
use crate::platform::simd::{Body, widest};

use super::scatter::{Piece, Slots, each, each_bucket, each_piece, pieces, places};

/// The number of buckets in step 1: the first-level cache holds a line of each.
const BUCKETS: usize = 1 << 8;

/// The number of elements from which on there are more buckets, so that a bucket still fits the second-level cache.
const MANY: usize = 1 << 21;

/// The number of buckets in step 1 for [`MANY`] elements or more.
const BUCKETS_MANY: usize = 1 << 10;

/// The maximum number of buckets in step 2: the second-level cache holds a line of each.
const BUCKETS_NEAR: usize = 1 << 13;

/// The number of elements in a bucket up to which std sorts it.
const SMALL: usize = 64;

/// The number of elements in the sample that shows which buckets spread the elements more evenly.
const SAMPLE: usize = 1 << 9;

/// At most this many elements are sorted by one worker: calling other workers for each step would take longer. How several workers sort so few is in `near.rs`.
pub(super) const NEAR: usize = 1 << 14;

/// The number of pairs in the same bucket, for each key, up to which one insertion sort over all buckets ends the sort. It takes about as many steps for each key.
const CROWDED: u64 = 4;

/// If a bucket has more than one in this many elements, comparing is better.
const SKEW: usize = 6;

/// The number of keys that are computed before their range is found: they are still in the first-level cache then.
const BLOCK: usize = 1 << 11;

/// Which bucket keys go into: the range from the least to the greatest, in parts of the same width.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Buckets<W> {
    /// The range of keys, by their uppermost bits that differ.
    OfKeys { least: W, shift: u32 },
    /// The range of floats, by their values. Floats that are spread evenly over a range have keys that are not: half of them have the same exponent.
    OfValues { least: f64, scale: f64, last: u32 },
}

impl<W: Word> Buckets<W> {
    /// `count` buckets for keys.
    fn of_keys(least: W, greatest: W, count: usize) -> Self {
        debug_assert!(count.is_power_of_two());
        let bits = u64::BITS - greatest.above(least).leading_zeros();
        Buckets::OfKeys { least, shift: bits.saturating_sub(count.ilog2()) }
    }

    /// `count` buckets for the values of floats, whose least and greatest keys these are. `None` if that is no range of finite values.
    fn of_values(least: W, greatest: W, count: usize) -> Option<Self> {
        let (least, greatest) = (least.of_key::<FLOAT>().float(), greatest.of_key::<FLOAT>().float());
        let scale = count as f64 / (greatest - least);
        // Values that are not finite lie at the ends of the order.
        let is_range = least.is_finite() && greatest.is_finite() && scale.is_normal();
        (is_range && ROUNDS_FLOATS).then_some(Buckets::OfValues { least, scale, last: count as u32 - 1 })
    }

    /// The kind of buckets over which a sample of `v` is spread more evenly.
    fn for_all(v: &[W], least: W, greatest: W, count: usize, is_float: bool) -> Self {
        let by_key = Self::of_keys(least, greatest, count);
        match Self::of_values(least, greatest, count).filter(|_| is_float) {
            Some(by_value) if by_value.crowding(v) < by_key.crowding(v) => by_value,
            _ => by_key,
        }
    }

    /// How many of `keys` go into each of `count` buckets, and how many pairs of them share one.
    fn count(self, keys: &[W], count: usize) -> (Vec<u32>, u64) {
        let mut counts = vec![0; count];
        let mut pairs = 0;
        for key in keys {
            let count = &mut counts[self.of_key(*key)];
            pairs += u64::from(*count);
            *count += 1;
        }
        (counts, pairs)
    }

    /// How many pairs of a sample of floats share a bucket.
    fn crowding(self, floats: &[W]) -> usize {
        let mut found = [0; BUCKETS_MANY];
        let pairs = |x: &W| {
            let before = &mut found[self.of::<FLOAT>(*x)];
            *before += 1;
            *before - 1
        };
        floats.iter().step_by(floats.len().div_ceil(SAMPLE)).map(pairs).sum()
    }

    /// The bucket of a number whose order is `N`, `UNSIGNED` or `FLOAT`. No number is in a later bucket than a greater number, as all steps keep the order of floats.
    ///
    /// It is always the same bucket for the same number, as [`put`] relies on: there are [`OfValues`](Self::OfValues) only where each step is rounded.
    #[inline(always)]
    fn of<const N: u8>(self, x: W) -> usize {
        match self {
            Buckets::OfKeys { least, shift } => (x.to_key::<N>().above(least) >> shift) as usize,
            // Rounding may lead beyond the last bucket.
            Buckets::OfValues { least, scale, last } => (((x.float() - least) * scale) as u32).min(last) as usize,
        }
    }

    /// The bucket of the number that has this key.
    #[inline(always)]
    fn of_key(self, key: W) -> usize {
        match self {
            Buckets::OfKeys { .. } => self.of::<UNSIGNED>(key),
            Buckets::OfValues { .. } => self.of::<FLOAT>(key.of_key::<FLOAT>()),
        }
    }

    /// Whether keys in one bucket are equal.
    fn sort_fully(self) -> bool {
        matches!(self, Buckets::OfKeys { shift: 0, .. })
    }
}

/// Counts how many of a piece's numbers, floats or keys of integers, go into each bucket.
#[inline(never)]
fn count<W: Word, const N: u8>(piece: &mut Piece, v: &[W], buckets: Buckets<W>, count: usize) {
    let mut next = vec![0; count];
    v[piece.range.clone()].iter().for_each(|x| next[buckets.of::<N>(*x)] += 1);
    piece.next = next;
}

/// Puts the keys of a piece's numbers into their places.
///
/// # Safety
///
/// `next` has a place in `room` for each of them, which no other piece has.
#[inline(never)]
unsafe fn put<W: Word, const N: u8>(piece: &mut Piece, v: &[W], buckets: Buckets<W>, room: &Slots<'_, W>) {
    for x in &v[piece.range.clone()] {
        let next = &mut piece.next[buckets.of::<N>(*x)];
        // SAFETY: by the contract.
        unsafe { room.at(*next).write(x.to_key::<N>()) };
        *next += 1;
    }
}

/// Sorts numbers whose order is `bit_order`, with `executor` or on this thread. Returns whether it has sorted them; if not, `v` is as it was.
pub(super) fn sort<W: Word>(executor: Option<&impl Executor>, v: &mut [W], bit_order: BitOrder) -> bool {
    let is_float = bit_order == BitOrder::Float;
    if v.len() <= NEAR {
        let mut keys = v.to_vec();
        to_keys(&mut keys, bit_order);
        sort_keys(&mut keys, v, is_float);
        of_keys(v, bit_order);
        return true;
    }
    let range = Mutex::new(None);
    each_piece(executor, v, &|numbers| {
        if let Some(found) = key_range(numbers, bit_order) {
            let mut range = range.lock().unwrap_or_else(PoisonError::into_inner);
            *range = Some(range.map_or(found, |range| widen(range, found)));
        }
    });
    let (least, greatest) = range.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_default();
    let wanted = if v.len() < MANY { BUCKETS } else { BUCKETS_MANY };
    let buckets = Buckets::for_all(v, least, greatest, wanted, is_float);
    let mut pieces = pieces(executor, v.len());
    let numbers = &*v;
    each(executor, &mut pieces, &|piece| match bit_order {
        BitOrder::Float => count::<W, FLOAT>(piece, numbers, buckets, wanted),
        _ => count::<W, UNSIGNED>(piece, numbers, buckets, wanted),
    });
    let places = places(&mut pieces);
    let largest = places.iter().map(Range::len).max().unwrap_or(0);
    if !buckets.sort_fully() && largest > v.len() / SKEW {
        if !is_float {
            each_piece(executor, v, &|keys| of_keys(keys, bit_order));
        }
        return false;
    }

    let mut keys = Scratch::<W>::new(v.len());
    let room = Slots::of(keys.room());
    each(executor, &mut pieces, &|piece| match bit_order {
        // SAFETY: a piece has as many places for a bucket as it has counted numbers for it, inside the room.
        BitOrder::Float => unsafe { put::<W, FLOAT>(piece, numbers, buckets, &room) },
        // SAFETY: as above.
        _ => unsafe { put::<W, UNSIGNED>(piece, numbers, buckets, &room) },
    });
    // SAFETY: every key has been put in its place.
    let keys = unsafe { keys.filled() };
    each_bucket(executor, &places, [keys, v], &|keys, home| {
        if buckets.sort_fully() {
            home.copy_from_slice(keys);
        } else {
            sort_keys(keys, home, is_float);
        }
        of_keys(home, bit_order);
    });
    true
}

/// The least and the greatest key. Integers are turned into their keys meanwhile; floats are left as they are, since their values are needed, too.
fn key_range<W: Word>(numbers: &mut [W], bit_order: BitOrder) -> Option<(W, W)> {
    if numbers.is_empty() {
        return None;
    }
    if bit_order == BitOrder::Float {
        return Some(widest(KeyRange::<W, FLOAT>(numbers)));
    }
    let ranges = numbers.chunks_mut(BLOCK).map(|block| {
        to_keys(block, bit_order);
        widest(KeyRange::<W, UNSIGNED>(block))
    });
    ranges.reduce(widen)
}

/// The least and the greatest of two ranges.
fn widen<W: Word>(a: (W, W), b: (W, W)) -> (W, W) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The number of buckets for `len` elements in the second-level cache: one for each element, so that usually no other step follows.
fn buckets_near(len: usize) -> usize {
    len.next_power_of_two().min(BUCKETS_NEAR)
}

/// The least and the greatest key of numbers whose order is `N`.
struct KeyRange<'a, W, const N: u8>(&'a [W]);

impl<W: Word, const N: u8> Body for KeyRange<'_, W, N> {
    type Output = (W, W);

    #[inline(always)]
    fn run(self) -> (W, W) {
        let first = self.0.first().map_or(W::default(), |x| x.to_key::<N>());
        let keys = self.0.iter().map(|x| x.to_key::<N>());
        keys.fold((first, first), |(least, greatest), key| (least.min(key), greatest.max(key)))
    }
}

/// Sorts the keys of a bucket into `home`.
pub(super) fn sort_keys<W: Word>(keys: &mut [W], home: &mut [W], is_float: bool) {
    // Counts have 32 bits.
    if keys.len() <= SMALL || u32::try_from(keys.len()).is_err() {
        home.copy_from_slice(keys);
        return home.sort_unstable();
    }
    let (least, greatest) = widest(KeyRange::<W, UNSIGNED>(keys));
    let count = buckets_near(keys.len());
    let mut buckets = Buckets::of_keys(least, greatest, count);
    let (mut next, mut pairs) = buckets.count(keys, count);
    // This is twice as many pairs as for keys that are spread evenly.
    if is_float
        && pairs > keys.len() as u64
        && let Some(by_value) = Buckets::of_values(least, greatest, count)
        && let (counts, fewer) = by_value.count(keys, count)
        && fewer < pairs
    {
        (buckets, next, pairs) = (by_value, counts, fewer);
    }
    let mut at = 0;
    for next in &mut next {
        at += std::mem::replace(next, at);
    }
    for key in &*keys {
        let next = &mut next[buckets.of_key(*key)];
        home[*next as usize] = *key;
        *next += 1;
    }
    if buckets.sort_fully() {
        return;
    }
    if pairs <= CROWDED * keys.len() as u64 {
        return insert_each(home);
    }
    let mut start = 0;
    // A bucket ends where its next key would go.
    for end in next {
        let part = &mut home[start..end as usize];
        if part.len() <= SMALL {
            part.sort_unstable();
        } else {
            // The part's keys differ in fewer bits, or lie in a shorter range, so the recursion ends.
            let keys = &mut keys[start..end as usize];
            keys.copy_from_slice(part);
            sort_keys(keys, part, is_float);
        }
        start = end as usize;
    }
}

/// Insertion sort, for keys that are a few places from where they belong. Half of them move by at most one place, which is done without a branch.
fn insert_each<W: Word>(keys: &mut [W]) {
    let Some(&(mut last)) = keys.first() else { return };
    for i in 1..keys.len() {
        let (low, high) = (last.min(keys[i]), last.max(keys[i]));
        (keys[i], last) = (high, high);
        let mut at = i - 1;
        while at > 0 && keys[at - 1] > low {
            keys[at] = keys[at - 1];
            at -= 1;
        }
        keys[at] = low;
    }
}
