//! What a class learns from a call.

use super::{Class, FAR, LONG_NS, NEAR, TRY_PART, middle, per_element};
use crate::decide::trial::{FEW_CALLS, Took};
use crate::decide::usual::Usual;
use crate::decide::way::CHANGED;

/// If a call took far longer than expected, and at least this long, the next one is timed, too.
const SURPRISING_NS: f32 = 800.0;

/// If a shared search is more than so many times as fast as its workers could be, its sequential cost was estimated far too high: ...
const PLAUSIBLE: f32 = 4.0;

/// ... or, if that cost is known well, more than so many times as fast. A search may just have ended early.
const BEYOND: f32 = 512.0;

/// A long call that takes more than so many times the expected time is believed at once, not after a second one: an error costs less than one more such call in sequence.
const CHANGED_CLEARLY: f32 = 16.0;

impl Class {
    /// A call of `work` elements, `done` of which it had to look at, took `elapsed_ns` in sequence.
    pub(in crate::decide) fn took_alone(&self, work: usize, done: usize, elapsed_ns: f32) {
        self.seems_light.set(false);
        self.mixture.took_any();
        let measured = per_element(elapsed_ns, work);
        if done < work {
            self.is_search.set(true);
            self.trial.took(false, measured);
            return self.alone.took_one_of_many(measured);
        }
        let Some(measured) = self.counted(false, measured, self.shared.cost.get()) else { return };
        let before = self.alone.cost.get();
        if self.alone.took(measured, measured / before) {
            self.alone_has_changed(before);
        }
        if self.alone.surprise.get() > 0.0 {
            if let Some(element_ns) = Usual::of(before).surpassed(work, elapsed_ns) {
                self.mixture.took_long(element_ns * work as f32);
            }
            if elapsed_ns >= LONG_NS && measured > CHANGED_CLEARLY * before {
                self.set_alone(measured);
                // It has been measured, and is no estimate.
                self.alone.timings.set(1);
            } else if elapsed_ns >= SURPRISING_NS {
                self.look_at_next();
            }
        }
    }

    /// A call that nobody looked at took `elapsed_ns` in sequence, longer than it was to take.
    pub(in crate::decide) fn took_long(&self, work: usize, done: usize, elapsed_ns: f32) {
        if done < work || self.is_search.get() || self.trial.shares().is_some() {
            return self.look_at_next();
        }
        self.took_alone(work, done, elapsed_ns);
    }

    /// A call of `work` elements took `elapsed_ns` shared with somebody who was awake.
    pub(in crate::decide) fn took_shared(&self, work: usize, elapsed_ns: f32) {
        if self.shared.cost.get() == 0.0 {
            return;
        }
        let (measured, alone) = (self.shared_cost(work, elapsed_ns), self.alone.cost.get());
        let total = per_element(elapsed_ns, work) * self.workers.get();
        let seems_light = total * CHANGED < alone;
        let seemed_light = self.seems_light.replace(seems_light);
        if seems_light {
            // All workers together cannot have done so much. Twice in a row: elements have become lighter.
            return if seemed_light { self.set_alone(total) } else { self.look_at_next() };
        }
        let ratio = elapsed_ns / self.shared_ns(work);
        let measured = measured.min(FAR * alone);
        let Some(measured) = self.counted(true, measured, alone) else { return };
        self.shared.took(measured, ratio);
        if self.shared.surprise.get() > 0.0 && self.trial.shares().is_none() {
            self.begin_trial(true, FEW_CALLS);
        }
    }

    /// A search of `work` elements took `elapsed_ns` shared, and ended early, or others of its class have.
    pub(in crate::decide) fn searched_shared(&self, work: usize, elapsed_ns: f32) {
        self.is_search.set(true);
        let (measured, alone) = (per_element(elapsed_ns, work), self.alone.cost.get());
        if self.shared.cost.get() == 0.0 {
            return;
        }
        let beyond = if self.alone.is_sure() { BEYOND } else { PLAUSIBLE * self.workers.get() };
        if measured * beyond < alone {
            // So much nobody gains: the cost is that of a run that was interrupted, or went through fresh memory.
            return self.set_alone(measured * self.workers.get());
        }
        self.trial.took(true, measured);
        self.shared.took_one_of_many(measured.min(FAR * alone));
    }

