//! `compare iterators`: iterator chains typical of programs, beside those of rayon and other peers, and sequential ones.

mod chains;

use std::hint::black_box;

use anyhow::ensure;
use fusain_harness::{
    Options as Common, Progress, Report, Samples, Side, cell_ns, cell_ratio, gather, geometric_mean, measure,
    median_of, repeat, table,
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

/// A chain at one length.
struct Row {
    /// The index of the chain.
    chain: usize,
    log2: u32,
    samples: Vec<Samples>,
}

impl Row {
    fn name(&self) -> &'static str {
        ours::CHAINS[self.chain].0
    }

    fn label(&self) -> String {
        format!("{} 2^{}", self.name(), self.log2)
    }

    fn of(&self, side: &str) -> f64 {
        median_of(&self.samples, side)
    }

    /// The time of the best parallel peer divided by ours: above 1, ours is ahead.
    fn lead(&self) -> f64 {
        PEERS.iter().map(|peer| self.of(peer)).fold(f64::NAN, f64::min) / self.of("ours")
    }

    fn over_sequential(&self) -> f64 {
        self.of("sequential") / self.of("ours")
    }
}

const PEERS: [&str; 3] = ["rayon", "orx", "paralight"];
/// rayon called by one of its workers, while ours and the peers are called by a thread that is in no pool.
const INSIDE: &str = "rayon, inside";

/// The sides of the peers that do not share rayon's names, if they can express the chain.
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
    // The global pools, as programs use them. The first use in a process decides their size.
    rayon::ThreadPoolBuilder::new().num_threads(options.threads).build_global()?;
    fusain::Pool::builder().threads(options.threads).pin(options.pin).build_global()?;
    let (orx, paralight) = (Orx::new(options.threads), Paralight::new(options.threads));
    let sizes = if options.smoke { vec![10] } else { own.log2.clone() };
    let chains = (0..ours::CHAINS.len())
        .filter(|&chain| own.only.as_ref().is_none_or(|only| ours::CHAINS[chain].0.contains(only.as_str())));
    let rows = sizes.iter().flat_map(|&log2| chains.clone().map(move |chain| Row { chain, log2, samples: Vec::new() }));
    let mut rows: Vec<Row> = rows.collect();
    let progress = Progress::new(options.passes() * rows.len());
    for _ in 0..options.passes() {
        for rows in rows.chunk_by_mut(|one, other| one.log2 == other.log2) {
            let data = Data::new(1 << rows[0].log2);
            for row in rows {
                progress.step(&row.label());
                let mut sides = sides(row.chain, &data, orx, &paralight)?;
                gather(&mut row.samples, measure(&mut sides, &options.pass()));
            }
        }
    }
    drop(progress);
    show(&rows, &sizes, options)
}

/// All sides of a chain; they have the same answer.
fn sides<'a>(chain: usize, data: &'a Data, orx: Orx, paralight: &'a Paralight) -> anyhow::Result<Vec<Side<'a>>> {
    let [ours, theirs, plain] = [&ours::CHAINS, &theirs::CHAINS, &sequential::CHAINS].map(|chains| chains[chain]);
    let name = ours.0;
    let mut sides = vec![
        Side::reading("ours", move || (ours.1)(black_box(data))),
        Side::reading("rayon", move || (theirs.1)(black_box(data))),
        // All calls of a sample are made by a worker.
        Side::batches(INSIDE, move |batch| rayon::scope(|_| repeat(batch, || (theirs.1)(black_box(data))))),
        Side::reading("sequential", move || (plain.1)(black_box(data))),
    ];
    sides.extend(others(name, data, orx, paralight));
    let expected = (plain.1)(data);
    for side in &mut sides {
        let answer = side.answer();
        let near = (answer - expected).abs() <= 1e-9 * expected.abs().max(1.0);
        ensure!(
            near || ["orx", "paralight"].contains(&side.name()),
            "{name}: {} says {answer}, not {expected}",
            side.name()
        );
    }
    Ok(sides)
}

/// Prints the table, the chains that are behind, and the keys.
fn show(rows: &[Row], sizes: &[u32], options: &Common) -> anyhow::Result<()> {
    let mut report = Report::new("iterators");
    let mut table = table(&[
        "",
        "ours",
        "rayon",
        INSIDE,
        "orx",
        "paralight",
        "sequential",
        "best peer / ours",
        "sequential / ours",
    ]);
    for row in rows {
        report.keep(&row.label(), &row.samples);
        let mut cells = vec![row.label()];
        cells.extend(["ours", "rayon", INSIDE, "orx", "paralight", "sequential"].map(|side| cell_ns(row.of(side))));
        cells.extend([cell_ratio(row.lead()), cell_ratio(row.over_sequential())]);
        table.add_row(cells);
    }
    println!("{table}");
    for row in rows.iter().filter(|row| row.lead() < 0.95) {
        println!("behind: {} ({})", row.label(), cell_ratio(row.lead()));
    }
    for row in rows.iter().filter(|row| row.over_sequential() < 0.95) {
        println!("behind the sequential chain: {} ({})", row.label(), cell_ratio(row.over_sequential()));
    }
    let mean = |log2: u32, lead: &dyn Fn(&Row) -> f64| {
        geometric_mean(&rows.iter().filter(|row| row.log2 == log2).map(lead).collect::<Vec<f64>>())
    };
    for &log2 in sizes {
        report.key(&format!("geomean_2e{log2}"), mean(log2, &Row::lead));
    }
    for &log2 in sizes {
        report.key(&format!("rayon_inside_2e{log2}"), mean(log2, &|row| row.of(INSIDE) / row.of("ours")));
    }
    report.key("worst", rows.iter().map(Row::lead).fold(f64::NAN, f64::min));
    report.key("rows_behind", rows.iter().filter(|row| row.lead() < 0.95).count() as f64);
    report.key("worst_over_sequential", rows.iter().map(Row::over_sequential).fold(f64::NAN, f64::min));
    report.finish(options)
}
