//! `cargo xtask rayon`: rayon's own tests, run against our core and our iterators.
//!
//! The sources are those that cargo has fetched from the registry. They are copied below `target/`; the workspace contains none of them.

pub(crate) mod compare;
mod core;
pub(crate) mod crates;
mod examples;
mod iterators;
mod programs;
mod server;
mod sources;

use std::process::ExitCode;

use crate::steps::{Outcome, Steps};

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let mut steps = Steps::default();
    steps.run("rayon's tests on our core", core::step);
    steps.run("rayon's tests of iterators on ours", iterators::step);
    steps.run("rayon's examples on our iterators", examples::step);
    Ok(steps.finish())
}

/// The tests as a step of the test run, without the examples, which take too long there.
pub(crate) fn step() -> anyhow::Result<Outcome> {
    core::step()?;
    iterators::step()
}
