//! Processors and network cards: until when each is busy, and the steps that wait for it.
//!
//! The data of a host is a sequence of words that begins with a cache line. For one processor and one card it is six words of one line.
//!
//! ```text
//! processors | cards, sending | cards, receiving | sends waiting | messages waiting | calculations waiting
//! busy until                                     | a list for each lane             | for each processor
//! ```
//! A *lane* is a pair of processor and card that some operation uses.

use super::program::Program;

/// Marks the end of a list.
pub(super) const NONE: u32 = u32::MAX;

pub(super) struct Hosts {
    lines: Vec<Line>,
    /// The number of words from one host to the next, a whole number of cache lines.
    stride: usize,
    cpus: usize,
    nics: usize,
    lanes: usize,
}

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u64; WORDS_PER_LINE]);

const WORDS_PER_LINE: usize = 8;

/// The place of a word.
#[derive(Clone, Copy)]
pub(super) struct At(usize);

impl Hosts {
    pub(super) fn new(program: &Program) -> Option<Self> {
        let (cpus, nics, lanes) = (program.cpus(), program.nics(), program.lanes().len());
        let (busy, lists) = (cpus + 2 * nics, 2 * lanes + cpus);
        let stride = (busy + lists).next_multiple_of(WORDS_PER_LINE);
        let words = stride.checked_mul(program.ranks() as usize).filter(|&words| words <= WORDS_MAX)?;
        let mut hosts =
            Self { lines: vec![Line([EMPTY; WORDS_PER_LINE]); words / WORDS_PER_LINE], stride, cpus, nics, lanes };
        for host in 0..program.ranks() as usize {
            (0..busy).for_each(|word| hosts.set_busy(At(host * stride + word), 0));
        }
        Some(hosts)
    }

    #[inline]
    pub(super) fn cpu(&self, rank: u32, cpu: u8) -> At {
        At(rank as usize * self.stride + usize::from(cpu))
    }

    #[inline]
    pub(super) fn sending(&self, rank: u32, nic: u8) -> At {
        At(rank as usize * self.stride + self.cpus + usize::from(nic))
    }

    #[inline]
    pub(super) fn receiving(&self, rank: u32, nic: u8) -> At {
        At(rank as usize * self.stride + self.cpus + self.nics + usize::from(nic))
    }

    #[inline]
    pub(super) fn sends(&self, rank: u32, lane: u16) -> At {
        At(rank as usize * self.stride + self.cpus + 2 * self.nics + usize::from(lane))
    }

    #[inline]
    pub(super) fn messages(&self, rank: u32, lane: u16) -> At {
        At(rank as usize * self.stride + self.cpus + 2 * self.nics + self.lanes + usize::from(lane))
    }

    #[inline]
    pub(super) fn calcs(&self, rank: u32, cpu: u8) -> At {
        At(rank as usize * self.stride + self.cpus + 2 * self.nics + 2 * self.lanes + usize::from(cpu))
    }

    /// The time until which a processor or a card is busy.
    #[inline]
    pub(super) fn busy(&self, at: At) -> u64 {
        self.lines[at.0 / WORDS_PER_LINE].0[at.0 % WORDS_PER_LINE]
    }

    #[inline]
    pub(super) fn set_busy(&mut self, at: At, until: u64) {
        self.lines[at.0 / WORDS_PER_LINE].0[at.0 % WORDS_PER_LINE] = until;
    }

    /// The time when the last of the rank's processors was done.
    pub(super) fn finish(&self, rank: u32) -> u64 {
        let begin = rank as usize * self.stride;
        (begin..begin + self.cpus).map(|word| self.busy(At(word))).max().unwrap_or(0)
    }

    /// The first and the last of a list, both [`NONE`] if it is empty.
    #[inline]
    pub(super) fn list(&self, at: At) -> (u32, u32) {
        let word = self.busy(at);
        (word as u32, (word >> 32) as u32)
    }

    #[inline]
    pub(super) fn set_list(&mut self, at: At, first: u32, last: u32) {
        self.set_busy(at, u64::from(first) | u64::from(last) << 32);
    }
}

const EMPTY: u64 = u64::MAX;

/// The maximum number of words: 16 GiB. Only a schedule that uses thousands of processors on thousands of ranks reaches it.
const WORDS_MAX: usize = 1 << 31;
