//! The common tools of all comparisons: sampling in turn, medians, tables, and the file of all samples.

#![allow(clippy::print_stdout, reason = "tables on the terminal are what it is for")]

mod machine;
mod process;
mod report;
mod rtt;
mod sample;
mod stats;

pub use machine::{machine, two_threads};
pub use process::{cpu_time, peak_memory_bytes, settle};
pub use report::{Options, Progress, Report, cell_ns, cell_ratio, table, write_json};
pub use rtt::{round_trip_ns, round_trips_ns};
pub use sample::{Answer, Plan, Samples, Scratch, Side, gather, in_turn, measure, median_of, orders, repeat};
pub use stats::{geometric_mean, median};
