//! `goal simulate`: when each rank would be done.

use std::path::Path;
use std::time::{Duration, Instant};

use comfy_table::{CellAlignment, Table};
use fusain::schedule::simulate::{self, Outcome, Program, simulate_with};
use indicatif::{ProgressBar, ProgressStyle};

use super::file;
use super::machine::Machine;

/// The number of ranks up to which all are listed.
const LISTED_MAX: usize = 16;

/// Simulates a schedule. If `trace` is given, writes into that file what happened when.
///
/// # Errors
/// What is wrong with the text; a schedule that does not end; a trace that cannot be written.
pub(super) fn simulate(file: &Path, machine: &Machine, trace: Option<&Path>) -> anyhow::Result<String> {
    let program = file::program(file)?;
    let begin = Instant::now();
    let outcome = match trace {
        None => with_bar(&program, machine)?,
        Some(trace) => {
            let (outcome, timeline) = simulate::timeline(&program, &machine.levels())?;
            file::write(trace, |into| Ok(timeline.chrome(into)?))?;
            outcome
        }
    };
    Ok(format!("{}\n{} events in {:.3} s", table(&outcome), outcome.events, begin.elapsed().as_secs_f64()))
}

/// A line for each rank, or for the last of many.
fn table(outcome: &Outcome) -> String {
    let mut table = Table::new();
    table.set_header(["rank", "done at"]);
    let last = outcome.finish.iter().max().copied().unwrap_or(0);
    for (rank, finish) in outcome.finish.iter().enumerate() {
        if outcome.finish.len() <= LISTED_MAX {
            table.add_row([rank.to_string(), finish.to_string()]);
        } else if *finish == last {
            table.add_row([format!("{rank}, the first of the last"), finish.to_string()]);
            break;
        }
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

/// How many spans are simulated between two updates of the progress bar.
const TOLD: u64 = 1 << 16;

fn with_bar(program: &Program, machine: &Machine) -> anyhow::Result<Outcome> {
    let style = ProgressStyle::with_template("simulating {elapsed} {human_pos} spans {per_sec}")?;
    let bar = ProgressBar::no_length().with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut spans = 0u64;
    let outcome = simulate_with(program, &machine.levels(), |_| {
        spans += 1;
        if spans.is_multiple_of(TOLD) {
            bar.set_position(spans);
        }
    });
    bar.finish_and_clear();
    Ok(outcome?)
}
