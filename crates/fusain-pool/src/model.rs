//! Go parallel or not: a small model of what a call costs either way.
//!
//! PaSTeL leaves open when an algorithm should run sequentially (its second question). The answer here has three parts.
//!
//! **What the work costs.** Each thread keeps, for each [`Kind`] of call (an algorithm with its closures' types), the
//! nanoseconds an element took, learned from sequential runs it timed: the first few, then one in 128. Looking it up takes
//! about two nanoseconds. A kind never seen is shared with workers that are awake and timed there, from one element up; that
//! gives a first idea, which the next small calls, run sequentially, make sure of. A call that is over before a unit was timed gives none;
//! the next one is run, and timed, sequentially.
//!
//! **What sharing costs.** Measured once a process: a cache-line round trip to a worker that is awake, a wake for one that
//! sleeps. With `p` workers sharing saves `1 - 1/p` of the sequential time, so the first guess is that a call is worth it where
//! that is more than the round trip.
//!
//! **What happened.** The guess is only a beginning: an algorithm has costs of its own (buffers, a tree), cores may be busy with
//! other processes, and those of a virtual machine may be moved apart. So each kind has a *line* of its own, in nanoseconds of
//! sequential work, from which it goes parallel. One call in eight on the pool is timed; two in a row that were slower than the
//! estimate move the line above them, and now and then a call just below the line is tried on the pool and moves it
//! down if that was faster. Near the line both ways cost the same, so a line that is a little off costs little.
//!
//! **Sleepers** are woken where one call saves more than a wake costs, or where a row of calls too small for that has lost as much
//! for want of them (the rule by which a skier rents until the rent would have paid for the skis: at most twice the best).
//!
//! A closure whose weight jumps from call to call can be misjudged; say so there by forcing the decision
//! (`par().always()`, `par().sequential()` in `fusain-algorithms`). [`Pool::run`] never asks the model.

use crate::Algorithm;
use crate::call::Brief;
use crate::costs::Costs;
use crate::pace::{Grain, grain_for};
use crate::pool::Pool;
use std::any::type_name;
use std::cell::Cell;
use std::time::Instant;

/// Sequential calls of a known kind between two that are timed. A timing costs some 45 ns, so a third of a nanosecond a call.
const SAMPLE_EVERY: u32 = 128;

/// Calls just above the line between two that are run sequentially to be timed.
const EXPLORE_EVERY: u32 = 64;

/// Calls on the pool between two that are timed to draw the line anew.
const REDRAW_EVERY: u32 = 8;

/// No call below this is worth a thought, whatever the machine: half a round trip between cores that share a cache.
const NEVER_BELOW_NS: f32 = 150.0;

/// A timing shorter than this says little about longer calls: the clock itself takes a part of it.
const SURE_NS: f32 = 200.0;

/// One shorter than this says no more than that it was short.
const FAIR_NS: f32 = 40.0;

/// The line never rises above this: what is longer is shared whatever the last calls were like, since only somebody else's work on the
/// cores can make that slow, and that passes.
const LINE_NS_MAX: f32 = 20_000.0;

/// How much faster than the sequential loop a unit on the pool can be, at the very most.
const WIDER: f32 = 16.0;

/// Nor does a single one: the first run of anything is slower than the next.
const TIMINGS_SURE: u32 = 4;

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
    /// Timings so far, up to [`TIMINGS_SURE`].
    timings: Cell<u32>,
    /// Whether the last timing on the pool was slower than the estimate.
    slow: Cell<bool>,
    /// Nanoseconds of sequential work from which sharing has paid off; 0 where not drawn yet.
    line: Cell<f32>,
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
                timings: Cell::new(0),
                slow: Cell::new(false),
                line: Cell::new(0.0),
                weighed: Cell::new(0),
            }
        }; ENTRIES]
    };
}

thread_local! {
    /// What this thread's calls have lost since the last wake because workers slept.
    static DEBT_NS: Cell<f32> = const { Cell::new(0.0) };
}

#[inline(always)]
fn with_entry<R>(id: usize, f: impl FnOnce(&Entry) -> R) -> R {
    // Strings of different lengths lie at any address; two shifts mix enough of it.
    let place = (id ^ (id >> 6)) % ENTRIES;
    KNOWN.with(|known| f(&known[place]))
}

/// Gives the entry to a kind of which nothing is known.
fn begin(entry: &Entry, kind: Kind) {
    entry.id.set(kind.id);
    entry.light.set(0);
    entry.cost.set(0.0);
    entry.span.set(0.0);
    entry.line.set(0.0);
    entry.timings.set(0);
    entry.slow.set(false);
    entry.weighed.set(0);
}

/// Recomputes the work below which nothing is weighed.
fn set_light(entry: &Entry) {
    let below_ns = entry.line.get().max(NEVER_BELOW_NS);
    entry.light.set((below_ns / entry.cost.get()) as usize);
    entry.left.set(SAMPLE_EVERY);
}

