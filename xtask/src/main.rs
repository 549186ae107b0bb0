//! Every chore of the workspace: `cargo xtask VERB`. A verb, a file.

#![allow(clippy::print_stdout, reason = "what a chore has to say belongs on the terminal")]

mod asan;
mod compare;
mod compile;
mod doc;
mod features;
mod fuzz;
mod interface;
mod lint;
mod mpi;
mod packages;
mod peers;
mod programs;
mod publish;
mod rayon;
mod sanitizer;
mod scaling;
mod steps;
mod stress;
mod test;
mod tidy;
mod tsan;
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
    /// Everything that must hold: format, lints, unit, doc, property, model and stress tests, examples, documentation.
    Test(test::Options),
    /// Format and clippy and tidy: what should be clean before a commit.
    Lint(lint::Options),
    /// The workspace's own rules: sizes of files, arrows between crates, documents that match the code.
    Tidy,
    /// The part of the test run that is about several processes, over every MPI library that is installed.
    Mpi,
    /// Measures us beside the peers.
    Compare(compare::Options),
    /// Sweeps the suite over sizes and threads, and writes a report with plots.
    Scaling(scaling::Options),
    /// Builds the documentation, with warnings as errors.
    Doc(doc::Options),
    /// Runs rayon's own tests against this workspace.
    Rayon,
    /// Packs the crates, looks into the packages, and builds the facade from them alone.
    Publish(publish::Options),
    /// Checks every feature of every published crate alone, and none.
    Features(features::Options),
    /// Checks that the public interface of each published crate is the one that its `public.txt` lists (needs the nightly toolchain).
    Interface(interface::Options),
    /// Runs the tests of the pool under ThreadSanitizer, which sees races (needs the nightly toolchain).
    ///
    /// It sees two threads at one place of which one writes, nothing ordering them, where that is compiled here; not in std's precompiled
    /// code. It does not understand a fence that stands alone, and judges only the interleaving that happened.
    Tsan,
    /// Runs the tests of the pool and the algorithms, with every hostile case, under AddressSanitizer (needs the nightly toolchain).
    ///
    /// It sees what is read or written outside of its memory, or when that is gone, on the heap and on stacks, frees of what was freed, and
    /// memory that nothing points to at the end; where that is compiled here, not in std's precompiled code. It sees no race, no
    /// memory that was never written, and no reference that Rust forbids while the bytes are there.
    Asan,
    /// Runs the suites about protocols over and over, with random pauses between the steps.
    Stress(stress::Options),
    /// Throws bytes at the readers of text and bytes for a while (needs the nightly toolchain and cargo-fuzz).
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
        Verb::Rayon => rayon::run(),
        Verb::Publish(options) => publish::run(&options),
        Verb::Features(options) => features::run(&options),
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
