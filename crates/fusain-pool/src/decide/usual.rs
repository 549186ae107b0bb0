//! What an element takes as a rule, and when one takes far longer.

/// A unit before the first look takes so long as a rule, or has one element.
const FIRST_NS: f32 = 100.0;

/// Elements are far longer than others if they take more than so many times as long, ...
const FAR_LONGER: f32 = 3.0;

/// ... beside what cold caches may have added after a rest.
const COLD_NS: f32 = 5_000.0;

/// What an element takes as a rule, in two bytes (the upper ones of an `f32`) of a cache line that is full; 0: calls are not looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Usual(u16);

impl Usual {
    pub(super) const NONE: Self = Self(0);

    pub(super) fn of(element_ns: f32) -> Self {
        Self((element_ns.to_bits() >> 16) as u16)
    }

    fn ns(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }

    /// Elements until the first look.
    pub(super) fn first_unit(self) -> usize {
        (FIRST_NS / self.ns()).max(1.0) as usize
    }

    /// What an element of a call takes, if that is far longer than usual: `done` have taken `elapsed_ns`.
    pub(super) fn surpassed(self, done: usize, elapsed_ns: f32) -> Option<f32> {
        let element_ns = (elapsed_ns - COLD_NS) / done as f32;
        (element_ns > FAR_LONGER * self.ns()).then_some(element_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_long_elements_are_noticed_and_cold_ones_are_not() {
        let usual = Usual::of(200.0);
        assert!((190.0..=200.0).contains(&usual.ns()), "{usual:?}");
        assert_eq!(usual.surpassed(1, 50_000.0), Some(45_000.0));
        assert_eq!(usual.surpassed(5, 50_000.0), Some(9_000.0));
        for (done, elapsed_ns) in [(1, 220.0), (1, 5_500.0), (5, 2_500.0), (1_000, 220_000.0)] {
            assert_eq!(usual.surpassed(done, elapsed_ns), None);
        }
    }
}
