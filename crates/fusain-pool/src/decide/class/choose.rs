//! How the next call of a class is run.

use std::ops::RangeInclusive;

use super::{Again, Choice, Class, FAR, LONG_NS, Machine, NEAR, Next, TRY_PART, middle};
use crate::decide::trial::{FEW_CALLS, TRY_CALLS};

/// Short sequential calls are weighed and timed once in this time of such calls, on average, since what they take may change, ...
const LOOKED_AFTER_NS: f32 = 50_000.0;

/// ... but at most one of 64 and at least one of 256 calls. To weigh a call takes some microseconds where the code for it is not in the cache, as after a rest.
const LOOK_EVERY: RangeInclusive<f32> = 64.0..=256.0;

/// The number of calls until one is weighed, where nothing else limits it.
const ANY: f32 = f32::MAX;

/// All calls from this length on are weighed and timed, which costs them at most 2 %: a few of them in a row can be worth a wake.
pub(in crate::decide) const LOOKED_AT_NS: f32 = 20_000.0;

/// Shorter calls that are shared are weighed and timed once in this time of such calls, which costs about 1 % of it, and at least once in this many calls.
const WEIGHED_AFTER_NS: f32 = 25_000.0;
const WEIGH_EVERY: f32 = 64.0;

/// Calls shorter than this are not shared before their sequential cost is known well: running them in sequence tells more.
const UNSURE_BELOW_NS: f32 = 20_000.0;

/// The other way must be better by this factor before calls change to it.
const GAINS: f32 = 1.03;

/// A call that takes less than this fraction of an empty shared call is not tried shared: it cannot gain, however near the cores are to each other at the moment.
const LEAST_OF_REGION: f32 = 0.5;

/// The fraction of the time that may be lost to a trial of a way that has never been measured. Otherwise it is in the range [`TRY_PART`].
const TRY_UNKNOWN: f32 = 0.3;

/// A trial of a call is taken to lose at least this fraction of the call's time the other way, because of the caches.
const TRY_LOSS: f32 = 0.25;

/// What a call is thought to take each way.
#[derive(Clone, Copy)]
struct Times {
    alone_ns: f32,
    shared_ns: f32,
}

impl Class {
    /// How to run a call of `work` elements. `wake_ns` returns what a wake costs, `is_asleep` whether all workers sleep.
    pub(in crate::decide) fn choose(
        &self,
        work: usize,
        is_new: bool,
        machine: Machine<impl FnOnce() -> f32>,
        wake_ns: impl Fn() -> f32,
        is_asleep: impl FnOnce() -> bool,
    ) -> Choice {
        let stands_for = f32::from(self.stands_for.get());
        self.mixture.pay_looks(stands_for);
        self.look_at_next();
        let alone_ns = self.alone.cost.get() * work as f32;
        if alone_ns == 0.0 {
            // A new class: the run loop finds out what an element costs, and begins with one. Otherwise a call was shared before, and over before a unit was timed.
            return if is_new && machine.workers > 1.0 { Choice::Unknown } else { Choice::Alone };
        }
        if !self.alone.is_sure() && alone_ns < UNSURE_BELOW_NS {
            return Choice::Alone;
        }
        if machine.workers <= 1.0 {
            // Not for longer: the next calls may be made in another pool.
            self.pass(work, ANY);
            return Choice::Alone;
        }
        self.expect_workers(work, machine);
        let shared_ns = self.shared_ns(work);
        let shares = if self.shares.get() { shared_ns < GAINS * alone_ns } else { shared_ns * GAINS < alone_ns };
        if self.shares.replace(shares) != shares {
            self.try_part.set(*TRY_PART.end());
        }
        if !shares && alone_ns < LEAST_OF_REGION * self.region.get() * middle(work) {
            self.trial.end();
            self.pass(work, ANY);
            return Choice::Alone;
        }
        let until_try = match self.trial.shares() {
            Some(_) => 0.0,
            None => self.weigh_try(stands_for, Times { alone_ns, shared_ns }, shares, &wake_ns, is_asleep),
        };
        let trial = self.trial.shares();
        if !trial.unwrap_or(shares) {
            if trial.is_none() {
                self.pass(work, until_try);
            }
            return Choice::Alone;
        }
        let gain_ns = (alone_ns - shared_ns).max(0.0);
        if trial.is_none() && alone_ns < LOOKED_AT_NS {
            let wakes = alone_ns / 2.0 > wake_ns();
            self.share_again(shared_ns, Again { cost: self.alone.cost.get(), gain_ns, wakes });
        }
        let is_try = trial.is_some() && !shares;
        Choice::Shared { stands_for: self.stands_for.get(), is_try, alone_ns, gain_ns }
    }

