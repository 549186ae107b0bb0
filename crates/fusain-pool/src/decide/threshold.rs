//! How much calls that find all workers asleep have to lose before they wake one: learned from what rows of such calls gained and lost ([`wakes`](crate::idle::wakes)).

use std::cell::Cell;

use crate::idle::wakes::{Row, Wake};

/// The highest threshold, in times of what a wake costs.
const MAX: f32 = 16.0;

/// See the [module](self).
pub(super) struct Threshold {
    /// In times of what a wake costs; 0: the first call of a row wakes.
    wakes: Cell<f32>,
    /// What a row of calls loses without any wake, beside what each of them takes on average: the first ones find the caches cold. In nanoseconds, negative.
    without: Cell<f32>,
}

impl Threshold {
    pub(super) const fn new() -> Self {
        Self { wakes: Cell::new(1.0), without: Cell::new(0.0) }
    }

    /// Nothing is known.
    pub(super) fn begin(&self) {
        self.wakes.set(1.0);
        self.without.set(0.0);
    }

    pub(super) fn get(&self) -> f32 {
        self.wakes.get()
    }

    /// A row of calls that the class has begun would have gained so much by waking with its first call.
    pub(super) fn judge(&self, row: Row) {
        let before = self.without.get();
        match row.wake {
            Wake::None => self.without.set(before + 0.25 * (row.gain_ns - before)),
            // What it has shown goes for all of the row, and of what it would have lost anyway some is the rest before it: the caches are cold.
            Wake::First => self.row_is_over(row.gain_ns > before),
            Wake::Late(_) => self.row_is_over(row.gain_ns > 0.0),
        }
    }

    /// A row is over; `should_wake` says whether it would have been right to wake with its first call.
    pub(super) fn row_is_over(&self, should_wake: bool) {
        let wakes = self.wakes.get();
        self.wakes.set(match should_wake {
            true if wakes <= 1.0 => 0.0,
            true => 1.0,
            false => (2.0 * wakes).clamp(1.0, MAX),
        });
    }
}
