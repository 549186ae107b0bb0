//! Go parallel or not: a small model of what a call costs either way.
//!
//! PaSTeL leaves open when an algorithm should run sequentially (its second question). The answer here has three parts.
//!
//! **What the work costs.** Each thread keeps, for each [`Kind`] of call (an algorithm with its closures' types), the
//! nanoseconds an element took, learned from runs it timed: the first ones, then one in [`SAMPLE_EVERY`]. Looking it up takes
//! about a nanosecond. A kind never seen is shared with workers that are awake, and timed there from one element up.
//!
//! **What sharing costs**, measured once a process ([`costs`](crate::costs)): a cache-line round trip to a worker that
//! is awake, a wake for one that sleeps.
//!
//! **The decision.** With `p` workers, sharing saves `1 - 1/p` of the sequential time. It is worth it where that is more
//! than the region costs; sleeping workers are woken where it is more than the wake costs. Near the line both ways cost
//! the same, so an estimate that is a little off costs little. One call in [`EXPLORE_EVERY`] just above the line is run sequentially to
//! time it again, which bounds how long a wrong estimate can live.
//!
//! A closure whose weight jumps from call to call can be misjudged; say so there by forcing the decision.

use crate::Algorithm;
use crate::call::Brief;
use crate::costs::Costs;
use crate::pace::{Grain, grain_for};
use crate::pool::Pool;
use std::any::type_name;
use std::cell::Cell;
use std::time::Instant;

/// Sequential calls of a known kind between two that are timed (a timing costs some 40 ns).
const SAMPLE_EVERY: u32 = 32;

/// Calls just above the line between two that are run sequentially to be timed.
const EXPLORE_EVERY: u32 = 64;

/// No call below this is worth a thought, whatever the machine: half a round trip between cores that share a cache.
const NEVER_BELOW_NS: f32 = 150.0;

/// A timing shorter than this says little about longer calls: the clock itself takes a part of it.
const SURE_NS: f32 = 1_000.0;

/// An estimate from a short timing is not worth sharing for below this: running once in sequence gives a better one.
const UNSURE_BELOW_NS: f32 = 20_000.0;

/// What identifies calls that cost alike: an algorithm with the types it is compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    id: usize,
    prior: Option<f32>,
}

impl Kind {
    /// The kind named by type `K`, usually the [`Algorithm`] or a tuple of a marker and the closure's type.
    ///
    /// Two kinds that the compiler gives one name share an estimate, which costs time at worst.
    #[inline(always)]
    pub fn of<K: ?Sized>() -> Self {
        Self { id: type_name::<K>().as_ptr() as usize, prior: None }
    }

    /// Starts from this many nanoseconds an element, and learns from sequential runs alone: for algorithms whose
    /// units are not proportional to elements.
    #[inline(always)]
    pub fn with_prior(mut self, ns: f32) -> Self {
        self.prior = Some(ns);
        self
    }
}

/// What a thread knows about one kind.
struct Entry {
    id: Cell<usize>,
    /// Work below which nothing is weighed.
    light: Cell<usize>,
    /// Such calls left until one is timed.
    left: Cell<u32>,
    /// Nanoseconds an element; 0 where nothing is known.
    cost: Cell<f32>,
    /// How long the best timing took.
    span: Cell<f32>,
    /// Calls that were weighed.
    weighed: Cell<u32>,
}

const ENTRIES: usize = 64;

thread_local! {
    /// Direct-mapped: two kinds that meet in a place take turns in it and are timed more often.
    static KNOWN: [Entry; ENTRIES] = const {
        [const {
            Entry {
                id: Cell::new(0),
                light: Cell::new(0),
                left: Cell::new(0),
                cost: Cell::new(0.0),
                span: Cell::new(0.0),
                weighed: Cell::new(0),
            }
        }; ENTRIES]
    };
}

#[inline(always)]
fn with_entry<R>(id: usize, f: impl FnOnce(&Entry) -> R) -> R {
    // Strings of different lengths lie at any address; two shifts mix enough of it.
    let place = (id ^ (id >> 6)) % ENTRIES;
    KNOWN.with(|known| f(&known[place]))
}

fn learn(kind: Kind, work: usize, elapsed_ns: f32) {
    let measured = (elapsed_ns / work.max(1) as f32).max(1e-4);
    with_entry(kind.id, |entry| {
        if entry.id.replace(kind.id) != kind.id {
            entry.cost.set(0.0);
            entry.span.set(0.0);
        }
        let (cost, span) = (entry.cost.get(), entry.span.get());
        if cost == 0.0 || (span < SURE_NS && elapsed_ns > span) {
            entry.cost.set(measured);
            entry.span.set(elapsed_ns);
        } else if elapsed_ns >= SURE_NS || span < SURE_NS {
            // Interruptions only ever lengthen a timing, so what is shorter counts more.
            let weight = if measured < cost { 0.5 } else { 0.125 };
            entry.cost.set(cost + (measured.min(cost * 4.0) - cost) * weight);
        }
        entry.light.set((NEVER_BELOW_NS / entry.cost.get()) as usize);
        entry.left.set(SAMPLE_EVERY);
    });
}

