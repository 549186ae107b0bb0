//! In sequence or shared: decided for each call, from what earlier calls of the same kind have taken.
//!
//! **The goal.** A call takes at most 1.05 times the better of the two ways, plus 10 ns. `compare noloss` measures how far that holds.
//!
//! **How.** Each thread keeps a record for each [`Kind`] of call (an algorithm with the types of its closures). Two of its numbers decide: the *cost*, which is
//! what an element takes in sequence, and the *crossover*, which is the sequential time from which sharing gains. A call whose length times cost is below the
//! crossover runs in sequence. Any other one is shared with workers that are awake. For a short call that takes one comparison. The rest of the record, a dozen
//! small cells, says how far the two numbers can be trusted: calls until the next timing or try, timings so far, losses in a row, the last surprise.
//!
//! * The **cost** is learned from sequential runs. The first few are timed, then one in `SAMPLE`, so a cost that changes is noticed soon. For calls that are
//!   always shared, it is corrected by units, which the run loop times anyway. The first call of a kind is shared, and wakes workers: its cost is not known, and
//!   may be high.
//! * The **crossover** starts as the theory says: with `p` workers and an empty call of time `r`, sharing gains from `r p / (p - 1)` on. It moves up when
//!   shared calls near it take longer than in sequence, several times in a row, since a single timing may have been interrupted. It moves down when they gain. So it
//!   accounts for an algorithm whose parallel form does more work, for cores that are busy, and for two cores that are threads of one. One call in `TRY` near the
//!   crossover goes the other way, which costs less than a hundredth. Of longer calls (`TIMED_NS`) that are further below one is shared again the sooner the less the
//!   last one lost: what long calls lost while another process had the cores says little about short ones later. If all workers sleep, such a try wakes one now and then, since otherwise a crossover that was
//!   once too high would stay.
//! * **Sleeping workers** are woken if the call saves more than a wake costs, or if a row of smaller calls has lost as much as a wake costs
//!   (`wakes.rs`).
//!
//! **What it can lose.** If the cost of a kind changes, up to `SAMPLE` calls run the wrong way. A closure whose cost jumps from call to call can be misjudged
//! for ever. Nobody knows where a search ends: it can take a quarter longer than the better way, and twice as long if it ends at once or never. A program can decide
//! itself (`par().always()`, `par().sequential()` in `fusain-algorithms`). [`Pool::run`] always shares.

mod kind;
mod team;
#[cfg(all(test, not(loom)))]
mod tests;

use crate::costs::Costs;
use crate::pool::Pool;
use kind::{Choice, Entry, Machine};
use std::any::type_name;

pub use crate::run::Steps;
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
    /// Two kinds to which the compiler gives the same name share one record, which at worst costs time.
    #[inline(always)]
    pub fn of<K: ?Sized>() -> Self {
        Self { id: type_name::<K>().as_ptr() as usize, prior: None }
    }

    /// Starts with a cost of `ns` nanoseconds for each element, and learns from sequential runs alone: for algorithms whose
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

/// Decides how to run a call of `kind` with `work` elements on `pool`. `None` means the pool whose work this thread is doing, or else the global one.
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
