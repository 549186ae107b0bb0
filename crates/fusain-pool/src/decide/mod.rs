//! In sequence or shared: decided call by call, from three numbers a kind.
//!
//! **The contract.** A call takes at most 1.05 times the better of the two ways, plus 10 ns. `compare noloss` measures how far that is kept.
//!
//! **How.** Each thread keeps for each [`Kind`] of call (an algorithm with its closures' types) what an element costs in sequence, the *crossover*, which is
//! the sequential time from which sharing gains, and a count of calls until the next look. A call whose cost times length is below the crossover runs in
//! sequence, which takes one comparison to find out; every other one is shared with workers that are awake.
//!
//! * The **cost** is learned from sequential runs: the first few are timed, then one in `SAMPLE`, so that a weight that changes is noticed soon. What
//!   is always shared is corrected by the units that the run loop times anyway. A kind never seen is shared, and wakes: what it costs is not known, and may be much.
//! * The **crossover** begins at what theory says: with `p` workers and an empty region of `r`, sharing gains from `r p / (p - 1)`. It moves up when shared
//!   calls near it take longer than in sequence, several times in a row, since single timings are interrupted; and down when they gain. So an algorithm whose parallel form does
//!   more work, cores that are busy, and a machine whose two cores are one, come out by themselves. One call in `TRY` near the crossover goes the
//!   other way, which costs less than a hundredth; where all workers sleep it wakes one now and then, since otherwise a crossover that was once too high would stay.
//! * **Sleepers** are woken where one call saves more than a wake costs, or where a row of calls too small for that has lost as much for want of them (who rents skis
//!   until the rent would have paid for them loses at most half: competitive ratio 2).
//!
//! **What it can lose.** A kind whose weight changes runs the wrong way for up to `SAMPLE` calls. A closure whose weight jumps from call to call can be
//! misjudged for ever, and searches, of which nobody knows where they end, by a quarter, those that end at once or never by two; say so there (`par().always()`, `par().sequential()` in `fusain-algorithms`). [`Pool::run`] never asks.

mod kind;
mod team;
#[cfg(all(test, not(loom)))]
mod tests;

use crate::costs::Costs;
use crate::pool::Pool;
use kind::{Choice, Entry, Machine};
use std::any::type_name;

pub use team::{Plan, Team, Watch};

/// What identifies calls that cost alike: an algorithm with the types it is compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    id: usize,
    prior: Option<f32>,
}

impl Kind {
    /// The kind named by type `K`, usually the [`Algorithm`](crate::Algorithm) or a tuple of a marker and the closure's type.
    ///
    /// Two kinds that the compiler gives one name share their numbers, which costs time at worst.
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

const ENTRIES: usize = 64;

thread_local! {
    /// Direct-mapped: two kinds that meet in a place take turns in it and are timed more often.
    static KNOWN: [Entry; ENTRIES] = const { [const { Entry::new() }; ENTRIES] };
}

#[inline(always)]
fn with_entry<R>(kind: Kind, f: impl FnOnce(&Entry) -> R) -> R {
    // Strings of different lengths lie at any address; two shifts mix enough of it.
    let place = (kind.id ^ (kind.id >> 6)) % ENTRIES;
    KNOWN.with(|known| f(&known[place]))
}

/// Decides how to run a call of `kind` with `work` elements on `pool`; if none is named, on the one whose work this thread is doing, else the global one.
#[inline(always)]
pub fn plan<'p>(pool: Option<&'p Pool>, kind: Kind, work: usize, grain: Option<usize>) -> Plan<'p> {
    if with_entry(kind, |entry| entry.is_light(kind, work)) {
        Plan::Sequential(Watch::off())
    } else {
        weigh(pool, kind, work, grain)
    }
}

#[cold]
#[inline(never)]
fn weigh<'p>(pool: Option<&'p Pool>, kind: Kind, work: usize, grain: Option<usize>) -> Plan<'p> {
    if work <= 1 {
        return Plan::Sequential(Watch::off());
    }
    let machine = || {
        let helpers = Pool::named_or_here(pool, |pool| pool.helpers_max);
        (helpers > 0).then(|| Machine { region_ns: Costs::of_this_machine().region_ns, workers: (helpers + 1) as f32 })
    };
    match with_entry(kind, |entry| entry.choose(kind, work, machine)) {
        Choice::Alone { is_timed: true } => Plan::Sequential(Watch::of(kind, work)),
        Choice::Alone { is_timed: false } => Plan::Sequential(Watch::off()),
        choice => Plan::Parallel(Team::of(pool, kind, work, grain, choice)),
    }
}
