//! Closures whose cost changes: by a factor of a thousand while the program runs, or from call to call over few elements.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use fusain::algorithms::Par;
use fusain::pool::Pool;

use super::{POLICIES, Point, policy};
use fusain_harness::{Options as Common, gather, in_turn, settle};

/// The number of elements, and the weight of each before and after the change, in steps.
pub(super) const CHANGES: [(usize, u32, u32); 8] = [
    (64, 1, 1_000),
    (64, 1_000, 1),
    (64, 1_000, 1_000_000),
    (64, 1_000_000, 1_000),
    (1 << 10, 1, 1_000),
    (1 << 10, 1_000, 1),
    (1 << 14, 1, 1_000),
    (1 << 14, 1_000, 1),
];

/// The number of elements, and the weights of each in successive calls, in steps.
pub(super) const MIXTURES: [(usize, &[u32]); 4] = [
    (5, &[50_000, 12_000, 3_000, 800, 200]),
    (3, &[20_000, 300, 300, 300, 300, 300, 300, 300]),
    (8, &[20_000, 300, 300, 300, 300, 300, 300, 300]),
    (64, &[5_000, 20, 20, 20, 20, 20, 20, 20]),
];

/// Executes `steps` steps, none of which can be optimised away.
fn work(steps: u32, seed: u64) -> u64 {
    (0..steps).fold(seed, |x, step| black_box(x ^ u64::from(step)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17))
}

/// Calls `algorithm` on elements of the current weight.
type Call<'a> = Box<dyn FnMut() + 'a>;

fn call<'a, const POLICY: usize>(is_reduction: bool, v: &'a [u64], weight: &'a AtomicU32, pool: &'a Pool) -> Call<'a> {
    let par: Par<'a> = policy::<POLICY>(pool);
    // Relaxed: the weight is written between calls only.
    let f = move |x: &u64| work(weight.load(Ordering::Relaxed), *x);
    if is_reduction {
        Box::new(move || _ = black_box(par.map_reduce(v, 0, f, u64::wrapping_add)))
    } else {
        Box::new(move || par.for_each(v, |x| _ = black_box(f(x))))
    }
}

/// How the weight of an element changes.
#[derive(Clone, Copy)]
pub(super) enum Weights {
    Change((usize, u32, u32)),
    Mixture((usize, &'static [u32])),
}

/// The algorithms, each with whether it is a reduction.
const ALGORITHMS: [(&str, bool); 2] = [("for_each", false), ("map_reduce", true)];

impl Weights {
    /// One point for each algorithm, without samples.
    pub(super) fn points(self) -> [Point; 2] {
        let (regime, n, what) = match self {
            Weights::Change((n, before, after)) => ("change", n, format!("closure, {before} to {after} steps")),
            Weights::Mixture((n, weights)) => {
                let [first, .., last] = *weights else { unreachable!("a mixture is of several") };
                ("mixed", n, format!("closure, {first} to {last} steps in turn"))
            }
        };
        ALGORITHMS.map(|(algorithm, _)| Point { regime, algorithm, what: what.clone(), n, samples: Vec::new() })
    }

    /// Measures these points once more.
    pub(super) fn measure(self, pool: &Pool, options: &Common, points: &mut [Point; 2]) {
        /// Rounds of all passes together.
        const ROUNDS: usize = 8;
        for ((_, is_reduction), point) in ALGORITHMS.into_iter().zip(points) {
            let v: Vec<u64> = (0..point.n as u64).collect();
            let weight = AtomicU32::new(1);
            let mut calls = [
                call::<0>(is_reduction, &v, &weight, pool),
                call::<1>(is_reduction, &v, &weight, pool),
                call::<2>(is_reduction, &v, &weight, pool),
                call::<3>(is_reduction, &v, &weight, pool),
            ];
            let rounds = if options.smoke { 1 } else { ROUNDS.div_ceil(options.passes()) };
            let more = in_turn(POLICIES, rounds, |at| {
                settle();
                [match self {
                    Weights::Change(change) => after_change(&mut calls[at], change, &weight, options.smoke),
                    Weights::Mixture((_, weights)) => in_mixture(&mut calls[at], weights, &weight, options.smoke),
                }]
            });
            gather(&mut point.samples, more);
        }
    }
}

/// The mean time of a call with mixed weights.
fn in_mixture(call: &mut Call<'_>, weights: &[u32], weight: &AtomicU32, smoke: bool) -> f64 {
    /// The first turn is for the pool to learn, the second is measured.
    const TIMES: [Duration; 2] = [Duration::from_millis(20); 2];
    let [_, ns] = TIMES.map(|time| {
        let (start, mut rounds) = (Instant::now(), 0);
        while rounds == 0 || (!smoke && start.elapsed() < time) {
            for steps in weights {
                weight.store(*steps, Ordering::Relaxed);
                call();
            }
            rounds += 1;
        }
        start.elapsed().as_nanos() as f64 / (rounds * weights.len()) as f64
    });
    ns
}

/// The mean time of the first calls after the change: a policy that has to learn pays for it here.
fn after_change(call: &mut Call<'_>, (n, before, after): (usize, u32, u32), weight: &AtomicU32, smoke: bool) -> f64 {
    /// The minimum time and, in `BEFORE_CALLS`, the minimum number of calls with the old weight.
    const BEFORE: Duration = Duration::from_millis(10);
    const BEFORE_CALLS: usize = 4;
    /// The number of steps of all calls after the change, and the minimum and maximum number of these calls.
    const AFTER_STEPS: usize = 10_000_000;
    const AFTER_CALLS: (usize, usize) = (4, 200);

    let (time, steps) = if smoke { (BEFORE / 10, AFTER_STEPS / 100) } else { (BEFORE, AFTER_STEPS) };
    weight.store(before, Ordering::Relaxed);
    let (start, mut made) = (Instant::now(), 0);
    while made < BEFORE_CALLS || start.elapsed() < time {
        call();
        made += 1;
    }
    weight.store(after, Ordering::Relaxed);
    let count = (steps / (n * after as usize)).clamp(AFTER_CALLS.0, AFTER_CALLS.1);
    let start = Instant::now();
    (0..count).for_each(|_| call());
    start.elapsed().as_nanos() as f64 / count as f64
}
