//! What a thread knows about calls of one kind and of about one length, and what it chooses by that.
//!
//! Nothing here looks at a clock or a pool, so the tests can play a machine of any behaviour.

use std::cell::Cell;
use std::ops::RangeInclusive;

use super::Kind;
use super::threshold::Threshold;
use super::trial::{FEW_CALLS, TRY_CALLS, Took, Trial};
use super::way::{CHANGED, Way};

/// One in this many short sequential calls is weighed and timed, on average, since what they take may change. That takes up to half a microsecond if its code is not in the
/// cache, as after a rest.
const LOOK_EVERY: f32 = 64.0;

/// All calls from this length on are weighed and timed, which costs them a 50th at most: a few of them in a row can be worth a wake.
pub(super) const LOOKED_AT_NS: f32 = 20_000.0;

/// Shorter calls that are shared are weighed and timed once in this time of such calls, which costs about a hundredth of that, and at least once in this many calls.
const WEIGHED_AFTER_NS: f32 = 25_000.0;
const WEIGH_EVERY: f32 = 64.0;

/// Sequential calls that are not timed are checked against a limit: all of them if the longest of the class takes at least this many times as long as to read the cycle counter,
/// which the check does twice, ...
const GUARDED_LOOKS: f32 = 128.0;

/// ... and one in this many of shorter ones, a power of two. An element may have become a thousand times as heavy.
const GUARDED_EVERY: u16 = 8;

/// The limit: so many times the expected time, plus what cold caches can add after a rest.
const LIMIT: f32 = 2.0;
const LIMIT_NS: f32 = 30_000.0;

/// If a call took far longer than expected, and at least this long, the next one is timed, too.
const SURPRISING_NS: f32 = 800.0;

/// The part of the time that may be spent on trying the way that is thought the worse: the most just after something has changed, halved by each try, down to
/// the least.
const TRY_PART: RangeInclusive<f32> = 0.004..=0.032;

/// Likewise while that way has not been measured at all.
const TRY_UNKNOWN: f32 = 0.3;

/// A try goes on as long as its calls take at most so many times as long as those of the other way.
const NEAR: f32 = 1.35;

/// A call that takes less than this part of an empty shared call is not tried shared: it cannot gain, however near the cores are to each other now.
const LEAST_OF_REGION: f32 = 0.5;

/// Calls from this length on are tried one at a time: caches matter less to them, and a try costs much.
const LONG_NS: f32 = 100_000.0;

/// A try of any call is taken to lose at least this part of its time the other way, because of the caches.
const TRY_LOSS: f32 = 0.25;

/// No way is taken to be more than so many times as slow as the other, so that it is tried again some time: the cores may have been in use by others.
const FAR: f32 = 1024.0;

/// Calls shorter than this are not shared before their sequential cost is known well: to run them in sequence tells more.
const UNSURE_BELOW_NS: f32 = 20_000.0;

/// The other way must be better by this factor before calls change to it.
const GAINS: f32 = 1.03;

/// If a shared search is more than so many times as fast as its workers could be, its sequential cost was estimated far too high: ...
const PLAUSIBLE: f32 = 4.0;

/// ... or, if that cost is known well, more than so many times as fast. A search may just have ended early.
const BEYOND: f32 = 512.0;

/// A long call that takes more than so many times the expected time is believed at once, not after a second one: an error costs less than one more such call in sequence.
const CHANGED_CLEARLY: f32 = 16.0;

/// What sharing costs and gives, as far as can be told before trying.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine<R> {
    /// With the caller: 1 where there is nobody to share with.
    pub(super) workers: f32,
    /// What a call takes that has nothing to do. Measured at the first time.
    pub(super) region_ns: R,
}

/// How to run a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Choice {
    /// In sequence, and timed.
    Alone,
    /// On the pool, sleepers included, to find out what an element costs.
    Unknown,
    /// On the pool; `alone_ns` is what it would take in sequence, which may be thought the better way and this a try; `gain_ns` is what it is thought to gain. It is
    /// timed for so many calls, 0 being none.
    Shared { stands_for: u16, is_try: bool, alone_ns: f32, gain_ns: f32 },
}

/// How the next calls are run before one is weighed again.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// The next one is weighed.
    Weighed,
    /// So many run in sequence, of which the longest should take so many nanoseconds.
    Alone { calls: u16, longest_ns: f32 },
    /// So many are shared.
    Shared { calls: u16, again: Again },
}

/// How calls are shared that are not weighed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Again {
    /// What an element takes in sequence, and what the call is thought to gain, in nanoseconds.
    pub(super) cost: f32,
    pub(super) gain_ns: f32,
    /// Whether they wake sleepers where others are awake.
    pub(super) wakes: bool,
}

