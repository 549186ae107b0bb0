//! `cargo xtask asan`: the tests of the pool and of the algorithms, with all cases of the hostile suite, under AddressSanitizer.
//!
//! What is reported is an error: a byte was touched that was not there to be. It is looked for in two runs:
//!
//! - All tests, and the hostile suite's usual cases, with frames that have been left watched too: what a pool hands over lies in those of its callers.
//! - All cases of the hostile suite, without that: a frame that a panic leaves stays in the sanitizer's list of frames, and after a million
//!   panics nine tenths of the time go to searching it.

use std::process::ExitCode;

use crate::sanitizer;

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let watch_frames = |yes: bool| ("ASAN_OPTIONS", format!("detect_stack_use_after_return={}", u8::from(yes)));
    let tests = ["--lib", "--tests", "--", "--skip", "deep_recursion"];
    sanitizer::test("address", watch_frames(true), &["fusain-pool", "fusain-algorithms"], &tests)?.run()?;
    sanitizer::test("address", watch_frames(false), &["fusain-algorithms"], &["--test", "hostile"])?
        .env("FUSAIN_HOSTILE", "all")
        .run()?;
    Ok(ExitCode::SUCCESS)
}
