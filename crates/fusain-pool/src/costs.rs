//! What this machine charges for parallelism: measured once a process, at the first call that needs to know.

use crate::platform::{Instant, cores};
use crate::sync::{self, Ordering};
use std::hint::spin_loop;
use std::sync::OnceLock;
use std::thread;

/// Times in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// A call shared with a worker that is awake, with nothing to do.
    pub(crate) region_ns: f32,
    /// From waking a thread that has just fallen asleep to its first instruction: the least that a wake can cost (see [`wakes`](crate::wakes)).
    pub(crate) wake_ns: f32,
    /// Reading the clock twice.
    pub(crate) clock_ns: f32,
}

static COSTS: OnceLock<Costs> = OnceLock::new();

/// Round trips in a batch, and batches; the fastest batch counts, since everything else that runs only slows it down.
const ROUNDS: usize = 32;
const BATCHES: usize = 8;

/// No round trip between two cores of one machine takes longer.
const TRIP_NS_MAX: f32 = 1_000.0;

/// Nor does a wake take less or, on a machine with a core to spare, more.
const WAKE_NS_MIN: f32 = 2_000.0;
const WAKE_NS_MAX: f32 = 50_000.0;

impl Costs {
    /// Measured at first use, which takes about half a millisecond.
    pub(crate) fn of_this_machine() -> &'static Costs {
        COSTS.get_or_init(Costs::measure)
    }

    /// What reading the clock twice costs; a common figure where nothing has been measured yet.
    pub(crate) fn clock_ns() -> f32 {
        COSTS.get().map_or(20.0, |costs| costs.clock_ns)
    }

    fn measure() -> Self {
        let clock_ns = (0..16).map(|_| Instant::now().elapsed().as_nanos() as f32).fold(f32::INFINITY, f32::min);
        // Without a second core nothing is worth sharing.
        let never = Self { region_ns: f32::INFINITY, wake_ns: f32::INFINITY, clock_ns };
        if cores() < 2 {
            return never;
        }
        let ball = sync::AtomicUsize::new(0);
        let caller = thread::current();
        thread::scope(|scope| {
            let partner = thread::Builder::new().name("fusain-measures".into()).spawn_scoped(scope, || {
                for round in 0..ROUNDS * BATCHES {
                    await_ball(&ball, 2 * round + 1);
                    ball.store(2 * round + 2, Ordering::Release);
                }
                for round in 0..BATCHES {
                    while ball.load(Ordering::Acquire) != 2 * (ROUNDS * BATCHES + round) + 1 {
                        thread::park();
                    }
                    ball.store(2 * (ROUNDS * BATCHES + round) + 2, Ordering::Release);
                    caller.unpark();
                }
            });
            // No thread to be had: then there are no workers either.
            let Ok(partner) = partner else { return never };
            let mut trip_ns = f32::INFINITY;
            for batch in 0..BATCHES {
                let started = Instant::now();
                for round in batch * ROUNDS..(batch + 1) * ROUNDS {
                    ball.store(2 * round + 1, Ordering::Release);
                    await_ball(&ball, 2 * round + 2);
                }
                trip_ns = trip_ns.min(started.elapsed().as_nanos() as f32 / ROUNDS as f32);
            }
            let mut wakes = [0.0; BATCHES];
            for (round, wake) in wakes.iter_mut().enumerate() {
                let started = Instant::now();
                ball.store(2 * (ROUNDS * BATCHES + round) + 1, Ordering::Release);
                partner.thread().unpark();
                while ball.load(Ordering::Acquire) != 2 * (ROUNDS * BATCHES + round) + 2 {
                    thread::park();
                }
                *wake = started.elapsed().as_nanos() as f32 / 2.0;
            }
            wakes.sort_by(f32::total_cmp);
            // A call is a round trip and the bookkeeping at both ends; see `compare region`. Where both threads had to share a core
            // all the while, because others were busy, the plausible stands in for the measured.
            Self {
                region_ns: 1.3 * trip_ns.min(TRIP_NS_MAX),
                wake_ns: wakes[BATCHES / 2].clamp(WAKE_NS_MIN, WAKE_NS_MAX),
                clock_ns,
            }
        })
    }
}

/// Spins, and yields now and then: the partner may not have a core of its own at the moment.
fn await_ball(ball: &sync::AtomicUsize, value: usize) {
    let mut turns = 0_u32;
    while ball.load(Ordering::Acquire) != value {
        turns += 1;
        if turns.is_multiple_of(1 << 12) {
            thread::yield_now();
        }
        spin_loop();
    }
}
