//! What a thread knows about one kind of call, and what it chooses by that.
//!
//! Nothing here looks at a clock or a pool, so the tests can play a machine of any behaviour.

use std::cell::Cell;

use super::Kind;

/// One sequential call in so many is looked at and timed: two looks at the clock, some 50 ns, are 3 ns a call.
const SAMPLE: u16 = 16;

/// Calls of which a look, some 20 ns, is less than a hundredth: all of them are looked at.
const LOOKED_AT_NS: f32 = 2_000.0;

/// Calls of which the clock is less than a hundredth: all of them are timed. Of the others one in [`SAMPLE`], and of those that are shared one in `TIME`.
const TIMED_NS: f32 = 5_000.0;
const TIME: u16 = 8;

/// One call in so many near the crossover goes the other way. When something has just been learned the first tries come sooner, after 8 looks, 16, and so on.
const TRY: u16 = 256;
const TRY_FIRST: u16 = 8;

/// Likewise far from it, within this factor.
const TRY_FAR: u16 = 4096;
const FAR: f32 = 64.0;

/// What tries to share timed calls lose is about one part in so many of the time: the more the last one lost, the later comes the next, whatever the lengths. Whether
/// it lost because the call was short or because another process had the core nobody can tell.
const TRY_PART: f32 = 64.0;

/// Calls that a try shares once somebody is awake.
const RETRIES: u8 = 2;

/// Near the crossover is within this factor of it, below and above.
const NEAR: f32 = 4.0;

/// Shared calls in a row that have to have taken longer than in sequence. Single ones are interrupted, or begin after a rest.
const STRIKES: u8 = 3;

/// A shared call loses if it takes so many times what it takes in sequence. Less may be the helper that came too late for the one of two long elements.
const LOSES: f32 = 1.02;

/// No crossover lies beyond: whatever else uses the cores, so much is worth another try.
const CROSSOVER_MAX_NS: f32 = 1_000_000.0;

/// Timings until a cost is trusted: the first run of anything is slower than the next.
const TIMINGS_SURE: u8 = 3;

/// Shorter timings count for less: much of them is the call, not its elements.
const SURE_NS: f32 = 200.0;

/// What is not known well is not shared below this: running it in sequence tells more.
const UNSURE_BELOW_NS: f32 = 20_000.0;

/// A call that seems to gain more than so many times what as many workers can was thought to cost far too much.
const PLAUSIBLE: f32 = 4.0;

/// Likewise of a search, which may end early.
const BEYOND: f32 = 512.0;

/// Searches whose average tells something.
const SEARCHES: u8 = 12;

/// By so much it has to be worse shared: averages of so few scatter.
const CLEARLY: f32 = 1.3;

/// A unit of a shared call says as much about the cost as a sequential run only if they differ by more than this.
const CHANGED: f32 = 3.0;

/// What sharing costs and gives, as far as can be told before trying.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine {
    /// A call with nothing to do.
    pub(super) region_ns: f32,
    pub(super) workers: f32,
}

/// How to run a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Choice {
    /// In sequence.
    Alone { is_timed: bool },
    /// On the pool, sleepers included, to find out what an element costs.
    Unknown,
    /// On the pool; `alone_ns` is what it would take in sequence, which may be thought the better way and this a try.
    Shared { is_timed: bool, is_try: bool, alone_ns: f32 },
}

/// See the [module](self).
pub(super) struct Entry {
    id: Cell<usize>,
    /// Work below which a call runs in sequence without another thought.
    light: Cell<usize>,
    /// Such calls until one is timed.
    left: Cell<u16>,
    /// Looks since something was learned.
    looks: Cell<u16>,
    /// Nanoseconds an element in sequence, of those that a call has and not of those that it had to look at: searches end where they end; 0: not known.
    cost: Cell<f32>,
    timings: Cell<u8>,
    /// What the last timing said if that was far more than the cost; 0: it was not. An interruption, or a weight that has changed.
    surprise: Cell<f32>,
    /// The sequential time from which sharing gains; 0: not known.
    crossover_ns: Cell<f32>,
    /// Shared calls in a row that lost, and the shortest of them by what it takes in sequence. Longer ones that gain are no argument.
    strikes: Cell<u8>,
    /// Whether the last shared call gained more than is plausible.
    is_doubtful: Cell<bool>,
    struck_ns: Cell<f32>,
    /// Searches that were shared and timed since the crossover moved, and what an element of theirs took on average.
    searches: Cell<u8>,
    average: Cell<f32>,
    workers: Cell<f32>,
    /// Calls that are to be shared after a try that had to wake somebody, and so told nothing itself.
    retries: Cell<u8>,
    /// Calls in sequence from one try to the next, and until the next.
    rest: Cell<u16>,
    rest_left: Cell<u16>,
}

