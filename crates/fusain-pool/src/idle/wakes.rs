//! When to wake sleepers, judged by what a wake has cost this thread, what calls have lost without one, and what calls have gained by one.
//!
//! **The ski-rental rule.** A skier who does not know how many days lie ahead rents skis until the rent would have paid for a pair, and then buys. That costs at most
//! twice the least possible (competitive ratio 2). Here buying is a wake, and the rent is the time that a call loses while the workers sleep. A call that saves
//! more than a wake costs wakes at once. Smaller calls lose a little each; when together they have lost as much as a wake costs, one is made. But a wake lasts only
//! until the workers fall asleep again, so only losses in close succession count. Bursts of short calls with rests between them wake no worker,
//! since each burst would need its own wake.
//!
//! **Bursts.** The calls in close succession until all workers sleep again are a *burst*. After each burst the pool computes how much less time it would have taken if its first
//! call had woken the workers: what was lost before the wake, plus what the calls after it gained over running in sequence. That number lowers or raises the *threshold* of the
//! class of calls ([`decide`](crate::decide)): how many times the cost of a wake must be lost before one is made. If bursts gain, the threshold falls to 0, and the first call
//! after a rest wakes; if they lose, it doubles. So a program whose bursts are alike soon pays only for the better way, as in ski rental with predictions. From time to
//! time a wake is made all the same, to see whether it gains by now.
//!
//! What a wake costs is learned from the calls that made one. It is far more than the system call if the system lets the woken thread run in place of
//! its waker, or has to get a core out of deep sleep.

use crate::platform::Instant;
use crate::platform::costs::Costs;
use std::cell::Cell;
use std::time::Duration;

/// Losses are in close succession if their sum is at least one part in this many of the time since the first one. A call that gains just enough to be shared loses more than that.
const DENSE: f32 = 40.0;

/// Calls from this length on, in nanoseconds, look at the clock: it costs them less than a hundredth.
const LOOKED_AT_NS: f32 = 2_500.0;

/// A burst in which no worker was woken is over after this time without a call: awake workers would have fallen asleep by then.
const REST: Duration = Duration::from_micros(100);

/// Wakes that are made to see whether they gain may take one part in this many of the time of calls that find all workers asleep.
const TRY_PART: f32 = 64.0;

/// Bounds of the learned cost of a wake, in nanoseconds, since any timing may have been interrupted. Calls longer than twice the upper one always wake: when a few long
/// tasks are shared, it cannot be told how much of the time the wake took.
const COST_NS_MIN: f32 = 2_000.0;
const COST_NS_MAX: f32 = 30_000.0;

/// Which call of a burst has woken workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wake {
    /// None has.
    None,
    /// The first one.
    First,
    /// A later one, when those before it had lost this many nanoseconds.
    Late(f32),
}

/// A burst that is over, and how much time it would have saved if its first call had woken workers. If no worker was woken in it, `gain_ns` compares it with the average time of
/// such calls instead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Burst {
    pub(crate) wake: Wake,
    pub(crate) gain_ns: f32,
}

struct Wakes {
    /// 0: not seen yet.
    cost_ns: Cell<f32>,
    lost_ns: Cell<f32>,
    since: Cell<Option<Instant>>,
    /// The time that tries may take by now.
    saved_ns: Cell<f32>,
    /// The class of calls that has begun the burst (0: there is none), which call has woken workers, what has been gained since, and when the burst went on last, if none was woken.
    burst: Cell<usize>,
    wake: Cell<Wake>,
    gained_ns: Cell<f32>,
    last: Cell<Option<Instant>>,
}

thread_local! {
    static WAKES: Wakes = const {
        Wakes {
            cost_ns: Cell::new(0.0),
            lost_ns: Cell::new(0.0),
            since: Cell::new(None),
            saved_ns: Cell::new(0.0),
            burst: Cell::new(0),
            wake: Cell::new(Wake::None),
            gained_ns: Cell::new(0.0),
            last: Cell::new(None),
        }
    };
}

impl Wakes {
    fn cost_ns(&self) -> f32 {
        if self.cost_ns.get() == 0.0 { Costs::wake_ns() } else { self.cost_ns.get() }
    }

    /// Whether there are losses, in close succession up to now.
    fn is_in_burst(&self) -> bool {
        let since = self.since.get().filter(|_| self.lost_ns.get() > 0.0);
        since.is_some_and(|since| is_dense(self.lost_ns.get(), since.elapsed().as_nanos() as f32))
    }

