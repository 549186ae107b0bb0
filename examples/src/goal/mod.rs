//! The example `goal`: its command line, and a file for each verb, which returns the text to be printed.

mod check;
mod draw;
mod file;
mod machine;
mod run;
mod simulate;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use machine::Machine;

/// Checks, draws, runs and simulates schedules in GOAL, the Group Operation Assembly Language.
#[derive(Debug, Parser)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Reads a schedule, and prints what is in it and whether every message is received.
    Check {
        /// The schedule.
        file: PathBuf,
    },
    /// Draws what happens when in a simulation (.svg), or what waits for what (.dot).
    Draw {
        /// The schedule.
        file: PathBuf,
        /// The picture; by default it stands beside the schedule, as .svg.
        #[arg(long)]
        output: Option<PathBuf>,
        #[command(flatten)]
        machine: Machine,
    },
    /// Runs a schedule: a thread for each rank, messages with real bytes, each compared with what was sent.
    Run {
        /// The schedule.
        file: PathBuf,
        /// Also draws what each rank did when (.svg).
        #[arg(long, value_name = "FILE")]
        picture: Option<PathBuf>,
    },
    /// Prints when each rank would be done on a machine.
    Simulate {
        /// The schedule.
        file: PathBuf,
        #[command(flatten)]
        machine: Machine,
        /// Also writes what happened when, for chrome://tracing or ui.perfetto.dev.
        #[arg(long, value_name = "FILE")]
        trace: Option<PathBuf>,
    },
}

impl Cli {
    /// Does what is asked, and returns the text to be printed.
    ///
    /// # Errors
    /// What is wrong with the schedule, or with a file to be written.
    pub fn run(self) -> anyhow::Result<String> {
        match self.verb {
            Verb::Check { file } => check::check(&file),
            Verb::Draw { file, output, machine } => {
                let output = output.unwrap_or_else(|| file.with_extension("svg"));
                draw::draw(&file, &output, &machine)
            }
            Verb::Run { file, picture } => run::run(&file, picture.as_deref()),
            Verb::Simulate { file, machine, trace } => simulate::simulate(&file, &machine, trace.as_deref()),
        }
    }
}

#[cfg(test)]
mod tests;
