//! What a thread knows about calls of one kind and of about one length.
//!
//! What it [chooses](Class::choose) by that is in `choose.rs`, what it learns from each call in `learn.rs`. Nothing here looks at a clock or a pool, so the tests can play a machine of
//! any behaviour.

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

/// The part of the time that may be spent on trying the way that is thought the worse: the most just after something has changed, halved by each try, down to
/// the least.
const TRY_PART: RangeInclusive<f32> = 0.004..=0.032;

/// A try goes on as long as its calls take at most so many times as long as those of the other way.
const NEAR: f32 = 1.35;

/// Calls from this length on are tried one at a time: caches matter less to them, and a try costs much.
const LONG_NS: f32 = 100_000.0;

/// No way is taken to be more than so many times as slow as the other, so that it is tried again some time: the cores may have been in use by others.
const FAR: f32 = 1024.0;

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
    mixture: Mixture,
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
            mixture: Mixture::new(),
            seems_light: Cell::new(false),
            unit: Cell::new(0.0),
        }
    }

    /// Stands for calls of `kind` and about this length from now on. `like` is a class of the same kind and another length.
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

    /// How the next calls are run, if that has been decided anew.
    pub(super) fn take_next(&self) -> Option<Next> {
        self.next.take()
    }

    /// Whether any call has ended before all of its work was done.
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

    /// Looks at the next call, whatever its length.
    fn look_at_next(&self) {
        self.next.set(Some(Next::Weighed));
        self.stands_for.set(1);
    }

    /// Nobody has measured yet what an element costs shared: `beyond` a worker's part of the work.
    fn begin_shared(&self, beyond: f32) {
        self.shared.begin(self.part() + beyond.max(self.region.get()));
    }
}

/// In the middle of the lengths of the class that calls of `work` elements belong to.
fn middle(work: usize) -> f32 {
    1.5 * (1_usize << work.max(1).ilog2()) as f32
}

fn per_element(elapsed_ns: f32, work: usize) -> f32 {
    elapsed_ns / work.max(1) as f32
}
