//! Decides for each call whether it runs in sequence or is shared, from what earlier calls of the same kind have taken.
//!
//! **The goal.** A call takes at most 1.05 times the better of the two ways, plus 10 ns. `compare noloss` measures how far that holds.
//!
//! **How.** Calls of one [`Kind`] (an algorithm with the types of its closures) whose lengths have the same power of two form a *class*. For each class a
//! thread keeps two costs of an element: in sequence, and shared with the workers that are awake. The lower cost decides. The shared cost is that of a call in the middle of
//! the class's lengths, since most of what sharing adds does not depend on the length.
//!
//! * Both costs are **measured** (`way.rs`). Of short calls only some are *weighed*, that is decided anew and timed, which takes about 1 % of their time. The calls in between
//!   are run as the last decision says, which is cached in one cache line (`known.rs`). The calls to be timed are chosen at random: a program has a rhythm, and every timed call
//!   might otherwise be the first one after a rest.
//! * An interruption makes a timing longer. So a longer timing has a smaller weight than a shorter one, and counts for at most a quarter more than was expected. A
//!   timing of more than three times what was expected counts only if the next one is as long. Workers cannot gain more than their number: if two shared calls in a row
//!   seem to, the elements have become lighter.
//! * The way that seems worse is **tried** (`trial.rs`) once a fraction of the time since the last trial exceeds the trial's expected loss. So ways that are close to each other
//!   are compared often, ways that are far apart seldom. The fraction is largest after a change, and each trial halves it down to a minimum. A trial has several
//!   calls, of which only the later ones count: during the first ones the data moves between the caches of the cores. A trial that is far behind after a few calls ends
//!   there. A call that takes less than half the time of an empty shared call is never tried shared.
//! * A new class starts with the costs of a class of the same kind and another length. Where there is none, it starts with theory: with `p` workers and an empty shared call
//!   of time `r`, work that takes `t` in sequence takes `r + t / p`. The first call of a kind is shared, and wakes workers: its cost is not known, and may be high.
//! * **Sleeping workers** are woken if the call saves more than a wake costs, or if a *burst* of smaller calls in close succession has lost as much as a wake costs
//!   (`wakes.rs`). Each burst is judged by what it would have gained if its first call had woken a worker. Classes whose bursts gain wake at once; those whose bursts lose
//!   wait until more is lost. Calls that find all workers asleep, and do not wake them, run in sequence.
//! * A call that runs in sequence may be timed **midway**, and share the rest of its elements if they are far longer than usual (`midway.rs`). Only loops over an algorithm do
//!   this, in classes in which such calls have been seen (`class/mixture.rs`).
//!
//! **What it can lose.** If elements become far heavier, up to 32 calls run in sequence before one is found to take too long (fewer where calls are longer), and two more after
//! that. If elements become lighter, the calls up to the next timing are shared. Sharing may have lost for a while, for instance because another process had the cores. It is
//! tried again when a trial is paid for: if it took twice the time in sequence, after some 1,000 calls, or after 130 if something had just changed. Where the cost
//! jumps from call to call, long calls that run in sequence share all but their first elements. Where a search ends is not known beforehand: it can take a quarter longer
//! than the better way, and twice as long if it ends at once or never. A program can decide itself (`par().always()`, `par().sequential()` in `fusain-algorithms`).
//! [`Pool::run`] always shares.

mod class;
mod known;
mod midway;
mod team;
#[cfg(all(test, not(loom)))]
mod tests;
mod threshold;
mod trial;
mod usual;
mod way;

use crate::idle::wakes::{self, Wake};
use crate::platform::costs::Costs;
use crate::pool::Pool;
use crate::worker::inner::Inner;
use crate::worker::kinds::kind_of;
use class::{Choice, LOOKED_AT_NS, Machine};
use known::{Key, Unweighed, with_class, with_known};

use team::Terms;
pub use team::{Plan, Team, Watch};
use usual::Usual;

/// What identifies calls that cost alike: an algorithm with the types it is compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    id: usize,
    /// Nanoseconds that an element is thought to cost before any is measured. 0: not known. Negative: not known, and units are not proportional to elements.
    /// Not an `Option`, so that a kind is passed in registers.
    prior_ns: f32,
}

impl Kind {
    /// The kind named by type `K`, usually the [`Algorithm`](crate::Algorithm) or a tuple of a marker and the closure's type.
    ///
    /// Two kinds to which the compiler gives the same name share one record, which at worst costs time.
    #[inline(always)]
    pub fn of<K: ?Sized>() -> Self {
        Self { id: kind_of::<K>(), prior_ns: 0.0 }
    }

    /// Starts with a cost of `ns` nanoseconds for each element, and learns only from sequential runs: for algorithms whose
    /// units are not proportional to elements.
    #[inline(always)]
    pub fn with_prior(mut self, ns: f32) -> Self {
        self.prior_ns = ns;
        self
    }

