//! Checks the lines that `levels place` prints: each launcher accepts its line, and each rank may then run exactly where the plan says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, ensure};
use duct::Expression;

use super::library::{Library, as_root};
use crate::limit;
use crate::workspace;

/// Two ranks, so that a launcher that binds no rank is noticed.
const RANKS: usize = 2;

/// A shell command that prints the rank, and where it may run.
const TELL: &str =
    "echo ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} $(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status)";

/// Where each rank may run, as lists of processing units.
type Places = BTreeMap<usize, String>;

/// Builds the program `levels` with the features to read this machine.
pub(super) fn build() -> anyhow::Result<PathBuf> {
    // Built together with a test, as in `Library::build`.
    let what = ["build", "--quiet", "--workspace", "--features", workspace::FEATURES];
    let what = what.into_iter().chain(["--example", "levels", "--test", "idle"]);
    workspace::cargo(what).run()?;
    Ok(workspace::target().join("debug/examples/levels"))
}

/// Whether the machine has enough cores for ranks with different bindings.
pub(super) fn can_be_told_apart() -> bool {
    thread::available_parallelism().is_ok_and(|cores| cores.get() >= RANKS)
}

/// Runs a library's line of the plan for this machine; checks where the ranks may run, and returns it.
pub(super) fn check(levels: &Path, library: Library) -> anyhow::Result<String> {
    let plan = limit::printed(&duct::cmd!(levels, "place", "--here", "--ranks", RANKS.to_string()))?;
    let planned: Places = plan.lines().filter_map(planned).collect();
    ensure!(planned.len() == RANKS && planned[&0] != planned[&1], "no plan of two parts:\n{plan}");
    let command = command(&plan, library).with_context(|| format!("no line for {}:\n{plan}", library.name))?;
    let printed = limit::printed(&command)?;
    let bound: Places = printed.lines().filter_map(told).collect();
    ensure!(bound == planned, "planned {planned:?}, bound {bound:?} by {command:?}");
    Ok(bound.into_values().collect::<Vec<_>>().join(" and "))
}

/// Reads a rank and its place from a line `rank 0  node0  0-3  workers ...`.
fn planned(line: &str) -> Option<(usize, String)> {
    let mut words = line.strip_prefix("rank ")?.split_whitespace();
    Some((words.next()?.parse().ok()?, words.nth(1)?.to_owned()))
}

/// Reads a rank and its place from a line that [`TELL`] has written.
fn told(line: &str) -> Option<(usize, String)> {
    let (rank, units) = line.split_once(' ')?;
    Some((rank.parse().ok()?, units.to_owned()))
}

/// The launcher's line of the plan, with [`TELL`] as the program.
fn command(plan: &str, library: Library) -> Option<Expression> {
    // The launcher's name in the plan: Debian's name without that of the library.
    let name = library.launchers[0].split('.').next()?;
    let line = plan.lines().find_map(|line| line.strip_prefix(name)?.strip_suffix(" PROGRAM"))?;
    let words = line.split_whitespace().chain(["sh", "-c", TELL]);
    Some(as_root(duct::cmd(library.launchers[0], words)))
}
