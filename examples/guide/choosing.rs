//! The guide's second exercise: a merge sort of `join` and `par_inplace_merge`, beside `par_sort`.
//!
//! `cargo run --release --example guide-choosing`
//!
//! `par_sort` is faster. It sorts numbers by their bits. For other elements it needs one buffer for the whole sort, where this needs one for each merge, and
//! starts to merge two runs as soon as both are sorted.

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use std::time::{Duration, Instant};

use fusain::prelude::*;

/// Below this length a half is not worth a task.
const FEW: usize = 1 << 12;

/// Sorts, stable, with O(n) memory for the last merge.
fn merge_sort(v: &mut [u32]) {
    if v.len() <= FEW {
        return v.sort();
    }
    let middle = v.len() / 2;
    let (left, right) = v.split_at_mut(middle);
    fusain::join(|| merge_sort(left), || merge_sort(right));
    v.par_inplace_merge(middle);
}

/// The sorted numbers, and how long it took.
fn timed(numbers: &[u32], sort: impl FnOnce(&mut [u32])) -> (Vec<u32>, Duration) {
    let mut sorted = numbers.to_vec();
    let begun = Instant::now();
    sort(&mut sorted);
    (sorted, begun.elapsed())
}

fn main() {
    let numbers: Vec<u32> = (0..1_000_000_u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let (ours, took) = timed(&numbers, merge_sort);
    println!("merge sort {took:.2?}");
    let (theirs, took) = timed(&numbers, |v| v.par_sort());
    println!("par_sort   {took:.2?}");
    assert_eq!(ours, theirs);
}
