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
#[derive(Clone, Copy)]
struct Entry {
    id: usize,
    /// Nanoseconds an element; 0 where nothing is known.
    cost: f32,
    /// How long the best timing took.
    span: f32,
    calls: u32,
}

const ENTRIES: usize = 64;

thread_local! {
    /// Direct-mapped: two kinds that meet in a slot take turns in it and are timed more often.
    static KNOWN: [Cell<Entry>; ENTRIES] =
        const { [const { Cell::new(Entry { id: 0, cost: 0.0, span: 0.0, calls: 0 }) }; ENTRIES] };
}

#[inline(always)]
fn with_slot<R>(id: usize, f: impl FnOnce(&Cell<Entry>) -> R) -> R {
    // The low bits of addresses of strings are even enough; a multiplication spreads those that are not.
    let slot = (id.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) % ENTRIES;
    KNOWN.with(|known| f(&known[slot]))
}

fn learn(kind: Kind, work: usize, elapsed_ns: f32) {
    let measured = (elapsed_ns / work.max(1) as f32).max(1e-4);
    with_slot(kind.id, |slot| {
        let mut entry = slot.get();
        if entry.id != kind.id {
            entry = Entry { id: kind.id, cost: 0.0, span: 0.0, calls: 0 };
        }
        if entry.cost == 0.0 || (entry.span < SURE_NS && elapsed_ns > entry.span) {
            entry.cost = measured;
            entry.span = elapsed_ns;
        } else if elapsed_ns >= SURE_NS || entry.span < SURE_NS {
            // Interruptions only ever lengthen a timing, so what is shorter counts more.
            let weight = if measured < entry.cost { 0.5 } else { 0.125 };
            entry.cost += (measured.min(entry.cost * 4.0) - entry.cost) * weight;
        }
        slot.set(entry);
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
    let (estimate, timed) = with_slot(kind.id, |slot| {
        let mut entry = slot.get();
        let known = entry.id == kind.id && entry.cost != 0.0;
        entry.calls = entry.calls.wrapping_add(1);
        let timed = entry.calls.is_multiple_of(SAMPLE_EVERY);
        if known {
            slot.set(entry);
        }
        (if known { entry.cost * work as f32 } else { f32::NAN }, timed)
    });
    if estimate < NEVER_BELOW_NS {
        return Plan::Sequential(Watch { kind, work, timed });
    }
    weigh(pool, kind, work, grain, estimate)
}

#[cold]
#[inline(never)]
fn weigh<'p>(pool: Option<&'p Pool>, kind: Kind, work: usize, grain: Option<usize>, estimate: f32) -> Plan<'p> {
    let pool = pool.unwrap_or_else(|| Pool::global());
    let sequential = |timed| Plan::Sequential(Watch { kind, work, timed });
    let parallel = |grain, wakes| {
        let learns = kind.prior.is_none().then_some(kind);
        Plan::Parallel(Team { pool, brief: Brief { grain, work, wakes }, kind: learns })
    };
    let workers = pool.inner.helpers_max + 1;
    if workers == 1 || work <= 1 {
        return Plan::Sequential(Watch::off());
    }
    let entry = with_slot(kind.id, Cell::get);
    let known = !estimate.is_nan();
    let (estimate, span) = match (known, kind.prior) {
        (true, _) => (estimate, entry.span),
        (false, Some(prior)) => (prior * work as f32, 0.0),
        // Nothing known: the loop finds out, one element at first.
        (false, None) => return parallel(grain.map_or(Grain::From(0), Grain::Fixed), false),
    };
    let costs = Costs::of_this_machine();
    let saved = estimate * (1.0 - 1.0 / workers as f32);
    if saved < costs.region_ns {
        return sequential(true);
    }
    let unsure = span < SURE_NS && estimate < UNSURE_BELOW_NS;
    let near = saved < 4.0 * costs.region_ns;
    if unsure || near && entry.calls.is_multiple_of(EXPLORE_EVERY) {
        return sequential(true);
    }
    let grain = match grain {
        Some(grain) => Grain::Fixed(grain),
        None if kind.prior.is_some() => Grain::From(0),
        None => Grain::From(grain_for(estimate / work as f32)),
    };
    parallel(grain, saved > costs.wake_ns)
}
