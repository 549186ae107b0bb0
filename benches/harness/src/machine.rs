//! What the machine itself gives, in the minute it was measured: the roof over every speed-up.
//!
//! The two cores of a virtual machine may be two threads of one core, or be moved there while a program runs. Then two threads of plain arithmetic
//! do 1.3 times the work of one, and nothing built on them can do better.

use std::hint::black_box;
use std::thread;
use std::time::Instant;

use crate::median;

/// Turns of a loop that keeps a core's multipliers busy all the time: some 5 ms.
const TURNS: u64 = 2_000_000;
const ROUNDS: usize = 5;

/// How many times the work of one thread two threads do in the same time, on arithmetic that touches no memory.
pub fn two_threads() -> f64 {
    let ns = |work: &dyn Fn()| {
        let start = Instant::now();
        work();
        start.elapsed().as_nanos() as f64
    };
    let ratios: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let one = ns(&|| arithmetic());
            let two = ns(&|| {
                thread::scope(|scope| {
                    scope.spawn(arithmetic);
                    arithmetic();
                })
            });
            2.0 * one / two
        })
        .collect();
    median(&ratios)
}

/// As many chains as it takes that no product waits for another: two threads of one core, which have its units in turn, then gain nothing by each
/// other's waiting. And nothing goes through memory, for that is waiting too.
fn arithmetic() {
    let mut chains = [1u64, 2, 3, 4, 5, 6, 7, 8];
    for turn in 0..black_box(TURNS) {
        for chain in &mut chains {
            *chain = (*chain ^ turn).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
        }
    }
    black_box(chains);
}
