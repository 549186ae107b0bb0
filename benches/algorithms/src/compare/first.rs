//! `compare first`: each basic algorithm beside all peers that have it.

use anyhow::Context;

use super::plain;
use crate::cases::{Algorithm, Case, Group, Number, Ordered, Runtimes};
use crate::peers::{Cxx, rayon_pool};
use crate::suite::ensure_agree;
use fusain_harness::{
    Options as Common, Progress, Report, Samples, Side, cell_ns, cell_ratio, gather, geometric_mean, measure,
    median_of, table,
};

/// What to measure.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Only these algorithms.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", value_parser = algorithm)]
    only: Vec<Algorithm>,
    /// Binary logarithms of the lengths.
    #[arg(long, value_delimiter = ',', value_name = "N,...", default_values_t = [16, 20, 24])]
    log2: Vec<u32>,
    /// Only this element type.
    #[arg(long, value_name = "TYPE", value_parser = ["i32", "f64"])]
    element: Option<String>,
    /// Our kernels without wide vectors beside the chosen ones, on one core, and nobody else's.
    #[arg(long)]
    plain: bool,
}

impl Options {
    /// The selected algorithms, elements and binary logarithms of lengths.
    fn cases(&self, is_smoke: bool) -> Vec<(Algorithm, &'static str, u32)> {
        let algorithms = if self.only.is_empty() { &Algorithm::ALL[..] } else { &self.only };
        let log2 = if is_smoke { &[12][..] } else { &self.log2 };
        let elements =
            ["i32", "f64"].into_iter().filter(|name| self.element.as_deref().is_none_or(|only| only == *name));
        let of_length = |log2: &u32| {
            let log2 = *log2;
            let elements = elements.clone();
            algorithms
                .iter()
                .flat_map(move |algorithm| elements.clone().map(move |element| (*algorithm, element, log2)))
        };
        log2.iter().flat_map(of_length).collect()
    }
}

fn algorithm(name: &str) -> Result<Algorithm, String> {
    Algorithm::named(name)
        .ok_or_else(|| format!("no such algorithm; there are {}", Algorithm::ALL.map(|a| a.name()).join(", ")))
}

/// One of [`cases`](Options::cases) and its measurements.
struct Row {
    algorithm: Algorithm,
    element: &'static str,
    log2: u32,
    groups: Vec<Group>,
    samples: Vec<Samples>,
}

impl Row {
    fn label(&self) -> String {
        format!("{} {} 2^{}", self.algorithm, self.element, self.log2)
    }

