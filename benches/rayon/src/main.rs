//! The measured program of `compare rayon`: rayon's iterators and joins. It is built once with rayon's own core and once with ours, from the same source.
//!
//! It reads lines `CALLS ROW LENGTH PLACE` from its standard input, where `PLACE` is `inside` or `outside` of the pool. For each it prints the time of the
//! calls in nanoseconds, and a digest of their results.

#![allow(clippy::print_stdout, reason = "answers go to standard output")]

use rayon::prelude::*;
use std::io::BufRead;
use std::time::{Duration, Instant};

/// Pseudo-random numbers, the same at each call.
fn numbers(n: usize) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
    .take(n)
    .collect()
}

/// About ten operations.
fn work(x: u64) -> u64 {
    (0..4).fold(x, |x, _| (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9))
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// One row: changes the data and returns a result.
type Row = fn(&mut [u64]) -> u64;

fn map_sum(data: &mut [u64]) -> u64 {
    data.par_iter().map(|&x| work(x) >> 32).sum()
}

fn sort(data: &mut [u64]) -> u64 {
    // New numbers in a new order at each call.
    data.iter_mut().for_each(|x| *x = work(*x));
    data.par_sort();
    data[data.len() / 2]
}

fn sort_unstable(data: &mut [u64]) -> u64 {
    data.iter_mut().for_each(|x| *x = work(*x));
    data.par_sort_unstable();
    data[data.len() / 2]
}

fn chunks(data: &mut [u64]) -> u64 {
    data.par_chunks_mut(64).for_each(|chunk| chunk.iter_mut().for_each(|x| *x = work(*x)));
    data[data.len() / 2]
}

fn collect(data: &mut [u64]) -> u64 {
    let mapped: Vec<u64> = data.par_iter().map(|&x| work(x)).collect();
    mapped[mapped.len() / 2]
}

fn nested(data: &mut [u64]) -> u64 {
    let rows = data.par_chunks(256).map(|row| row.par_iter().map(|&x| work(x) >> 32).sum::<u64>());
    rows.sum()
}

fn bridge(data: &mut [u64]) -> u64 {
    // Each item of the sequential iterator has about as much work as a lock costs.
    data.iter().par_bridge().map(|&x| (0..16).fold(x, |x, _| work(x)) >> 32).sum()
}

/// A burst of a dozen regions, then serial work.
fn control(data: &mut [u64]) -> u64 {
    for _ in 0..12 {
        data.par_iter_mut().for_each(|x| *x = work(*x));
    }
    let start = Instant::now();
    let mut x = data[0];
    while start.elapsed() < Duration::from_micros(200) {
        x = work(x);
    }
    std::hint::black_box(x);
    data[data.len() / 2]
}

fn fib_row(data: &mut [u64]) -> u64 {
    fib(data.len() as u64)
}

/// Runs the whole loop on a thread of the pool, as `install` does in programs with their own pool.
fn inside(row: Row, data: &mut [u64], calls: usize) -> u64 {
    let (answer, ()) = rayon::join(|| (0..calls).map(|_| row(data)).fold(0, u64::wrapping_add), || ());
    answer
}

const ROWS: &[(&str, Row)] = &[
    ("fib", fib_row),
    ("map_sum", map_sum),
    ("par_sort", sort),
    ("par_sort_unstable", sort_unstable),
    ("par_chunks", chunks),
    ("collect", collect),
    ("nested", nested),
    ("par_bridge", bridge),
    ("control", control),
];

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("the one who asks writes text");
        let words: Vec<&str> = line.split_whitespace().collect();
        let [calls, name, n, is_inside] = words[..] else { panic!("{line:?} is no request") };
        let (_, row) = *ROWS.iter().find(|(row, _)| *row == name).expect("a row");
        let (n, calls): (usize, usize) = (n.parse().expect("a length"), calls.parse().expect("a count"));
        let mut data = numbers(n);
        let start = Instant::now();
        let answer = match is_inside {
            "inside" => inside(row, &mut data, calls),
            _ => (0..calls).map(|_| row(&mut data)).fold(0, u64::wrapping_add),
        };
        println!("{} {answer}", start.elapsed().as_nanos());
    }
}
