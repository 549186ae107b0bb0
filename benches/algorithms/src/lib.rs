//! Measurements of fusain beside its peers: in turn, in one run of one program, on the same data.
//!
//! ```text
//! bin/compare ──► compare::{region, breakeven, tick, join, first, ...}   what is measured, and the keys it ends with
//!                      │            │
//!                      │            ▼
//!                      │     suite: an algorithm a row, its sides one after the other; cases: the basic algorithms on random data
//!                      ▼            ▼
//!            fusain_harness      peers: rayon, paralight, orx-parallel and chili directly, GNU parallel mode and TBB
//!            sampling, medians,     through a shared object built from the folder peers
//!                    tables
//! ```
//!
//! `cargo xtask scaling` sweeps over sizes and threads (`scaling`). `cargo xtask compare NAME` builds the shared object and the program, and runs it. A figure
//! is a ratio of medians. A slow figure is reported and never makes the run fail. `cargo bench` runs the same sides under criterion.

#![allow(clippy::print_stdout, reason = "tables on the terminal are what it is for")]

pub mod cases;
mod chart;
pub mod compare;
pub mod data;
pub mod peers;
mod remote;
pub mod scaling;
pub mod suite;
