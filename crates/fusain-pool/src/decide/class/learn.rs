//! What a class learns from a call.

use super::{Class, FAR, LONG_NS, NEAR, TRY_PART, middle, per_element};
use crate::decide::trial::{FEW_CALLS, Took};
use crate::decide::usual::Usual;
use crate::decide::way::CHANGED;

/// If a call took far longer than expected, and at least this long, the next one is timed, too.
const SURPRISING_NS: f32 = 800.0;

/// The sequential cost of a shared search was estimated far too high if the search is more than this many times as fast as its workers could be, ...
const PLAUSIBLE: f32 = 4.0;

/// ... or, where that cost is known well, more than this many times as fast as in sequence: up to there the search may just have ended early.
const BEYOND: f32 = 512.0;

/// A long call that takes more than this many times the expected time is believed at once, not after a second one: an error costs less than one more such call in sequence.
const CHANGED_CLEARLY: f32 = 16.0;

impl Class {
    /// A call of `work` elements, of which it had to look at `done`, took `elapsed_ns` in sequence.
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

    /// A call that was not weighed took `elapsed_ns` in sequence, longer than its limit.
    pub(in crate::decide) fn took_long(&self, work: usize, done: usize, elapsed_ns: f32) {
        if done < work || self.is_search.get() || self.trial.shares().is_some() {
            return self.look_at_next();
        }
        self.took_alone(work, done, elapsed_ns);
    }

    /// A call of `work` elements took `elapsed_ns`, shared with workers that were awake.
    pub(in crate::decide) fn took_shared(&self, work: usize, elapsed_ns: f32) {
        if self.shared.cost.get() == 0.0 {
            return;
        }
        let (measured, alone) = (self.shared_cost(work, elapsed_ns), self.alone.cost.get());
        let total = per_element(elapsed_ns, work) * self.workers.get();
        let seems_light = total * CHANGED < alone;
        let seemed_light = self.seems_light.replace(seems_light);
        if seems_light {
            // All workers together cannot have done that much in this time. Twice in a row: elements have become lighter.
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

    /// A search of `work` elements took `elapsed_ns` shared. It or another one of its class has ended early.
    pub(in crate::decide) fn searched_shared(&self, work: usize, elapsed_ns: f32) {
        self.is_search.set(true);
        let (measured, alone) = (per_element(elapsed_ns, work), self.alone.cost.get());
        if self.shared.cost.get() == 0.0 {
            return;
        }
        let beyond = if self.alone.is_sure() { BEYOND } else { PLAUSIBLE * self.workers.get() };
        if measured * beyond < alone {
            // No search gains that much: the cost was that of a run that was interrupted, or went through fresh memory.
            return self.set_alone(measured * self.workers.get());
        }
        self.trial.took(true, measured);
        self.shared.took_one_of_many(measured.min(FAR * alone));
    }

    /// The longest timed unit of a shared call had `done` elements and took `elapsed_ns`. A unit may be compiled differently from the sequential loop, and may have
    /// fewer elements than its grain says. So it gives a first estimate, and later tells only whether elements have become far heavier.
    ///
    /// Units of calls that the program forces to be shared may have waited for a wake. There a cost that runs in sequence have told stands; otherwise the fastest unit tells
    /// most, since the first ones find cold caches.
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

    /// As [`saw_unit`](Self::saw_unit) for a search whose cost is known. A unit looks at each of its elements, and a search at most at all of them, so the unit tells what an
    /// element costs at most. (With a cost that is too high, from cold caches or an interruption, workers would claim few elements at a time, and the time of the claims would
    /// confirm that cost.)
    pub(in crate::decide) fn saw_unit_of_search(&self, done: usize, elapsed_ns: f32) {
        let (cost, measured) = (self.alone.cost.get(), per_element(elapsed_ns, done));
        // A run in sequence has told the cost more exactly.
        let enough = if self.alone.timings.get() > 0 { CHANGED } else { 1.0 };
        if enough * measured < cost {
            self.set_alone(measured);
        }
    }

    /// The longest timed unit of a shared call had a grain of `grain` and took `elapsed_ns`, where units are not proportional to elements.
    pub(in crate::decide) fn saw_own_unit(&self, grain: usize, elapsed_ns: f32) {
        self.unit.set(per_element(elapsed_ns, grain));
    }

    /// A call that was to be shared for a trial has found no worker awake.
    pub(in crate::decide) fn tried_in_vain(&self) {
        if self.trial.shares() == Some(true) {
            self.trial.was_in_vain();
        }
    }

    /// What counts of a call that was run one way and took `measured` nanoseconds an element, where an element costs `other` the other way; `None`: nothing.
    fn counted(&self, shares: bool, measured: f32, other: f32) -> Option<f32> {
        // Earlier timings of that way are out of date.
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

    /// The inverse of [`shared_ns`](Self::shared_ns): what an element of a call of the middle length costs shared, if a call of `work` elements took `elapsed_ns`.
    fn shared_cost(&self, work: usize, elapsed_ns: f32) -> f32 {
        let middle = middle(work);
        (elapsed_ns + self.part() * (middle - work as f32)).max(elapsed_ns / 2.0) / middle
    }

    pub(super) fn set_alone(&self, cost: f32) {
        let before = self.alone.cost.get();
        self.alone.begin(cost);
        self.alone_has_changed(before);
    }

    /// An element no longer costs what it did `before` in sequence, so its shared cost is estimated anew.
    fn alone_has_changed(&self, before: f32) {
        let shared = self.shared.cost.get();
        if shared > 0.0 {
            // What the shared cost had beyond a worker's share of the work: the fixed cost of any call, or what was lost at the time.
            let beyond = (shared - before / self.workers.get()).max(0.0);
            self.begin_shared(beyond * (self.alone.cost.get() / before).min(1.0));
        }
        self.try_part.set(*TRY_PART.end());
        self.look_at_next();
    }
}
