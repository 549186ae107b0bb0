//! `compare NAME`: what `cargo xtask compare NAME` and `cargo xtask scaling` build and run.

use std::env;
use std::process::ExitCode;

use clap::Parser;
use fusain_benches::compare::Comparison;
use fusain_benches::scaling;
use fusain_harness::Options;

/// Measures fusain beside its peers.
#[derive(Debug, Parser)]
#[command(name = "compare", after_help = "compare scaling --help: the suite over sizes and threads")]
struct Cli {
    #[command(subcommand)]
    comparison: Comparison,
    #[command(flatten)]
    options: Options,
}

/// The suite over sizes and threads, and a report of it.
#[derive(Debug, Parser)]
#[command(name = "scaling")]
struct Scaling {
    #[command(flatten)]
    options: scaling::Options,
}

fn main() -> ExitCode {
    // `scaling` is parsed separately, because its options share names with those of the comparisons but mean something else. It is not a
    // separate program, because the sides take long to compile.
    let is_scaling = env::args_os().nth(1).is_some_and(|name| name == "scaling");
    let done = if is_scaling {
        scaling::run(&Scaling::parse_from(env::args_os().skip(1)).options)
    } else {
        let cli = Cli::parse();
        cli.comparison.run(&cli.options)
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
