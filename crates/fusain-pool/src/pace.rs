//! The length of a unit, found while running.
//!
//! A unit should last about [`UNIT_NS`]: then the look for requests (about a nanosecond) and the loop around it
//! cost well under 2 %, and a thief that asks a busy worker waits a few microseconds. The paper leaves the choice
//! open (PaSTeL, conclusion); here the loop times single units, at ever longer distances, and moves the grain.
//!
//! A call that has been told its grain, or has learned it from earlier calls of the same kind, starts with it. One that
//! knows nothing starts with one element and grows by at most [`STEP`] a timing, so that a unit of unknown weight
//! cannot become a long one.

use std::time::Instant;

/// Aim for a unit. At half of it the loop costs show in `compare breakeven`; at double of it a thief's wait does.
const UNIT_NS: f64 = 2_000.0;

/// Most a grain may grow or shrink at once.
const STEP: f64 = 8.0;

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

    /// After a unit that was a checkpoint and began at `started`: nanoseconds per element.
    #[cold]
    pub(crate) fn checkpoint(&mut self, started: Instant) -> f64 {
        let elapsed = started.elapsed().as_nanos().max(1) as f64;
        let per_element = elapsed / self.grain as f64;
        if self.adapts {
            let factor = (UNIT_NS / elapsed).clamp(1.0 / STEP, STEP);
            self.grain = ((self.grain as f64 * factor) as usize).max(1);
            // Still far from the aim: look again soon.
            self.interval = if (0.5..=2.0).contains(&factor) { (self.interval * 2).min(INTERVAL_MAX) } else { 1 };
        } else {
            self.interval = (self.interval * 2).min(INTERVAL_MAX);
        }
        self.left = self.interval;
        per_element
    }
}

/// The grain at which a unit of `per_element` nanoseconds an element lasts as long as it should.
pub(crate) fn grain_for(per_element: f64) -> usize {
    ((UNIT_NS / per_element.max(1e-3)) as usize).max(1)
}