    /// Measures all sides of the row once more; the first time it checks that all compute the same.
    fn measure<T: Number + Ordered>(&mut self, on: Runtimes<'_>, options: &Common) -> anyhow::Result<()> {
        let case = Case::<T>::new(self.algorithm, 1 << self.log2);
        let mut sides = case.sides(on, false);
        if self.samples.is_empty() {
            ensure_agree::<T>(&mut sides, |side| case.result_of(side))?;
        }
        let (groups, mut sides): (Vec<Group>, Vec<Side<'_>>) = sides.into_iter().unzip();
        self.groups = groups;
        gather(&mut self.samples, measure(&mut sides, &options.pass()));
        Ok(())
    }

    /// The least median of a group; NaN if the group has no side.
    fn best(&self, group: Group) -> f64 {
        let group = self.groups.iter().zip(&self.samples).filter(|&(g, _)| *g == group);
        group.map(|(_, samples)| samples.median()).reduce(f64::min).unwrap_or(f64::NAN)
    }

    /// The time of the best parallel peer divided by ours: above 1, ours is ahead. NaN if no peer has the algorithm.
    fn lead(&self) -> f64 {
        self.best(Group::Peer) / self.best(Group::Ours)
    }
}

/// The time of std's stable sort of `n` values of `i32` on one core, divided by ours.
fn sort_over_std(n: usize, on: Runtimes<'_>, options: &Common, report: &mut Report) -> f64 {
    let case = Case::<i32>::new(Algorithm::Sort, n);
    let (_, mut sides): (Vec<Group>, Vec<Side<'_>>) =
        case.sides(Runtimes { cxx: None, ..on }, false).into_iter().filter(|(group, _)| *group != Group::Peer).unzip();
    let samples = measure(&mut sides, &options.plan());
    report.keep(&format!("stable sort i32 of {n}"), &samples);
    median_of(&samples, "std") / median_of(&samples, "ours")
}

pub(super) fn run(own: &Options, options: &Common) -> anyhow::Result<()> {
    let pool = options.pool()?;
    let rayon = rayon_pool(options.threads)?;
    let cxx = Cxx::load(options.threads);
    let on = Runtimes { pool: &pool, rayon: &rayon, cxx: cxx.as_ref().ok() };
    let mut report = Report::new("first");
    let cases = own.cases(options.smoke);
    if own.plain {
        return plain::run(&cases, on, options, report);
    }
    let mut rows: Vec<Row> = cases
        .into_iter()
        .map(|(algorithm, element, log2)| Row { algorithm, element, log2, groups: Vec::new(), samples: Vec::new() })
        .collect();
    let progress = Progress::new(options.passes() * rows.len());
    for _ in 0..options.passes() {
        for row in &mut rows {
            progress.step(&row.label());
            match row.element {
                "i32" => row.measure::<i32>(on, options),
                _ => row.measure::<f64>(on, options),
            }
            .with_context(|| row.label())?;
        }
    }
    let sort_sizes: &[usize] = if options.smoke { &[1000] } else { &[1_000_000, 10_000_000] };
    let sorts: Vec<(usize, f64)> = if own.only.is_empty() || own.only.contains(&Algorithm::Sort) {
        sort_sizes.iter().map(|&n| (n, sort_over_std(n, on, options, &mut report))).collect()
    } else {
        Vec::new()
    };
    drop(progress);

    let peers = ["rayon", "gnu", "tbb", "tbb_unseq"];
    let header = [&["", "ours", "best sequential"], &peers[..], &["speed-up", "best peer / ours"]].concat();
    let mut table = table(&header);
    for row in &rows {
        report.keep(&row.label(), &row.samples);
        let [ours, sequential] = [Group::Ours, Group::Sequential].map(|group| row.best(group));
        let mut cells = vec![row.label(), cell_ns(ours), cell_ns(sequential)];
        cells.extend(peers.map(|peer| cell_ns(median_of(&row.samples, peer))));
        cells.extend([cell_ratio(sequential / ours), cell_ratio(row.lead())]);
        table.add_row(cells);
    }
    println!("{table}");
    if let Err(error) = &cxx {
        println!("gnu, tbb, tbb_unseq: missing; {error:#}");
    }
    let behind: Vec<&Row> = rows.iter().filter(|row| row.lead() < 0.95).collect();
    for row in &behind {
        println!("behind: {} ({})", row.label(), cell_ratio(row.lead()));
    }
    for (n, ratio) in &sorts {
        println!("stable sort of {n} i32 on {} workers over std on one core: {}", options.threads, cell_ratio(*ratio));
    }

    let leads = |keep: &dyn Fn(&Row) -> bool| -> Vec<f64> {
        rows.iter().filter(|row| keep(row)).map(Row::lead).filter(|lead| lead.is_finite()).collect()
    };
    for log2 in if options.smoke { vec![12] } else { own.log2.clone() } {
        report.key(&format!("geomean_2e{log2}"), geometric_mean(&leads(&|row| row.log2 == log2)));
    }
    report.key("rows_behind", behind.len() as f64);
    report.key("worst", leads(&|_| true).into_iter().reduce(f64::min).unwrap_or(f64::NAN));
    for (n, ratio) in sorts {
        report.key(&format!("sort_{n}_over_std"), ratio);
    }
    report.finish(options)
}
