//! How often to poll for messages where an arrival wakes no thread.
//!
//! After something has moved, the loop polls as fast as it can for a while, since messages come in bursts and a thread that waits for an
//! answer waits now. Then it sleeps between polls, each time twice as long as before, up to a maximum. (The messaging thread of Tascell
//! always sleeps 20 µs: Hiraishi, Muraoka, Yasugi.)

use std::time::{Duration, Instant};

/// The first sleep. Linux does not keep to shorter ones, since its timers fire up to 50 µs late by default.
const FIRST_NAP: Duration = Duration::from_micros(20);

/// How long after a move the loop does not even yield the core. A system call takes about as long as a small message between two cores, so
/// yielding would delay an answer.
const SPIN: Duration = Duration::from_micros(10);

/// What to do until the next poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// Poll again at once.
    Spin,
    /// Poll again after other threads have had a chance to run.
    Yield,
    Nap(Duration),
}

#[derive(Debug)]
pub(super) struct Pace {
    spin: Duration,
    max_sleep: Duration,
    last_move: Instant,
    nap: Duration,
}

impl Pace {
    pub(super) fn new(spin: Duration, max_sleep: Duration, now: Instant) -> Self {
        Self { spin, max_sleep, last_move: now, nap: FIRST_NAP }
    }

    pub(super) fn moved(&mut self, now: Instant) {
        self.last_move = now;
        self.nap = FIRST_NAP;
    }

    pub(super) fn idle(&mut self, now: Instant) -> Pause {
        let quiet = now.saturating_duration_since(self.last_move);
        if quiet < self.spin {
            return if quiet < SPIN { Pause::Spin } else { Pause::Yield };
        }
        let nap = self.nap.min(self.max_sleep);
        self.nap = nap.saturating_mul(2);
        Pause::Nap(nap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_then_ever_longer_naps_then_busy_again() {
        let (begin, micros) = (Instant::now(), Duration::from_micros);
        let mut pace = Pace::new(micros(50), micros(100), begin);
        assert_eq!(pace.idle(begin + micros(9)), Pause::Spin);
        assert_eq!(pace.idle(begin + micros(49)), Pause::Yield);
        let late = begin + micros(50);
        let naps = [20, 40, 80, 100, 100].map(|nap| Pause::Nap(micros(nap)));
        assert_eq!([(); 5].map(|()| pace.idle(late)), naps);
        pace.moved(late);
        assert_eq!(pace.idle(late + micros(1)), Pause::Spin);
        assert_eq!(pace.idle(late + micros(60)), naps[0]);
    }
}
