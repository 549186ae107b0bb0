//! What parallelism costs on this machine: measured once in a process, at the first call that needs to know.

use crate::platform::{Instant, cores};
use crate::sync::{self, Ordering};
use std::hint::spin_loop;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// Times in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// A call with nothing to do that is shared with a worker that is awake.
    pub(crate) region_ns: f32,
    /// From waking a thread that has just fallen asleep to its first instruction: the least that a wake can cost (see [`wakes`](crate::idle::wakes)).
    wake_ns: f32,
}

static COSTS: OnceLock<Costs> = OnceLock::new();

/// The number of round trips in a batch, and of batches. The fastest batch counts, since interruptions only slow a batch down.
const ROUNDS: usize = 32;
const BATCHES: usize = 8;

/// No round trip between two cores of one machine takes longer.
const TRIP_NS_MAX: f32 = 1_000.0;

/// Bounds of the cost of a wake: a measured time outside is taken for an error, such as a core that was not free.
const WAKE_NS_MIN: f32 = 2_000.0;
const WAKE_NS_MAX: f32 = 50_000.0;

/// The cost of a wake that is assumed where it could not be measured, or has not been yet.
const WAKE_NS_LATE: f32 = 10_000.0;

/// What is assumed where nothing could be measured, or has been yet.
const ASSUMED: Costs = Costs { region_ns: 150.0, wake_ns: WAKE_NS_LATE };

/// An empty shared call takes this many round trips, with the bookkeeping at both ends; see `compare region`.
const REGION: f32 = 1.3;

/// The most that the measurement may take, since the first call of a program waits for it: on a busy machine each round trip can wait for a time slice.
const LONGEST: Duration = Duration::from_millis(2);

/// The value that the caller gives `turn` when it gives up, which it does only when it is its turn.
const END: usize = usize::MAX;

impl Costs {
    /// Measured at first use, which takes at most a few milliseconds.
    pub(crate) fn of_this_machine() -> &'static Costs {
        // A thread that is bound to one core would have to share it with its partner, while the workers may have others.
        COSTS.get().unwrap_or_else(|| if cores() < 2 { &ASSUMED } else { COSTS.get_or_init(Costs::measure) })
    }

    /// What a wake costs at least, or an assumed cost where nothing has been measured yet. A join or scope does not wait for the measurement: for nearly all of them it makes no
    /// difference what exactly a wake costs.
    pub(crate) fn wake_ns() -> f32 {
        COSTS.get().unwrap_or(&ASSUMED).wake_ns
    }

    /// What a shared call with nothing to do costs, or an assumed cost where nothing has been measured yet.
    #[inline(always)]
    pub(crate) fn region_ns() -> f32 {
        COSTS.get().unwrap_or(&ASSUMED).region_ns
    }

    fn measure() -> Self {
        let turn = sync::AtomicUsize::new(0);
        let caller = thread::current();
        thread::scope(|scope| {
            let partner = thread::Builder::new().name("fusain-measures".into()).spawn_scoped(scope, || {
                for round in 0..ROUNDS * BATCHES {
                    if !await_turn(&turn, 2 * round + 1) {
                        return;
                    }
                    turn.store(2 * round + 2, Ordering::Release);
                }
                for round in ROUNDS * BATCHES..ROUNDS * BATCHES + BATCHES {
                    while turn.load(Ordering::Acquire) != 2 * round + 1 {
                        if turn.load(Ordering::Acquire) == END {
                            return;
                        }
                        thread::park();
                    }
                    turn.store(2 * round + 2, Ordering::Release);
                    caller.unpark();
                }
            });
            let Ok(partner) = partner else { return ASSUMED };
            let begun = Instant::now();
            let is_late = || begun.elapsed() > LONGEST;
            let mut trip_ns = f32::INFINITY;
            for batch in 0..BATCHES {
                let started = Instant::now();
                let mut rounds = 0;
                // The clock is read seldom, since that is part of what is measured.
                while rounds < ROUNDS && (rounds % 8 != 0 || !is_late()) {
                    let round = batch * ROUNDS + rounds;
                    turn.store(2 * round + 1, Ordering::Release);
                    await_turn(&turn, 2 * round + 2);
                    rounds += 1;
                }
                trip_ns = trip_ns.min(started.elapsed().as_nanos() as f32 / rounds.max(1) as f32);
                if is_late() {
                    turn.store(END, Ordering::Release);
                    partner.thread().unpark();
                    // Both threads had to share a core, since the other cores were busy: so the round trip is bounded, and the cost of a wake assumed.
                    let region_ns = REGION * trip_ns.min(TRIP_NS_MAX);
                    return Self { region_ns, wake_ns: WAKE_NS_LATE };
                }
            }
            let mut wakes = [WAKE_NS_LATE; BATCHES];
            for (at, wake) in wakes.iter_mut().enumerate() {
                let (round, started) = (ROUNDS * BATCHES + at, Instant::now());
                turn.store(2 * round + 1, Ordering::Release);
                partner.thread().unpark();
                while turn.load(Ordering::Acquire) != 2 * round + 2 {
                    thread::park();
                }
                *wake = started.elapsed().as_nanos() as f32 / 2.0;
                if is_late() {
                    turn.store(END, Ordering::Release);
                    partner.thread().unpark();
                    break;
                }
            }
            Self {
                region_ns: REGION * trip_ns.min(TRIP_NS_MAX),
                wake_ns: median(&wakes).clamp(WAKE_NS_MIN, WAKE_NS_MAX),
            }
        })
    }
}

/// The median: the greatest time such that at most half of them are less.
fn median(times: &[f32]) -> f32 {
    let less = |time: f32| times.iter().filter(|other| **other < time).count();
    times.iter().copied().filter(|time| less(*time) <= times.len() / 2).fold(0.0, f32::max)
}

/// Spins until `turn` has this value, and yields now and then: the partner may not have a core at the moment. Returns false if the caller has given up.
fn await_turn(turn: &sync::AtomicUsize, value: usize) -> bool {
    let mut turns = 0_u32;
    loop {
        let seen = turn.load(Ordering::Acquire);
        if seen == value || seen == END {
            return seen == value;
        }
        turns += 1;
        if turns.is_multiple_of(1 << 12) {
            thread::yield_now();
        }
        spin_loop();
    }
}
