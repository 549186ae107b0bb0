//! Memory outside the caches read as several streams.
//!
//! A processor prefetches the lines that follow those that a loop reads, but only so many of them, and only up to the end of a page. A loop from one end of a slice to the
//! other is a single such stream. Loops side by side, each over a quarter, are four: all are prefetched, and three go on while one enters its next page. A Zen 3 then reads
//! numbers from memory 1.3 to 2 times as fast, and floats in the L3 cache 1.2 times. (On Intel's processors this has not been measured.) In nearer caches nothing is gained, and
//! short integers lose: there, most loops use streams only where [`UnitLen::is_long`].
//! `compare first --only reduce,any,min,count --log2 12,20,24` shows these rows.

use std::ops::Range;

use super::prefetch::{ahead_of, fetch};

/// The number of streams. Two gain half as much, and eight no more.
pub(crate) const STREAMS: usize = 4;

/// The length in bytes from which on a run is read as streams: each is then four pages. A shorter run may lie in the nearest caches.
const LONG: usize = 1 << 16;

/// The length in bytes that a unit should have, so that its streams are long.
const UNIT: usize = 1 << 17;

/// How many times as long as it would be a unit may become for that.
const STRETCH: usize = 8;

/// How many such units a call must have. At its end a worker may wait for a unit of another one, which is to be little of the whole call.
const UNITS: usize = 64;

/// The length in bytes up to which elements are many enough in a unit.
const WIDEST: usize = 16;

/// The number of blocks of each stream between which other lines are prefetched, where that is done.
const ROUND: usize = 8;

/// Blocks, cut into parts of the same length that are read side by side.
///
/// How they are cut does not depend on the machine, since the results of reductions depend on it.
pub(crate) struct Streams<'a, T, const N: usize> {
    /// In their order in memory.
    parts: [&'a [[T; N]]; STREAMS],
    /// What is left behind them.
    pub(crate) rest: &'a [[T; N]],
}

impl<'a, T, const N: usize> Streams<'a, T, N> {
    #[inline(always)]
    pub(crate) fn of(blocks: &'a [[T; N]]) -> Self {
        let len = blocks.len() / STREAMS;
        let (even, rest) = blocks.split_at(len * STREAMS);
        Streams { parts: std::array::from_fn(|stream| &even[stream * len..(stream + 1) * len]), rest }
    }

    /// The streams of blocks that may lie outside the caches; fewer blocks are all left as the rest.
    #[inline(always)]
    pub(crate) fn of_long(blocks: &'a [[T; N]]) -> Self {
        if size_of_val(blocks) < LONG { Streams { parts: [&[]; STREAMS], rest: blocks } } else { Self::of(blocks) }
    }

    /// The number of blocks in the streams.
    #[inline(always)]
    pub(crate) fn blocks(&self) -> usize {
        STREAMS * self.parts[0].len()
    }

    /// The blocks of each stream that are read next, from the one at `start` on; none if that is the end. Prefetches others.
    #[inline(always)]
    pub(crate) fn round(&self, start: usize) -> Range<usize> {
        let round = start..self.parts[0].len().min(start + ROUND);
        for part in self.parts {
            ahead_of(part).get(round.clone()).into_iter().flatten().for_each(fetch);
        }
        round
    }

    /// A block of each stream, in the order of the streams.
    #[inline(always)]
    pub(crate) fn blocks_at(&self, at: usize) -> [&'a [T; N]; STREAMS] {
        self.parts.map(|part| &part[at])
    }

    /// Calls `f` with the number of a stream and its next block, for one stream after the other.
    ///
    /// If `f` is long, it may be compiled as a function of its own, for narrow vectors. Then a loop over [rounds](Self::round) is faster.
    #[inline(always)]
    pub(crate) fn for_each(&self, mut f: impl FnMut(usize, &'a [T; N])) {
        let mut round = self.round(0);
        while !round.is_empty() {
            for at in round.clone() {
                for (stream, block) in self.blocks_at(at).into_iter().enumerate() {
                    f(stream, block);
                }
            }
            round = self.round(round.end);
        }
    }
}

/// How long the units of a call are that reads a slice as streams.
#[derive(Clone, Copy)]
pub(crate) struct UnitLen {
    /// The number of elements that a unit should have; 0 if the grain is to be kept.
    wanted: usize,
}

impl UnitLen {
    /// As the grain says.
    pub(crate) const GRAIN: Self = UnitLen { wanted: 0 };

    /// That of a call that reads `v`. A grain that the user has set is kept.
    #[inline(always)]
    pub(crate) fn of<T>(v: &[T], grain: Option<usize>) -> Self {
        let is_long = grain.is_none() && size_of_val(v) >= UNITS * UNIT && size_of::<T>() <= WIDEST;
        if is_long { UnitLen { wanted: window::<T>() } } else { Self::GRAIN }
    }

    /// Whether units are longer than the grain: the slice is thought to lie outside the caches.
    #[inline(always)]
    pub(crate) fn is_long(self) -> bool {
        self.wanted > 0
    }

    /// The length of a unit that would be `grain` elements: one that is not much too short for streams is stretched.
    #[inline]
    pub(crate) fn stretched(self, grain: usize) -> usize {
        if grain < self.wanted / STRETCH { grain } else { grain.max(self.wanted) }
    }
}

/// The number of elements that are read as streams before other ones.
pub(crate) const fn window<T>() -> usize {
    if size_of::<T>() == 0 { UNIT } else { UNIT / size_of::<T>() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_once_and_those_of_a_stream_in_order() {
        for len in 0..40_usize {
            let blocks: Vec<[usize; 1]> = (0..len).map(|at| [at]).collect();
            let streams = Streams::of(&blocks);
            let mut found = [const { Vec::new() }; STREAMS];
            streams.for_each(|stream, block| found[stream].push(*block));
            let all: Vec<[usize; 1]> = found.into_iter().flatten().chain(streams.rest.iter().copied()).collect();
            assert_eq!(all, blocks);
        }
    }

    #[test]
    fn a_stretched_unit_is_not_stretched_again() {
        let units = UnitLen { wanted: window::<f64>() };
        for grain in [1, 100, 2_048, 5_000, 20_000, 1 << 20] {
            let len = units.stretched(grain);
            assert!((grain..=STRETCH * grain).contains(&len) && units.stretched(len) == len);
            assert_eq!(UnitLen::GRAIN.stretched(grain), grain);
        }
    }
}
