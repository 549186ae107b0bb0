//! The length of a unit, found while running.
//!
//! A unit should last about [`UNIT_NS`]: then the look for requests (one load) and the loop around it
//! cost well under 2 %, and a thief that asks a busy worker waits a few microseconds. The paper leaves the choice
//! open (PaSTeL, conclusion); here the loop times single units, at ever longer distances, and adjusts the grain.
//!
//! A call that has been told its grain, or has learned it from earlier calls of the same kind, starts with it. A call that
//! knows nothing starts with one element and grows by at most [`STEP`] a timing, so that a unit of unknown weight
//! cannot become a long one.

use crate::platform::costs::Costs;
use crate::platform::moment::Moment;

/// The time that a unit should take: some hundred times what the loop around it is estimated to cost, and a fifth of the 10 us that a thief may wait.
const UNIT_NS: f32 = 2_000.0;

/// The maximum factor by which a grain grows or shrinks at once.
const STEP: f32 = 8.0;

/// The maximum number of units between two timings, so that a change of weight is noticed within some 100 us.
const INTERVAL_MAX: u32 = 64;

/// Elements from this length on, in nanoseconds, are *long*: a thief should not have to wait until its victim has finished one. To
/// [offer](crate::run::offers) one takes little time beside that.
pub(crate) const LONG_ELEMENT_NS: f32 = 10_000.0;

/// How a call chooses the length of its units, and what is known of its elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grain {
    /// Elements a unit has at first; 0: not known.
    elements: usize,
    adapts: bool,
    /// Whether elements may be [long](LONG_ELEMENT_NS).
    is_long: bool,
    /// If that is a guess: how many more times what is split off a part that was offered may be offered again.
    guesses: u8,
}

/// Enough for 2^16 elements. From some sources only a few elements can be split off at a time, however many there are: these must not be passed on for ever on a guess.
const GUESSES: u8 = 16;

impl Grain {
    /// The grain that the user has set.
    pub(crate) const fn fixed(elements: usize) -> Self {
        Self { elements, adapts: false, is_long: false, guesses: GUESSES }
    }

    /// A grain that starts from here and adapts; from 0 if nothing is known.
    pub(crate) const fn from(elements: usize) -> Self {
        Self { elements, adapts: true, is_long: false, guesses: GUESSES }
    }

    /// The same for elements that may be [long](LONG_ELEMENT_NS), or not.
    pub(crate) const fn of_long(self, is_long: bool) -> Self {
        Self { is_long, ..self }
    }

    /// The grain that the user has set, if any.
    pub(crate) fn as_fixed(self) -> Option<usize> {
        (!self.adapts).then_some(self.elements)
    }

    /// The time of a hand-over in elements, at what an element seems to cost: so much later the receiver begins. It is the time of a shared call that has nothing to do. 0 if the
    /// cost is not known.
    #[inline(always)]
    pub(crate) fn delay(self) -> usize {
        if self.adapts { (self.elements as f32 * (Costs::region_ns() * (1.0 / UNIT_NS))) as usize } else { 0 }
    }
}

/// A [`Grain`] in four bytes. A grain of more than 2^30 elements is taken for 2^30, which makes no difference: either way a request waits very long for the unit to end.
#[derive(Clone, Copy)]
pub(crate) struct PackedGrain(u32);

impl PackedGrain {
    const IS_FIXED: u32 = 1 << 31;
    const IS_LONG: u32 = 1 << 30;
    const ELEMENTS: u32 = Self::IS_LONG - 1;

    #[inline(always)]
    pub(crate) fn of(grain: Grain) -> Self {
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let elements = grain.elements.min(Self::ELEMENTS as usize) as u32;
        Self(elements | flag(!grain.adapts, Self::IS_FIXED) | flag(grain.is_long, Self::IS_LONG))
    }

    #[inline(always)]
    pub(crate) fn unpack(self) -> Grain {
        Grain {
            elements: (self.0 & Self::ELEMENTS) as usize,
            adapts: self.0 & Self::IS_FIXED == 0,
            is_long: self.0 & Self::IS_LONG != 0,
            guesses: GUESSES,
        }
    }
}

pub(crate) struct Pace {
    pub(crate) grain: usize,
    adapts: bool,
    /// Whether elements are thought to be [long](LONG_ELEMENT_NS).
    is_long: bool,
    /// Whether that is known, from this call or from others like it.
    is_known: bool,
    guesses: u8,
    left: u32,
    interval: u32,
    /// How long the last timed unit took; 0: none was timed.
    last_ns: f32,
}

