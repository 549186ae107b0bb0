//! Steps that are run one after the other, timed, and counted at the end.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::table::table;

/// How a step ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    Passed,
    Skipped(String),
}

#[derive(Debug)]
struct Done {
    name: String,
    took: Duration,
    end: Result<Outcome, String>,
}

/// The steps done so far.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    done: Vec<Done>,
}

impl Steps {
    /// Runs a step. A failure is kept for the end, so that one run shows all failures.
    pub(crate) fn run(&mut self, name: &str, step: impl FnOnce() -> anyhow::Result<Outcome>) {
        println!("── {name}");
        let start = Instant::now();
        let end = step().map_err(|error| format!("{error:#}"));
        let took = start.elapsed();
        match &end {
            Ok(Outcome::Passed) => println!("   passed in {:.1} s", took.as_secs_f64()),
            Ok(Outcome::Skipped(why)) => println!("   skipped: {why}"),
            Err(error) => println!("   FAILED in {:.1} s: {error}", took.as_secs_f64()),
        }
        self.done.push(Done { name: name.to_owned(), took, end });
    }

    /// Prints a table of the steps and, alone on the last line, how many passed and failed.
    pub(crate) fn finish(self) -> ExitCode {
        let mut table = table(&["step", "seconds", "end"]);
        let (mut passed, mut failed, mut skipped) = (0, 0, 0);
        let mut total = Duration::ZERO;
        for Done { name, took, end } in &self.done {
            total += *took;
            let end = match end {
                Ok(Outcome::Passed) => {
                    passed += 1;
                    "passed"
                }
                Ok(Outcome::Skipped(_)) => {
                    skipped += 1;
                    "skipped"
                }
                Err(_) => {
                    failed += 1;
                    "FAILED"
                }
            };
            table.add_row([name, &format!("{:.1}", took.as_secs_f64()), end]);
        }
        table.add_row(["all", &format!("{:.1}", total.as_secs_f64()), ""]);
        println!("{table}");
        let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
        println!("{passed} passed, {failed} failed{skipped}");
        if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Runs a command as a step, which passes if the command exits with zero.
pub(crate) fn command(command: duct::Expression) -> anyhow::Result<Outcome> {
    command.run()?;
    Ok(Outcome::Passed)
}
