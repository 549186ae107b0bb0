//! What a thread knows about calls of one kind and of about one length.
//!
//! How it [chooses](Class::choose) the way of a call is in `choose.rs`, what it learns from each call in `learn.rs`. Nothing here reads a clock or asks a pool, so the tests
//! can simulate any machine.

mod choose;
mod learn;
mod mixture;

pub(super) use choose::LOOKED_AT_NS;

use std::cell::Cell;
use std::ops::RangeInclusive;

use super::Kind;
use super::threshold::Threshold;
use super::trial::Trial;
use super::way::Way;
use mixture::Mixture;

/// The fraction of the time that trials of the way that seems worse may lose: the upper end just after something has changed, halved by each trial down to the lower end.
const TRY_PART: RangeInclusive<f32> = 0.004..=0.032;

/// A trial goes on as long as its calls take at most this many times as long as those of the other way.
const NEAR: f32 = 1.35;

/// Calls from this length on are tried one at a time: caches matter less to them, and each call of a trial costs much.
const LONG_NS: f32 = 100_000.0;

/// No way is taken to be more than this many times as slow as the other, so that it is tried again some time: another process may have used the cores.
const FAR: f32 = 1024.0;

/// What sharing costs and gives, as far as can be told before trying.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine<R> {
    /// The number of workers, the caller included: 1 where there is none to share with.
    pub(super) workers: f32,
    /// Returns how long a shared call with nothing to do takes, which is measured at first use.
    pub(super) region_ns: R,
}

/// How to run a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Choice {
    /// In sequence, and timed.
    Alone,
    /// On the pool, sleepers included, to find out what an element costs.
    Unknown,
    /// On the pool. Its timing counts for `stands_for` calls; 0: it is not timed. `is_try`: the call belongs to a trial, and sequence is thought to be better. `alone_ns` is what it
    /// would take in sequence, `gain_ns` what sharing is thought to gain.
    Shared { stands_for: u16, is_try: bool, alone_ns: f32, gain_ns: f32 },
}

/// How the next calls are run before one is weighed again.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// The next one is weighed.
    Weighed,
    /// This many run in sequence; the longest call of the class should take `longest_ns`.
    Alone { calls: u16, longest_ns: f32 },
    /// This many are shared.
    Shared { calls: u16, again: Again },
}

/// How calls that are not weighed are shared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Again {
    /// Nanoseconds that an element takes in sequence, and that a call is thought to gain by being shared.
    pub(super) cost: f32,
    pub(super) gain_ns: f32,
    /// Whether they also wake sleeping workers when some are awake.
    pub(super) wakes: bool,
}

impl Again {
    pub(super) const NONE: Self = Self { cost: 0.0, gain_ns: 0.0, wakes: false };
}

/// See the [module](self).
pub(super) struct Class {
    /// A new decision on the next calls, until [`take_next`](Self::take_next) takes it.
    next: Cell<Option<Next>>,
    /// How many calls the next one that is weighed stands for, itself included.
    stands_for: Cell<u16>,
    alone: Way,
    /// Shared with the workers that are awake.
    shared: Way,
    workers: Cell<f32>,
    /// Nanoseconds of an empty shared call, divided by the elements of a call in the middle of the class: an element's least share of the fixed cost.
    region: Cell<f32>,
    /// What the next trial may lose by now.
    saved_ns: Cell<f32>,
    /// The fraction of the time that trials may lose now: in the range [`TRY_PART`].
    try_part: Cell<f32>,
    pub(super) threshold: Threshold,
    random: Cell<u32>,
    /// Whether the last call that was weighed was thought to be better shared.
    shares: Cell<bool>,
    trial: Trial,
    is_search: Cell<bool>,
    mixture: Mixture,
    /// Whether the last call that was timed was shared, and took less than all its workers together could have.
    seems_light: Cell<bool>,
    /// Where units are not proportional to elements: the time of the longest unit of the last shared call, in nanoseconds for each element of the grain; 0: not known.
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
            mixture: Mixture::new(),
            seems_light: Cell::new(false),
            unit: Cell::new(0.0),
        }
    }

    /// From now on this is the class of calls of `kind` and about this length. `like` is a class of the same kind and another length, with that length.
    pub(super) fn begin(&self, kind: Kind, work: usize, like: Option<(&Class, usize)>) {
        self.look_at_next();
        self.alone.begin(kind.prior_ns.max(0.0));
        self.shared.begin(0.0);
        self.workers.set(0.0);
        self.saved_ns.set(0.0);
        self.threshold.begin();
        self.shares.set(false);
        self.try_part.set(*TRY_PART.end());
        self.trial.end();
        self.is_search.set(false);
        self.mixture.begin();
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

    /// A worker's share of what an element costs in sequence.
    fn part(&self) -> f32 {
        self.alone.cost.get() / self.workers.get()
    }

    /// What a call of `work` elements would take shared. That of a call of the [`middle`] length of the class is known. Each element more adds a worker's share of its
    /// cost in sequence; the rest is the same for calls of any length.
    fn shared_ns(&self, work: usize) -> f32 {
        let cost = self.shared.cost.get();
        if self.is_search.get() {
            return cost * work as f32;
        }
        let middle = middle(work);
        (cost * middle + self.part() * (work as f32 - middle)).max(cost * work as f32 / 2.0)
    }

    /// How the next calls are run, if there is a new decision.
    pub(super) fn take_next(&self) -> Option<Next> {
        self.next.take()
    }

    /// Whether any call of the class has ended before all of its work was done.
    pub(super) fn is_search(&self) -> bool {
        self.is_search.get()
    }

    /// Nanoseconds an element costs in sequence, if that is known.
    pub(super) fn cost(&self) -> Option<f32> {
        Some(self.alone.cost.get()).filter(|cost| *cost > 0.0)
    }

    /// As [`cost`](Self::cost) for the grain of units that are not proportional to elements.
    pub(super) fn unit_cost(&self) -> Option<f32> {
        Some(self.unit.get()).filter(|cost| *cost > 0.0)
    }

    /// Has the next call weighed, whatever its length.
    fn look_at_next(&self) {
        self.next.set(Some(Next::Weighed));
        self.stands_for.set(1);
    }

    /// Starts with an estimate of what an element costs shared, which has not been measured: a worker's share of the work, and `beyond`.
    fn begin_shared(&self, beyond: f32) {
        self.shared.begin(self.part() + beyond.max(self.region.get()));
    }
}

/// The middle of the lengths of the class that a call of `work` elements belongs to.
fn middle(work: usize) -> f32 {
    1.5 * (1_usize << work.max(1).ilog2()) as f32
}

fn per_element(elapsed_ns: f32, work: usize) -> f32 {
    elapsed_ns / work.max(1) as f32
}
