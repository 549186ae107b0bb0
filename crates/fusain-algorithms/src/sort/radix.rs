//! `sort_unstable` of numbers: by their bits, without a comparison.
//!
//! Idea: the range from the least key to the greatest is cut into some hundred buckets of the same width. (For floats the range of
//! values is cut, if a sample says that this spreads them more evenly than the range of bits.)
//!
//! 1. Each worker counts how many of its elements go into each bucket, then moves them there, to other memory.
//! 2. A bucket that fits the cache is cut again in the same way, into as many buckets as it has elements, and moved back into the slice.
//!    One insertion sort over all of them ends it. If many elements share a bucket, each bucket is sorted on its own.
//!
//! The pool decides which worker takes which bucket. A slice that fits the cache as a whole begins with step 2. If most keys are in few
//! buckets, because some keys are far away from the others, comparing is better; nothing has been moved by then. Input that is in order
//! already, ascending or descending, is noticed first.
//!
//! Step 1 is the first pass of a radix sort by the most significant digit, in parallel as in Satish et al., Fast sort on CPUs and GPUs
//! (2010), sections 4 and 5. Work O(n) for each pass, span O(n / buckets + buckets), memory for n elements and the counts.

use crate::crew::Crew;
use crate::kind::{is_float, is_integer};
use crate::natural::{FLOAT, UNSIGNED, Word};
use crate::ranges::Parts;
use crate::scratch::Scratch;
use crate::widest::widest;

/// From so many elements on, moving them by their bits is faster than comparing them.
const FEW: usize = 64;

/// Buckets at first: a line of each fits the first-level cache.
const BUCKETS: usize = 1 << 8;

/// Elements from which there are more buckets, so that one still fits the second-level cache.
const MANY: usize = 1 << 21;

/// The number of buckets then.
const BUCKETS_MANY: usize = 1 << 10;

/// Buckets at most where all lies in the second-level cache: so does a line of each.
const BUCKETS_NEAR: usize = 1 << 13;

/// Elements in a bucket up to which std sorts it.
const SMALL: usize = 64;

/// Elements looked at to find out what spreads them.
const SAMPLE: usize = 1 << 9;

/// Up to so many elements are sorted by one worker: calling others for each step would take longer. With a crew, a slice is cut into parts that
/// are sorted so, and then merged.
pub(super) const NEAR: usize = 1 << 14;

/// Pairs in one bucket, for each key, up to which the last step is one insertion sort over all buckets: about so many steps a key.
const CROWDED: usize = 4;

/// Pieces for each worker in which elements are counted and moved.
const PIECES_PER_WORKER: usize = 2;

/// Units in which buckets are sorted at most: many more than workers, and few enough that the cost of a unit does not show.
const UNITS: usize = 1 << 8;

/// If a bucket has more than one of so many elements, comparing is better.
const SKEW: usize = 6;

/// The bits of numbers.
pub(super) enum Words<'v> {
    Of8(&'v mut [u8]),
    Of16(&'v mut [u16]),
    Of32(&'v mut [u32]),
    Of64(&'v mut [u64]),
}

impl<'v> Words<'v> {
    /// Of `v`, numbers of at most 64 bits.
    pub(super) fn of<T>(v: &'v mut [T]) -> Self {
        assert!(is_integer::<T>() || is_float::<T>(), "numbers only");
        let (start, len) = (v.as_mut_ptr(), v.len());
        match size_of::<T>() {
            // SAFETY: numbers of one byte, every bit of which is one; the slice is borrowed.
            1 => Words::Of8(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }),
            // SAFETY: numbers of two bytes, and likewise.
            2 => Words::Of16(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }),
            // SAFETY: numbers of four bytes, and likewise.
            4 => Words::Of32(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }),
            // SAFETY: numbers of eight bytes, and likewise; all of them are aligned alike.
            8 => Words::Of64(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }),
            bytes => unreachable!("numbers of {bytes} bytes have no natural order"),
        }
    }
}

/// Sorts numbers by their bits as `N` says, with `crew` or on this thread. Returns whether it has: if not, `v` is as it was.
pub(super) fn sort<W: Word, const N: u8>(crew: Option<&impl Crew>, v: &mut [W]) -> bool {
    v.len() >= FEW && sort_words::<W, N>(crew, v)
}