    /// Starts with what theory says of calls with this number of workers, if they are the first.
    fn expect_workers(&self, work: usize, machine: Machine<impl FnOnce() -> f32>) {
        if self.shared.cost.get() == 0.0 {
            self.workers.set(machine.workers);
            self.region.set((machine.region_ns)() / middle(work));
            self.begin_shared(0.0);
        } else if self.workers.get() != machine.workers {
            // Another pool.
            let beyond = self.shared.cost.get() - self.part();
            self.workers.set(machine.workers);
            let is_known = self.shared.timings.get() > 0;
            self.begin_shared(beyond);
            // A thread may use two pools in turn, and should not begin anew each time.
            self.shared.timings.set(is_known.into());
        }
    }

    /// Begins a trial of the way that seems worse, if the calls since the last trial have paid for what it may lose. Otherwise returns how many calls it takes until they have.
    /// `shares` says whether sharing seems better.
    fn weigh_try(
        &self,
        stands_for: f32,
        times: Times,
        shares: bool,
        wake_ns: impl Fn() -> f32,
        is_asleep: impl FnOnce() -> bool,
    ) -> f32 {
        let Times { alone_ns, shared_ns } = times;
        let (best_ns, other_ns, other) =
            if shares { (shared_ns, alone_ns, &self.alone) } else { (alone_ns, shared_ns, &self.shared) };
        // The units of long calls have told well enough what these take in sequence, and to try that costs much where there are many workers.
        let is_unknown = other.timings.get() == 0 && (!shares || alone_ns < LONG_NS);
        let part = if is_unknown { TRY_UNKNOWN } else { self.try_part.get() };
        let saves_ns = best_ns * part;
        let saved_ns = self.saved_ns.get() + stands_for * saves_ns;
        self.saved_ns.set(saved_ns);
        if shares && self.shared.timings.get() == 0 {
            // Several calls, since the time of the first one alone would be believed.
            self.begin_trial(true, self.try_calls(alone_ns));
            return 0.0;
        }
        let calls = if alone_ns < LONG_NS { self.try_calls(alone_ns) } else { 1 };
        let till_end = if other_ns < NEAR * best_ns { calls } else { calls.min(FEW_CALLS) };
        let loss_ns = (other_ns - best_ns).clamp(TRY_LOSS * best_ns, FAR * best_ns) * f32::from(till_end);
        if saved_ns >= loss_ns && (shares || !is_asleep() || saved_ns >= loss_ns + wake_ns()) {
            self.try_part.set((self.try_part.get() / 2.0).max(*TRY_PART.start()));
            self.begin_trial(!shares, calls);
            return 0.0;
        }
        // Where only the cost of a wake is missing, the next calls need not be weighed for that.
        let missing_ns = loss_ns - saved_ns;
        if missing_ns > 0.0 { missing_ns / saves_ns } else { ANY }
    }

    /// Has some of the next calls shared as `again` says, without being weighed. Each takes `shared_ns`: the shorter they are, the more of them.
    fn share_again(&self, shared_ns: f32, again: Again) {
        let every = (WEIGHED_AFTER_NS / shared_ns).clamp(2.0, WEIGH_EVERY) as u32;
        let calls = (every / 2 + self.draw() % every) as u16;
        self.next.set(Some(Next::Shared { calls, again }));
        self.stands_for.set(calls + 1);
    }

    /// Lets some of the next calls, of about `work` elements, run in sequence without being weighed, if they are short: on average at most `at_most`. Returns how many.
    pub(in crate::decide) fn pass(&self, work: usize, at_most: f32) -> u16 {
        let alone_ns = self.alone.cost.get() * work as f32;
        let often = (LOOKED_AFTER_NS / alone_ns).clamp(*LOOK_EVERY.start(), *LOOK_EVERY.end());
        let every = if alone_ns < LOOKED_AT_NS { at_most.clamp(0.0, often) as u32 } else { 0 };
        let left = if every > 0 { every / 2 + self.draw() % every } else { 0 };
        let left = (left as u16).min(self.mixture.calls_looked_at());
        let longest = usize::MAX >> work.leading_zeros();
        let longest_ns = self.alone.cost.get() * longest as f32;
        self.next.set(Some(Next::Alone { calls: left, longest_ns }));
        self.stands_for.set(left + 1);
        left
    }

    pub(super) fn begin_trial(&self, shares: bool, calls: u8) {
        self.saved_ns.set(0.0);
        self.look_at_next();
        self.trial.begin(shares, calls);
    }

    /// The number of calls of a trial where each takes `alone_ns` in sequence. One search tells little, and many tell not much more.
    fn try_calls(&self, alone_ns: f32) -> u8 {
        if alone_ns < LONG_NS && !self.is_search.get() { TRY_CALLS } else { FEW_CALLS }
    }

    /// A random number, by which calls are chosen to be weighed: a program has a rhythm, and every weighed call might otherwise be the first one after a rest.
    fn draw(&self) -> u32 {
        let random = self.random.get().wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        self.random.set(random);
        random >> 16
    }
}
