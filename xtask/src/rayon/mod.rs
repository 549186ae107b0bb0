//! `cargo xtask rayon`: rayon's own tests, run against this workspace. Their sources come from cargo's registry, and go to `target/` only.

mod iterators;

use std::process::ExitCode;

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    iterators::run()
}
