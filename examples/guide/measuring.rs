//! The guide's last exercise: from which length on `par_reduce` and `par_sort` beat std.
//!
//! `cargo run --release --example guide-measuring`

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use fusain::prelude::*;

const SAMPLES: usize = 31;

/// How long `f` takes on a copy of `data`, which is not timed.
fn time<R>(data: &[u64], f: impl FnOnce(&mut [u64]) -> R) -> Duration {
    let mut copy = data.to_vec();
    let begun = Instant::now();
    black_box(f(black_box(&mut copy)));
    let took = begun.elapsed();
    black_box(&copy);
    took
}

/// The median time of `theirs` over that of `ours`, sampled in turn.
fn ratio<A, B>(data: &[u64], theirs: impl Fn(&mut [u64]) -> A, ours: impl Fn(&mut [u64]) -> B) -> f64 {
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..SAMPLES {
        times[0].push(time(data, &theirs));
        times[1].push(time(data, &ours));
    }
    let [theirs, ours] = times.map(|mut times| {
        times.sort();
        times[SAMPLES / 2].as_secs_f64()
    });
    theirs / ours
}

fn main() {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(["elements", "reduce", "sort"]);
    for length in (8..=20).step_by(2).map(|power| 1_u64 << power) {
        let data: Vec<u64> = (0..length).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let reduce = ratio(
            &data,
            |v| v.iter().fold(0_u64, |a, b| a.wrapping_add(*b)),
            |v| v.par_reduce(0, |a: u64, b| a.wrapping_add(b)),
        );
        let sort = ratio(&data, |v| v.sort(), |v| v.par_sort());
        table.add_row([length.to_string(), format!("{reduce:.2}"), format!("{sort:.2}")]);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{table}\nstd's time over fusain's, medians of {SAMPLES}: above 1 fusain is faster");
}
