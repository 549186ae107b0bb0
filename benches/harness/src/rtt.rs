//! The unit of reaction time: one cache line sent to another core and back.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use crate::median;

/// Two lines, since the prefetcher fetches them in pairs.
#[repr(align(128))]
struct Line(AtomicU64);

/// Median time of a round trip between the first two cores that this process may use, in nanoseconds. `None` where there is only one core.
pub fn round_trip_ns() -> Option<f64> {
    const SAMPLES: usize = 100;
    const TRIPS: usize = 500;
    let samples: Option<Vec<f64>> = (0..SAMPLES).map(|_| round_trips_ns(TRIPS)).collect();
    Some(median(&samples?) / TRIPS as f64)
}

/// Time of `trips` round trips between the first two cores that this process may use, together, in nanoseconds.
///
/// Two threads, each pinned to a core, pass one line to and fro: odd numbers go there, even ones come back. `None` where
/// there is only one core, on which the two would wait for the scheduler instead of for each other.
pub fn round_trips_ns(trips: usize) -> Option<f64> {
    let cores = core_affinity::get_core_ids()?;
    let [here, there, ..] = cores[..] else { return None };
    let line = Line(AtomicU64::new(0));
    // One more than is timed: the first one waits for the other thread to start.
    let last = (trips as u64 + 1) * 2;
    thread::scope(|scope| {
        scope.spawn(|| {
            core_affinity::set_for_current(there);
            for odd in (1..last).step_by(2) {
                // Acquire and Release pair with those of the first thread: one message at a time goes through the line.
                while line.0.load(Ordering::Acquire) != odd {
                    spin_loop();
                }
                line.0.store(odd + 1, Ordering::Release);
            }
        });
        let first = scope.spawn(|| {
            core_affinity::set_for_current(here);
            let mut start = Instant::now();
            for even in (2..=last).step_by(2) {
                line.0.store(even - 1, Ordering::Release);
                while line.0.load(Ordering::Acquire) != even {
                    spin_loop();
                }
                if even == 2 {
                    start = Instant::now();
                }
            }
            start.elapsed().as_nanos() as f64
        });
        first.join().ok()
    })
}