fn learn(kind: Kind, work: usize, elapsed_ns: f32, in_sequence: bool) {
    let measured = (elapsed_ns / work.max(1) as f32).max(1e-4);
    with_entry(kind.id, |entry| {
        if entry.id.get() != kind.id {
            begin(entry, kind);
        }
        // A unit on the pool may be compiled otherwise than the sequential loop: it gives an idea, and the first run in sequence
        // replaces it.
        let timings = entry.timings.get();
        match (in_sequence, timings) {
            (true, 0) => {
                entry.cost.set(0.0);
                entry.timings.set(1);
            }
            (true, _) => entry.timings.set((timings + 1).min(TIMINGS_SURE)),
            (false, 0) => {}
            (false, _) => return,
        }
        let (cost, span) = (entry.cost.get(), entry.span.get());
        if cost == 0.0 || (span < SURE_NS && elapsed_ns > span) {
            entry.cost.set(measured);
            entry.span.set(elapsed_ns);
        } else if measured < cost {
            // Interruptions only ever lengthen a timing, so what is shorter counts, and counts more. Of a very short one no
            // more is known than that it was.
            let at_most = elapsed_ns.max(FAIR_NS) / work.max(1) as f32;
            entry.cost.set(cost + (at_most.min(cost) - cost) * 0.5);
        } else if elapsed_ns >= SURE_NS || span < SURE_NS {
            entry.cost.set(cost + (measured.min(cost * 4.0) - cost) * 0.125);
        }
        set_light(entry);
    });
}

