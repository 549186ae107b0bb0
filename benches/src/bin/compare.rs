//! `compare NAME`: what `cargo xtask compare NAME` builds and runs.

use std::process::ExitCode;

use clap::Parser;
use fusain_benches::compare::Comparison;
use fusain_benches::harness::Options;

/// Measures fusain beside its peers.
#[derive(Debug, Parser)]
#[command(name = "compare")]
struct Cli {
    #[command(subcommand)]
    comparison: Comparison,
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.comparison.run(&cli.options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
