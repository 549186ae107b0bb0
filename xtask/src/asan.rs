//! `cargo xtask asan`: the tests of the pool and of the algorithms, with all cases of the hostile suite, under AddressSanitizer.
//!
//! Not optimised, which would take longer than it saves. What is reported is an error: a byte was touched that was not there to be.

use std::process::ExitCode;

use crate::sanitizer;

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    // Also frames that have been left: what a pool hands over lies in those of its callers.
    let options = ("ASAN_OPTIONS", "detect_stack_use_after_return=1".to_owned());
    let arguments = ["--lib", "--tests", "--", "--skip", "deep_recursion"];
    sanitizer::test("address", options, &["fusain-pool", "fusain-algorithms"], &arguments)?
        .env("FUSAIN_HOSTILE", "all")
        .run()?;
    Ok(ExitCode::SUCCESS)
}
