//! `cargo xtask compare NAME`: builds the peers and the measuring program, and runs it.
//!
//! ```text
//! compare NAME                  one comparison; its tables go to the terminal
//! compare --write [NAME...]  ─▶ write: runs them one by one ─▶ document: BENCHMARKS.md ─▶ figures: README.md
//! compare --read FILE...     ─▶ write: what the program printed elsewhere ─▶ likewise
//! compare --render           ─────────────────────────────────▶ the same from what BENCHMARKS.md has
//! ```

mod catalog;
mod document;
mod figures;
mod machine;
mod write;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::builder::PossibleValuesParser;

use crate::{mpi, programs, workspace};
use catalog::{Comparison, Program};

pub(crate) use write::check;

/// What to measure, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Which comparison.
    #[arg(value_parser = PossibleValuesParser::new(catalog::names()), required_unless_present_any = ["write", "read", "render"])]
    name: Option<String>,
    /// Runs all comparisons, or those named, and writes BENCHMARKS.md and the figures of README.md from what they print.
    #[arg(long, num_args = 0.., value_name = "NAME", conflicts_with = "name",
          value_parser = PossibleValuesParser::new(catalog::names()))]
    write: Option<Vec<String>>,
    /// How often each comparison that is written is run: the run with the middle one of its first figures counts.
    #[arg(long, default_value_t = 1, value_name = "N", requires = "write", value_parser = clap::value_parser!(u8).range(1..))]
    runs: u8,
    /// Writes both files with what `target/release/compare NAME --threads N` has printed into these files, on a machine with more cores that needs nothing but that program. It
    /// must have been built from what is checked out.
    #[arg(long, num_args = 1.., value_name = "FILE", conflicts_with_all = ["name", "write"])]
    read: Option<Vec<PathBuf>>,
    /// Writes both files anew from the results that BENCHMARKS.md has, and runs nothing: after a change of their wording.
    #[arg(long, conflicts_with_all = ["name", "write", "read"])]
    render: bool,
    /// Options of the comparison (`--json FILE`, `--smoke`, ...; `--help` lists them); `--native` builds for this very processor.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    match options {
        Options { write: Some(names), runs, .. } => write::run(names, usize::from(*runs)),
        Options { read: Some(files), .. } => write::read(files).map(|()| ExitCode::SUCCESS),
        Options { render: true, .. } => write::render().map(|()| ExitCode::SUCCESS),
        Options { name, rest, .. } => {
            let comparison = name.as_deref().and_then(catalog::named).context("no comparison is named")?;
            one(comparison, rest)
        }
    }
}

fn one(comparison: &Comparison, rest: &[String]) -> anyhow::Result<ExitCode> {
    match comparison.program {
        Program::Slices => slices(comparison.name, rest),
        Program::Ranks => ranks(comparison.name, rest),
        Program::Cores => crate::rayon::compare::run(rest),
        Program::Names => crate::rayon::crates::run(),
        Program::Builds => crate::compile::run(rest),
    }
}

fn slices(name: &str, rest: &[String]) -> anyhow::Result<ExitCode> {
    let (native, arguments) = programs::split_native(rest);
    let mut program = programs::with_peers("compare", native)?;
    if native && name == "algorithms" {
        // Both of our builds, portable and native, are measured in one run.
        program.env("FUSAIN_PORTABLE", programs::build("compare", false)?);
    }
    program.arg(name).args(arguments);
    programs::run(program)
}

/// Runs the real MPI first, if it is installed, then the in-process world, whose last line has the keys.
fn ranks(name: &str, rest: &[String]) -> anyhow::Result<ExitCode> {
    // Only this option also applies to the programs over MPI.
    let smoke: &[&str] = if rest.iter().any(|option| option == "--smoke") { &["--smoke"] } else { &[] };
    let outcome = match name {
        // This comparison is about MPI only; its output ends with the key.
        "latency" => {
            let printed = mpi::on_one_host(false, "compare-latency-mpi", 2, smoke);
            println!("{}", printed?.unwrap_or_default());
            return Ok(ExitCode::SUCCESS);
        }
        // Runs two processes, or two threads if there is no MPI.
        "irregular" => {
            let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
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
        // These have no part under MPI: a graph without messages, machines that do not exist here, one rank.
        "interpret" | "simulate" | "scale" | "overhead" => Ok(None),
        _ => mpi::on_two_hosts("compare-hierarchy-mpi"),
    };
    let mut rest = rest.to_vec();
    match outcome {
        Ok(Some(printed)) => {
            println!("{printed}");
            // The last line is to have the keys of both.
            let keys = printed.lines().find_map(|line| line.strip_prefix("keys over MPI: "));
            rest.extend(keys.into_iter().flat_map(|keys| ["--keys".to_owned(), keys.to_owned()]));
        }
        Ok(None) => {}
        Err(error) => eprintln!("warning: over MPI: {error}"),
    }
    let program = format!("compare-{name}");
    let run = ["run", "--quiet", "--release", "--package", "fusain-benches-ranks", "--bin", &program, "--"];
    workspace::cargo(run.into_iter().chain(rest.iter().map(String::as_str))).run()?;
    Ok(ExitCode::SUCCESS)
}
