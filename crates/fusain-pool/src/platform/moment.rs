//! How long short things take, by the processor's counter of ticks.
//!
//! To ask the clock takes as long as some hundred elements, and waits until all that was begun before is done, on both sides of what is timed. Calls that are timed would take
//! longer than others, and those that are shared more so, since they wait for other cores.

use crate::platform::{self, HAS_TICKS, Instant};
use std::hint::{black_box, spin_loop};
use std::sync::OnceLock;
use std::time::Duration;

#[inline(always)]
fn ticks() -> u64 {
    #[cfg(all(test, not(loom)))]
    if let Some(ticks) = stopped::ticks() {
        return ticks;
    }
    platform::ticks()
}

/// When something began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment(u64);

impl Moment {
    /// Of what is not timed.
    pub(crate) const NONE: Self = Self(0);

    #[inline(always)]
    pub(crate) fn now() -> Self {
        Self(ticks())
    }

    /// Ticks since then; 0 where the thread has moved to a core that is behind.
    #[inline(always)]
    pub(crate) fn ticks(self) -> u64 {
        (ticks().wrapping_sub(self.0) as i64).max(0) as u64
    }

    /// Nanoseconds since then, as [`net_ns`].
    pub(crate) fn elapsed_ns(self) -> f32 {
        net_ns(self.ticks())
    }
}

/// When something began, in half the room: so it comes round again after a second or two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShortMoment(u32);

impl ShortMoment {
    #[inline(always)]
    pub(crate) fn now() -> Self {
        Self(ticks() as u32)
    }

    /// Whether less than `ns` have passed since then, or since it came round; never where a look at the counter costs too much.
    pub(crate) fn is_within(self, ns: f32) -> bool {
        (ticks() as u32).wrapping_sub(self.0) < ticks_in(ns)
    }
}

/// What the counter of this machine counts.
struct Counter {
    ticks_per_ns: f32,
    /// What it takes to read it.
    look_ns: f32,
}

/// Measured at first use, in some 30 us.
fn counter() -> &'static Counter {
    static COUNTER: OnceLock<Counter> = OnceLock::new();
    COUNTER.get_or_init(|| {
        let ticks_per_ns = if HAS_TICKS { ticks_per_ns() } else { 1.0 };
        Counter { ticks_per_ns, look_ns: ticks_per_look() / ticks_per_ns }
    })
}

fn ticks_per_ns() -> f32 {
    /// Long beside what it takes to read both.
    const WHILE: Duration = Duration::from_micros(10);
    let mut rates = [(); 3].map(|()| {
        let (begun, moment) = (Instant::now(), Moment::now());
        while begun.elapsed() < WHILE {
            spin_loop();
        }
        moment.ticks() as f32 / begun.elapsed().as_nanos() as f32
    });
    // The one in the middle: between the readings of one of them the core may have been taken away.
    rates.sort_by(f32::total_cmp);
    rates[1]
}

/// Some counters go by steps, of which a look takes one or none: so what counts is how long many take.
fn ticks_per_look() -> f32 {
    const LOOKS: u64 = 32;
    let times = [(); 8].map(|()| {
        let begun = Moment::now();
        (1..LOOKS).for_each(|_| _ = black_box(ticks()));
        begun.ticks()
    });
    times.into_iter().min().unwrap_or_default() as f32 / LOOKS as f32
}

/// What it takes to look at the counter.
pub(crate) fn look_ns() -> f32 {
    counter().look_ns
}

/// How long something takes if so many ticks are seen to pass meanwhile: at least 1 ns.
pub(crate) fn net_ns(ticks: u64) -> f32 {
    (ticks as f32 / counter().ticks_per_ns - look_ns()).max(1.0)
}

/// Ticks that last `ns`; 0 where a look costs too much to be worth it for a short time.
pub(crate) fn ticks_in(ns: f32) -> u32 {
    if HAS_TICKS { (counter().ticks_per_ns * ns) as u32 } else { 0 }
}

/// Time that passes only where a test says so.
#[cfg(all(test, not(loom)))]
pub(crate) mod stopped {
    use super::{counter, platform, ticks_in};
    use std::cell::Cell;

    thread_local! {
        static TICKS: Cell<Option<u64>> = const { Cell::new(None) };
    }

    pub(super) fn ticks() -> Option<u64> {
        TICKS.get()
    }

    /// Stops this thread's counter while `body` runs.
    pub(crate) fn with<R>(body: impl FnOnce() -> R) -> R {
        /// Time goes on, also where the test fails.
        struct GoOn;

        impl Drop for GoOn {
            fn drop(&mut self) {
                TICKS.set(None);
            }
        }
        // It is measured by a counter that runs.
        counter();
        TICKS.set(Some(platform::ticks()));
        let _go_on = GoOn;
        body()
    }

    /// So long passes.
    pub(crate) fn pass(ns: f32) {
        let stopped = TICKS.get().expect("the counter is stopped");
        TICKS.set(Some(stopped + u64::from(ticks_in(ns))));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::platform::HAS_THREADS;
    use std::thread;

    #[test]
    fn ticks_tell_the_time() {
        if !HAS_THREADS {
            return;
        }
        let (begun, moment) = (Instant::now(), Moment::now());
        thread::sleep(Duration::from_millis(5));
        let (measured, least) = (moment.elapsed_ns(), 5e6);
        let most = begun.elapsed().as_nanos() as f32;
        assert!((0.9 * least..1.1 * most).contains(&measured), "{measured} ns, and not {least} to {most}");
    }
}
