//! The origin of a figure: the machine, the day, the commit.

use anyhow::Context;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use crate::{mpi, workspace};

/// Everything that a figure depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) date: String,
    pub(super) commit: String,
    pub(super) machine: String,
}

impl Origin {
    /// The first part of the machine's description, its processor.
    pub(super) fn processor(&self) -> &str {
        self.machine.split(',').next().unwrap_or_default()
    }

    /// The next part, its number of cores.
    pub(super) fn cores(&self) -> &str {
        self.machine.split([',', ';']).nth(1).unwrap_or_default().trim()
    }

    /// The origin of a run now. `written` are the files that change while comparisons are written down.
    pub(super) fn here(written: &[&str]) -> anyhow::Result<Self> {
        Ok(Self { date: today(), commit: commit(written)?, machine: machine()? })
    }
}

/// Today's date, in UTC.
fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

fn git(arguments: &[&str]) -> anyhow::Result<String> {
    duct::cmd("git", arguments).dir(workspace::root()).read().context("git does not say what is checked out")
}

fn commit(written: &[&str]) -> anyhow::Result<String> {
    let mut status = vec!["status", "--porcelain", "--", "."];
    let left_out: Vec<String> = written.iter().map(|file| format!(":(exclude){file}")).collect();
    status.extend(left_out.iter().map(String::as_str));
    let changes = if git(&status)?.is_empty() { "" } else { " and changes" };
    Ok(git(&["rev-parse", "--short=10", "HEAD"])? + changes)
}

fn machine() -> anyhow::Result<String> {
    let all =
        RefreshKind::nothing().with_cpu(CpuRefreshKind::everything()).with_memory(MemoryRefreshKind::everything());
    let system =
        System::new_with_specifics(all).context("the system does not say which processor and memory it has")?;
    let processor = system.cpus().first().map_or("an unknown processor", |cpu| cpu.brand().trim());
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let gib = system.total_memory() as f64 / f64::from(1 << 30);
    let name = System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned());
    // The part after the number comes from the distribution or the provider.
    let kernel = System::kernel_version().unwrap_or_default();
    let kernel = kernel.split('-').next().unwrap_or_default();
    let rustc = duct::cmd!("rustc", "--version").dir(workspace::root()).read().context("rustc has no version")?;
    let rustc = rustc.split(" (").next().unwrap_or_default();
    let libraries = mpi::libraries();
    let libraries = if libraries.is_empty() { "no MPI library".to_owned() } else { libraries.join(", ") };
    Ok(format!("{processor}, {cores} cores, {gib:.1} GiB of memory; {name}, kernel {kernel}; {rustc}; {libraries}"))
}
