//! In sequence or shared: decided for each call, from what earlier calls of the same kind have taken.
//!
//! **The goal.** A call takes at most 1.05 times the better of the two ways, plus 10 ns. `compare noloss` measures how far that holds.
//!
//! **How.** Calls of one [`Kind`] (an algorithm with the types of its closures) whose lengths have the same power of two form a *class*. For each class a
//! thread keeps two numbers: what an element costs in sequence, and what it costs shared with the workers that are awake. The smaller one decides. (The second one is that of a
//! call in the middle of the lengths: most of what sharing adds is the same for all of them.)
//!
//! * Both are **measured** (`way.rs`). Short calls are looked at now and then, so that all looks take a hundredth of the time; how the others are run stands on one
//!   cache line (`known.rs`). Interruptions lengthen, so a longer timing counts for less than a shorter one, and never for more than a quarter beyond what was expected; one that
//!   is three times as long counts only if the next one is, too. Which calls are looked at is drawn by lot: programs have a rhythm, and else it could always be the first one
//!   after a rest. Workers cannot gain more than their number: if two shared calls in a row seem to, elements have become lighter.
//! * The other way is **tried** (`trial.rs`) when a part of the time since the last try pays for what the try is expected to lose. So what is close is tried often,
//!   and what is far away seldom. The part is large after a change, and each try halves it. A try has several calls, of which the later ones count: in the first ones the data
//!   has to move between the caches of the cores. One that is far behind after a few calls ends there. What takes less than half an empty call is never tried shared.
//! * A class that is new begins with the costs of a class of the same kind and another length, or else with the theory: with `p` workers and an empty call of time
//!   `r`, work that takes `t` in sequence takes `r + t / p`. The first call of a kind is shared, and wakes workers: its cost is not known, and may be high.
//! * **Sleeping workers** are woken if the call saves more than a wake costs, or if a row of smaller calls has lost as much as a wake costs
//!   (`wakes.rs`). Each row is judged by what it would have gained if its first call had woken somebody: classes whose rows gain wake at once, those whose rows lose
//!   wait until more is lost. Calls that find all workers asleep, and do not wake them, run in sequence.
//! * Calls of **mixed weight** that run in sequence look at the counter midway, and share what is left if their elements are far longer than those of others (`midway.rs`). Only
//!   loops do, in kinds of which such calls have been seen (`class/mixture.rs`).
//!
//! **What it can lose.** If elements become far heavier, up to 32 calls run in sequence before one is seen to take too long, fewer of longer calls, and two more; if they become lighter, the calls up to the
//! next look are shared. After a time in which sharing lost, since
//! another process had the cores, say, it takes until a try is paid for: a loss of twice the time in sequence is made good after some 1,000 calls, and after 130 if something had
//! just changed. Where the cost jumps from call to call, long calls that run in sequence share all but their first elements. Nobody knows where a search ends: it can take a quarter longer than the better way,
//! and twice as long if it ends at once or never. A program can decide itself (`par().always()`, `par().sequential()` in `fusain-algorithms`). [`Pool::run`] always
//! shares.

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
use known::{Key, Light, with_class, with_known};

use team::Terms;
pub use team::{Plan, Team, Watch};
use usual::Usual;

/// What identifies calls that cost alike: an algorithm with the types it is compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    id: usize,
    /// What an element is thought to cost at first; 0: not known; negative: likewise, of a kind whose units are its own. Not an `Option`: so a kind is passed in registers.
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

    /// Starts with a cost of `ns` nanoseconds for each element, and learns from sequential runs alone: for algorithms whose
    /// units are not proportional to elements.
    #[inline(always)]
    pub fn with_prior(mut self, ns: f32) -> Self {
        self.prior_ns = ns;
        self
    }

    /// Learns from sequential runs alone, as with a [prior cost](Self::with_prior), but starts without one: the first call is shared, since it may be long.
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
    let (limit, usual) = match known::light(Key::of(kind, work)) {
        Some(Light { ticks, usual }) => (ticks as usize, usual),
        None => match weigh(pool, kind, work, grain) {
            Verdict::Alone { limit, usual } => (limit, usual),
            Verdict::Shared(team) => return Plan::Parallel(team),
        },
    };
    Plan::Sequential(Watch::within(kind, work, limit, usual))
}

/// What a call is to do that has been weighed.
///
/// Not a [`Plan`]: the words of a watch would come from memory then, also for calls that are not weighed.
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
        // Nothing is known of it. It may be long.
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

/// Whether a call that gains by being shared wakes sleepers, now that all workers sleep. If not, some calls after it are not weighed either.
fn wakes_sleepers(kind: Kind, work: usize, is_try: bool, alone_ns: f32, gain_ns: f32) -> bool {
    let is_long = alone_ns >= LOOKED_AT_NS;
    if let Some((key, row)) = wakes::end_row(is_long) {
        with_known(Key::from_word(key), |class| class.threshold.judge(row));
    }
    let threshold = with_class(kind, work, |class, _| class.threshold.get());
    // What a try may cost has been weighed.
    let wake = if is_try { Wake::First } else { wakes::is_due(alone_ns, gain_ns, threshold) };
    let wakes = wake != Wake::None;
    if !wakes {
        let at_most = wakes::calls_until_due(gain_ns, threshold);
        with_class(kind, work, |class, _| {
            let calls = f32::from(class.pass(work, at_most) + 1);
            if let Some(lost_ns) = wakes::went_without(alone_ns * calls, gain_ns * calls) {
                class.threshold.row_is_over(lost_ns > wakes::cost_ns());
            }
        });
    }
    if wakes || is_long {
        wakes::begin_row(Key::of(kind, work).to_word(), wake);
    }
    wakes
}
