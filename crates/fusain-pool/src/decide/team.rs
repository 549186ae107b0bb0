//! The two ways a call can be run, and what each tells the numbers of its kind afterwards.

use crate::call::{Brief, Outcome};
use crate::costs::Costs;
use crate::handle::Handle;
use crate::pace::{Grain, Timing, grain_for};
use crate::platform::Instant;
use crate::pool::Pool;
use crate::run::{self, Steps};
use crate::wakes;
use std::cell::Cell;
use std::thread;

use super::kind::Choice;
use super::{Kind, with_entry};

/// How to run one call.
///
/// Its tag, and what the short way reads, are whole words: parts of words that are copied as others than they were written stall a short call
/// for longer than it takes.
#[derive(Debug)]
#[repr(usize)]
pub enum Plan<'p> {
    /// On the calling thread, perhaps timed.
    Sequential(Watch),
    /// On the pool.
    Parallel(Team<'p>),
}

/// Times a sequential run if that has been asked for.
#[derive(Debug)]
pub struct Watch {
    /// Of the kind; 0: not timed.
    id: usize,
    work: usize,
}

impl Watch {
    pub(super) fn of(kind: Kind, work: usize) -> Self {
        Self { id: kind.id, work }
    }

    /// A watch that does not look.
    #[inline(always)]
    pub fn off() -> Self {
        Self { id: 0, work: 0 }
    }

    /// Runs `f`.
    #[inline(always)]
    pub fn time<R>(self, f: impl FnOnce() -> R) -> R {
        let work = self.work;
        self.time_some(f, |_| work)
    }

    /// Runs `f`, which may end before all of its work is done: `done` says from its result how much was.
    #[inline(always)]
    pub fn time_some<R>(self, f: impl FnOnce() -> R, done: impl FnOnce(&R) -> usize) -> R {
        let running = self.start();
        let result = f();
        running.stop(|| done(&result));
        result
    }

    /// Starts it, for a run that is not in a closure, as that is not always inlined.
    #[inline(always)]
    pub fn start(self) -> Running {
        Running { started: (self.id != 0).then(Instant::now), watch: self }
    }

    #[cold]
    fn note(self, started: Instant, done: usize) {
        let elapsed_ns = net_ns(started);
        let kind = Kind { id: self.id, prior: None };
        with_entry(kind, |entry| entry.took_alone(kind, self.work, done, elapsed_ns));
    }
}

/// A [`Watch`] that has been started.
#[derive(Debug)]
pub struct Running {
    watch: Watch,
    started: Option<Instant>,
}

impl Running {
    /// Stops it: the run has ended, when `done` of its work was done.
    #[inline(always)]
    pub fn stop(self, done: impl FnOnce() -> usize) {
        if let Some(started) = self.started {
            self.watch.note(started, done());
        }
    }
}

/// Time since `started`, without what looking at the clock takes.
fn net_ns(started: Instant) -> f32 {
    (started.elapsed().as_nanos() as f32 - Costs::clock_ns()).max(1.0)
}

#[derive(Clone, Copy, Debug)]
struct Sleepers {
    unshared: bool,
    woke: bool,
}

/// The workers a call has been given, until the call is over: when it is dropped it notes how long that took.
#[derive(Debug)]
pub struct Team<'p> {
    /// None: the pool whose work this thread is doing, else the global one.
    pool: Option<&'p Pool>,
    brief: Brief,
    kind: Kind,
    /// Whether sequence is thought the better way.
    is_try: bool,
    /// What the call would take in sequence; 0 where that is not known.
    alone_ns: f32,
    /// What an element takes in sequence; 0 where that is not known.
    element_ns: f32,
    /// Where the call is one of those that are timed.
    started: Option<Instant>,
    /// Whether workers slept when the first run began, and whether any run woke one; if there was any run at all.
    sleepers: Cell<Option<Sleepers>>,
}

impl<'p> Team<'p> {
    /// All of the pool, sleeping workers included, whatever the work. What is known of `kind` gives the lengths of parts, no more.
    pub fn all(pool: Option<&'p Pool>, kind: Kind, grain: Option<usize>) -> Self {
        let mut team = Self::new(pool, kind, Brief { grain: first_grain(kind, grain), work: 0, wakes: true });
        team.element_ns = with_entry(kind, |entry| entry.cost(kind)).unwrap_or(0.0);
        team
    }

    /// Those that are awake, and the sleepers where that pays, for a call that is to be shared.
    pub(super) fn of(pool: Option<&'p Pool>, kind: Kind, work: usize, grain: Option<usize>, choice: Choice) -> Self {
        let brief = Brief { grain: first_grain(kind, grain), work, wakes: false };
        let Choice::Shared { is_timed, is_try, alone_ns } = choice else {
            // Nothing is known of it. It may be long.
            return Self::new(pool, kind, Brief { wakes: true, ..brief });
        };
        let wakes = wakes::is_due(alone_ns) || (is_try && wakes::affords_try());
        let mut team = Self::new(pool, kind, Brief { wakes, ..brief });
        team.is_try = is_try;
        team.alone_ns = alone_ns;
        team.element_ns = alone_ns / work as f32;
        team.started = (is_timed || wakes).then(Instant::now);
        team
    }

