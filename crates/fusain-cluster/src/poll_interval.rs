//! How often a worker polls for messages that no flag announces.
//!
//! A poll costs time even if it finds nothing, and a rank that asks waits for the next poll. Messages come in bursts, so after a poll that
//! found something the next ones follow every microsecond. Later the pause is a [part](PART) of the time since the last poll that found
//! something, up to [`LONGEST`]. So a message waits for a small part of that time, after some twenty polls that find nothing. The clock is
//! read at polls only. Between them units are counted: as many as have recently taken the length of a pause. (The messaging thread of
//! Tascell always naps 20 us; how to adapt that is an open problem there: Hiraishi, Muraoka, Yasugi.)

use std::time::{Duration, Instant};

/// The shortest pause between two polls.
const SHORTEST: Duration = Duration::from_micros(1);

/// A pause is the time since something was found, divided by this. Pauses that double instead make steals slower (`cargo xtask compare
/// steal`).
const PART: u32 = 4;

/// The longest pause, about a hundred times a poll. A request to a worker that has not heard anything for long waits for half of it on
/// average.
const LONGEST: Duration = Duration::from_micros(50);

/// The maximum factor by which the number of units may grow at once, since units may have become longer.
const GROWTH: u32 = 4;

/// Counts the units of one worker until its next poll.
#[derive(Debug)]
pub(crate) struct PollInterval {
    left: u32,
    /// The number of units from the last poll to the next.
    units: u32,
    last: Option<Instant>,
    /// The time of the last poll that found something, or of the first poll.
    found: Option<Instant>,
}

impl PollInterval {
    /// Polls after the first unit.
    pub(crate) fn soon() -> Self {
        Self { left: 1, units: 1, last: None, found: None }
    }

    /// Practically never polls: a flag announces messages.
    pub(crate) fn never() -> Self {
        Self { left: u32::MAX, ..Self::soon() }
    }

    /// To be called after each unit: whether to poll now.
    #[inline(always)]
    pub(crate) fn is_due(&mut self) -> bool {
        self.left = self.left.wrapping_sub(1);
        self.left == 0
    }

    pub(crate) fn has_looked(&mut self, found: bool) {
        self.has_looked_at(Instant::now(), found);
    }

    fn has_looked_at(&mut self, now: Instant, found: bool) {
        if found || self.found.is_none() {
            self.found = Some(now);
        }
        let quiet = self.found.map_or(Duration::ZERO, |found| now.saturating_duration_since(found));
        let pause = (quiet / PART).clamp(SHORTEST, LONGEST);
        // A raised flag may have caused the poll before the units were done.
        let done = (self.units - self.left.min(self.units)).max(1);
        let took = self.last.replace(now).map_or(pause, |last| now.saturating_duration_since(last));
        let fit = pause.as_nanos() * u128::from(done) / took.as_nanos().max(1);
        self.units = fit.clamp(1, u128::from(done.saturating_mul(GROWTH))) as u32;
        self.left = self.units;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each unit takes the time that `unit` returns, and only the polls in `finds` find something. Returns the times of the polls.
    fn looks(unit: impl Fn(Duration) -> Duration, until: Duration, finds: &[usize]) -> Vec<Duration> {
        let begin = Instant::now();
        let (mut looks, mut time, mut at) = (PollInterval::soon(), Duration::ZERO, Vec::new());
        while time < until {
            time += unit(time);
            if looks.is_due() {
                looks.has_looked_at(begin + time, finds.contains(&at.len()));
                at.push(time);
            }
        }
        at
    }

    fn gaps(at: &[Duration]) -> Vec<Duration> {
        at.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    #[test]
    fn rare_when_nothing_comes_and_at_once_when_something_has() {
        let unit = Duration::from_micros(2);
        let at = looks(|_| unit, Duration::from_millis(1), &[20]);
        let gaps = gaps(&at);
        assert!(gaps[18..20].iter().all(|gap| (LONGEST / 2..=LONGEST).contains(gap)), "{gaps:?}");
        assert_eq!(gaps[20], unit, "right after a find");
        assert!(gaps[..20].is_sorted() && gaps[20..].is_sorted(), "{gaps:?}");
    }

    #[test]
    fn long_units_are_not_missed_and_longer_ones_are_noticed() {
        let long = Duration::from_millis(1);
        assert!(gaps(&looks(|_| long, 20 * long, &[])).iter().all(|gap| *gap == long), "each of them");
        // Units become a hundred times as long. Then the current pause is too long, and so is the one computed from it.
        let grown = |time| if time < long { Duration::from_nanos(100) } else { Duration::from_micros(10) };
        let gaps = gaps(&looks(grown, 20 * long, &[]));
        assert!(gaps.iter().filter(|gap| **gap > 2 * LONGEST).count() <= 2, "{gaps:?}");
    }

    #[test]
    fn who_is_told_does_not_look() {
        let mut looks = PollInterval::never();
        assert!(!(0..100_000).any(|_| looks.is_due()));
    }
}
