//! Every chore of the workspace: `cargo xtask VERB`. A verb, a file.

#![allow(clippy::print_stdout, reason = "what a chore has to say belongs on the terminal")]

mod compare;
mod doc;
mod fuzz;
mod lint;
mod mpi;
mod packages;
mod peers;
mod programs;
mod rayon;
mod scaling;
mod steps;
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
    /// Runs rayon's own tests on our core, from the sources that cargo has fetched.
    Rayon,
    /// Runs the tests of the pool under ThreadSanitizer (needs the nightly toolchain).
    Tsan,
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
        Verb::Tsan => tsan::run(),
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
