//! How often to poll for messages where an arrival wakes no thread.
//!
//! After something has moved the loop looks as fast as it can for a while, since messages come in bursts and whoever waits
//! for an answer waits now. Then it naps between looks, each nap twice as long as the one before, up to a ceiling. (The
//! messaging thread of Tascell naps 20 µs always: Hiraishi, Muraoka, Yasugi.)

use std::time::{Duration, Instant};

/// The first nap. Shorter ones are not kept: a timer of Linux fires up to 50 µs late by default.
const FIRST_NAP: Duration = Duration::from_micros(20);

/// For so long after a move not even the core is offered to others: a call of the operating system costs as much as a small
/// message takes between two cores, and whoever waits for its answer would pay it.
const SPIN: Duration = Duration::from_micros(10);

/// What to do until the next look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// Look again at once.
    Spin,
    /// Look again, once others have had their turn.
    Yield,
    Nap(Duration),
}

#[derive(Debug)]
pub(super) struct Pace {
    busy: Duration,
    ceiling: Duration,
    last_move: Instant,
    nap: Duration,
}

impl Pace {
    pub(super) fn new(busy: Duration, ceiling: Duration, now: Instant) -> Self {
        Self { busy, ceiling, last_move: now, nap: FIRST_NAP }
    }

    pub(super) fn moved(&mut self, now: Instant) {
        self.last_move = now;
        self.nap = FIRST_NAP;
    }

    pub(super) fn idle(&mut self, now: Instant) -> Pause {
        let quiet = now.saturating_duration_since(self.last_move);
        if quiet < self.busy {
            return if quiet < SPIN { Pause::Spin } else { Pause::Yield };
        }
        let nap = self.nap.min(self.ceiling);
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
