//! `cargo xtask compare NAME`: builds the peers and the measuring program, and runs it.

use std::process::ExitCode;

use crate::{mpi, programs, workspace};

/// What to measure, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Which comparison.
    #[arg(value_parser = [
        "region", "handover", "breakeven", "crowd", "tick", "join", "first", "algorithms", "iterators", "split",
        "hierarchy", "interpret", "simulate", "overlap", "latency", "choice", "scale", "overhead", "irregular",
        "steal", "rayon", "coarse", "noloss", "strings", "compile",
    ])]
    name: String,
    /// Options of the comparison (`--json FILE`, `--smoke`, ...; `--help` lists them); `--native` builds for this very processor.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Comparisons of ranks and levels: programs of their own, and what each runs besides under real MPI.
const RANKS: &[&str] = &[
    "split",
    "hierarchy",
    "interpret",
    "simulate",
    "overlap",
    "latency",
    "choice",
    "scale",
    "overhead",
    "irregular",
    "steal",
];

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    if options.name == "rayon" {
        return crate::rayon::compare::run(&options.rest);
    }
    if options.name == "compile" {
        return crate::compile::run(&options.rest);
    }
    if RANKS.contains(&options.name.as_str()) {
        return ranks(options);
    }
    let (native, arguments) = programs::split_native(&options.rest);
    let mut program = programs::with_peers("compare", native)?;
    if native && options.name == "algorithms" {
        // Both figures of ours, in one run.
        program.env("FUSAIN_PORTABLE", programs::build("compare", false)?);
    }
    program.arg(&options.name).args(arguments);
    programs::run(program)
}

/// The real MPI first, where it is installed; then the in-process world, whose last line has the keys.
fn ranks(options: &Options) -> anyhow::Result<ExitCode> {
    // Of the options only this one is for the programs over MPI.
    let smoke: &[&str] = if options.rest.iter().any(|option| option == "--smoke") { &["--smoke"] } else { &[] };
    let outcome = match options.name.as_str() {
        // It is about MPI only: what it prints ends with the key.
        "latency" => {
            let printed = mpi::on_one_host(false, "compare-latency-mpi", 2, smoke);
            println!("{}", printed?.unwrap_or_default());
            return Ok(ExitCode::SUCCESS);
        }
        // Two processes, and where there is no MPI two threads.
        "irregular" => {
            let rest: Vec<&str> = options.rest.iter().map(String::as_str).collect();
            let printed = mpi::on_one_host(false, "compare-irregular-mpi", 2, &rest);
            if let Some(printed) = printed? {
                println!("{}", printed.trim_end());
                return Ok(ExitCode::SUCCESS);
            }
            Ok(None)
        }
        "overlap" => [false, true]
            .into_iter()
            .map(|mpich| mpi::on_one_host(mpich, "compare-overlap-mpi", 2, smoke))
            .map(|printed| printed.map(Option::unwrap_or_default))
            .collect::<Result<Vec<_>, _>>()
            .map(|printed| Some(printed.join("\n"))),
        "choice" => mpi::on_one_host(false, "compare-choice-mpi", 2, smoke),
        "steal" => mpi::on_one_host(false, "compare-steal-mpi", 2, smoke),
        "split" => mpi::on_one_host(false, "compare-split-mpi", 4, &[]),
        // Nothing to run under MPI: a graph without messages, machines we do not have, one rank.
        "interpret" | "simulate" | "scale" | "overhead" => Ok(None),
        _ => mpi::on_two_hosts("compare-hierarchy-mpi"),
    };
    let mut rest = options.rest.clone();
    match outcome {
        Ok(Some(printed)) => {
            println!("{printed}");
            // The last line has the keys of both.
            let keys = printed.lines().find_map(|line| line.strip_prefix("keys over MPI: "));
            rest.extend(keys.into_iter().flat_map(|keys| ["--keys".to_owned(), keys.to_owned()]));
        }
        Ok(None) => {}
        Err(error) => eprintln!("warning: over MPI: {error}"),
    }
    let program = format!("compare-{}", options.name);
    let run = ["run", "--quiet", "--release", "--package", "fusain-benches-ranks", "--bin", &program, "--"];
    workspace::cargo(run.into_iter().chain(rest.iter().map(String::as_str))).run()?;
    Ok(ExitCode::SUCCESS)
}
