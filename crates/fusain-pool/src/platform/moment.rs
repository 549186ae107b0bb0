//! How long short things take, by the processor's counter of ticks.
//!
//! Reading the clock takes as long as some hundred elements, and waits until earlier instructions are done, before and after what is timed. So calls that are timed would
//! take longer than others, and shared calls even more so, since they wait for other cores.

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
    /// The moment of something that is not timed.
    pub(crate) const NONE: Self = Self(0);

    #[inline(always)]
    pub(crate) fn now() -> Self {
        Self(ticks())
    }

    /// Ticks since then; 0 if the thread has moved to a core whose counter is behind.
    #[inline(always)]
    pub(crate) fn ticks(self) -> u64 {
        (ticks().wrapping_sub(self.0) as i64).max(0) as u64
    }

    /// Nanoseconds since then, as [`net_ns`].
    pub(crate) fn elapsed_ns(self) -> f32 {
        net_ns(self.ticks())
    }
}

/// When something began, in half the room, so that it wraps around after a second or two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShortMoment(u32);

impl ShortMoment {
    #[inline(always)]
    pub(crate) fn now() -> Self {
        Self(ticks() as u32)
    }

    /// Whether less than `ns` have passed since then, or since it last wrapped around. Always false where reading the counter costs too much.
    pub(crate) fn is_within(self, ns: f32) -> bool {
        (ticks() as u32).wrapping_sub(self.0) < ticks_in(ns)
    }
}

/// The rate of this machine's counter.
struct Counter {
    ticks_per_ns: f32,
    /// What reading it takes.
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
    /// Long compared with reading both the clock and the counter.
    const WHILE: Duration = Duration::from_micros(10);
    let mut rates = [(); 3].map(|()| {
        let (begun, moment) = (Instant::now(), Moment::now());
        while begun.elapsed() < WHILE {
            spin_loop();
        }
        moment.ticks() as f32 / begun.elapsed().as_nanos() as f32
    });
    // The median: the core may have been taken away between the readings of one of them.
    rates.sort_by(f32::total_cmp);
    rates[1]
}

/// Some counters go in steps, so that a reading takes one step or none. So the time of many readings is divided by their number.
fn ticks_per_look() -> f32 {
    const LOOKS: u64 = 32;
    let times = [(); 8].map(|()| {
        let begun = Moment::now();
        (1..LOOKS).for_each(|_| _ = black_box(ticks()));
        begun.ticks()
    });
    times.into_iter().min().unwrap_or_default() as f32 / LOOKS as f32
}

/// What reading the counter takes.
pub(crate) fn look_ns() -> f32 {
    counter().look_ns
}

/// How long something takes, in nanoseconds, if `ticks` pass from the reading before it to the reading after it: at least 1.
pub(crate) fn net_ns(ticks: u64) -> f32 {
    (ticks as f32 / counter().ticks_per_ns - look_ns()).max(1.0)
}

/// The number of ticks in `ns`; 0 where reading the counter costs too much to be worth it for a short time.
pub(crate) fn ticks_in(ns: f32) -> u32 {
    if HAS_TICKS { (counter().ticks_per_ns * ns) as u32 } else { 0 }
}

/// Time that passes only when a test says so.
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
        /// Lets time go on, also if the test fails.
        struct GoOn;

        impl Drop for GoOn {
            fn drop(&mut self) {
                TICKS.set(None);
            }
        }
        // Its rate is measured while it runs.
        counter();
        TICKS.set(Some(platform::ticks()));
        let _go_on = GoOn;
        body()
    }

    /// Lets `ns` nanoseconds pass.
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
