//! `cargo xtask doc`: the documentation, with warnings as errors.

use std::process::ExitCode;

use crate::steps::{Outcome, command};
use crate::workspace;

/// How to build it.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Open it in the browser.
    #[arg(long)]
    open: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    build(options.open)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn build(open: bool) -> anyhow::Result<Outcome> {
    let open = if open { &["--open"] as &[&str] } else { &[] };
    let arguments = [&["doc", "--workspace", "--no-deps", "--quiet"], open].concat();
    command(workspace::cargo(arguments).env("RUSTDOCFLAGS", "--deny warnings"))
}