impl Entry {
    pub(super) const fn new() -> Self {
        Self {
            id: Cell::new(0),
            light: Cell::new(0),
            left: Cell::new(0),
            looks: Cell::new(0),
            cost: Cell::new(0.0),
            timings: Cell::new(0),
            surprise: Cell::new(0.0),
            crossover_ns: Cell::new(0.0),
            strikes: Cell::new(0),
            is_doubtful: Cell::new(false),
            struck_ns: Cell::new(0.0),
            searches: Cell::new(0),
            average: Cell::new(0.0),
            workers: Cell::new(1.0),
            retries: Cell::new(0),
            rest: Cell::new(0),
            rest_left: Cell::new(0),
        }
    }

    fn begin(&self, kind: Kind) {
        self.id.set(kind.id);
        self.light.set(0);
        self.cost.set(kind.prior.unwrap_or(0.0));
        self.timings.set(0);
        self.crossover_ns.set(0.0);
        self.strikes.set(0);
        self.searches.set(0);
        self.looks.set(0);
        self.retries.set(0);
        self.rest.set(0);
    }

    /// A shared call has lost so many times what it takes in sequence.
    fn rest_by(&self, loss: f32) {
        let rest = (TRY_PART * loss).clamp(f32::from(TRY_FIRST), f32::from(TRY_FAR)) as u16;
        self.rest.set(rest);
        self.rest_left.set(rest);
    }

    /// Whether a call that would run in sequence is the next to be tried, after a loss.
    fn is_rested(&self) -> bool {
        let left = self.rest_left.get().saturating_sub(1);
        self.rest_left.set(if left == 0 { self.rest.get() } else { left });
        left == 0 && self.rest.get() > 0
    }

    /// A try that shared a call has woken somebody: the next ones will tell.
    pub(super) fn retry(&self, kind: Kind) {
        if self.id.get() == kind.id {
            self.retries.set(RETRIES);
            self.left.set(0);
        }
    }

    /// Whether a call of `kind` with `work` elements runs in sequence without another thought.
    #[inline(always)]
    pub(super) fn is_light(&self, kind: Kind, work: usize) -> bool {
        self.id.get() == kind.id && work < self.light.get() && {
            let left = self.left.get();
            self.left.set(left.wrapping_sub(1));
            left != 0
        }
    }

    /// Nanoseconds an element of `kind` costs in sequence, if that is known.
    pub(super) fn cost(&self, kind: Kind) -> Option<f32> {
        (self.id.get() == kind.id && self.cost.get() > 0.0).then(|| self.cost.get())
    }

