//! The guide's first exercise: the ten starts below a million whose chains are longest.
//!
//! `cargo run --release --example guide-first`

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use std::time::Instant;

use fusain::prelude::*;

const STARTS: usize = 1_000_000;
const SHOWN: usize = 10;

/// How many steps it takes from `n` to 1.
fn steps(mut n: u64) -> u32 {
    let mut steps = 0;
    while n != 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

fn main() {
    let begun = Instant::now();
    let mut chains = fusain::first_touch_vec(STARTS - 1, |index| {
        let start = index as u64 + 1;
        (steps(start), start)
    });
    // The longest first. Only the front has to be in order.
    chains.par_partial_sort_by(SHOWN, |a, b| b.cmp(a));
    let took = begun.elapsed();
    for (steps, start) in &chains[..SHOWN] {
        println!("{start:>7} takes {steps} steps");
    }
    println!("in {took:.2?}");
    assert_eq!(chains[0], (524, 837_799));
}
