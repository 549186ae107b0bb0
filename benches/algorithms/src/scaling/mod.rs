//! `cargo xtask scaling`: measures every algorithm of the suite over sizes and threads, and writes a report.
//!
//! ```text
//! sweep ──► points.jsonl ──► speed (what is asked of the points) ──► page: plots, tables ──► report/index.html
//!             (resumes)                                         └──► google: report/threads-N.json
//! ```
//!
//! Unlike the comparisons, which measure sides in turn to detect small differences, the sweep gives each point a few hundredths of a
//! second, because it looks for the shape of the curves over many sizes.

mod code;
mod google;
mod page;
mod plot;
mod speed;
mod store;
mod sweep;

use std::path::PathBuf;

use anyhow::Context;

use crate::suite;
use store::Store;

/// What to sweep over.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Only these algorithms.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", value_parser = suite::known_name)]
    algorithms: Vec<String>,
    /// Binary logarithms of the lengths, both ends included; pSTL-Bench goes to 30.
    #[arg(long, value_name = "FROM..TO", default_value = "3..24", value_parser = sizes)]
    sizes: (u32, u32),
    /// Numbers of workers; by default 1, 2, 4, ... and all cores.
    #[arg(long, value_delimiter = ',', value_name = "N,...", value_parser = clap::value_parser!(u32).range(1..))]
    threads: Vec<u32>,
    /// Element types.
    #[arg(long, value_delimiter = ',', value_name = "TYPE,...", default_value = "f64", value_parser = ["i32", "f32", "f64"])]
    types: Vec<String>,
    /// Whom to measure besides.
    #[arg(long, value_delimiter = ',', value_name = "PEER,...", default_value = "rayon,tbb,gnu",
          value_parser = ["rayon", "tbb", "gnu", "none"])]
    peers: Vec<String>,
    /// Calls that would last longer than so many seconds are left out, and listed.
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    longest: f64,
    /// Where the points are kept and the report is written.
    #[arg(long, value_name = "FOLDER", default_value = "report")]
    out: PathBuf,
    /// Forget the points of an earlier sweep in that folder instead of going on from there.
    #[arg(long)]
    fresh: bool,
    /// A few points only: shows that everything runs.
    #[arg(long)]
    quick: bool,
}

fn sizes(text: &str) -> Result<(u32, u32), String> {
    let ends = text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    match ends {
        Some((from, to)) if 1 <= from && from <= to && to <= 40 => Ok((from, to)),
        _ => Err("a range such as 3..24 is wanted: binary logarithms of lengths, from 1 to 40".to_owned()),
    }
}

impl Options {
    /// The requested numbers of threads; by default 1, 2, 4, ... and all cores.
    fn teams(&self) -> Vec<usize> {
        if !self.threads.is_empty() {
            let mut teams: Vec<usize> = self.threads.iter().map(|&threads| threads as usize).collect();
            teams.sort_unstable();
            teams.dedup();
            return teams;
        }
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let mut teams: Vec<usize> =
            std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|n| *n < cores).collect();
        teams.push(cores);
        teams
    }

    fn log2(&self) -> std::ops::RangeInclusive<u32> {
        if self.quick { 4..=6 } else { self.sizes.0..=self.sizes.1 }
    }
}

/// Sweeps, and writes the report, even if the sweep was stopped.
///
/// # Errors
///
/// If threads cannot be started, a file cannot be written, or the folder holds a sweep of another machine.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let mut store = Store::open(&options.out, options.fresh)?;
    let left_out = sweep::run(options, &mut store)?;
    let sizes = code::sizes().unwrap_or_else(|error| {
        eprintln!("warning: no binary sizes: {error:#}");
        Vec::new()
    });
    let points = store.points();
    google::write(&options.out, points)?;
    let file = options.out.join("index.html");
    let page = page::page(points, &left_out, &sizes, store.machine());
    std::fs::write(&file, page.into_string()).with_context(|| format!("cannot write {}", file.display()))?;
    println!("{} points, {} left out; {}", points.len(), left_out.len(), file.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_ends() {
        assert_eq!(sizes("3..24"), Ok((3, 24)));
        assert!(sizes("24..3").is_err() && sizes("3").is_err() && sizes("3..99").is_err());
    }
}
