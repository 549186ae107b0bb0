//! `cargo xtask lint`: the checks that should pass before a commit.

use std::process::ExitCode;

use crate::steps::{Outcome, Steps, command};
use crate::{tidy, workspace};

/// How to lint.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Format instead of only looking.
    #[arg(long)]
    fix: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let mut steps = Steps::default();
    steps.run("format", || if options.fix { command(workspace::cargo(["fmt", "--all"])) } else { format() });
    steps.run("clippy", clippy);
    steps.run("tidy", tidy::step);
    Ok(steps.finish())
}

pub(crate) fn format() -> anyhow::Result<Outcome> {
    command(workspace::cargo(["fmt", "--all", "--check"]))
}

pub(crate) fn clippy() -> anyhow::Result<Outcome> {
    let what = ["clippy", "--workspace", "--all-targets", "--features", workspace::FEATURES];
    command(workspace::cargo([&what[..], &["--quiet", "--", "--deny", "warnings"]].concat()))
}