/// Draws the line anew after a call that would have taken `estimate_ns` in sequence took `elapsed_ns` on the pool.
///
/// The costs of the machine are but a first guess: an algorithm has costs of its own (buffers, a tree), and a virtual machine's cores may
/// be moved apart while it runs. What counts is what happened.
fn redraw(kind: Kind, work: usize, estimate_ns: f32, elapsed_ns: f32, workers: usize) {
    with_entry(kind.id, |entry| {
        if entry.id.get() == kind.id {
            // All workers together cannot have done more than this in that time, except that a unit on the pool may be compiled for
            // wider vectors than the sequential loop. An estimate far above it was an interruption: begin again.
            let most_ns = elapsed_ns * workers as f32 * if entry.timings.get() == 0 { 1.0 } else { WIDER };
            if most_ns < estimate_ns {
                entry.cost.set(most_ns / work.max(1) as f32);
                entry.timings.set(0);
            }
            let line = entry.line.get();
            // One slow call may have been interrupted; two in a row mean something.
            let slow = elapsed_ns > estimate_ns;
            if slow && entry.slow.get() {
                entry.line.set(line.max(estimate_ns * 1.1).min(LINE_NS_MAX));
            } else if elapsed_ns < 0.95 * estimate_ns {
                entry.line.set(line.min(estimate_ns * 0.95));
            }
            entry.slow.set(slow);
            set_light(entry);
        }
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

    /// Runs `f`, which may end before all of its work is done: `done` says from its result how much was.
    #[inline(always)]
    pub fn time_some<R>(self, f: impl FnOnce() -> R, done: impl FnOnce(&R) -> usize) -> R {
        if !self.timed {
            return f();
        }
        let started = Instant::now();
        let result = f();
        Watch { work: done(&result), ..self }.stop(started);
        result
    }

    #[cold]
    fn stop(self, started: Instant) {
        let elapsed = started.elapsed().as_nanos() as f32 - Costs::clock_ns();
        learn(self.kind, self.work, elapsed.max(1.0), true);
    }
}

/// The workers a call has been given.
#[derive(Clone, Copy, Debug)]
pub struct Team<'p> {
    pool: &'p Pool,
    brief: Brief,
    kind: Option<Kind>,
    /// What the call would take in sequence, and what sharing should save of it.
    estimate_ns: f32,
    saves_ns: f32,
    /// Whether the call is below the line.
    tries: bool,
    /// Where the call is near the line and one of those that are timed.
    started: Option<Instant>,
}

impl<'p> Team<'p> {
    /// All of `pool`, sleeping workers included, whatever the work. What is known of `kind` gives the first grain, no more.
    pub fn all(pool: &'p Pool, kind: Kind, grain: Option<usize>) -> Self {
        let known = with_entry(kind.id, |entry| (entry.id.get() == kind.id).then(|| entry.cost.get()));
        let grain = match (grain, known) {
            (Some(grain), _) => Grain::Fixed(grain),
            (None, Some(cost)) if cost > 0.0 && kind.prior.is_none() => Grain::From(grain_for(cost)),
            _ => Grain::From(0),
        };
        Self {
            pool,
            brief: Brief { grain, work: 0, wakes: true },
            kind: Some(kind),
            estimate_ns: 0.0,
            saves_ns: 0.0,
            tries: false,
            started: None,
        }
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

    /// Elements that take about `ns` in sequence, as far as that is known.
    pub fn elements_in(&self, ns: f32) -> Option<usize> {
        (self.estimate_ns > 0.0).then(|| (ns / self.estimate_ns * self.brief.work as f32) as usize)
    }

    /// Runs `algorithm` from `local`; see [`Pool::run`].
    ///
    /// # Panics
    /// As [`Pool::run`] does.
    pub fn run<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        self.run_some(algorithm, local, || self.brief.work);
    }

    /// As [`run`](Self::run) for an algorithm that may end before all of its work is done: `done` says how much a sequential run would have
    /// had to do.
    ///
    /// # Panics
    /// As [`Pool::run`] does.
    pub fn run_some<A: Algorithm>(&self, algorithm: &A, local: A::Local, done: impl FnOnce() -> usize) {
        let outcome = self.pool.run_briefed(algorithm, local, self.brief);
        let Some(kind) = self.kind else { return };
        if let (None, Some(timing)) = (kind.prior, outcome.timing) {
            learn(kind, timing.elements, timing.elapsed_ns, false);
        }
        if outcome.unshared {
            // Says nothing about calls that find workers awake, not even where it has woken some.
            if self.brief.wakes {
                return;
            }
            // A call that was tried stands for all those that were not.
            let calls = if self.tries { 2 * SAMPLE_EVERY } else { 1 };
            DEBT_NS.set(DEBT_NS.get() + self.saves_ns * calls as f32);
        } else if let Some(started) = self.started {
            let elapsed_ns = started.elapsed().as_nanos() as f32 - Costs::clock_ns();
            // As if all had been done, since that is what the estimate is for.
            let share = done().max(1) as f32 / self.brief.work.max(1) as f32;
            redraw(kind, self.brief.work, self.estimate_ns, elapsed_ns / share.min(1.0), self.workers());
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
    if work <= 1 {
        return Plan::Sequential(Watch::off());
    }
    let (cost, sure, line, weighed) = with_entry(kind.id, |entry| {
        if entry.id.get() != kind.id {
            return (0.0, false, 0.0, 0);
        }
        entry.weighed.set(entry.weighed.get().wrapping_add(1));
        let sure = entry.span.get() >= SURE_NS && entry.timings.get() >= TIMINGS_SURE;
        (entry.cost.get(), sure, entry.line.get(), entry.weighed.get())
    });
    let sequential = || Plan::Sequential(Watch { kind, work, timed: true });
    let cost = if cost == 0.0 { kind.prior.unwrap_or(0.0) } else { cost };
    let estimate_ns = cost * work as f32;
    if cost != 0.0 && estimate_ns < NEVER_BELOW_NS {
        return sequential();
    }
    let pool = pool.unwrap_or_else(|| Pool::global());
    let workers = pool.inner.helpers_max + 1;
    if workers == 1 {
        return Plan::Sequential(Watch::off());
    }
    let share = 1.0 - 1.0 / workers as f32;
    let saves_ns = estimate_ns * share;
    let parallel = |grain, wakes, tries: bool, timed: bool| {
        let started = timed.then(Instant::now);
        let brief = Brief { grain, work, wakes };
        Plan::Parallel(Team { pool, brief, kind: Some(kind), estimate_ns, saves_ns, tries, started })
    };
    if cost == 0.0 {
        if weighed > 0 {
            // Tried on the pool, and over before a unit was timed.
            return sequential();
        }
        // Nothing known: the loop finds out, one element at first.
        with_entry(kind.id, |entry| begin(entry, kind));
        return parallel(grain.map_or(Grain::From(0), Grain::Fixed), false, false, false);
    }
    if !sure && estimate_ns < UNSURE_BELOW_NS {
        return sequential();
    }
    let costs = Costs::of_this_machine();
    let line = if line > 0.0 {
        line
    } else {
        let line = costs.region_ns / share;
        with_entry(kind.id, |entry| {
            if entry.id.get() == kind.id {
                entry.line.set(line);
                set_light(entry);
            }
        });
        line
    };
    // A call below the line gets here once in `SAMPLE_EVERY`; half of those not far below it try the other way.
    let tries = estimate_ns < line && estimate_ns > line / 4.0 && weighed.is_multiple_of(2);
    if estimate_ns < line && !tries {
        return sequential();
    }
    let near = estimate_ns < 8.0 * line;
    if near && !tries && weighed.is_multiple_of(EXPLORE_EVERY) {
        return sequential();
    }
    let grain = match grain {
        Some(grain) => Grain::Fixed(grain),
        None if kind.prior.is_some() => Grain::From(0),
        None => Grain::From(grain_for(cost)),
    };
    // Small calls in close succession are together worth a wake: once they have lost as much as it costs, it is made.
    let wakes = saves_ns + DEBT_NS.get() > costs.wake_ns;
    if wakes {
        DEBT_NS.set(0.0);
        if tries {
            // Nobody can answer this one in time; try again soon, while they are awake.
            with_entry(kind.id, |entry| {
                entry.left.set(1);
                entry.weighed.set(weighed.wrapping_add(1));
            });
        }
    }
    parallel(grain, wakes, tries, tries || weighed.is_multiple_of(REDRAW_EVERY))
}
