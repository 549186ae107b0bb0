//! `compare iterators`: chains as programs have them, beside rayon's and those of others, and the sequential ones.

mod chains;

use std::hint::black_box;

use anyhow::ensure;
use fusain_harness::{
    Options as Common, Progress, Report, Samples, Side, cell_ns, cell_ratio, geometric_mean, measure, table,
};

use crate::peers::{Orx, Paralight};
use chains::{Data, ours, sequential, theirs};

/// What to measure.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Only the chains whose names have this in them.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Binary logarithms of the lengths.
    #[arg(long, value_delimiter = ',', value_name = "N,...", default_values_t = [8, 12, 16, 20, 22],
          value_parser = clap::value_parser!(u32).range(4..=26))]
    log2: Vec<u32>,
}

/// The medians of one row.
struct Row {
    label: String,
    log2: u32,
    medians: Vec<(String, f64)>,
}

impl Row {
    fn of(&self, side: &str) -> f64 {
        self.medians.iter().find(|(name, _)| name == side).map_or(f64::NAN, |&(_, ns)| ns)
    }

    /// The best parallel peer over ours: above 1 is ahead.
    fn lead(&self) -> f64 {
        PEERS.iter().map(|peer| self.of(peer)).fold(f64::NAN, f64::min) / self.of("ours")
    }

    fn over_sequential(&self) -> f64 {
        self.of("sequential") / self.of("ours")
    }
}

const PEERS: [&str; 3] = ["rayon", "orx", "paralight"];

/// The sides of peers that have other names for a chain, where they have it.
fn others<'a>(name: &str, data: &'a Data, orx: Orx, paralight: &'a Paralight) -> Vec<Side<'a>> {
    let add = |a: f64, b: f64| a + b;
    match name {
        "map.sum" => vec![
            Side::reading("orx", move || orx.map_reduce(&data.x, |x| x * x + 1.0, add).unwrap_or(0.0)),
            Side::reading("paralight", move || paralight.map_reduce(&data.x, 0.0, |x| x * x + 1.0, add)),
        ],
        "iter_mut.for_each" => vec![
            Side::reading("orx", move || orx.for_each(&mut data.out.lock().unwrap()[..], |o| *o = *o * 0.5 + 1.0)),
            Side::reading("paralight", move || {
                paralight.for_each(&mut data.out.lock().unwrap()[..], |o| *o = *o * 0.5 + 1.0)
            }),
        ],
        "filter.count" => vec![Side::reading("orx", move || orx.count(&data.ints, |x| x % 3 == 0) as f64)],
        "any" => vec![
            Side::reading("orx", move || orx.any(&data.ints, |x| *x == u32::MAX)),
            Side::reading("paralight", move || paralight.any(&data.ints, |x| *x == u32::MAX)),
        ],
        "copied.reduce min" => vec![
            Side::reading("orx", move || orx.map_reduce(&data.x, |x| *x, f64::min).unwrap_or(f64::INFINITY)),
            Side::reading("paralight", move || paralight.map_reduce(&data.x, f64::INFINITY, |x| *x, f64::min)),
        ],
        _ => Vec::new(),
    }
}

pub(super) fn run(own: &Options, options: &Common) -> anyhow::Result<()> {
    // Its own, as programs have it; the first of a process decides its size.
    rayon::ThreadPoolBuilder::new().num_threads(options.threads).build_global()?;
    let (orx, paralight) = (Orx::new(options.threads), Paralight::new(options.threads));
    let sizes = if options.smoke { vec![10] } else { own.log2.clone() };
    let mut report = Report::new("iterators");
    let mut rows: Vec<Row> = Vec::new();
    let progress = Progress::new(sizes.len() * ours::CHAINS.len());
    for &log2 in &sizes {
        let data = Data::new(1 << log2);
        for ((ours, theirs), plain) in ours::CHAINS.into_iter().zip(theirs::CHAINS).zip(sequential::CHAINS) {
            let name = ours.0;
            progress.step(&format!("{name} 2^{log2}"));
            if own.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
                continue;
            }
            let data = &data;
            let mut sides = vec![
                Side::reading("ours", || (ours.1)(black_box(data))),
                Side::reading("rayon", || (theirs.1)(black_box(data))),
                Side::reading("sequential", || (plain.1)(black_box(data))),
            ];
            sides.extend(others(name, data, orx, &paralight));
            let expected = sides[2].answer();
            for side in &mut sides {
                let answer = side.answer();
                let near = (answer - expected).abs() <= 1e-9 * expected.abs().max(1.0);
                ensure!(
                    near || side.name() != "ours" && side.name() != "rayon",
                    "{name}: {} says {answer}, not {expected}",
                    side.name()
                );
            }
            let samples: Vec<Samples> = measure(&mut sides, &options.plan());
            let label = format!("{name} 2^{log2}");
            report.keep(&label, &samples);
            let medians = samples.iter().map(|s| (s.side.clone(), s.median())).collect();
            rows.push(Row { label, log2, medians });
        }
    }
    drop(progress);
    show(&rows, &sizes, report, options)
}

/// The table, what is behind, and the keys.
fn show(rows: &[Row], sizes: &[u32], mut report: Report, options: &Common) -> anyhow::Result<()> {
    let mut table =
        table(&["", "ours", "rayon", "orx", "paralight", "sequential", "best peer / ours", "sequential / ours"]);
    for row in rows {
        let mut cells = vec![row.label.clone()];
        cells.extend(["ours", "rayon", "orx", "paralight", "sequential"].map(|side| cell_ns(row.of(side))));
        cells.extend([cell_ratio(row.lead()), cell_ratio(row.over_sequential())]);
        table.add_row(cells);
    }
    println!("{table}");
    for row in rows.iter().filter(|row| row.lead() < 0.95) {
        println!("behind: {} ({})", row.label, cell_ratio(row.lead()));
    }
    for row in rows.iter().filter(|row| row.over_sequential() < 0.95) {
        println!("behind the sequential chain: {} ({})", row.label, cell_ratio(row.over_sequential()));
    }
    for &log2 in sizes {
        let leads: Vec<f64> = rows.iter().filter(|row| row.log2 == log2).map(Row::lead).collect();
        report.key(&format!("geomean_2e{log2}"), geometric_mean(&leads));
    }
    report.key("worst", rows.iter().map(Row::lead).fold(f64::NAN, f64::min));
    report.key("rows_behind", rows.iter().filter(|row| row.lead() < 0.95).count() as f64);
    report.key("worst_over_sequential", rows.iter().map(Row::over_sequential).fold(f64::NAN, f64::min));
    report.finish(options)
}