    /// Whether a wake is due, given that losses are as much as it costs; if not, they are forgotten.
    fn settle(&self) -> bool {
        let is_in_burst = self.is_in_burst();
        if !is_in_burst {
            self.lost_ns.set(0.0);
        }
        is_in_burst
    }
}

fn is_dense(lost_ns: f32, elapsed_ns: f32) -> bool {
    lost_ns * DENSE > elapsed_ns
}

/// A better estimate of the cost after a wake that took `sample_ns`, from the estimate before; 0: there was none.
fn learned(cost_ns: f32, sample_ns: f32) -> f32 {
    let sample_ns = sample_ns.clamp(COST_NS_MIN, COST_NS_MAX);
    // Interruptions only ever lengthen a timing.
    if cost_ns == 0.0 { sample_ns } else { cost_ns + 0.25 * (sample_ns - cost_ns).min(cost_ns) }
}

/// Whether work of `alone_ns` in sequence gains by waking a sleeper, whatever that costs.
pub(crate) fn is_long(alone_ns: f32) -> bool {
    alone_ns / 2.0 > COST_NS_MAX
}

/// Whether work of `alone_ns` in sequence gains by waking a sleeper.
pub(crate) fn is_worth_waking(alone_ns: f32) -> bool {
    WAKES.with(|wakes| alone_ns / 2.0 > wakes.cost_ns())
}

/// Whether a call of `alone_ns` in sequence that gains `gain_ns` if it is shared is to wake sleepers, for that or for what calls before it have lost.
/// `threshold` is that of its class.
pub(crate) fn is_due(alone_ns: f32, gain_ns: f32, threshold: f32) -> Wake {
    WAKES.with(|wakes| {
        let due_ns = threshold * wakes.cost_ns();
        let is_looking = alone_ns > LOOKED_AT_NS;
        let is_first = wakes.lost_ns.get() == 0.0 || (is_looking && !wakes.is_in_burst());
        let is_due = is_long(alone_ns)
            || gain_ns > due_ns
            || (gain_ns + wakes.lost_ns.get() > due_ns && wakes.settle())
            || (is_first && is_looking && affords_try(wakes));
        if !is_due {
            return Wake::None;
        }
        let lost_ns = wakes.lost_ns.replace(0.0);
        if is_first { Wake::First } else { Wake::Late(lost_ns) }
    })
}

/// Whether it is time to try what a wake gains though none is due.
fn affords_try(wakes: &Wakes) -> bool {
    let affords = wakes.saved_ns.get() > wakes.cost_ns();
    if affords {
        wakes.saved_ns.set(0.0);
    }
    affords
}

/// The estimated cost of a wake.
pub(crate) fn cost_ns() -> f32 {
    WAKES.with(Wakes::cost_ns)
}

/// The number of calls, each of which would gain `gain_ns`, that together lose what has to be lost before a wake is due.
pub(crate) fn calls_until_due(gain_ns: f32, threshold: f32) -> f32 {
    WAKES.with(|wakes| (threshold * wakes.cost_ns() - wakes.lost_ns.get()) / gain_ns)
}

/// A call of the class `key` finds all workers asleep, and is about to wake some or not. It begins a burst, unless it continues one in which all workers sleep.
pub(crate) fn begin_burst(key: usize, wake: Wake) {
    WAKES.with(|wakes| {
        if wake == Wake::None && wakes.burst.get() != 0 {
            return;
        }
        wakes.burst.set(key);
        wakes.wake.set(wake);
        wakes.gained_ns.set(if let Wake::Late(lost_ns) = wake { lost_ns } else { 0.0 });
        wakes.last.set(None);
    });
}

/// All workers sleep: returns the burst before, and the class that has begun it, if it is over. A burst in which all have slept is ended only by a call that is long enough to
/// look at the clock.
pub(crate) fn end_burst(is_looking: bool) -> Option<(usize, Burst)> {
    WAKES.with(|wakes| {
        let is_over = wakes.wake.get() != Wake::None
            || (is_looking && wakes.last.get().is_none_or(|last| last.elapsed() >= REST));
        let key = if is_over { wakes.burst.replace(0) } else { 0 };
        (key != 0).then(|| (key, Burst { wake: wakes.wake.get(), gain_ns: wakes.gained_ns.get() }))
    })
}