impl Again {
    pub(super) const NONE: Self = Self { cost: 0.0, gain_ns: 0.0, wakes: false };
}

/// See the [module](self).
pub(super) struct Class {
    /// What has been decided on the next calls, until it is taken.
    next: Cell<Option<Next>>,
    /// How many calls the next one that is weighed stands for.
    stands_for: Cell<u16>,
    alone: Way,
    /// With those workers that are awake.
    shared: Way,
    workers: Cell<f32>,
    /// What each element bears at least of a call that is shared.
    region: Cell<f32>,
    /// What tries may lose by now.
    saved_ns: Cell<f32>,
    /// The part of the time that tries may lose now: of [`TRY_PART`].
    try_part: Cell<f32>,
    pub(super) threshold: Threshold,
    random: Cell<u32>,
    /// Which way the last call that was weighed was thought to be better run.
    shares: Cell<bool>,
    trial: Trial,
    is_search: Cell<bool>,
    /// Whether the last call that was timed was shared, and took less than its workers together could.
    seems_light: Cell<bool>,
    /// Nanoseconds for each element of the grain that the longest unit of the last shared call took, where units are not proportional to elements; 0: not known.
    unit: Cell<f32>,
}

impl Class {
    pub(super) const fn new() -> Self {
        Self {
            next: Cell::new(None),
            stands_for: Cell::new(1),
            alone: Way::new(),
            shared: Way::new(),
            workers: Cell::new(0.0),
            region: Cell::new(0.0),
            saved_ns: Cell::new(0.0),
            try_part: Cell::new(*TRY_PART.end()),
            threshold: Threshold::new(),
            random: Cell::new(1),
            shares: Cell::new(false),
            trial: Trial::new(),
            is_search: Cell::new(false),
            seems_light: Cell::new(false),
            unit: Cell::new(0.0),
        }
    }

    /// Stands for calls of `kind` and about this length from now on. `like` is a class of the same kind and another length.
    pub(super) fn begin(&self, kind: Kind, work: usize, like: Option<(&Class, usize)>) {
        self.look_at_next();
        self.alone.begin(kind.prior_ns);
        self.shared.begin(0.0);
        self.workers.set(0.0);
        self.saved_ns.set(0.0);
        self.threshold.begin();
        self.shares.set(false);
        self.try_part.set(*TRY_PART.end());
        self.trial.end();
        self.is_search.set(false);
        self.seems_light.set(false);
        self.unit.set(like.map_or(0.0, |(like, _)| like.unit.get()));
        if let Some((like, its_work)) = like {
            self.alone.begin(like.alone.cost.get());
            self.workers.set(like.workers.get());
            self.is_search.set(like.is_search.get());
            if like.shared.cost.get() > 0.0 {
                let scale = its_work as f32 / work as f32;
                self.region.set(like.region.get() * scale);
                self.begin_shared((like.shared.cost.get() - like.part()) * scale);
            }
        }
    }

    /// A worker's part of what an element costs in sequence.
    fn part(&self) -> f32 {
        self.alone.cost.get() / self.workers.get()
    }

    /// What a call of `work` elements would take shared. What is known is that of a call of the [`middle`] length of the class, and what elements beyond that add is a worker's
    /// part of what they cost in sequence: the rest a call of any length bears alike.
    fn shared_ns(&self, work: usize) -> f32 {
        let cost = self.shared.cost.get();
        if self.is_search.get() {
            return cost * work as f32;
        }
        let middle = middle(work);
        (cost * middle + self.part() * (work as f32 - middle)).max(cost * work as f32 / 2.0)
    }

    /// The other way round: what an element of a call of the middle length costs, if one of `work` elements took `elapsed_ns` shared.
    fn shared_cost(&self, work: usize, elapsed_ns: f32) -> f32 {
        let middle = middle(work);
        (elapsed_ns + self.part() * (middle - work as f32)).max(elapsed_ns / 2.0) / middle
    }

    /// How the next calls are run, if that has been decided anew.
    pub(super) fn take_next(&self) -> Option<Next> {
        self.next.take()
    }

    /// Nanoseconds an element costs in sequence, if that is known.
    pub(super) fn cost(&self) -> Option<f32> {
        Some(self.alone.cost.get()).filter(|cost| *cost > 0.0)
    }

    /// As [`cost`](Self::cost) for the grain of units that are not proportional to elements.
    pub(super) fn unit_cost(&self) -> Option<f32> {
        Some(self.unit.get()).filter(|cost| *cost > 0.0)
    }

