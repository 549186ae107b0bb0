//! `cargo xtask targets`: checks that the facade compiles for other platforms, and that the tests pass where `usize` has 32 bits and with the
//! oldest compiler.

use std::process::ExitCode;

use anyhow::Context;

use crate::features::SYSTEM;
use crate::steps::{Outcome, Steps, command};
use crate::{publish, tools, workspace};

/// Platforms, one of each kind: another processor, other systems, no threads, a `usize` of 32 bits.
const TARGETS: [&str; 5] =
    ["aarch64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-pc-windows-msvc", "wasm32-unknown-unknown", NARROW];

/// The platform with 32 bits. Its programs run on any x86-64 Linux that has the C library for it.
const NARROW: &str = "i686-unknown-linux-gnu";

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let mut steps = Steps::default();
    let installed = duct::cmd!("rustup", "target", "list", "--installed").read();
    let installed = installed.context("rustup is needed to find the platforms' libraries")?;
    let there = |target: &str| installed.lines().any(|line| line == target);
    for target in TARGETS {
        steps.run(&format!("compiles for {target}"), || if there(target) { check(target) } else { missing(target) });
    }
    steps.run(&format!("tests on {NARROW}"), || if there(NARROW) { tests_on_narrow() } else { missing(NARROW) });
    steps.run("tests with the oldest compiler", tests_with_oldest);
    Ok(steps.finish())
}

fn missing(target: &str) -> anyhow::Result<Outcome> {
    Ok(Outcome::Skipped(format!("its library is missing; run: rustup target add {target}")))
}

/// Checks the facade with all features that need no library of the system. A warning is an error, as it is on this platform.
fn check(target: &str) -> anyhow::Result<Outcome> {
    let published = publish::published()?;
    let facade = published.iter().find(|package| package.name == "fusain").context("there is no facade")?;
    let features = facade.features.keys().map(String::as_str).filter(|feature| !SYSTEM.contains(feature));
    let features = features.collect::<Vec<_>>().join(",");
    let check = ["check", "--quiet", "--package", "fusain", "--target", target, "--features", &features];
    command(workspace::cargo(check).env("RUSTFLAGS", "--deny warnings"))
}

/// The arguments for the unit and integration tests of all published crates.
const TESTS: [&str; 5] = ["test", "--quiet", "--no-fail-fast", "--lib", "--tests"];

fn tests_on_narrow() -> anyhow::Result<Outcome> {
    let published = publish::published()?;
    let packages = publish::arguments(&published);
    command(workspace::cargo(TESTS.into_iter().chain(["--target", NARROW]).chain(packages)))
        .context("it needs Linux on x86-64 and, to link, the C library for 32 bits (Debian: gcc-multilib)")
}

/// Runs the tests of the published crates, but not of xtask and the benches, whose dependencies need a newer compiler.
fn tests_with_oldest() -> anyhow::Result<Outcome> {
    let published = publish::published()?;
    let oldest = published.iter().filter_map(|package| package.rust_version.as_ref()).max();
    let oldest = oldest.context("no crate says which compiler it needs")?.to_string();
    let short = oldest.trim_end_matches(".0");
    let Some(name) = tools::toolchain(short)? else {
        return Ok(Outcome::Skipped(format!("it is missing; run: rustup toolchain install {short} --profile minimal")));
    };
    // A separate folder, since another compiler would build everything again.
    let folder = workspace::target().join("oldest").display().to_string();
    let packages = publish::arguments(&published);
    let arguments = TESTS.into_iter().chain(["--target-dir", &folder]).chain(packages);
    command(tools::cargo(&name, arguments).dir(workspace::root()))
}