/// A call in sequence took `gain_ns` less than such calls take on average, or more if that is negative. It counts in a row in which all workers sleep.
pub(crate) fn note_alone(gain_ns: f32) {
    WAKES.with(|wakes| {
        if wakes.burst.get() != 0 && wakes.wake.get() == Wake::None {
            gained(gain_ns);
            wakes.last.set(Some(Instant::now()));
        }
    });
}

/// A call has gained `gain_ns` by being shared, or lost time if that is negative.
pub(crate) fn gained(gain_ns: f32) {
    // A call that was interrupted does not decide.
    WAKES.with(|wakes| wakes.gained_ns.set(wakes.gained_ns.get() + gain_ns.max(-COST_NS_MAX)));
}

/// Calls that take `alone_ns` in sequence together, and would gain `gain_ns`, find workers asleep and do not wake them. Returns what a burst before has lost, if it has ended
/// without a wake.
pub(crate) fn note_unwoken(alone_ns: f32, gain_ns: f32) -> Option<f32> {
    WAKES.with(|wakes| {
        // Of short calls only those that begin a row look at the clock.
        let is_looking = alone_ns > LOOKED_AT_NS || wakes.lost_ns.get() == 0.0;
        let begins = is_looking && !wakes.is_in_burst();
        let before = if begins { wakes.lost_ns.replace(0.0) } else { 0.0 };
        if begins {
            wakes.since.set(Some(Instant::now()));
        }
        wakes.lost_ns.set(wakes.lost_ns.get() + gain_ns);
        wakes.saved_ns.set(wakes.saved_ns.get() + alone_ns / TRY_PART);
        (before > 0.0).then_some(before)
    })
}

/// A call of `alone_ns` in sequence has woken workers, and took `elapsed_ns`.
pub(crate) fn woke(alone_ns: f32, elapsed_ns: f32) {
    gained(alone_ns - elapsed_ns);
    if alone_ns < 2.0 * COST_NS_MAX {
        WAKES.with(|wakes| wakes.cost_ns.set(learned(wakes.cost_ns.get(), elapsed_ns - alone_ns / 2.0)));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_learned_at_once_and_outlives_an_interruption() {
        let mut cost_ns = learned(0.0, 20_000.0);
        assert_eq!(cost_ns, 20_000.0);
        cost_ns = learned(cost_ns, 10_000_000.0);
        assert!(cost_ns < 23_000.0, "{cost_ns}");
        for _ in 0..20 {
            cost_ns = learned(cost_ns, 5_000.0);
        }
        assert!(cost_ns < 6_000.0, "{cost_ns}");
        assert_eq!(learned(0.0, -5.0), COST_NS_MIN);
    }

    #[test]
    fn losses_count_in_close_succession() {
        // Eight calls of 10 us, then 5 ms of rest.
        assert!(!is_dense(40_000.0, 5_000_000.0));
        // One after the other.
        assert!(is_dense(40_000.0, 80_000.0));
        // One after the other, each of which gains just enough to be shared. If these did not count, such calls would be thought better shared, and find all asleep for ever.
        assert!(is_dense(3_000.0, 100_000.0));
    }

    #[test]
    fn small_calls_are_due_when_they_have_lost_a_wake() {
        WAKES.with(|wakes| wakes.cost_ns.set(20_000.0));
        assert_eq!(is_due(41_000.0, 20_500.0, 1.0), Wake::First);
        let first = (1..).find(|_| {
            let is_due = is_due(2_000.0, 1_000.0, 1.0) != Wake::None;
            if !is_due {
                note_unwoken(2_000.0, 1_000.0);
            }
            is_due
        });
        assert_eq!(first, Some(21));
        assert_eq!(is_due(2_000.0, 1_000.0, 1.0), Wake::None, "paid");
    }

    #[test]
    fn a_burst_is_judged_by_what_its_first_call_could_have_gained() {
        WAKES.with(|wakes| wakes.cost_ns.set(20_000.0));
        // As many as lose the cost of five wakes.
        for _ in 0..100 {
            note_unwoken(2_000.0, 1_000.0);
        }
        let wake = is_due(2_000.0, 1_000.0, 4.0);
        let Wake::Late(lost_ns) = wake else { panic!("{wake:?}") };
        assert!(lost_ns > 80_000.0);
        begin_burst(7, wake);
        woke(2_000.0, 22_000.0);
        let (key, burst) = end_burst(true).expect("the burst is over");
        assert_eq!(key, 7);
        assert!(burst.gain_ns > 50_000.0, "{burst:?}");
    }
}
