//! Every chore of the workspace: `cargo xtask VERB`. A verb, a file.

#![allow(clippy::print_stdout, reason = "what a chore has to say belongs on the terminal")]

mod asan;
mod audit;
mod compare;
mod compile;
mod doc;
mod features;
mod fuzz;
mod interface;
mod limit;
mod lint;
mod mpi;
mod packages;
mod pages;
mod peers;
mod programs;
mod publish;
mod rayon;
mod sanitizer;
mod scaling;
mod steps;
mod stress;
mod table;
mod targets;
mod test;
mod tidy;
mod tools;
mod tsan;
mod turns;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The chores of the workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Runs what continuous integration runs: format, lints, unit, doc, property, model and stress tests, examples, documentation.
    Test(test::Options),
    /// Checks format, clippy and tidy: what must be clean before a commit.
    Lint(lint::Options),
    /// Checks the workspace's own rules: sizes of files, dependencies between crates, documents that match the code.
    Tidy,
    /// Runs the tests of several processes, over every MPI library that is installed.
    Mpi,
    /// Measures fusain beside other libraries.
    Compare(compare::Options),
    /// Measures all algorithms over sizes and threads, and writes a report with plots.
    Scaling(scaling::Options),
    /// Builds the documentation, with warnings as errors.
    Doc(doc::Options),
    /// Takes pictures of README, rustdoc's front page, the guide and a report (needs Chromium), to be looked at.
    Pages(pages::Options),
    /// Runs rayon's own tests and examples against this workspace.
    Rayon,
    /// Packs the crates, looks into the packages, and builds the facade from them alone.
    Publish(publish::Options),
    /// Checks every feature of every published crate alone, and none.
    Features(features::Options),
    /// Checks that the facade compiles for other platforms, and runs the tests where numbers have 32 bits (needs gcc-multilib) and with the
    /// oldest compiler.
    Targets,
    /// Checks all dependencies for known vulnerabilities, licences and sources (needs cargo-deny).
    Audit(audit::Options),
    /// Checks that the public interface of each published crate is the one that its `public.txt` lists.
    Interface(interface::Options),
    /// Runs the tests of the pool under ThreadSanitizer, which sees races (needs the nightly toolchain).
    ///
    /// It sees two unordered accesses to the same memory of which one is a write, in code that is compiled here, not in std's precompiled
    /// code. It does not understand stand-alone fences, and sees only the interleaving that happened.
    Tsan,
    /// Runs the tests of the pool, the algorithms and the iterators, with every hostile case, under AddressSanitizer (needs the nightly
    /// toolchain).
    ///
    /// It sees reads and writes outside of an allocation or after its end, on the heap and on stacks, double frees, and leaks, in code that is
    /// compiled here, not in std's precompiled code. It sees no race, no read of uninitialised memory, and no reference that only Rust's rules
    /// forbid.
    Asan,
    /// Runs the test suites of the protocols again and again, with random pauses between the steps.
    Stress(stress::Options),
    /// Fuzzes the readers of text and bytes for a while (needs the nightly toolchain and cargo-fuzz).
    Fuzz(fuzz::Options),
}

fn main() -> ExitCode {
    let done = match Cli::parse().verb {
        Verb::Test(options) => test::run(&options),
        Verb::Lint(options) => lint::run(&options),
        Verb::Tidy => tidy::run(),
        Verb::Mpi => mpi::run().map(|_| ExitCode::SUCCESS),
        Verb::Compare(options) => compare::run(&options),
        Verb::Scaling(options) => scaling::run(&options),
        Verb::Doc(options) => doc::run(&options),
        Verb::Pages(options) => pages::run(&options),
        Verb::Rayon => rayon::run(),
        Verb::Publish(options) => publish::run(&options),
        Verb::Features(options) => features::run(&options),
        Verb::Targets => targets::run(),
        Verb::Audit(options) => audit::run(&options),
        Verb::Interface(options) => interface::run(&options),
        Verb::Tsan => tsan::run(),
        Verb::Asan => asan::run(),
        Verb::Stress(options) => stress::run(&options),
        Verb::Fuzz(options) => fuzz::run(&options),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
