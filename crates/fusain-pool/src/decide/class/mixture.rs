//! Whether calls of a class are of mixed weight, so that each of them reads the counter [midway](super::super::midway).
//!
//! On many processors, reading the counter serialises the pipeline, which is too expensive for a call of a microsecond or two if all calls are alike. So these looks have a
//! budget. It is refilled by a fraction of what looks have gained, or, after a call that ran in sequence and took far longer than others, of what they could have gained. When
//! the budget is spent, there are no looks until the next such call.

use std::cell::Cell;

use super::Class;
use crate::decide::usual::Usual;

/// What the looks of one call cost, on average.
const LOOKS_NS: f32 = 150.0;

/// A call without looks that took far longer than others raises the budget to at most this, as it may have been interrupted.
const LENT_NS: f32 = 15_000.0;

/// The largest budget: what looks may cost after the last gain.
const SPENT_NS: f32 = 150_000.0;

/// The fraction of a long call's time that goes into the budget.
const PART: f32 = 0.25;

/// After this many calls in a row that were shared midway, long calls are the rule.
const NO_EXCEPTIONS: u8 = 8;

/// See the [module](self).
pub(super) struct Mixture {
    /// The budget: what looks may cost by now.
    credit_ns: Cell<f32>,
    /// How many calls in a row have been shared midway.
    long: Cell<u8>,
}

impl Mixture {
    pub(super) const fn new() -> Self {
        Self { credit_ns: Cell::new(0.0), long: Cell::new(0) }
    }

    pub(super) fn begin(&self) {
        self.credit_ns.set(0.0);
        self.long.set(0);
    }

    /// A call that has been timed ran in sequence to its end.
    pub(super) fn took_any(&self) {
        self.long.set(0);
    }

    /// A call that ran in sequence to its end took `elapsed_ns`, far longer than others.
    pub(super) fn took_long(&self, elapsed_ns: f32) {
        self.credit_ns.set((PART * elapsed_ns).min(LENT_NS).max(self.credit_ns.get()));
    }

    /// Pays for the looks of `calls` calls: those made since the last payment.
    pub(super) fn pay_looks(&self, calls: f32) {
        self.credit_ns.set((self.credit_ns.get() - calls * LOOKS_NS).max(0.0));
    }

    fn is_looked_at(&self) -> bool {
        self.credit_ns.get() > 0.0
    }

    /// The number of calls that the budget lasts for; the next one has to be weighed.
    pub(super) fn calls_looked_at(&self) -> u16 {
        if self.is_looked_at() { (self.credit_ns.get() / LOOKS_NS) as u16 } else { u16::MAX }
    }
}

impl Class {
    /// What an element usually takes, if calls that run in sequence are to read the counter midway; else [`Usual::NONE`].
    pub(in crate::decide) fn usual(&self) -> Usual {
        let is_looked_at = self.mixture.is_looked_at() && self.workers.get() > 1.0 && !self.is_search.get();
        if is_looked_at { Usual::of(self.alone.cost.get()) } else { Usual::NONE }
    }

    /// A call that ran in sequence has been shared midway, as its elements took `element_ns` each; the rest would have taken `left_ns`. As long as some calls are short,
    /// the cost that the class keeps is theirs.
    pub(in crate::decide) fn was_shared_midway(&self, element_ns: f32, left_ns: f32) {
        let Mixture { credit_ns, long } = &self.mixture;
        credit_ns.set((credit_ns.get() + PART * left_ns).min(SPENT_NS));
        self.trial.end();
        if long.get() + 1 < NO_EXCEPTIONS {
            long.set(long.get() + 1);
            self.look_at_next();
        } else {
            long.set(0);
            self.set_alone(element_ns);
            self.alone.timings.set(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_end_when_they_gain_nothing() {
        let mixture = Mixture::new();
        assert!(!mixture.is_looked_at());
        mixture.took_long(4e6);
        let calls = mixture.calls_looked_at();
        assert_eq!(f32::from(calls), LENT_NS / LOOKS_NS);
        mixture.pay_looks(calls.into());
        assert!(!mixture.is_looked_at());
    }
}