    /// A number by lot, for how many calls are not looked at: those of a program may have a rhythm of their own, and else it could always be the one after a rest that is.
    fn draw(&self) -> u32 {
        let random = self.random.get().wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        self.random.set(random);
        random >> 16
    }

    /// Looks at the next call, whatever its length.
    fn look_at_next(&self) {
        self.next.set(Some(Next::Weighed));
        self.stands_for.set(1);
    }

    /// Calls of a try where they take `alone_ns` in sequence. Of searches one tells little, and many not much more.
    fn try_calls(&self, alone_ns: f32) -> u8 {
        if alone_ns < LONG_NS && !self.is_search.get() { TRY_CALLS } else { FEW_CALLS }
    }

    fn begin_trial(&self, shares: bool, calls: u8) {
        self.saved_ns.set(0.0);
        self.look_at_next();
        self.trial.begin(shares, calls);
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

    /// A call that was to be tried shared has found nobody awake.
    pub(super) fn tried_in_vain(&self) {
        if self.trial.shares() == Some(true) {
            self.trial.was_in_vain();
        }
    }

    /// How to run a call of `work` elements. `wake_ns` is what it costs to wake somebody, `is_asleep` whether all sleep.
    pub(super) fn choose(
        &self,
        work: usize,
        is_new: bool,
        machine: Machine<impl FnOnce() -> f32>,
        wake_ns: impl Fn() -> f32,
        is_asleep: impl FnOnce() -> bool,
    ) -> Choice {
        let stands_for = f32::from(self.stands_for.get());
        self.look_at_next();
        let alone_ns = self.alone.cost.get() * work as f32;
        if alone_ns == 0.0 {
            // Tried on the pool before, and over before a unit was timed; else the run loop finds out, one element at first.
            return if is_new && machine.workers > 1.0 { Choice::Unknown } else { Choice::Alone };
        }
        if !self.alone.is_sure() && alone_ns < UNSURE_BELOW_NS {
            return Choice::Alone;
        }
        if machine.workers <= 1.0 {
            // The next ones may be made in another pool.
            self.pass(work, LOOK_EVERY);
            return Choice::Alone;
        }
        if self.shared.cost.get() == 0.0 {
            self.workers.set(machine.workers);
            self.region.set((machine.region_ns)() / middle(work));
            self.begin_shared(0.0);
        } else if self.workers.get() != machine.workers {
            // Another pool.
            let beyond = self.shared.cost.get() - self.part();
            self.workers.set(machine.workers);
            self.begin_shared(beyond);
        }
        let shared_ns = self.shared_ns(work);
        let shares = if self.shares.get() { shared_ns < GAINS * alone_ns } else { shared_ns * GAINS < alone_ns };
        if self.shares.replace(shares) != shares {
            self.try_part.set(*TRY_PART.end());
        }
        if !shares && alone_ns < LEAST_OF_REGION * self.region.get() * middle(work) {
            self.trial.end();
            self.pass(work, LOOK_EVERY);
            return Choice::Alone;
        }
        let (best_ns, other_ns, other) =
            if shares { (shared_ns, alone_ns, &self.alone) } else { (alone_ns, shared_ns, &self.shared) };
        let mut until_try = 0.0;
        if self.trial.shares().is_none() {
            // What long calls take in sequence their units have told well enough.
            let is_unknown = other.timings.get() == 0 && alone_ns < LONG_NS;
            let part = if is_unknown { TRY_UNKNOWN } else { self.try_part.get() };
            let saves_ns = best_ns * part;
            self.saved_ns.set(self.saved_ns.get() + stands_for * saves_ns);
            let calls = if alone_ns < LONG_NS { self.try_calls(alone_ns) } else { 1 };
            let till_end = if other_ns < NEAR * best_ns { calls } else { calls.min(FEW_CALLS) };
            let loss_ns = (other_ns - best_ns).clamp(TRY_LOSS * best_ns, FAR * best_ns) * f32::from(till_end);
            if shares && self.shared.timings.get() == 0 {
                // What the first one shows would be believed.
                self.begin_trial(true, self.try_calls(alone_ns));
            } else if self.saved_ns.get() >= loss_ns
                && (shares || !is_asleep() || self.saved_ns.get() >= loss_ns + wake_ns())
            {
                self.try_part.set((self.try_part.get() / 2.0).max(*TRY_PART.start()));
                self.begin_trial(!shares, calls);
            } else {
                // What is missing beyond is for a wake.
                let missing_ns = loss_ns - self.saved_ns.get();
                until_try = if missing_ns > 0.0 { missing_ns / saves_ns } else { LOOK_EVERY };
            }
        }
        let trial = self.trial.shares();
        let tries = trial.is_some();
        if trial.unwrap_or(shares) {
            let gain_ns = (alone_ns - shared_ns).max(0.0);
            let mut stands_for = 1;
            if !tries && alone_ns < LOOKED_AT_NS {
                let every = (WEIGHED_AFTER_NS / shared_ns).clamp(2.0, WEIGH_EVERY) as u32;
                let calls = (every / 2 + self.draw() % every) as u16;
                self.next.set(Some(Next::Shared {
                    calls,
                    again: Again { cost: self.alone.cost.get(), gain_ns, wakes: alone_ns / 2.0 > wake_ns() },
                }));
                stands_for += calls;
            }
            self.stands_for.set(stands_for);
            return Choice::Shared { stands_for, is_try: tries && !shares, alone_ns, gain_ns };
        }
        if !tries {
            self.pass(work, until_try);
        }
        Choice::Alone
    }

    /// Lets some calls of about so much work run in sequence without another look, if they are short, on average `at_most`; returns how many.
    pub(super) fn pass(&self, work: usize, at_most: f32) -> u16 {
        let alone_ns = self.alone.cost.get() * work as f32;
        let every = if alone_ns < LOOKED_AT_NS { at_most.clamp(0.0, LOOK_EVERY) as u32 } else { 0 };
        let left = if every > 0 { every / 2 + self.draw() % every } else { 0 };
        let left = left as u16;
        let longest = usize::MAX >> work.leading_zeros();
        let longest_ns = self.alone.cost.get() * longest as f32;
        self.next.set(Some(Next::Alone { calls: left, longest_ns }));
        self.stands_for.set(left + 1);
        left
    }

    /// A call of `work` elements, `done` of which it had to look at, took `elapsed_ns` in sequence.
    pub(super) fn took_alone(&self, work: usize, done: usize, elapsed_ns: f32) {
        self.seems_light.set(false);
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
    pub(super) fn took_long(&self, work: usize, done: usize, elapsed_ns: f32) {
        if done < work || self.is_search.get() || self.trial.shares().is_some() {
            return self.look_at_next();
        }
        self.took_alone(work, done, elapsed_ns);
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

    /// Nobody has measured yet what an element costs shared: `beyond` a worker's part of the work.
    fn begin_shared(&self, beyond: f32) {
        self.shared.begin(self.part() + beyond.max(self.region.get()));
    }

    fn set_alone(&self, cost: f32) {
        let before = self.alone.cost.get();
        self.alone.begin(cost);
        self.alone_has_changed(before);
    }

    /// A call of `work` elements took `elapsed_ns` shared with somebody who was awake.
    pub(super) fn took_shared(&self, work: usize, elapsed_ns: f32) {
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

    /// A search of `work` elements took `elapsed_ns` shared.
    pub(super) fn searched_shared(&self, work: usize, elapsed_ns: f32) {
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

    /// A unit with a grain of `grain` took `elapsed_ns` on the pool, the longest of those that were timed, and units are not proportional to elements.
    pub(super) fn saw_own_unit(&self, grain: usize, elapsed_ns: f32) {
        self.unit.set(per_element(elapsed_ns, grain));
    }

    /// A unit of `done` elements took `elapsed_ns` on the pool, the longest of those that were timed. It may be compiled otherwise than the sequential loop, so it gives
    /// a first idea, and later tells only if elements have become far heavier: there may be fewer in a unit than its grain says.
    ///
    /// Who forces calls to be shared may well see units that had to wait for a wake. So where runs in sequence have told the cost, that stands; else the fastest unit
    /// tells most, for the first ones find cold caches.
    pub(super) fn saw_unit(&self, done: usize, elapsed_ns: f32, is_forced: bool) {
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
}

/// In the middle of the lengths of the class that calls of `work` elements belong to.
fn middle(work: usize) -> f32 {
    1.5 * (1_usize << work.max(1).ilog2()) as f32
}

/// Which sequential calls are checked that nobody looks at, and against what.
pub(super) struct Guard {
    /// One in so many, a power of two.
    pub(super) every: u16,
    /// How long one may take without a note being made of it.
    pub(super) limit_ns: f32,
}

impl Guard {
    /// For calls that should take `longest_ns` at most, where a look at the counter takes `look_ns`.
    pub(super) fn of(longest_ns: f32, look_ns: f32) -> Self {
        let every = if longest_ns >= GUARDED_LOOKS * look_ns { 1 } else { GUARDED_EVERY };
        Self { every, limit_ns: LIMIT * longest_ns + LIMIT_NS }
    }
}

fn per_element(elapsed_ns: f32, work: usize) -> f32 {
    elapsed_ns / work.max(1) as f32
}
