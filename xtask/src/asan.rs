//! `cargo xtask asan`: the tests of the pool, the algorithms and the iterators, with all cases of the hostile suite, under AddressSanitizer.
//!
//! What is reported is an error: a byte was touched that was not there to be. It is looked for in three runs:
//!
//! - All tests, and the hostile suite's usual cases, with frames that have been left watched too: what a pool hands over lies in those of its callers.
//! - The tests of the iterators. Their random chains are leaked on purpose, so leaks are not looked for.
//! - All cases of the hostile suite, without that: a frame that a panic leaves stays in the sanitizer's list of frames, and after a million
//!   panics nine tenths of the time go to searching it.

use std::process::ExitCode;

use crate::sanitizer;

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let options = |frames: bool, leaks: bool| {
        let (frames, leaks) = (u8::from(frames), u8::from(leaks));
        ("ASAN_OPTIONS", format!("detect_stack_use_after_return={frames}:detect_leaks={leaks}"))
    };
    let tests = ["--lib", "--tests", "--", "--skip", "deep_recursion"];
    sanitizer::test("address", options(true, true), &["fusain-pool", "fusain-algorithms"], &tests)?.run()?;
    sanitizer::test("address", options(true, false), &["fusain-iter"], &tests)?.run()?;
    sanitizer::test("address", options(false, true), &["fusain-algorithms"], &["--test", "hostile"])?
        .env("FUSAIN_HOSTILE", "all")
        .run()?;
    Ok(ExitCode::SUCCESS)
}
