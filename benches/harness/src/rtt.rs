//! The unit of reaction times: a round trip of one cache line to another core.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use crate::median;

/// Aligned to two cache lines, because the prefetcher fetches them in pairs.
#[repr(align(128))]
struct Line(AtomicU64);

/// The median time in nanoseconds of a round trip between the first two cores that this process may use. `None` if there is only one core.
pub fn round_trip_ns() -> Option<f64> {
    const SAMPLES: usize = 100;
    const TRIPS: usize = 500;
    let samples: Option<Vec<f64>> = (0..SAMPLES).map(|_| round_trips_ns(TRIPS)).collect();
    Some(median(&samples?) / TRIPS as f64)
}

/// The total time in nanoseconds of `trips` round trips between the first two cores that this process may use.
///
/// Two threads, each pinned to a core, pass one line back and forth: odd numbers go there, even ones come back. `None` if there is only one
/// core, on which the two would wait for the scheduler instead of for each other.
pub fn round_trips_ns(trips: usize) -> Option<f64> {
    let cores = core_affinity::get_core_ids()?;
    let [here, there, ..] = cores[..] else { return None };
    let line = Line(AtomicU64::new(0));
    // One more trip than is timed, because the first waits for the other thread to start.
    let last = (trips as u64 + 1) * 2;
    thread::scope(|scope| {
        scope.spawn(|| {
            core_affinity::set_for_current(there);
            for odd in (1..last).step_by(2) {
                // Acquire and Release pair with those of the first thread: the line holds one message at a time.
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
