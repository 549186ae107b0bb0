//! The length of a unit, found while running.
//!
//! A unit should last about [`UNIT_NS`]: then the look for requests (about a nanosecond) and the loop around it
//! cost well under 2 %, and a thief that asks a busy worker waits a few microseconds. The paper leaves the choice
//! open (PaSTeL, conclusion); here the loop times single units, at ever longer distances, and moves the grain.
//!
//! A call that has been told its grain, or has learned it from earlier calls of the same kind, starts with it. One that
//! knows nothing starts with one element and grows by at most [`STEP`] a timing, so that a unit of unknown weight
//! cannot become a long one.

use crate::costs::Costs;
use std::time::Instant;

/// Aim for a unit: some hundred times what the loop around it is estimated to cost, a fifth of the 10 us a thief may wait. Chosen by
/// that reckoning; half and double were not measured.
const UNIT_NS: f32 = 2_000.0;

/// Most a grain may grow or shrink at once.
const STEP: f32 = 8.0;

/// Units between two timings never grow past this, so that a change of weight is noticed within some 100 us.
const INTERVAL_MAX: u32 = 64;

/// How a call chooses the length of its units.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Grain {
    /// As the user says.
    Fixed(usize),
    /// Start from here and adapt.
    From(usize),
}

pub(crate) struct Pace {
    pub(crate) grain: usize,
    adapts: bool,
    left: u32,
    interval: u32,
}

impl Pace {
    pub(crate) fn new(grain: Grain) -> Self {
        match grain {
            Grain::Fixed(grain) => Self { grain: grain.max(1), adapts: false, left: 8, interval: 8 },
            // Unknown weight: run one unit of one element untimed (it pays for cold caches), then begin to time.
            Grain::From(0 | 1) => Self { grain: 1, adapts: true, left: 1, interval: 1 },
            Grain::From(grain) => Self { grain, adapts: true, left: 2, interval: 2 },
        }
    }

    /// What a part that is split off now should start with.
    pub(crate) fn grain(&self) -> Grain {
        if self.adapts { Grain::From(self.grain) } else { Grain::Fixed(self.grain) }
    }

    /// Before a unit: whether it is one to stop at (and, where the grain adapts, to time).
    #[inline(always)]
    pub(crate) fn is_checkpoint(&mut self) -> bool {
        self.left = self.left.wrapping_sub(1);
        self.left == u32::MAX
    }

    /// After a unit that was a checkpoint and began at `started`: what it showed.
    #[cold]
    pub(crate) fn checkpoint(&mut self, started: Instant) -> Timing {
        // The clock's own time is taken off: a unit may be shorter.
        let elapsed = (started.elapsed().as_nanos() as f32 - Costs::clock_ns()).max(1.0);
        let timing = Timing { elements: self.grain, elapsed_ns: elapsed };
        if self.adapts {
            let factor = (UNIT_NS / elapsed).clamp(1.0 / STEP, STEP);
            self.grain = ((self.grain as f32 * factor) as usize).max(1);
            // Still far from the aim: look again soon.
            self.interval = if (0.5..=2.0).contains(&factor) { (self.interval * 2).min(INTERVAL_MAX) } else { 1 };
        } else {
            self.interval = (self.interval * 2).min(INTERVAL_MAX);
        }
        self.left = self.interval;
        timing
    }
}

/// One unit that was timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    pub(crate) elements: usize,
    pub(crate) elapsed_ns: f32,
}

impl Timing {
    pub(crate) fn per_element(self) -> f32 {
        self.elapsed_ns / self.elements as f32
    }

    /// As one word, for an atomic: never 0.
    pub(crate) fn to_bits(self) -> u64 {
        u64::from(self.elapsed_ns.to_bits()) << 32 | self.elements.min(u32::MAX as usize) as u64
    }

    /// Back from the word; `None` from 0.
    pub(crate) fn from_bits(bits: u64) -> Option<Self> {
        (bits != 0).then(|| Self { elements: (bits as u32) as usize, elapsed_ns: f32::from_bits((bits >> 32) as u32) })
    }
}

/// The grain at which a unit of `per_element` nanoseconds an element lasts as long as it should.
pub(crate) fn grain_for(per_element: f32) -> usize {
    ((UNIT_NS / per_element.max(1e-3)) as usize).max(1)
}
