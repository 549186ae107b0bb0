//! The outputs of a comparison: a table, a file of all samples, and the last line with its keys.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use fusain::pool::Pool;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::{Plan, Samples, machine, round_trip_ns, two_threads};

/// What every comparison can be asked for on the command line.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// Keep all samples in this file.
    #[arg(long, value_name = "FILE", global = true)]
    pub json: Option<PathBuf>,
    /// Few and short samples: shows that everything runs, not how fast.
    #[arg(long, global = true)]
    pub smoke: bool,
    /// Workers of our pools and of the peers'.
    #[arg(long, default_value_t = 2, value_name = "N", global = true)]
    pub threads: usize,
    /// Pin our workers to cores of their own; the calling thread and the peers stay where the system puts them.
    #[arg(long, global = true)]
    pub pin: bool,
}

impl Options {
    /// Our pool.
    ///
    /// # Errors
    ///
    /// If the threads cannot be started or pinned.
    pub fn pool(&self) -> Result<Pool, fusain::pool::Error> {
        Pool::builder().threads(self.threads).pin(self.pin).build()
    }

    /// How long to sample.
    pub fn plan(&self) -> Plan {
        if self.smoke { Plan::SMOKE } else { Plan::TABLE }
    }

    /// The number of passes over all rows, for comparisons of many rows. In a single pass, a machine that is slow for seconds would spoil
    /// all samples of one row, and the worst of many rows would describe the machine.
    pub fn passes(&self) -> usize {
        if self.smoke { 1 } else { 4 }
    }

    /// The plan of each of the [`passes`](Self::passes), which together sample as long as [`plan`](Self::plan).
    pub fn pass(&self) -> Plan {
        Plan { passes: self.passes(), ..self.plan() }
    }
}

#[derive(Debug, Serialize)]
struct Row {
    label: String,
    side: String,
    median_ns: f64,
    samples_ns: Vec<f64>,
}

/// All measurements of a comparison.
#[derive(Debug, Serialize)]
pub struct Report {
    name: String,
    cores: usize,
    rows: Vec<Row>,
    keys: BTreeMap<String, f64>,
    #[serde(skip)]
    order: Vec<String>,
}

impl Report {
    /// An empty report for the comparison `name`.
    pub fn new(name: &str) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        Report { name: name.to_owned(), cores, rows: Vec::new(), keys: BTreeMap::new(), order: Vec::new() }
    }

    /// Keeps the samples of a row.
    pub fn keep(&mut self, label: &str, samples: &[Samples]) {
        self.rows.extend(samples.iter().map(|s| Row {
            label: label.to_owned(),
            side: s.side.clone(),
            median_ns: s.median(),
            samples_ns: s.ns.clone(),
        }));
    }

    /// Adds a figure to the last line: `inf` if something is never reached, `NaN` if it is unknown because a peer is missing.
    pub fn key(&mut self, name: &str, value: f64) {
        self.order.push(name.to_owned());
        self.keys.insert(name.to_owned(), value);
    }

    /// Writes the file of samples if it was requested, and prints the last line.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn finish(mut self, options: &Options) -> anyhow::Result<()> {
        if let (false, Some(round_trip)) = (options.smoke, round_trip_ns()) {
            let two = two_threads();
            // `cargo xtask compare --read` searches for this line.
            println!("this machine: {}; {} threads", machine(), options.threads);
            println!(
                "this machine, now: a cache line goes to the other core and back in {}; two threads of plain arithmetic do {} the work of one",
                cell_ns(round_trip),
                cell_ratio(two),
            );
            self.key("machine_rtt_ns", round_trip);
            self.key("machine_two_threads", two);
        }
        write_json(options.json.as_deref(), &self)?;
        println!("{}", self.last_line());
        Ok(())
    }

    fn last_line(&self) -> String {
        let keys: Vec<String> = self.order.iter().map(|key| format!("{key}={}", number(self.keys[key]))).collect();
        format!("{}: {}", self.name, keys.join(" "))
    }
}

/// Writes the measurements into the file, if one was requested.
///
/// # Errors
///
/// If they cannot be converted to JSON, or the file cannot be written.
pub fn write_json(file: Option<&Path>, measured: &impl Serialize) -> anyhow::Result<()> {
    let Some(file) = file else { return Ok(()) };
    let text = serde_json::to_string(measured).context("what was measured cannot be put into JSON")?;
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Three significant digits; whole numbers without a fraction.
fn number(value: f64) -> String {
    match value {
        v if v.fract() == 0.0 => format!("{v:.0}"),
        v if v.abs() >= 100.0 => format!("{v:.0}"),
        v if v.abs() >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// A table with right-aligned figures.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED.with_rounded_corners()).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A time with three digits and its unit.
pub fn cell_ns(ns: f64) -> String {
    match ns {
        ns if ns.is_nan() => "-".to_owned(),
        ns if ns < 1e3 => format!("{} ns", number(ns)),
        ns if ns < 1e6 => format!("{} us", number(ns / 1e3)),
        ns if ns < 1e9 => format!("{} ms", number(ns / 1e6)),
        ns => format!("{} s", number(ns / 1e9)),
    }
}

/// A ratio followed by `x`, or a dash if one side is missing.
pub fn cell_ratio(ratio: f64) -> String {
    if ratio.is_nan() { "-".to_owned() } else { format!("{}x", number(ratio)) }
}

/// A progress bar on the terminal; nothing is shown without one.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar of `steps` steps.
    pub fn new(steps: usize) -> Self {
        let bar = ProgressBar::new(steps as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} ({eta} left)") {
            bar.set_style(style);
        }
        // Redrawn at each step only: a ticker thread would disturb the measurement.
        bar.disable_steady_tick();
        Progress(bar)
    }

    /// Shows what is about to be measured.
    pub fn step(&self, what: &str) {
        self.0.set_message(what.to_owned());
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_line_keeps_the_order_of_keys() {
        let mut report = Report::new("region");
        report.key("ours_over_rtt", 1.2345);
        report.key("breakeven", 4096.0);
        report.key("big", 123.4);
        assert_eq!(report.last_line(), "region: ours_over_rtt=1.23 breakeven=4096 big=123");
    }

    #[test]
    fn cells_carry_units() {
        assert_eq!(cell_ns(512.0), "512 ns");
        assert_eq!(cell_ns(1500.0), "1.50 us");
        assert_eq!(cell_ns(f64::NAN), "-");
        assert_eq!(cell_ratio(2.0), "2x");
    }
}