    /// Learns only from sequential runs, as with a [prior cost](Self::with_prior), but starts without one: the first call is shared, since it may be long.
    #[inline(always)]
    pub fn with_own_units(mut self) -> Self {
        self.prior_ns = -1.0;
        self
    }

    /// Whether its units are not proportional to elements.
    fn units_are_its_own(&self) -> bool {
        self.prior_ns != 0.0
    }
}

/// Decides how to run a call of `kind` with `work` elements on `pool`. `None` means the pool whose work this thread is doing, or else the global one.
#[inline(always)]
pub fn plan<'p>(pool: Option<&'p Pool>, kind: Kind, work: usize, grain: Option<usize>) -> Plan<'p> {
    let (limit, usual) = match known::unweighed(Key::of(kind, work)) {
        Some(Unweighed { ticks, usual }) => (ticks as usize, usual),
        None => match weigh(pool, kind, work, grain) {
            Verdict::Alone { limit, usual } => (limit, usual),
            Verdict::Shared(team) => return Plan::Parallel(team),
        },
    };
    Plan::Sequential(Watch::within(kind, work, limit, usual))
}

/// How a call that has been weighed is to run.
///
/// Not a [`Plan`]: then the words of a watch would be read from memory, also for calls that are not weighed.
enum Verdict<'p> {
    /// In sequence; see [`Watch::within`].
    Alone {
        limit: usize,
        usual: Usual,
    },
    Shared(Team<'p>),
}

#[cold]
#[inline(never)]
fn weigh<'p>(pool: Option<&'p Pool>, kind: Kind, work: usize, grain: Option<usize>) -> Verdict<'p> {
    if work <= 1 {
        return Verdict::Alone { limit: team::UNWATCHED, usual: Usual::NONE };
    }
    let helpers = Pool::named_or_here(pool, |pool| pool.helpers_max);
    let is_asleep = || Pool::named_or_here(pool, Inner::is_asleep);
    let again = if helpers > 0 { known::shared_again(Key::of(kind, work)) } else { None };
    let choice = match again {
        Some(again) => {
            let alone_ns = again.cost * work as f32;
            if !is_asleep() {
                return Verdict::Shared(Team::of(pool, kind, work, grain, Terms::untimed(alone_ns, again.wakes)));
            }
            Choice::Shared { stands_for: 0, is_try: false, alone_ns, gain_ns: again.gain_ns }
        }
        None => {
            let machine = Machine { workers: (helpers + 1) as f32, region_ns: || Costs::of_this_machine().region_ns };
            with_class(kind, work, |class, is_new| class.choose(work, is_new, machine, wakes::cost_ns, is_asleep))
        }
    };
    let usual = || with_class(kind, work, |class, _| class.usual());
    let (stands_for, is_try, alone_ns, gain_ns) = match choice {
        Choice::Alone => return Verdict::Alone { limit: team::TIMES, usual: usual() },
        // Nothing is known of the call, so it may be long.
        Choice::Unknown => return Verdict::Shared(Team::all(pool, kind, work, grain)),
        Choice::Shared { stands_for, is_try, alone_ns, gain_ns } => (stands_for, is_try, alone_ns, gain_ns),
    };
    let is_asleep = is_asleep();
    if is_asleep && !wakes_sleepers(kind, work, is_try, alone_ns, gain_ns) {
        let is_timed = stands_for > 0 || alone_ns >= LOOKED_AT_NS;
        return Verdict::Alone { limit: if is_timed { team::TIMES } else { team::UNWATCHED }, usual: usual() };
    }
    let wakes = is_asleep || wakes::is_worth_waking(alone_ns);
    let is_timed = stands_for > 0 || wakes;
    Verdict::Shared(Team::of(pool, kind, work, grain, Terms { stands_for, is_timed, is_try, alone_ns, wakes }))
}

/// Whether a call that gains by being shared is to wake workers, all of which sleep. If not, some of the calls after it run in sequence without being weighed.
fn wakes_sleepers(kind: Kind, work: usize, is_try: bool, alone_ns: f32, gain_ns: f32) -> bool {
    let is_long = alone_ns >= LOOKED_AT_NS;
    if let Some((key, burst)) = wakes::end_burst(is_long) {
        with_known(Key::from_word(key), |class| class.threshold.judge(burst));
    }
    let threshold = with_class(kind, work, |class, _| class.threshold.get());
    // Before a trial began, its cost had been paid for, with that of a wake.
    let wake = if is_try { Wake::First } else { wakes::is_due(alone_ns, gain_ns, threshold) };
    let wakes = wake != Wake::None;
    if !wakes {
        let at_most = wakes::calls_until_due(gain_ns, threshold);
        with_class(kind, work, |class, _| {
            let calls = f32::from(class.pass(work, at_most) + 1);
            if let Some(lost_ns) = wakes::note_unwoken(alone_ns * calls, gain_ns * calls) {
                class.threshold.burst_is_over(lost_ns > wakes::cost_ns());
            }
        });
    }
    if wakes || is_long {
        wakes::begin_burst(Key::of(kind, work).to_word(), wake);
    }
    wakes
}