    /// How to run a call of `kind` with `work` elements; `machine` is `None` where there is nobody to share with.
    pub(super) fn choose(&self, kind: Kind, work: usize, machine: impl FnOnce() -> Option<Machine>) -> Choice {
        let is_new = self.id.get() != kind.id;
        if is_new {
            self.begin(kind);
        }
        self.left.set(SAMPLE - 1);
        let alone_ns = self.cost.get() * work as f32;
        let alone = Choice::Alone { is_timed: true };
        if alone_ns == 0.0 {
            // Tried on the pool before, and over before a unit was timed; else the run loop finds out, one element at first.
            return if is_new && machine().is_some() { Choice::Unknown } else { alone };
        }
        if self.timings.get() < TIMINGS_SURE && alone_ns < UNSURE_BELOW_NS {
            return alone;
        }
        if self.crossover_ns.get() == 0.0 {
            let Some(Machine { region_ns, workers }) = machine() else {
                // Asked again now and then: it may be called from within another pool.
                self.light.set(usize::MAX);
                return alone;
            };
            self.workers.set(workers);
            self.set_crossover(region_ns * workers / (workers - 1.0));
        }
        let crossover_ns = self.crossover_ns.get();
        let looks = self.looks.get().wrapping_add(1);
        self.looks.set(looks);
        let shares = alone_ns >= crossover_ns;
        let is_near = if shares { alone_ns < NEAR * crossover_ns } else { NEAR * alone_ns > crossover_ns };
        // Of short calls in sequence only one in `SAMPLE` comes here.
        let stands_for = if work < self.light.get() { SAMPLE } else { 1 };
        // What lies far above is worth no try in sequence once its cost is known.
        let is_within_sight = shares && (alone_ns < FAR * crossover_ns || self.timings.get() < TIMINGS_SURE);
        let is_early = looks >= TRY_FIRST && looks.is_power_of_two() && (is_within_sight || is_near);
        // However bad it looked: the cores may have been busy.
        let is_late = alone_ns * FAR > crossover_ns && looks.is_multiple_of(TRY_FAR);
        let is_rested = !shares && alone_ns >= TIMED_NS && self.is_rested();
        let retries = self.retries.replace(self.retries.get().saturating_sub(1));
        if retries > 1 {
            self.left.set(0);
        }
        let tries = is_early
            || is_late
            || is_rested
            || (is_near && looks.is_multiple_of(TRY / stands_for))
            || (retries > 0 && !shares);
        if shares == tries {
            Choice::Alone { is_timed: tries || stands_for > 1 || alone_ns >= TIMED_NS || looks.is_multiple_of(SAMPLE) }
        } else {
            let is_timed = tries || alone_ns >= TIMED_NS || looks.is_multiple_of(TIME);
            Choice::Shared { is_timed, is_try: tries, alone_ns }
        }
    }

    fn set_crossover(&self, ns: f32) {
        self.crossover_ns.set(ns.min(CROSSOVER_MAX_NS));
        self.looks.set(0);
        self.set_light();
    }

    fn set_light(&self) {
        let (cost, crossover_ns) = (self.cost.get(), self.crossover_ns.get());
        if cost > 0.0 && crossover_ns > 0.0 && self.timings.get() >= TIMINGS_SURE {
            self.light.set((crossover_ns.min(LOOKED_AT_NS) / cost) as usize);
        }
    }

    /// A call of `work` elements, `done` of which it had to look at, took `elapsed_ns` in sequence.
    pub(super) fn took_alone(&self, kind: Kind, work: usize, done: usize, elapsed_ns: f32) {
        if self.id.get() != kind.id {
            self.begin(kind);
        }
        let measured = per_element(elapsed_ns, work);
        let (cost, timings) = (self.cost.get(), self.timings.get());
        let weight = (elapsed_ns / SURE_NS).min(1.0);
        let surprise = self.surprise.replace(if measured > CHANGED * cost { measured } else { 0.0 });
        self.cost.set(if cost == 0.0 || timings == 0 {
            measured
        } else if done < work {
            // One search says little about the next.
            cost + 0.125 * weight * (measured - cost).min(4.0 * cost)
        } else if surprise.min(measured) > CHANGED * cost {
            // Twice in a row: that is no interruption.
            surprise.min(measured)
        } else if timings < TIMINGS_SURE {
            // The others may have paid for cold caches.
            cost.min(measured)
        } else {
            // Interruptions only ever lengthen a timing, so what is shorter counts more, and nothing counts as more than twice as long.
            let more = (measured - cost).min(cost);
            cost + if more < 0.0 { 0.5 } else { 0.25 } * weight * more
        });
        self.timings.set(timings.saturating_add(1));
        self.set_light();
    }

    /// Where the crossover lies if a call of `alone_ns` took `elapsed_ns` shared: what it took beyond its part of the work it would take at any length. Well below
    /// `alone_ns` in any case: at its edge the next timing would decide the other way.
    fn crossover_seen(&self, alone_ns: f32, elapsed_ns: f32) -> f32 {
        let workers = self.workers.get();
        let beyond_ns = elapsed_ns - alone_ns / workers;
        (beyond_ns * workers / (workers - 1.0)).clamp(alone_ns / NEAR, alone_ns * 0.9)
    }

