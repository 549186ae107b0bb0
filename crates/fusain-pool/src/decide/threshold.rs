//! How much the calls that find all workers asleep have to lose before they wake one. It is learned from what bursts of such calls gained and lost
//! ([`wakes`](crate::idle::wakes)).

use std::cell::Cell;

use crate::idle::wakes::{Burst, Wake};

/// The highest threshold, as a multiple of the cost of a wake.
const MAX: f32 = 16.0;

/// See the [module](self).
pub(super) struct Threshold {
    /// The threshold, as a multiple of the cost of a wake; 0: the first call of a burst wakes.
    wakes: Cell<f32>,
    /// What a burst without any wake gains compared with the average time of its calls, in nanoseconds: negative, because the first calls find the caches cold.
    without: Cell<f32>,
}

impl Threshold {
    pub(super) const fn new() -> Self {
        Self { wakes: Cell::new(1.0), without: Cell::new(0.0) }
    }

    /// Starts anew, with nothing known.
    pub(super) fn begin(&self) {
        self.wakes.set(1.0);
        self.without.set(0.0);
    }

    pub(super) fn get(&self) -> f32 {
        self.wakes.get()
    }

    /// Learns from a burst of calls that a call of this class has begun, and what it would have gained if its first call had woken a worker.
    pub(super) fn judge(&self, burst: Burst) {
        let before = self.without.get();
        match burst.wake {
            Wake::None => self.without.set(before + 0.25 * (burst.gain_ns - before)),
            // The gain is that of the whole burst, and some of the loss would have been there anyway: after the rest before the burst the caches were cold.
            Wake::First => self.burst_is_over(burst.gain_ns > before),
            Wake::Late(_) => self.burst_is_over(burst.gain_ns > 0.0),
        }
    }

    /// A burst is over; `should_wake` says whether it would have been right to wake with its first call.
    pub(super) fn burst_is_over(&self, should_wake: bool) {
        let wakes = self.wakes.get();
        self.wakes.set(match should_wake {
            true if wakes <= 1.0 => 0.0,
            true => 1.0,
            false => (2.0 * wakes).clamp(1.0, MAX),
        });
    }
}
