//! What an element usually takes, and when elements take far longer.

/// The unit before the first look has as many elements as usually take this long, but at least one.
const FIRST_NS: f32 = 100.0;

/// Elements are far longer than usual if they take more than this many times as long, ...
const FAR_LONGER: f32 = 3.0;

/// ... after this has been subtracted, which cold caches may have added after a rest.
const COLD_NS: f32 = 5_000.0;

/// What an element usually takes, in two bytes (the upper ones of an `f32`), since the cache line that it is kept in is full; 0: calls do not read the counter midway.
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

    /// The number of elements before the first look.
    pub(super) fn first_unit(self) -> usize {
        (FIRST_NS / self.ns()).max(1.0) as usize
    }

    /// What an element of a call takes, if that is far longer than usual; `done` elements have taken `elapsed_ns`.
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
