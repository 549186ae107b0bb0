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
use crate::moment::Moment;

/// Aim for a unit: some hundred times what the loop around it is estimated to cost, and a fifth of the 10 us that a thief may wait.
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

impl Grain {
    /// How many elements late a receiver is, at what an element seems to cost: the way there and back is all that a call takes that has nothing to do. 0 where the cost is not
    /// known.
    #[inline(always)]
    pub(crate) fn delay(self) -> usize {
        match self {
            Grain::Fixed(_) => 0,
            Grain::From(grain) => (grain as f32 * (Costs::region_ns() * (1.0 / UNIT_NS))) as usize,
        }
    }
}

/// A [`Grain`] in four bytes. One of more than 2^31 elements is taken for 2^31: whoever works on so many is not asked for work in between either way.
#[derive(Clone, Copy)]
pub(crate) struct PackedGrain(u32);

impl PackedGrain {
    const IS_FIXED: u32 = 1 << 31;

    #[inline(always)]
    pub(crate) fn of(grain: Grain) -> Self {
        let pack = |grain: usize| grain.min((Self::IS_FIXED - 1) as usize) as u32;
        match grain {
            Grain::Fixed(grain) => Self(pack(grain) | Self::IS_FIXED),
            Grain::From(grain) => Self(pack(grain)),
        }
    }

    #[inline(always)]
    pub(crate) fn unpack(self) -> Grain {
        let grain = (self.0 & !Self::IS_FIXED) as usize;
        if self.0 & Self::IS_FIXED != 0 { Grain::Fixed(grain) } else { Grain::From(grain) }
    }
}

pub(crate) struct Pace {
    pub(crate) grain: usize,
    adapts: bool,
    left: u32,
    interval: u32,
    /// How long the last unit took that was timed; 0: none was.
    last_ns: f32,
}

impl Pace {
    pub(crate) fn new(grain: Grain) -> Self {
        let pace = |grain, adapts, interval| Self { grain, adapts, left: interval, interval, last_ns: 0.0 };
        match grain {
            Grain::Fixed(grain) => pace(grain.max(1), false, 8),
            // Unknown weight: run one unit of one element untimed (it pays for cold caches), then begin to time.
            Grain::From(0 | 1) => pace(1, true, 1),
            Grain::From(grain) => pace(grain, true, 2),
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

    /// After a unit that was a checkpoint and began at `started`: what it showed, unless it had fewer elements than the grain says.
    #[cold]
    pub(crate) fn checkpoint(&mut self, started: Moment, is_full: bool) -> Option<Timing> {
        if !is_full {
            self.left = self.interval;
            return None;
        }
        Some(self.adapt(started.elapsed_ns()))
    }

    fn adapt(&mut self, elapsed: f32) -> Timing {
        let timing = Timing { elements: self.grain, elapsed_ns: elapsed };
        if self.adapts {
            let factor = (UNIT_NS / elapsed).clamp(1.0 / STEP, STEP);
            self.grain = ((self.grain as f32 * factor) as usize).max(1);
            let is_near = (0.5..=2.0).contains(&factor);
            // There may be less in a unit than the grain, whatever that is.
            let follows = !(2.0 / 3.0..=1.5).contains(&(elapsed / self.last_ns));
            // Still far from the aim, and getting there: look again soon.
            self.interval = if is_near || !follows { (self.interval * 2).min(INTERVAL_MAX) } else { 1 };
            self.last_ns = elapsed;
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// How many of 1000 units are timed, where one of `grain` elements takes `ns`.
    fn timed(ns: impl Fn(usize) -> f32) -> usize {
        let mut pace = Pace::new(Grain::From(0));
        let is_timed = |_: &usize| {
            let is_timed = pace.is_checkpoint();
            if is_timed {
                pace.adapt(ns(pace.grain));
            }
            is_timed
        };
        (0..1000).filter(is_timed).count()
    }

    #[test]
    fn a_grain_is_packed() {
        assert!(matches!(PackedGrain::of(Grain::Fixed(7)).unpack(), Grain::Fixed(7)));
        assert!(matches!(PackedGrain::of(Grain::From(0)).unpack(), Grain::From(0)));
        assert!(
            matches!(PackedGrain::of(Grain::From(usize::MAX)).unpack(), Grain::From(grain) if grain == i32::MAX as usize)
        );
    }

    #[test]
    fn the_clock_is_seldom_looked_at() {
        assert!(timed(|grain| grain as f32) < 40, "a unit comes to what it should take");
        assert!(timed(|grain| grain.min(100) as f32) < 40, "however long the grain, no unit takes more");
        assert!(timed(|grain| 50_000.0 * grain as f32) < 40, "a single element takes too long");
    }
}
