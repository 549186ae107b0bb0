//! `cargo xtask tsan`: the tests of the pool under ThreadSanitizer.
//!
//! It never understands a bare fence; CONTRIBUTING.md says what it does see. So this is a verb of its own and no part of `test`: a report
//! here is a question, not an answer.

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