impl Pace {
    pub(crate) fn new(grain: Grain) -> Self {
        let Grain { elements, adapts, is_long, guesses } = grain;
        let left = match elements {
            // If there are as many workers as elements, no worker has a second one. So the first is timed: else calls whose elements have become longer would be taken for
            // what they were before, and be thought to gain nothing. (A model has no clock.)
            _ if is_long && !cfg!(loom) => 0,
            _ if !adapts => 8,
            // Nothing is known: the first unit shows whether elements are long.
            0 => 0,
            // The first unit pays for cold caches, and shows little.
            1 => 1,
            _ => 2,
        };
        let (grain, is_known, interval) = (elements.max(1), elements > 0, left.max(1));
        Self { grain, adapts, is_long, is_known, guesses, left, interval, last_ns: 0.0 }
    }

    /// The grain that a part that is split off now should start with.
    pub(crate) fn grain(&self) -> Grain {
        let (adapts, is_long, guesses) = (self.adapts, self.is_long, self.guesses);
        match self.is_known {
            true => Grain { elements: self.grain, adapts, is_long, guesses },
            false => Grain { elements: 0, adapts, is_long: is_long && guesses > 0, guesses: guesses.saturating_sub(1) },
        }
    }

    /// Whether elements are thought to be [long](LONG_ELEMENT_NS).
    #[inline(always)]
    pub(crate) fn is_long(&self) -> bool {
        self.is_long
    }

    /// Before a unit: whether it is a checkpoint, which is timed.
    #[inline(always)]
    pub(crate) fn is_checkpoint(&mut self) -> bool {
        self.left = self.left.wrapping_sub(1);
        self.left == u32::MAX
    }

    /// After a checkpoint that began at `started`: its timing, unless it had fewer elements than the grain says.
    #[cold]
    pub(crate) fn checkpoint(&mut self, started: Moment, is_full: bool) -> Option<Timing> {
        if is_full {
            return Some(self.adapt(started.elapsed_ns()));
        }
        self.left = self.interval;
        // A unit of one element or more that was not long had no long element. If a unit has lost its core, its elements are taken for long. Without this check all that is left
        // would then be divided into single elements, since none of these is a full unit.
        if self.is_long && started.elapsed_ns() < LONG_ELEMENT_NS {
            self.is_long = false;
        }
        None
    }

    fn adapt(&mut self, elapsed: f32) -> Timing {
        let timing = Timing { elements: self.grain, elapsed_ns: elapsed };
        self.is_long = timing.per_element() >= LONG_ELEMENT_NS;
        self.is_known = true;
        if self.adapts {
            let factor = (UNIT_NS / elapsed).clamp(1.0 / STEP, STEP);
            self.grain = ((self.grain as f32 * factor) as usize).max(1);
            let is_near = (0.5..=2.0).contains(&factor);
            // A unit may have fewer elements than the grain says, however large that is.
            let follows = !(2.0 / 3.0..=1.5).contains(&(elapsed / self.last_ns));
            // Still far from the aim, but the time follows the grain: look again soon.
            self.interval = if is_near || !follows { (self.interval * 2).min(INTERVAL_MAX) } else { 1 };
            self.last_ns = elapsed;
        } else {
            self.interval = (self.interval * 2).min(INTERVAL_MAX);
        }
        self.left = self.interval;
        timing
    }
}

/// A unit that was timed.
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

/// The grain at which a unit lasts as long as it should if an element takes `per_element` nanoseconds.
pub(crate) fn grain_for(per_element: f32) -> usize {
    ((UNIT_NS / per_element.max(1e-3)) as usize).max(1)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// How many of 1000 units are timed, where one of `grain` elements takes `ns`.
    fn timed(ns: impl Fn(usize) -> f32) -> usize {
        let mut pace = Pace::new(Grain::from(0));
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
        for grain in [Grain::fixed(7), Grain::from(0), Grain::from(9).of_long(true), Grain::fixed(1).of_long(true)] {
            let unpacked = PackedGrain::of(grain).unpack();
            assert_eq!(
                (unpacked.elements, unpacked.adapts, unpacked.is_long),
                (grain.elements, grain.adapts, grain.is_long)
            );
        }
        assert_eq!(PackedGrain::of(Grain::from(usize::MAX)).unpack().elements, (1 << 30) - 1);
    }

    #[test]
    fn a_part_of_one_long_element_is_timed() {
        for grain in [Grain::from(1), Grain::fixed(1)] {
            assert!(Pace::new(grain.of_long(true)).is_checkpoint());
            assert!(!Pace::new(grain).is_checkpoint());
        }
    }

    #[test]
    fn the_clock_is_seldom_looked_at() {
        assert!(timed(|grain| grain as f32) < 40, "a unit comes to what it should take");
        assert!(timed(|grain| grain.min(100) as f32) < 40, "however long the grain, no unit takes more");
        assert!(timed(|grain| 50_000.0 * grain as f32) < 40, "a single element takes too long");
    }
}
