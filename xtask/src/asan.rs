//! `cargo xtask asan`: the tests of the pool, the algorithms and the iterators, with all cases of the hostile suite, under AddressSanitizer.
//!
//! Each report is an error. There are three runs:
//!
//! - The tests of pool and algorithms, and the usual cases of the hostile suite, with a check of accesses to frames that have returned, since the jobs of a
//!   pool lie in the frames of its callers.
//! - The tests of the iterators, with the same check but without that of leaks: their random chains are leaked on purpose.
//! - All cases of the hostile suite, without the check of returned frames: frames that a panic unwinds stay in the sanitizer's list, and after a million panics
//!   most of the time goes into searching it.

use std::process::ExitCode;

use crate::sanitizer;

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let options = |options: &str| ("ASAN_OPTIONS", options.to_owned());
    let (watched, without_leaks) =
        ("detect_stack_use_after_return=1", "detect_stack_use_after_return=1:detect_leaks=0");
    let unwatched = "detect_stack_use_after_return=0";
    let tests = ["--lib", "--tests", "--", "--skip", "deep_recursion"];
    sanitizer::test("address", options(watched), &["fusain-pool", "fusain-algorithms"], &tests)?.run()?;
    sanitizer::test("address", options(without_leaks), &["fusain-iter"], &tests)?.run()?;
    sanitizer::test("address", options(unwatched), &["fusain-algorithms"], &["--test", "hostile"])?
        .env("FUSAIN_HOSTILE", "all")
        .run()?;
    Ok(ExitCode::SUCCESS)
}
