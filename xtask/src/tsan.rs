//! `cargo xtask tsan`: the tests of the pool under ThreadSanitizer.
//!
//! It does not understand stand-alone fences, so a report may be false. Hence this is no part of `test`. CONTRIBUTING.md says what it sees.

use std::process::ExitCode;

use crate::{sanitizer, workspace};

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let suppressions = workspace::root().join("xtask/tsan.supp");
    let options = ("TSAN_OPTIONS", format!("suppressions={}", suppressions.display()));
    // Its frames are too large under the sanitizer for the stack.
    let arguments = ["--lib", "--tests", "--", "--skip", "deep_recursion"];
    sanitizer::test("thread", options, &["fusain-pool"], &arguments)?.run()?;
    Ok(ExitCode::SUCCESS)
}