    /// A call of `work` elements took `elapsed_ns` shared.
    pub(super) fn took_shared(&self, kind: Kind, work: usize, elapsed_ns: f32) {
        let crossover_ns = self.crossover_ns.get();
        if self.id.get() != kind.id || crossover_ns == 0.0 {
            return;
        }
        let alone_ns = self.cost.get() * work as f32;
        if elapsed_ns > LOSES * alone_ns {
            // It lost: if that happens again and again, calls as long as this are better run in sequence.
            self.rest_by((elapsed_ns - alone_ns) / alone_ns);
            let (strikes, struck_ns) = (self.strikes.get(), self.struck_ns.get());
            self.struck_ns.set(if strikes == 0 { alone_ns } else { alone_ns.min(struck_ns) });
            self.strikes.set((strikes + 1) % STRIKES);
            if strikes + 1 == STRIKES && self.struck_ns.get() >= crossover_ns {
                self.set_crossover(1.25 * self.struck_ns.get());
            }
        } else if elapsed_ns * PLAUSIBLE * self.workers.get() < alone_ns {
            self.doubt(work, elapsed_ns);
        } else {
            self.is_doubtful.set(false);
            if alone_ns < 1.25 * self.struck_ns.get() {
                self.strikes.set(0);
            }
            if alone_ns < crossover_ns && elapsed_ns < alone_ns {
                // It gained where none was expected.
                self.set_crossover(self.crossover_seen(alone_ns, elapsed_ns));
            }
        }
    }

    /// A search of `work` elements took `elapsed_ns` shared. A single one says nothing about what it would have taken in sequence, unless it is beyond all bounds; the
    /// average of many does.
    pub(super) fn searched_shared(&self, kind: Kind, work: usize, elapsed_ns: f32) {
        let (cost, crossover_ns) = (self.cost.get(), self.crossover_ns.get());
        if self.id.get() != kind.id || crossover_ns == 0.0 {
            return;
        }
        let alone_ns = cost * work as f32;
        if elapsed_ns * BEYOND < alone_ns {
            return self.doubt(work, elapsed_ns);
        }
        let (measured, searches) = (per_element(elapsed_ns, work), self.searches.get());
        let average =
            if searches == 0 { measured } else { self.average.get() + 0.125 * (measured - self.average.get()) };
        self.average.set(average);
        self.searches.set(searches.saturating_add(1));
        if searches >= SEARCHES && average > CLEARLY * cost && alone_ns >= crossover_ns {
            self.searches.set(0);
            self.set_crossover(1.25 * alone_ns);
        } else if searches >= SEARCHES / 4 && average < cost && alone_ns < crossover_ns {
            self.searches.set(0);
            self.set_crossover(alone_ns);
        }
    }

    /// So much nobody gains: twice in a row, and the cost is that of a run that was interrupted, or went through fresh memory.
    fn doubt(&self, work: usize, elapsed_ns: f32) {
        if self.is_doubtful.replace(true) {
            self.cost.set(per_element(elapsed_ns * self.workers.get(), work));
            self.timings.set(0);
            self.light.set(0);
        }
    }

    /// A unit of `done` elements took `elapsed_ns` on the pool. It may be compiled otherwise than the sequential loop, so it gives
    /// a first idea, which the first run in sequence replaces, and later tells only of great changes.
    pub(super) fn saw_unit(&self, kind: Kind, done: usize, elapsed_ns: f32) {
        if kind.prior.is_some() {
            return;
        }
        if self.id.get() != kind.id {
            // Of calls that are forced to be shared, which ask for nothing else.
            self.begin(kind);
        }
        let (cost, measured) = (self.cost.get(), per_element(elapsed_ns, done));
        if self.timings.get() == 0 || measured < cost / CHANGED {
            self.cost.set(measured);
            self.timings.set(0);
            self.light.set(0);
            return;
        }
        // Twice in a row: that is no interruption.
        let surprise = self.surprise.replace(if measured > CHANGED * cost { measured } else { 0.0 });
        if surprise.min(measured) > CHANGED * cost {
            self.cost.set(surprise.min(measured));
            self.timings.set(0);
            self.light.set(0);
        }
    }
}

fn per_element(elapsed_ns: f32, done: usize) -> f32 {
    elapsed_ns / done.max(1) as f32
}
