//! `compare NAME`: what `cargo xtask compare NAME` and `cargo xtask scaling` build and run.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use fusain_benches::compare::Comparison;
use fusain_benches::harness::Options;
use fusain_benches::scaling;

/// Measures fusain beside its peers.
#[derive(Debug, Parser)]
#[command(name = "compare")]
struct Cli {
    #[command(subcommand)]
    what: What,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Subcommand)]
enum What {
    #[command(flatten)]
    Comparison(Comparison),
    /// The suite over sizes and threads, and a report of it.
    Scaling(scaling::Options),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.what {
        What::Comparison(comparison) => comparison.run(&cli.options),
        What::Scaling(options) => scaling::run(options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
