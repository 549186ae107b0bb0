//! `cargo xtask audit`: checks whether a crate that the workspace builds has a known vulnerability, is unmaintained, or has a licence or source that is not
//! allowed.
//!
//! `xtask/deny.toml` says what is allowed. Vulnerabilities are those of the RustSec database, which cargo-deny fetches from GitHub.

use std::process::ExitCode;

use anyhow::ensure;

use crate::{tools, workspace};

/// What to look at.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Leaves out known vulnerabilities, which need the network.
    #[arg(long)]
    offline: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    ensure!(tools::has("cargo-deny"), "cargo-deny is needed; run: cargo install --locked cargo-deny");
    let config = workspace::root().join("xtask/deny.toml");
    let config = config.display().to_string();
    let network: &[&str] = if options.offline { &["--offline"] } else { &[] };
    let advisories: &[&str] = if options.offline { &[] } else { &["advisories"] };
    let arguments = [network, &["--config", &config, "check", "licenses", "bans", "sources"], advisories].concat();
    duct::cmd("cargo-deny", arguments).dir(workspace::root()).run()?;
    Ok(ExitCode::SUCCESS)
}
