//! Go parallel or not: a small model of what a call costs either way.
//!
//! PaSTeL leaves open when an algorithm should run sequentially (its second question). The answer here has three parts.
//!
//! **What the work costs.** Each thread keeps, for each [`Kind`] of call (an algorithm with its closures' types), the
//! nanoseconds an element takes in sequence, learned from runs it timed: the first few, then one in 128. Looking it up takes
//! about two nanoseconds. A kind never seen is shared with workers that are awake and timed there, from one element up; that
//! gives a first idea, which the next small calls, run sequentially, make sure of. A call that is over before a unit was timed gives none;
//! the next one is run, and timed, sequentially.
//!
//! **What sharing costs.** Measured once a process: a cache-line round trip to a worker that is awake, a wake for one that
//! sleeps. With `p` workers a call should take the round trip and a `p`-th of its sequential time.
//!
//! **What happened.** Both are only a beginning: an algorithm has costs of its own (buffers, a tree), a unit may be compiled better or worse than
//! the sequential loop, cores may be busy with other processes, and those of a virtual machine may be moved apart. So what a call took, either way, is kept
//! for each half octave of length, and the better way is chosen by that. Some of the calls are timed, and now and then a few take
//! the other way: soon for a length that is new, and then so often that tries lose two per cent of the time at most. Long calls that gain much by sharing
//! are not run in sequence at all. The tests play machines of many kinds and find less than a tenth lost, at any length.
//!
//! **Searches** may end anywhere. A timing of one counts for as much as it has looked at, so what is kept of each way is the time of many calls over the
//! elements that they had to look at. The same hits being met either way, whichever is less is better for all of them together, though not for each.
//!
//! **Sleepers** are woken where one call saves more than a wake costs, or where a row of calls too small for that has lost as much
//! for want of them (the rule by which a skier rents until the rent would have paid for the skis: at most twice the best).
//!
//! A closure whose weight jumps from call to call can be misjudged; say so there by forcing the decision
//! (`par().always()`, `par().sequential()` in `fusain-algorithms`). [`Pool::run`] never asks the model.

mod class;
mod entry;
mod team;
#[cfg(all(test, not(loom)))]
mod tests;

use crate::costs::Costs;
use crate::pool::Pool;
use entry::{Choice, Entry, Prospect};
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

/// Decides how to run a call of `kind` with `work` elements on `pool` (the global one if none is named).
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
    let workers = || pool.unwrap_or_else(|| Pool::global()).inner.helpers_max + 1;
    let prospect = || Prospect { region_ns: Costs::of_this_machine().region_ns, workers: workers() as f32 };
    let choice = with_entry(kind, |entry| entry.weigh(kind, work, || (workers() > 1).then(prospect)));
    match choice {
        Choice::Alone { timed: true } => Plan::Sequential(Watch::of(kind, work)),
        Choice::Alone { timed: false } => Plan::Sequential(Watch::off()),
        Choice::Unknown | Choice::Shared { .. } => {
            Plan::Parallel(Team::of(pool.unwrap_or_else(|| Pool::global()), kind, work, grain, choice))
        }
    }
}