    fn new(pool: Option<&'p Pool>, kind: Kind, brief: Brief) -> Self {
        Self {
            pool,
            brief,
            kind,
            is_try: false,
            alone_ns: 0.0,
            element_ns: 0.0,
            started: None,
            sleepers: Cell::new(None),
        }
    }

    /// How many workers can take part, the caller included.
    pub fn workers(&self) -> usize {
        Pool::named_or_here(self.pool, |pool| pool.helpers_max + 1)
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
        (self.element_ns > 0.0).then(|| (ns / self.element_ns) as usize)
    }

    /// Runs `algorithm` from `local`; see [`Pool::run`].
    ///
    /// Of the algorithm no more is known than the type of its states. So a function that is not generic and calls this has the run loop compiled with it, and
    /// not again in each program that calls that function.
    ///
    /// # Panics
    /// As [`Pool::run`] does.
    pub fn run<L: Send>(&self, algorithm: &Steps<'_, L>, local: L) {
        // Who forces a call to be shared may well see units that had to wait for a wake: where runs in sequence have told the cost, that stands.
        let is_forced = self.alone_ns == 0.0 && self.element_ns > 0.0;
        if let Some(unit) = self.run_only(algorithm, local).filter(|_| !is_forced) {
            self.saw(unit);
        }
    }

    fn saw(&self, unit: Timing) {
        with_entry(self.kind, |entry| entry.saw_unit(self.kind, unit.elements, unit.elapsed_ns));
    }

    /// Runs, and returns the longest unit that was timed.
    #[inline]
    fn run_only<L: Send>(&self, algorithm: &Steps<'_, L>, local: L) -> Option<Timing> {
        let mut local = Some(local);
        self.enter(&mut |handle| {
            let local = local.take().expect("a call is run once");
            run::run(handle, algorithm, local, self.brief)
        })
    }

    /// Runs a call with this thread as a worker, and notes what it has shown. Not generic, unlike the ways into the pool: those would be compiled for each algorithm.
    #[inline(never)]
    fn enter(&self, call: &mut dyn FnMut(&Handle<'_>) -> Outcome) -> Option<Timing> {
        let Outcome { timing, unshared, woke } = Pool::named_or_here(self.pool, |pool| pool.enter(call));
        let before = self.sleepers.get().unwrap_or(Sleepers { unshared, woke });
        self.sleepers.set(Some(Sleepers { woke: before.woke || woke, ..before }));
        timing
    }
}

impl Team<'_> {
    /// As [`run`](Self::run) for an algorithm that may end before all of its work is done. How long that takes says nothing about what it would have taken in
    /// sequence, so it moves no crossover.
    ///
    /// # Panics
    /// As [`Pool::run`] does.
    pub fn run_search<L: Send>(mut self, algorithm: &Steps<'_, L>, local: L) {
        let started = self.started.take();
        // Of a search whose cost is known a unit tells nothing: that is the cost of what was looked at, not of what there is.
        let is_known = self.element_ns > 0.0;
        if let Some(unit) = self.run_only(algorithm, local).filter(|_| !is_known) {
            self.saw(unit);
        }
        self.ended_search(started);
    }

    fn ended_search(&self, started: Option<Instant>) {
        // One that found workers asleep says nothing about those that do not.
        if let Some(started) = started
            && self.sleepers.get().is_some_and(|sleepers| !sleepers.unshared)
        {
            let elapsed_ns = net_ns(started);
            with_entry(self.kind, |entry| entry.searched_shared(self.kind, self.brief.work, elapsed_ns));
        }
    }
}

impl Drop for Team<'_> {
    #[inline]
    fn drop(&mut self) {
        let Some(Sleepers { unshared, woke }) = self.sleepers.get() else { return };
        if unshared && !woke && self.alone_ns > 0.0 {
            wakes::went_without(self.alone_ns);
        }
        let Some(started) = self.started.filter(|_| !thread::panicking()) else { return };
        let elapsed_ns = net_ns(started);
        if unshared && !woke {
            // As good as in sequence, so if it was shorter than that was thought to be, that was wrong.
            if elapsed_ns < self.alone_ns {
                with_entry(self.kind, |entry| {
                    entry.took_alone(self.kind, self.brief.work, self.brief.work, elapsed_ns);
                });
            }
        } else if woke {
            // It says nothing about calls that find everybody awake.
            wakes::woke(self.alone_ns, elapsed_ns);
            if self.is_try {
                with_entry(self.kind, |entry| entry.retry(self.kind));
            }
        } else {
            with_entry(self.kind, |entry| entry.took_shared(self.kind, self.brief.work, elapsed_ns));
        }
    }
}

/// The grain the user asks for, or else the one that fits what is known.
fn first_grain(kind: Kind, grain: Option<usize>) -> Grain {
    if let Some(grain) = grain {
        return Grain::Fixed(grain);
    }
    let cost = if kind.prior.is_some() { None } else { with_entry(kind, |entry| entry.cost(kind)) };
    Grain::From(cost.map_or(0, grain_for))
}
