//! Sorts of numbers of at most 16 bits, by counting.
//!
//! Idea: how often each number occurs says what the sorted slice looks like, so no number is moved. Each worker counts the numbers of its part; then each writes
//! the numbers of some ranges of keys. Counting sort (Seward 1954; Knuth, The Art of Computer Programming 3, section 5.2). Work O(n + k) for k keys between the
//! least and the greatest, span O(n / workers + k), memory for k counts for each worker, at most 256 KiB. Up to 256 numbers are sorted by comparing. If there
//! are fewer than two numbers for each such key, they are widened to 32 bits and sorted [by their bits](super::radix).

use std::ops::{BitXor, Range};

use crate::element::bit_order::{BitOrder, Word};
use crate::execution::executor::Executor;
use crate::platform::simd::{Body, widest};

use super::radix::NEAR;
use super::scatter::{each, each_home};
use super::words::words;

/// At most this many numbers are sorted by comparing: that takes less time than any table.
const FEW: usize = 1 << 8;

/// At most this many numbers are sorted by comparing in less memory: clearing memory for [`FEW`] keys would take longer than the sort.
const VERY_FEW: usize = 1 << 5;

/// The number of elements for each possible key from which on counting is faster than moving.
const DENSE: usize = 2;

/// The number of keys whose numbers one worker writes at a time.
const KEYS: usize = 1 << 8;

/// A number that occurs at most this many times is written this many times, without a branch on how often it occurs.
const COPIES: usize = 4;

/// An unsigned integer of at most 16 bits.
pub(super) trait Narrow: Word + BitXor<Output = Self> + Into<usize> + Into<u32> + TryFrom<usize> {
    /// The sign bit. With this bit flipped, unsigned numbers are ordered as signed numbers are.
    const SIGN: Self;
}

impl Narrow for u8 {
    const SIGN: Self = 1 << 7;
}

impl Narrow for u16 {
    const SIGN: Self = 1 << 15;
}

/// Sorts integers whose order is `bit_order`.
pub(super) fn narrow<W: Narrow>(executor: Option<&impl Executor>, v: &mut [W], bit_order: BitOrder) {
    let flip = if bit_order == BitOrder::Signed { W::SIGN } else { W::default() };
    if v.len() <= VERY_FEW {
        return compared(v, flip, &mut [0; VERY_FEW]);
    }
    if v.len() <= FEW {
        return compared(v, flip, &mut [0; FEW]);
    }
    if v.is_sorted_by_key(|x| *x ^ flip) {
        return;
    }
    let near = executor.filter(|_| v.len() > NEAR);
    let numbers = &*v;
    let mut pieces = pieces(near, numbers.len());
    each(near, &mut pieces, &|piece| piece.keys = widest(KeyRange { numbers: &numbers[piece.range.clone()], flip }));
    let (least, count) = extent(&pieces);
    if v.len() < DENSE * count {
        return by_wider(executor, v, flip);
    }
    each(near, &mut pieces, &|piece| {
        let mut counts = vec![0; count];
        numbers[piece.range.clone()].iter().for_each(|x| counts[key(*x, flip) - least] += 1);
        piece.counts = counts;
    });
    each_home(near, &places(&pieces, count), v, &|block, mut part| {
        for at in (block * KEYS..count).take(KEYS) {
            part = write(part, number(least + at, flip), times(&pieces, at));
        }
    });
}

/// Numbers that one worker counts.
#[derive(Default)]
struct Piece {
    range: Range<usize>,
    /// The least and the greatest key.
    keys: (usize, usize),
    /// How often each key occurs, beginning with the least key of all pieces.
    counts: Vec<u32>,
}

/// Cuts the numbers into one piece for each worker, or more if they are too many for counts of 32 bits.
fn pieces(executor: Option<&impl Executor>, len: usize) -> Vec<Piece> {
    let chunk = len.div_ceil(executor.map_or(1, |executor| executor.workers())).min(u32::MAX as usize);
    let range = |start: usize| start..len.min(start.saturating_add(chunk));
    (0..len).step_by(chunk).map(|start| Piece { range: range(start), ..Piece::default() }).collect()
}

/// The least key of all pieces, and how many keys there are from it to the greatest.
fn extent(pieces: &[Piece]) -> (usize, usize) {
    let least = pieces.iter().map(|piece| piece.keys.0).min().unwrap_or(0);
    let greatest = pieces.iter().map(|piece| piece.keys.1).max().unwrap_or(0);
    (least, greatest - least + 1)
}

/// How often a key occurs in all pieces.
fn times(pieces: &[Piece], at: usize) -> usize {
    pieces.iter().map(|piece| piece.counts[at] as usize).sum()
}

/// Where the numbers of each block of keys belong.
fn places(pieces: &[Piece], count: usize) -> Vec<Range<usize>> {
    let mut end = 0;
    let block = |first: usize| {
        let start = end;
        end += (first..count).take(KEYS).map(|at| times(pieces, at)).sum::<usize>();
        start..end
    };
    (0..count).step_by(KEYS).map(block).collect()
}

/// The key of a number: its place in the order of all numbers of its type.
#[inline(always)]
fn key<W: Narrow>(x: W, flip: W) -> usize {
    (x ^ flip).into()
}

/// The least and the greatest key.
struct KeyRange<'a, W> {
    numbers: &'a [W],
    flip: W,
}

impl<W: Narrow> Body for KeyRange<'_, W> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run(self) -> (usize, usize) {
        let KeyRange { numbers, flip } = self;
        let first = numbers.first().map_or(W::default(), |x| *x ^ flip);
        let keys = numbers.iter().map(|x| *x ^ flip);
        let (least, greatest) = keys.fold((first, first), |(least, greatest), key| (least.min(key), greatest.max(key)));
        (least.into(), greatest.into())
    }
}

/// Writes `number` to the front `times` times, and returns what is behind.
#[inline(always)]
fn write<W: Copy>(part: &mut [W], number: W, times: usize) -> &mut [W] {
    if times <= COPIES
        && let Some(front) = part.first_chunk_mut::<COPIES>()
    {
        *front = [number; COPIES];
    } else {
        part[..times].fill(number);
    }
    &mut part[times..]
}

/// Sorts few numbers by comparing, as keys of 32 bits in `room`: the sort of such keys is compiled anyway.
#[inline(never)]
fn compared<W: Narrow>(v: &mut [W], flip: W, room: &mut [u32]) {
    let keys = &mut room[..v.len()];
    to_keys(v, flip, keys);
    keys.sort_unstable();
    of_keys(keys, v, flip);
}

/// Sorts by keys of 32 bits.
#[inline(never)]
fn by_wider<W: Narrow>(executor: Option<&impl Executor>, v: &mut [W], flip: W) {
    let mut keys = vec![0; v.len()];
    to_keys(v, flip, &mut keys);
    words(executor, &mut keys, BitOrder::Unsigned);
    of_keys(&keys, v, flip);
}

#[inline(never)]
fn to_keys<W: Narrow>(v: &[W], flip: W, keys: &mut [u32]) {
    keys.iter_mut().zip(v).for_each(|(key, x)| *key = (*x ^ flip).into());
}

#[inline(never)]
fn of_keys<W: Narrow>(keys: &[u32], v: &mut [W], flip: W) {
    v.iter_mut().zip(keys).for_each(|(x, key)| *x = number(*key as usize, flip));
}

/// The number whose key this is.
#[inline(always)]
fn number<W: Narrow>(key: usize, flip: W) -> W {
    W::try_from(key).unwrap_or_default() ^ flip
}
