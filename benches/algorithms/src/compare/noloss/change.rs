//! A closure whose elements become a thousand times as heavy, or as light, while the program runs; and one whose few elements are of another weight in each call.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use fusain::algorithms::Par;
use fusain::pool::Pool;

use super::{POLICIES, Point, policy};
use fusain_harness::{in_turn, settle};

/// Elements, and the weight of one, in steps, before and after. A step takes a nanosecond or two.
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

/// Elements, and the weights of one in calls that take turns, in steps.
pub(super) const MIXTURES: [(usize, &[u32]); 4] = [
    (5, &[50_000, 12_000, 3_000, 800, 200]),
    (3, &[20_000, 300, 300, 300, 300, 300, 300, 300]),
    (8, &[20_000, 300, 300, 300, 300, 300, 300, 300]),
    (64, &[5_000, 20, 20, 20, 20, 20, 20, 20]),
];

/// So many steps, none of which can be left out.
fn work(steps: u32, seed: u64) -> u64 {
    (0..steps).fold(seed, |x, step| black_box(x ^ u64::from(step)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17))
}

/// Calls `algorithm` on elements of the weight of the moment.
type Call<'a> = Box<dyn FnMut() + 'a>;

fn call<'a, const POLICY: usize>(is_reduction: bool, v: &'a [u64], weight: &'a AtomicU32, pool: &'a Pool) -> Call<'a> {
    let par: Par<'a> = policy::<POLICY>(pool);
    // Relaxed: it is written between calls only.
    let f = move |x: &u64| work(weight.load(Ordering::Relaxed), *x);
    if is_reduction {
        Box::new(move || _ = black_box(par.map_reduce(v, 0, f, u64::wrapping_add)))
    } else {
        Box::new(move || par.for_each(v, |x| _ = black_box(f(x))))
    }
}

/// What a call of `n` elements takes, as `sample` times them, with each of two algorithms.
fn points(
    (regime, n, what): (&'static str, usize, String),
    pool: &Pool,
    smoke: bool,
    sample: impl Fn(&mut Call<'_>, &AtomicU32) -> f64,
) -> [Point; 2] {
    [("for_each", false), ("map_reduce", true)].map(|(algorithm, is_reduction)| {
        let v: Vec<u64> = (0..n as u64).collect();
        let weight = AtomicU32::new(1);
        let mut calls = [
            call::<0>(is_reduction, &v, &weight, pool),
            call::<1>(is_reduction, &v, &weight, pool),
            call::<2>(is_reduction, &v, &weight, pool),
            call::<3>(is_reduction, &v, &weight, pool),
        ];
        let samples = in_turn(POLICIES, if smoke { 1 } else { 5 }, |at| {
            settle();
            [sample(&mut calls[at], &weight)]
        });
        Point { regime, algorithm, what: what.clone(), n, samples }
    })
}

/// What a call takes after the change, in the mean over the first ones: whoever has to learn is charged for it.
pub(super) fn after(change: (usize, u32, u32), pool: &Pool, smoke: bool) -> [Point; 2] {
    let (n, before, after) = change;
    points(("change", n, format!("closure, {before} to {after} steps")), pool, smoke, |call, weight| {
        after_change(call, change, weight, smoke)
    })
}

/// What a call takes where they are of mixed weight, in the mean.
pub(super) fn mixed((n, weights): (usize, &[u32]), pool: &Pool, smoke: bool) -> [Point; 2] {
    /// First to learn, then to measure.
    const TIMES: [Duration; 2] = [Duration::from_millis(20); 2];
    let what = format!("closure, {} to {} steps in turn", weights[0], weights[weights.len() - 1]);
    points(("mixed", n, what), pool, smoke, |call, weight| {
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
    })
}

fn after_change(call: &mut Call<'_>, (n, before, after): (usize, u32, u32), weight: &AtomicU32, smoke: bool) -> f64 {
    /// The old weight is kept for so long, and for so many calls.
    const BEFORE: Duration = Duration::from_millis(10);
    const BEFORE_CALLS: usize = 4;
    /// Steps of all calls after the change, some 20 ms; and how many calls these are at least and at most.
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
