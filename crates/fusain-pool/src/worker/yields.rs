//! Giving the core to another thread, unless a thread of another process then keeps it for long.
//!
//! A thread that waits yields because other threads of its own pool may have been put on its core. Those usually run for a moment only. But if other processes want the core
//! too, a scheduler may take a yield for the end of the time slice (Linux does, since 6.6). Then the thread waits for a time slice of each of them, and a call of microseconds
//! takes milliseconds. So yields are timed. After a long one the thread does not yield for a while, and that while doubles as long as each yield is long. A thread that falls
//! asleep instead of yielding preempts other processes when it is woken. (No `compare` program has other processes beside it. To see the effect, run a busy process for each
//! core and make a small call every 300 us.)
//!
//! Only a thread that can fall asleep stops yielding: a worker that spins for ever would keep the core from others of its own pool. A thread that yields from its first look on
//! falls asleep as soon as it stops yielding; these are threads that wait outside of the pool, and all threads if there are no more cores than workers. The long yield may have
//! been for a thread of the same program: one that works for 2 ms between its calls, say, may share its core with a worker, and will need it again soon. (The row `control` of
//! `compare rayon` has 200 us of such work.)

use crate::platform::HAS_TICKS;
use crate::platform::moment::{Moment, ticks_in};
use crate::sync::yield_now;
use std::cell::Cell;
use std::time::Duration;

/// A yield that takes longer is long. A time slice of another process is over 2 ms; a thread of the same program usually gives a core back sooner.
pub(crate) const LONG: Duration = Duration::from_millis(1);

/// How long a thread does not yield after a long yield, at first and at most. At most, yields of 3 ms then take a tenth of its time.
const REST_FIRST: Duration = Duration::from_millis(1);
const REST_LAST: Duration = Duration::from_millis(32);

/// The outcome of a yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Yielded {
    Short,
    Long,
    /// The thread has not yielded, since an earlier yield was long.
    Not,
}

/// What a thread remembers of its yields.
struct Yields {
    /// How long it does not yield, in ticks; 0 if its last yield was not long.
    rest: Cell<u32>,
    since: Cell<Moment>,
}

thread_local! {
    static YIELDS: Yields = const { Yields { rest: Cell::new(0), since: Cell::new(Moment::NONE) } };
}

fn ticks(time: Duration) -> u32 {
    ticks_in(time.as_nanos() as f32)
}

impl Yields {
    fn is_resting(&self) -> bool {
        self.rest.get() > 0 && self.since.get().ticks() < u64::from(self.rest.get())
    }

    /// Notes a yield that began at `begun` and has just ended.
    fn note(&self, begun: Moment) -> Yielded {
        if begun.ticks() > u64::from(ticks(LONG)) {
            self.rest.set((2 * self.rest.get()).clamp(ticks(REST_FIRST), ticks(REST_LAST)));
            self.since.set(Moment::now());
            Yielded::Long
        } else {
            self.rest.set(0);
            Yielded::Short
        }
    }
}

/// Gives the core to another thread that waits for it, unless that has taken long lately.
pub(crate) fn give_core_away() -> Yielded {
    if cfg!(loom) || !HAS_TICKS {
        yield_now();
        return Yielded::Short;
    }
    YIELDS.with(|yields| {
        if yields.is_resting() {
            return Yielded::Not;
        }
        let begun = Moment::now();
        yield_now();
        yields.note(begun)
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::platform::moment::stopped;

    fn pass(time: Duration) {
        stopped::pass(time.as_nanos() as f32);
    }

    #[test]
    fn who_has_lost_its_core_for_long_does_without_yields_for_a_while() {
        if !HAS_TICKS {
            return;
        }
        stopped::with(|| {
            let yields = Yields { rest: Cell::new(0), since: Cell::new(Moment::NONE) };
            let takes = |time| {
                let begun = Moment::now();
                pass(time);
                yields.note(begun)
            };
            assert_eq!(takes(LONG / 2), Yielded::Short);
            assert!(!yields.is_resting());
            let mut rest = REST_FIRST;
            for _ in 0..10 {
                assert_eq!(takes(15 * LONG), Yielded::Long);
                pass(rest * 9 / 10);
                assert!(yields.is_resting(), "{rest:?}");
                pass(rest / 5);
                assert!(!yields.is_resting(), "{rest:?}");
                rest = (2 * rest).min(REST_LAST);
            }
            assert_eq!(takes(LONG / 2), Yielded::Short);
            assert_eq!(takes(2 * LONG), Yielded::Long);
            pass(REST_FIRST * 11 / 10);
            assert!(!yields.is_resting(), "the last one but one was short");
        });
    }
}
