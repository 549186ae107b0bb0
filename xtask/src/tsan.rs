//! `cargo xtask tsan`: the tests of the pool under ThreadSanitizer.
//!
//! Without a standard library of its own (that needs the rust-src component) ThreadSanitizer does not see what std's
//! precompiled code does, and it never understands a bare fence; ARCHITECTURE.md says what remains. So this is a verb of its own
//! and no part of `test`: a report here is a question, not an answer.

use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::workspace;

/// The platforms whose prebuilt std links with ThreadSanitizer.
const TARGET: &str = "x86_64-unknown-linux-gnu";

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        bail!("ThreadSanitizer is set up for {TARGET} only");
    }
    let toolchain = duct::cmd!("rustup", "toolchain", "list").read().context("rustup is needed to find nightly")?;
    if !toolchain.lines().any(|line| line.starts_with("nightly")) {
        bail!("the nightly toolchain is needed; run: rustup toolchain install nightly");
    }
    let folder = workspace::target().join("tsan").display().to_string();
    // duct hands the environment on; what this xtask's own cargo left in it must not reach the other toolchain's.
    duct::cmd!(
        "rustup",
        "run",
        "nightly",
        "cargo",
        "test",
        "--package",
        "fusain-pool",
        "--lib",
        "--tests",
        "--target",
        TARGET,
        "--target-dir",
        folder,
        "--no-fail-fast",
        "--",
        // Its frames are too large under the sanitizer for the stack.
        "--skip",
        "deep_recursion"
    )
    .dir(workspace::root())
    .env_remove("CARGO")
    .env_remove("RUSTUP_TOOLCHAIN")
    .env("RUSTFLAGS", "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer")
    .env("TSAN_OPTIONS", format!("suppressions={}", workspace::root().join("xtask/tsan.supp").display()))
    .run()?;
    Ok(ExitCode::SUCCESS)
}
