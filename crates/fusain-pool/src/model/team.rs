//! The two ways a call can be run, and what each tells the model afterwards.

use crate::Algorithm;
use crate::call::Brief;
use crate::costs::Costs;
use crate::pace::{Grain, grain_for};
use crate::pool::Pool;
use std::cell::Cell;
use std::time::Instant;

use super::entry::Choice;
use super::{Kind, with_entry};

thread_local! {
    /// What this thread's calls have lost since the last wake because workers slept.
    static DEBT_NS: Cell<f32> = const { Cell::new(0.0) };
}

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

/// Times a sequential run if the model has asked for it.
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
        if self.id == 0 {
            return f();
        }
        let started = Instant::now();
        let result = f();
        self.stop(started, done(&result));
        result
    }

    #[cold]
    fn stop(self, started: Instant, done: usize) {
        let elapsed_ns = net_ns(started);
        let kind = Kind { id: self.id, prior: None };
        with_entry(kind, |entry| entry.took_alone(kind, self.work, done, elapsed_ns));
    }
}

/// Time since `started`, without what looking at the clock takes.
fn net_ns(started: Instant) -> f32 {
    (started.elapsed().as_nanos() as f32 - Costs::clock_ns()).max(1.0)
}

/// The workers a call has been given.
#[derive(Clone, Copy, Debug)]
pub struct Team<'p> {
    pool: &'p Pool,
    brief: Brief,
    kind: Kind,
    /// What the call would take in sequence, as far as that is known, and what sharing may save of it.
    alone_ns: f32,
    saves_ns: f32,
    /// Calls like this one, itself among them, that are not looked at.
    stands_for: u32,
    /// Where the call is one of those that are timed.
    started: Option<Instant>,
}

impl<'p> Team<'p> {
    /// All of `pool`, sleeping workers included, whatever the work. What is known of `kind` gives the first grain, no more.
    pub fn all(pool: &'p Pool, kind: Kind, grain: Option<usize>) -> Self {
        let brief = Brief { grain: first_grain(kind, grain), work: 0, wakes: true };
        Self { pool, brief, kind, alone_ns: 0.0, saves_ns: 0.0, stands_for: 1, started: None }
    }

    /// Those that are awake, and the sleepers where that pays, for a call that the model has chosen to share.
    pub(super) fn of(pool: &'p Pool, kind: Kind, work: usize, grain: Option<usize>, choice: Choice) -> Self {
        let grain = first_grain(kind, grain);
        let Choice::Shared { timed, tries, alone_ns, saves_ns, stands_for } = choice else {
            let brief = Brief { grain, work, wakes: false };
            return Self { pool, brief, kind, alone_ns: 0.0, saves_ns: 0.0, stands_for: 1, started: None };
        };
        // Small calls in close succession are together worth a wake: once they have lost as much as it costs, it is made.
        let wakes = saves_ns + DEBT_NS.get() > Costs::of_this_machine().wake_ns;
        if wakes {
            DEBT_NS.set(0.0);
            if tries {
                // Nobody can answer this one in time; try again while they are awake.
                with_entry(kind, |entry| entry.weigh_next(kind));
            }
        }
        let brief = Brief { grain, work, wakes };
        Self { pool, brief, kind, alone_ns, saves_ns, stands_for, started: timed.then(Instant::now) }
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
        (self.alone_ns > 0.0).then(|| (ns / self.alone_ns * self.brief.work as f32) as usize)
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
        let kind = self.kind;
        if let Some(unit) = outcome.timing {
            with_entry(kind, |entry| entry.saw_unit(kind, unit.elements, unit.elapsed_ns));
        }
        if outcome.unshared {
            // Says nothing about calls that find workers awake, not even where it has woken some.
            if !self.brief.wakes {
                DEBT_NS.set(DEBT_NS.get() + self.saves_ns * self.stands_for as f32);
            }
        } else if let Some(started) = self.started {
            let elapsed_ns = net_ns(started);
            with_entry(kind, |entry| entry.took_shared(kind, self.brief.work, done(), elapsed_ns));
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