    /// A unit of `done` elements took `elapsed_ns` on the pool, the longest of those that were timed. It may be compiled otherwise than the sequential loop, so it gives
    /// a first idea, and later tells only if elements have become far heavier: there may be fewer in a unit than its grain says.
    ///
    /// Who forces calls to be shared may well see units that had to wait for a wake. So where runs in sequence have told the cost, that stands; else the fastest unit
    /// tells most, for the first ones find cold caches.
    pub(in crate::decide) fn saw_unit(&self, done: usize, elapsed_ns: f32, is_forced: bool) {
        if is_forced && self.alone.timings.get() > 0 {
            return;
        }
        let (cost, measured) = (self.alone.cost.get(), per_element(elapsed_ns, done));
        if cost == 0.0 {
            self.alone.begin(measured);
        } else if measured < cost && self.alone.timings.get() == 0 {
            self.set_alone(measured);
        } else if measured > CHANGED * cost {
            // Twice in a row: that is no interruption.
            let surprise = self.alone.surprise.replace(measured);
            if surprise > 0.0 {
                self.set_alone(surprise.min(measured));
            }
        } else {
            self.alone.surprise.set(0.0);
        }
    }

    /// As [`saw_unit`](Self::saw_unit) for a search whose cost is known: that of what is looked at, of which there is at most everything. So it tells what an element costs at
    /// most. (Who took cold elements for dear ones, or believed a run that was interrupted, would claim few at a time, and see the claims take long.)
    pub(in crate::decide) fn saw_unit_of_search(&self, done: usize, elapsed_ns: f32) {
        let (cost, measured) = (self.alone.cost.get(), per_element(elapsed_ns, done));
        // A run in sequence has told more exactly what it costs.
        let enough = if self.alone.timings.get() > 0 { CHANGED } else { 1.0 };
        if enough * measured < cost {
            self.set_alone(measured);
        }
    }

    /// A unit with a grain of `grain` took `elapsed_ns` on the pool, the longest of those that were timed, and units are not proportional to elements.
    pub(in crate::decide) fn saw_own_unit(&self, grain: usize, elapsed_ns: f32) {
        self.unit.set(per_element(elapsed_ns, grain));
    }

    /// A call that was to be tried shared has found nobody awake.
    pub(in crate::decide) fn tried_in_vain(&self) {
        if self.trial.shares() == Some(true) {
            self.trial.was_in_vain();
        }
    }

    /// A call that was run one way took `measured` nanoseconds an element, where that takes `other` the other way: what of it counts.
    fn counted(&self, shares: bool, measured: f32, other: f32) -> Option<f32> {
        // What that way has shown before was another time.
        let begins_anew = || if shares { &self.shared } else { &self.alone }.timings.set(0);
        match self.trial.took(shares, measured) {
            Took::Early => None,
            Took::Few(best) if best <= NEAR * other => None,
            Took::Few(best) => {
                self.trial.end();
                begins_anew();
                Some(best)
            }
            Took::First => {
                begins_anew();
                Some(measured)
            }
            Took::Any => Some(measured),
        }
    }

    /// The other way round: what an element of a call of the middle length costs, if one of `work` elements took `elapsed_ns` shared.
    fn shared_cost(&self, work: usize, elapsed_ns: f32) -> f32 {
        let middle = middle(work);
        (elapsed_ns + self.part() * (middle - work as f32)).max(elapsed_ns / 2.0) / middle
    }

    pub(super) fn set_alone(&self, cost: f32) {
        let before = self.alone.cost.get();
        self.alone.begin(cost);
        self.alone_has_changed(before);
    }

    /// What an element costs in sequence is no longer what it was `before`: so is what it costs shared.
    fn alone_has_changed(&self, before: f32) {
        let shared = self.shared.cost.get();
        if shared > 0.0 {
            // Beyond its part of the work it may be what any call costs, or what this one lost at the time.
            let beyond = (shared - before / self.workers.get()).max(0.0);
            self.begin_shared(beyond * (self.alone.cost.get() / before).min(1.0));
        }
        self.try_part.set(*TRY_PART.end());
        self.look_at_next();
    }
}