/// Which bucket numbers go into: the range from the least to the greatest, in parts of the same width.
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

    /// As many for floats, whose keys these are; only where there is no other number between them.
    fn of_values<const N: u8>(least: W, greatest: W, count: usize) -> Option<Self> {
        let (least, greatest) = (least.of_key::<N>().float(), greatest.of_key::<N>().float());
        let scale = count as f64 / (greatest - least);
        // What is not finite lies at the ends of the order.
        let is_range = N == FLOAT && least.is_finite() && greatest.is_finite() && scale.is_normal();
        is_range.then_some(Buckets::OfValues { least, scale, last: count as u32 - 1 })
    }

    /// The kind of buckets over which a sample of `v` is spread more evenly.
    fn for_all<const N: u8>(v: &[W], least: W, greatest: W, count: usize) -> Self {
        let keys = Self::of_keys(least, greatest, count);
        match Self::of_values::<N>(least, greatest, count) {
            Some(values) if values.crowding::<N>(v) < keys.crowding::<N>(v) => values,
            _ => keys,
        }
    }

    /// How many of `keys` go into each of `count` buckets, and how many pairs of them share one.
    fn count<const N: u8>(self, keys: &[W], count: usize) -> (Vec<u32>, usize) {
        let mut counts = vec![0; count];
        let mut pairs = 0;
        for key in keys {
            let count = &mut counts[self.of_key::<N>(*key)];
            pairs += *count as usize;
            *count += 1;
        }
        (counts, pairs)
    }

    /// How many pairs of a sample share a bucket.
    fn crowding<const N: u8>(self, v: &[W]) -> usize {
        let mut found = [0; BUCKETS_MANY];
        let pairs = |x: &W| {
            let before = &mut found[self.of::<N>(*x)];
            *before += 1;
            *before - 1
        };
        v.iter().step_by(v.len().div_ceil(SAMPLE)).map(pairs).sum()
    }

    /// The bucket of a number. No number that is less than another is in a later one, as all steps keep the order of floats.
    #[inline(always)]
    fn of<const N: u8>(self, x: W) -> usize {
        match self {
            Buckets::OfKeys { least, shift } => (x.to_key::<N>().above(least) >> shift) as usize,
            // Rounding may lead out of the last one.
            Buckets::OfValues { least, scale, last } => (((x.float() - least) * scale) as u32).min(last) as usize,
        }
    }

    /// The bucket of the number that has this key.
    #[inline(always)]
    fn of_key<const N: u8>(self, key: W) -> usize {
        match self {
            Buckets::OfKeys { least, shift } => (key.above(least) >> shift) as usize,
            Buckets::OfValues { .. } => self.of::<N>(key.of_key::<N>()),
        }
    }

    /// Whether keys in one bucket are equal.
    fn sort_fully(self) -> bool {
        matches!(self, Buckets::OfKeys { shift: 0, .. })
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
    // Ascending or descending: the first few elements mostly show that it is not.
    if v.is_sorted_by_key(|x| x.to_key::<N>()) {
        return true;
    }
    if v.is_sorted_by(|x, y| x.to_key::<N>() >= y.to_key::<N>()) {
        v.reverse();
        return true;
    }
    if v.len() <= NEAR {
        let mut keys: Vec<W> = v.iter().map(|x| x.to_key::<N>()).collect();
        sort_keys::<_, N>(&mut keys, v);
        v.iter_mut().for_each(|key| *key = key.of_key::<N>());
        return true;
    }
    let mut pieces = pieces(crew, v);
    each(crew, &mut pieces, |piece| (piece.least, piece.greatest) = widest((range::<_, N>, piece.elements)));
    let least = pieces.iter().map(|piece| piece.least).min().unwrap_or_default();
    let greatest = pieces.iter().map(|piece| piece.greatest).max().unwrap_or_default();
    let count = if v.len() < MANY { BUCKETS } else { BUCKETS_MANY };
    let buckets = Buckets::for_all::<N>(v, least, greatest, count);
    each(crew, &mut pieces, |piece| {
        let mut next = vec![0; count];
        piece.elements.iter().for_each(|x| next[buckets.of::<N>(*x)] += 1);
        piece.next = next;
    });
    let ends = places(&mut pieces, count);
    let largest = (0..count).map(|b| ends[b] - b.checked_sub(1).map_or(0, |b| ends[b])).max().unwrap_or(0);
    if !buckets.sort_fully() && largest > v.len() / SKEW {
        return false;
    }

    let mut keys = Scratch::<W>::new(v.len());
    let room = Slots(keys.room().as_mut_ptr().cast::<W>());
    each(crew, &mut pieces, |piece| {
        for x in piece.elements {
            let next = &mut piece.next[buckets.of::<N>(*x)];
            // SAFETY: a piece has as many slots for a bucket as it has counted elements for it, inside the room.
            unsafe { room.at(*next).write(x.to_key::<N>()) };
            *next += 1;
        }
    });
    drop(pieces);
    // SAFETY: every key has been put in its place.
    let keys = unsafe { keys.filled() };

    let mut parts = Vec::with_capacity(count);
    let (mut keys, mut home, mut at) = (keys, v, 0);
    for end in ends {
        let (part, keys_left) = keys.split_at_mut(end - at);
        let (part_home, home_left) = home.split_at_mut(end - at);
        (keys, home, at) = (keys_left, home_left, end);
        parts.push((part, part_home));
    }
    each(crew, &mut parts, |(keys, home)| {
        if buckets.sort_fully() {
            home.copy_from_slice(keys);
        } else {
            sort_keys::<_, N>(keys, home);
        }
        if N != UNSIGNED {
            home.iter_mut().for_each(|key| *key = key.of_key::<N>());
        }
    });
    true
}

