//! What an element of a call costs one way, in sequence or shared, learned from timings any of which may have been interrupted.

use std::cell::Cell;

/// A timing of more than this many times the expected one, twice in a row, is a change and no interruption.
pub(super) const CHANGED: f32 = 3.0;

/// A run counts for at most this fraction more than was expected, since it may have been interrupted.
const LONGER: f32 = 0.25;

/// The number of timings after which a cost is known well: the first run of anything is slower than the next.
const SURE: u8 = 3;

/// What an element costs one way.
pub(super) struct Way {
    /// Nanoseconds for each element that a call has, whether or not a search came to look at it; 0: not known.
    pub(super) cost: Cell<f32>,
    pub(super) timings: Cell<u8>,
    /// What the last timing said, if that was far more than the cost, which is an interruption or a change; else 0.
    pub(super) surprise: Cell<f32>,
}

impl Way {
    pub(super) const fn new() -> Self {
        Self { cost: Cell::new(0.0), timings: Cell::new(0), surprise: Cell::new(0.0) }
    }

    pub(super) fn begin(&self, cost: f32) {
        self.cost.set(cost);
        self.timings.set(0);
        self.surprise.set(0.0);
    }

    pub(super) fn is_sure(&self) -> bool {
        self.timings.get() >= SURE
    }

    /// A run has taken `measured` nanoseconds an element, and `ratio` times as long as was expected, if anything was. Returns whether the cost has changed a lot.
    pub(super) fn took(&self, measured: f32, ratio: f32) -> bool {
        let (cost, timings) = (self.cost.get(), self.timings.get());
        let surprise = self.surprise.replace(0.0);
        if cost > 0.0 && ratio > CHANGED {
            if surprise == 0.0 {
                self.surprise.set(measured);
            } else {
                // Twice in a row: that is no interruption.
                self.begin(surprise.min(measured));
                // It has been measured, and is no estimate.
                self.timings.set(1);
            }
            return surprise > 0.0;
        }
        self.timings.set(timings.saturating_add(1));
        if cost == 0.0 || ratio < 1.0 / CHANGED {
            self.cost.set(measured);
            return cost > 0.0;
        }
        self.cost.set(if timings == 0 {
            // Until now the cost was an estimate.
            measured
        } else {
            // Interruptions only lengthen a timing, so a shorter one has more weight, and most of all among the first, which find the caches cold.
            let more = (measured - cost).min(LONGER * cost);
            let weight = match timings {
                _ if more > 0.0 => 0.25,
                ..SURE => 1.0,
                _ => 0.5,
            };
            cost + weight * more
        });
        false
    }

    /// A search has taken `measured` nanoseconds an element. One search tells little about the next, so their average counts.
    pub(super) fn took_one_of_many(&self, measured: f32) {
        let (cost, timings) = (self.cost.get(), self.timings.get());
        self.timings.set(timings.saturating_add(1));
        self.cost.set(match timings {
            0 => measured,
            // The first ones find the caches cold.
            ..SURE if measured < cost => measured,
            _ => cost + 0.125 * (measured - cost).min(4.0 * cost),
        });
    }
}