/// How to run one call.
#[derive(Debug)]
pub enum Plan<'p> {
    /// On the calling thread, perhaps timed.
    Sequential(Watch),
    /// On the pool.
    Parallel(Team<'p>),
}

/// Times a sequential run if the model has asked for it.
#[derive(Debug)]
pub struct Watch {
    kind: Kind,
    work: usize,
    timed: bool,
}

impl Watch {
    /// A watch that does not look.
    #[inline(always)]
    pub fn off() -> Self {
        Self { kind: Kind { id: 0, prior: None }, work: 0, timed: false }
    }

    /// Runs `f`.
    #[inline(always)]
    pub fn time<R>(self, f: impl FnOnce() -> R) -> R {
        if !self.timed {
            return f();
        }
        let started = Instant::now();
        let result = f();
        self.stop(started);
        result
    }

    #[cold]
    fn stop(self, started: Instant) {
        let elapsed = started.elapsed().as_nanos() as f32 - Costs::clock_ns();
        learn(self.kind, self.work, elapsed.max(1.0));
    }
}

/// The workers a call has been given.
#[derive(Clone, Copy, Debug)]
pub struct Team<'p> {
    pool: &'p Pool,
    brief: Brief,
    kind: Option<Kind>,
}

impl<'p> Team<'p> {
    /// All of `pool`, sleeping workers included, whatever the work.
    pub fn all(pool: &'p Pool, grain: Option<usize>) -> Self {
        let grain = grain.map_or(Grain::From(0), Grain::Fixed);
        Self { pool, brief: Brief { grain, work: 0, wakes: true }, kind: None }
    }

    /// The pool the call runs on.
    pub fn pool(&self) -> &'p Pool {
        self.pool
    }

    /// How many workers can take part, the caller included.
    pub fn workers(&self) -> usize {
        self.pool.inner.helpers_max + 1
    }

    /// Elements a unit, where the user has said so.
    pub fn grain(&self) -> Option<usize> {
        match self.brief.grain {
            Grain::Fixed(grain) => Some(grain),
            Grain::From(_) => None,
        }
    }

    /// Runs `algorithm` from `local`; see [`Pool::run`].
    ///
    /// # Panics
    /// As [`Pool::run`] does.
    pub fn run<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        let timing = self.pool.run_briefed(algorithm, local, self.brief);
        if let (Some(kind), Some(timing)) = (self.kind, timing) {
            learn(kind, timing.elements, timing.elapsed_ns);
        }
    }
}

/// Decides how to run a call of `kind` with `work` elements on `pool` (the global one if none is named).
#[inline(always)]
pub fn plan<'p>(pool: Option<&'p Pool>, kind: Kind, work: usize, grain: Option<usize>) -> Plan<'p> {
    let is_light = with_entry(kind.id, |entry| {
        entry.id.get() == kind.id && work < entry.light.get() && {
            let left = entry.left.get();
            entry.left.set(left.wrapping_sub(1));
            left != 0
        }
    });
    if is_light { Plan::Sequential(Watch::off()) } else { weigh(pool, kind, work, grain) }
}

#[cold]
#[inline(never)]
fn weigh<'p>(pool: Option<&'p Pool>, kind: Kind, work: usize, grain: Option<usize>) -> Plan<'p> {
    let (cost, span, weighed) = with_entry(kind.id, |entry| {
        if entry.id.get() != kind.id {
            return (0.0, 0.0, 0);
        }
        let weighed = entry.weighed.get().wrapping_add(1);
        entry.weighed.set(weighed);
        (entry.cost.get(), entry.span.get(), weighed)
    });
    let sequential = || Plan::Sequential(Watch { kind, work, timed: true });
    if work <= 1 {
        return Plan::Sequential(Watch::off());
    }
    let cost = if cost == 0.0 { kind.prior.unwrap_or(0.0) } else { cost };
    let estimate = cost * work as f32;
    if cost != 0.0 && estimate < NEVER_BELOW_NS {
        return sequential();
    }
    let pool = pool.unwrap_or_else(|| Pool::global());
    let workers = pool.inner.helpers_max + 1;
    if workers == 1 {
        return Plan::Sequential(Watch::off());
    }
    let parallel = |grain, wakes| {
        let learns = kind.prior.is_none().then_some(kind);
        Plan::Parallel(Team { pool, brief: Brief { grain, work, wakes }, kind: learns })
    };
    if cost == 0.0 {
        // Nothing known: the loop finds out, one element at first.
        return parallel(grain.map_or(Grain::From(0), Grain::Fixed), false);
    }
    let costs = Costs::of_this_machine();
    let saved = estimate * (1.0 - 1.0 / workers as f32);
    let unsure = span < SURE_NS && estimate < UNSURE_BELOW_NS;
    let near = saved < 4.0 * costs.region_ns;
    if saved < costs.region_ns || unsure || near && weighed.is_multiple_of(EXPLORE_EVERY) {
        return sequential();
    }
    let grain = match grain {
        Some(grain) => Grain::Fixed(grain),
        None if kind.prior.is_some() => Grain::From(0),
        None => Grain::From(grain_for(cost)),
    };
    parallel(grain, saved > costs.wake_ns)
}
