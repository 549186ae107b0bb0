//! Giving the core to another thread, unless a stranger keeps it then.
//!
//! A thread that waits yields for the sake of threads of its own pool that may have been put on its core. They run for a moment, mostly. Where other processes want the core, too, a
//! scheduler may take a yield for the end of the time slice (Linux does, since 6.6), and the thread waits for theirs, of 3 ms each: a call of 30 us took 4 to 12 ms. So
//! yields are timed, and after one that was long the thread does without for a while, which doubles as long as all are long. Who falls asleep instead preempts a
//! stranger when it is woken. (No comparison has strangers: beside a busy process for each core, a small call every 300 us shows it.)
//!
//! Only who can fall asleep does without: a worker that spins for ever would take the core from others of its own pool. And who yields from
//! its first look on (a thread that waits outside of the pool, and everybody where there are no more cores than workers) falls asleep then, for what was long may have been one of its
//! own: a program's thread that works for 2 ms between its calls may have a worker on its core that needs it soon. (The row `control` of `compare rayon` has 200 us of such work.)

use crate::platform::HAS_TICKS;
use crate::platform::moment::{Moment, ticks_in};
use crate::sync::yield_now;
use std::cell::Cell;
use std::time::Duration;

/// A yield that takes longer is long: a time slice of a stranger is over 2 ms, and what threads of a program do on a core that another one waits for is shorter, mostly.
pub(crate) const LONG: Duration = Duration::from_millis(1);

/// How long a thread does without yields at first, and at most: then those of 3 ms take it one part in ten of its time.
const REST_FIRST: Duration = Duration::from_millis(1);
const REST_LAST: Duration = Duration::from_millis(32);

/// What became of a yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Yielded {
    Short,
    Long,
    /// The thread does without.
    Not,
}

/// What a thread knows of its yields.
struct Yields {
    /// How long it does without, in ticks; 0: its last one was not long.
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

    /// A yield that began at `begun` is over.
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

/// Gives the core to another thread that waits for it, unless that has lately taken long.
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
