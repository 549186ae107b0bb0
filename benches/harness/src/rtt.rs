//! The unit of reaction time: one cache line sent to another core and back.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use crate::median;

/// Two lines, since the prefetcher fetches them in pairs.
#[repr(align(128))]
struct Line(AtomicU64);

const TRIPS_PER_SAMPLE: u64 = 200;
const SAMPLES: usize = 300;

/// Median time of a round trip between the first two cores this process may use, in nanoseconds.
///
/// Two threads, each pinned to a core, pass one line to and fro: odd numbers go there, even ones come back. `None` where
/// there is only one core, on which the two would wait for the scheduler instead of for each other.
pub fn round_trip_ns() -> Option<f64> {
    let cores = core_affinity::get_core_ids()?;
    let [here, there, ..] = cores[..] else { return None };
    let line = Line(AtomicU64::new(0));
    let last = TRIPS_PER_SAMPLE * 2 * (SAMPLES as u64 + 1);
    let samples = thread::scope(|scope| {
        scope.spawn(|| {
            core_affinity::set_for_current(there);
            for odd in (1..last).step_by(2) {
                // Acquire and Release pair with the server's: one message at a time goes through the line.
                while line.0.load(Ordering::Acquire) != odd {
                    spin_loop();
                }
                line.0.store(odd + 1, Ordering::Release);
            }
        });
        let server = scope.spawn(|| {
            core_affinity::set_for_current(here);
            let mut even = 0;
            let mut samples = Vec::with_capacity(SAMPLES);
            for sample in 0..=SAMPLES {
                let start = Instant::now();
                for _ in 0..TRIPS_PER_SAMPLE {
                    line.0.store(even + 1, Ordering::Release);
                    even += 2;
                    while line.0.load(Ordering::Acquire) != even {
                        spin_loop();
                    }
                }
                // The first one waits for the other thread to start.
                if sample > 0 {
                    samples.push(start.elapsed().as_nanos() as f64 / TRIPS_PER_SAMPLE as f64);
                }
            }
            samples
        });
        server.join().ok()
    })?;
    Some(median(&samples))
}
