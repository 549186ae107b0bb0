//! `cargo xtask features`: checks every feature of every published crate alone, and none; and the number of crates that the default build
//! needs.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::ensure;

use crate::publish::published;
use crate::steps::{Outcome, Steps, command};
use crate::workspace;

/// The maximum number of crates from other sources that the facade's default build may need.
const CRATES_MAX: usize = 8;

/// Which features to check.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Leave out those that need a library of the system: `mpi`, `hwloc`, and `full`, which has both.
    #[arg(long)]
    portable: bool,
}

/// Features that need a library that not every system has.
pub(crate) const SYSTEM: &[&str] = &["full", "hwloc", "mpi"];

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let mut steps = Steps::default();
    steps.run("crates of the default build", dependencies);
    for package in published()? {
        steps.run(&format!("{} without features", package.name), || check(&package.name, None));
        for feature in package.features.keys().filter(|feature| *feature != "default") {
            steps.run(&format!("{} with {feature}", package.name), || {
                if options.portable && SYSTEM.contains(&feature.as_str()) {
                    return Ok(Outcome::Skipped("it needs a library of the system".to_owned()));
                }
                check(&package.name, Some(feature))
            });
        }
    }
    Ok(steps.finish())
}

/// A warning is an error: code that only one feature uses must not be unused without that feature.
fn check(package: &str, feature: Option<&str>) -> anyhow::Result<Outcome> {
    // A separate folder, since the flags would cause everything else to be built again.
    let folder = workspace::target().join("features").display().to_string();
    let mut arguments =
        vec!["check", "--quiet", "--package", package, "--no-default-features", "--target-dir", &folder];
    arguments.extend(feature.iter().flat_map(|feature| ["--features", feature]));
    command(workspace::cargo(arguments).env("RUSTFLAGS", "--deny warnings"))
}

/// Checks that the facade's default build stays small, and reads and writes no format.
pub(crate) fn dependencies() -> anyhow::Result<Outcome> {
    let tree = workspace::cargo(["tree", "--edges", "normal", "--package", "fusain", "--prefix", "none"]).read()?;
    let names: BTreeSet<&str> = tree
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "fusain" && !name.starts_with("fusain-"))
        .collect();
    ensure!(names.len() <= CRATES_MAX, "{} crates, over {CRATES_MAX}: {names:?}", names.len());
    println!("   {} crates: {}", names.len(), names.into_iter().collect::<Vec<_>>().join(", "));
    Ok(Outcome::Passed)
}
