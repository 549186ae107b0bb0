//! Giving the core to another thread, unless a stranger keeps it then.
//!
//! A thread that waits yields for the sake of threads of its own pool that may have been put on its core. They run for a moment, mostly. Where other processes want the core, too, a
//! scheduler may take a yield for the end of the time slice (Linux does, since 6.6), and the thread waits for theirs, of 3 ms each: a call of 30 us took 4 to 12 ms. So
//! yields are timed, and after one that was long the thread does without for a while, which doubles as long as all are long. Only who can fall asleep instead does without: a worker that spins for ever would take the core from others of its own pool. Who falls asleep instead preempts a
//! stranger when it is woken. (No comparison has strangers: beside a busy process for each core, a small call every 300 us shows it.)

use crate::platform::HAS_TICKS;
use crate::platform::moment::{Moment, ticks_in};
use crate::sync::yield_now;
use std::cell::Cell;
use std::time::Duration;

/// A yield that takes longer is long: no thread of a pool that waits or has short work keeps a core for that time.
pub(crate) const LONG: Duration = Duration::from_micros(200);

/// How long a thread does without yields at first, and at most: then those of 3 ms take it one part in ten of its time.
const REST_FIRST: Duration = Duration::from_millis(1);
const REST_LAST: Duration = Duration::from_millis(32);

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

    /// A yield that began at `begun` is over: whether it was long.
    fn note(&self, begun: Moment) -> bool {
        let is_long = begun.ticks() > u64::from(ticks(LONG));
        if is_long {
            self.rest.set((2 * self.rest.get()).clamp(ticks(REST_FIRST), ticks(REST_LAST)));
            self.since.set(Moment::now());
        } else {
            self.rest.set(0);
        }
        is_long
    }
}

/// Gives the core to another thread that waits for it, unless that has lately taken long; says whether it has now.
pub(crate) fn give_core_away() -> bool {
    if cfg!(loom) || !HAS_TICKS {
        yield_now();
        return false;
    }
    YIELDS.with(|yields| {
        if yields.is_resting() {
            return false;
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
            assert!(!takes(LONG / 2));
            assert!(!yields.is_resting());
            let mut rest = REST_FIRST;
            for _ in 0..10 {
                assert!(takes(15 * LONG));
                pass(rest * 9 / 10);
                assert!(yields.is_resting(), "{rest:?}");
                pass(rest / 5);
                assert!(!yields.is_resting(), "{rest:?}");
                rest = (2 * rest).min(REST_LAST);
            }
            assert!(!takes(LONG / 2));
            assert!(takes(2 * LONG));
            pass(REST_FIRST * 11 / 10);
            assert!(!yields.is_resting(), "the last one but one was short");
        });
    }
}