fn pieces<'v, W: Word>(crew: Option<&impl Crew>, v: &'v [W]) -> Vec<Piece<'v, W>> {
    let count = crew.map_or(1, |crew| crew.workers() * PIECES_PER_WORKER);
    let piece = |elements| Piece { elements, least: W::default(), greatest: W::default(), next: Vec::new() };
    v.chunks(v.len().div_ceil(count)).map(piece).collect()
}

/// Calls `f` for each of `items`, by the crew if there is one, and more to do than one can.
///
/// A unit has few items, since one item may cost ten thousand times as much as another.
fn each<I: Send>(crew: Option<&impl Crew>, items: &mut [I], f: impl Fn(&mut I) + Sync) {
    let Some(crew) = crew.filter(|_| items.len() > 1) else { return items.iter_mut().for_each(f) };
    let mut units: Vec<&mut [I]> = items.chunks_mut(items.len().div_ceil(UNITS)).collect();
    let count = units.len();
    let units = Parts::new(&mut units);
    // A unit has one.
    crew.run_ranges(count, usize::MAX, &|range| {
        // SAFETY: ranges do not overlap.
        unsafe { units.part(range) }.iter_mut().for_each(|unit| unit.iter_mut().for_each(&f));
    });
}

/// How many buckets there are for so many elements in the second-level cache: one for each, so that no other step follows mostly.
fn buckets_near(len: usize) -> usize {
    len.next_power_of_two().min(BUCKETS_NEAR)
}

/// The least and the greatest key.
#[inline(always)]
fn range<W: Word, const N: u8>(elements: &[W]) -> (W, W) {
    let first = elements.first().map_or(W::default(), |x| x.to_key::<N>());
    elements.iter().fold((first, first), |(least, greatest), x| {
        let key = x.to_key::<N>();
        (least.min(key), greatest.max(key))
    })
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

/// Sorts the keys of a bucket; they go to `home`.
fn sort_keys<W: Word, const N: u8>(keys: &mut [W], home: &mut [W]) {
    // Counts have 32 bits.
    if keys.len() <= SMALL || u32::try_from(keys.len()).is_err() {
        home.copy_from_slice(keys);
        return home.sort_unstable();
    }
    // Keys are their own keys.
    let (least, greatest) = widest((range::<_, UNSIGNED>, &*keys));
    let count = buckets_near(keys.len());
    let mut buckets = Buckets::of_keys(least, greatest, count);
    let (mut next, mut pairs) = buckets.count::<N>(keys, count);
    // Twice as many as where all lie evenly.
    if pairs > keys.len()
        && let Some(by_value) = Buckets::of_values::<N>(least, greatest, count)
        && let (counts, fewer) = by_value.count::<N>(keys, count)
        && fewer < pairs
    {
        (buckets, next, pairs) = (by_value, counts, fewer);
    }
    let mut at = 0;
    for next in &mut next {
        at += std::mem::replace(next, at);
    }
    for key in &*keys {
        let next = &mut next[buckets.of_key::<N>(*key)];
        home[*next as usize] = *key;
        *next += 1;
    }
    if buckets.sort_fully() {
        return;
    }
    if pairs <= CROWDED * keys.len() {
        return insert_each(home);
    }
    let mut start = 0;
    // Where the next one would go, the bucket ends.
    for end in next {
        let part = &mut home[start..end as usize];
        if part.len() <= SMALL {
            part.sort_unstable();
        } else {
            // Its keys differ in fewer bits, or lie in a shorter range: so this ends.
            let keys = &mut keys[start..end as usize];
            keys.copy_from_slice(part);
            sort_keys::<_, N>(keys, part);
        }
        start = end as usize;
    }
}

/// Insertion sort, for keys that are a few places from where they belong. Half of them move by one at most, so that is done without a branch.
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
