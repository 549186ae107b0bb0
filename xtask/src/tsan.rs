//! `cargo xtask tsan`: the tests of the pool under ThreadSanitizer.
//!
//! ThreadSanitizer does not understand stand-alone fences, so a report may be false. Therefore this is not part of `test`. CONTRIBUTING.md
//! says which races it sees.

use std::process::ExitCode;

use crate::{sanitizer, workspace};

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let suppressions = workspace::root().join("xtask/tsan.supp");
    let options = ("TSAN_OPTIONS", format!("suppressions={}", suppressions.display()));
    // The frames of this test are too large for the stack under the sanitizer.
    let arguments = ["--lib", "--tests", "--", "--skip", "deep_recursion"];
    sanitizer::test("thread", options, &["fusain-pool"], &arguments)?.run()?;
    Ok(ExitCode::SUCCESS)
}
