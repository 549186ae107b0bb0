//! `compare algorithms`: the 36 algorithms of pSTL-Bench beside all peers, at four sizes.

use std::env;
use std::path::Path;

use anyhow::Context;
use fusain::algorithms::par;
use fusain::pool::Pool;

use crate::peers::{Cxx, rayon_pool};
use crate::remote::{self, Server, leaks_tasks};
use crate::suite::{self, Group, Number, Others, Row as Algorithm, Runtimes};
use fusain_harness::{
    Options as Common, Progress, Report, Samples, Side, cell_ns, cell_ratio, gather, geometric_mean, measure, table,
};

/// What to measure.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Only these algorithms.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", value_parser = suite::known_name)]
    only: Vec<String>,
    /// Binary logarithms of the lengths.
    #[arg(long, value_delimiter = ',', value_name = "N,...", default_values_t = [12, 16, 20, 24],
          value_parser = clap::value_parser!(u32).range(1..=30))]
    log2: Vec<u32>,
    /// The element type.
    #[arg(long, value_name = "TYPE", default_value = "f64", value_parser = ["i32", "f32", "f64"])]
    element: String,
}

/// The columns of peers, and the sides of which each column shows the best. All other peers share the last column.
const PEERS: [(&str, &[&str]); 3] =
    [("rayon", &["rayon"]), ("TBB", &["tbb", "tbb_unseq"]), ("GNU", &["gnu", "gnu active"])];

/// An algorithm at one length.
struct Row<'a, T> {
    algorithm: &'a Algorithm<T>,
    log2: u32,
    groups: Vec<Group>,
    samples: Vec<Samples>,
}

impl<T: Number> Row<'_, T> {
    /// The least median of the sides that `keep` accepts; NaN if it accepts none.
    fn best(&self, keep: impl Fn(Group, &str) -> bool) -> f64 {
        let sides = self.groups.iter().zip(&self.samples);
        let kept = sides.filter(|(group, samples)| keep(**group, &samples.side));
        kept.map(|(_, samples)| samples.median()).reduce(f64::min).unwrap_or(f64::NAN)
    }

    fn ours(&self) -> f64 {
        self.best(|group, _| group == Group::Ours)
    }

    /// The time of the best parallel peer divided by ours: above 1, ours is ahead. NaN if ours is missing.
    fn lead(&self) -> f64 {
        self.best(|group, _| group == Group::Peer) / self.ours()
    }

    fn over_sequential(&self) -> f64 {
        self.best(|group, _| group == Group::Sequential) / self.ours()
    }

    /// The best of the peers that have no separate column.
    fn other(&self) -> String {
        let others = self.groups.iter().zip(&self.samples).filter(|(group, samples)| {
            **group == Group::Peer && !PEERS.iter().any(|(_, sides)| sides.contains(&samples.side.as_str()))
        });
        let best = others.map(|(_, samples)| (&samples.side, samples.median())).min_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or_else(|| "-".to_owned(), |(side, ns)| format!("{side} {}", cell_ns(ns)))
    }

    fn label(&self) -> String {
        format!("{} 2^{}", self.algorithm.name(), self.log2)
    }

    /// Measures all sides of the row once more; the first time it checks that all in this process compute the same.
    fn measure(&mut self, on: (Runtimes<'_>, &Others, &Processes), options: &Common) -> anyhow::Result<()> {
        let (runtimes, others, processes) = on;
        let (name, n) = (self.algorithm.name(), 1 << self.log2);
        let case = self.algorithm.case(n);
        let mut sides = self.algorithm.sides(&case, runtimes, Some(others), false);
        sides.retain(|(_, side)| !(leaks_tasks(name) && side.name().starts_with("tbb")));
        if self.samples.is_empty() {
            suite::ensure_agree::<T>(&mut sides, |side| self.algorithm.result_of(&case, side))?;
            case.reset();
        }
        sides.extend(processes.sides::<T>(name, n)?);
        let (groups, mut sides): (Vec<Group>, Vec<Side<'_>>) = sides.into_iter().unzip();
        self.groups = groups;
        gather(&mut self.samples, measure(&mut sides, &options.pass()));
        Ok(())
    }
}

/// The processes of the sides that cannot run in this process.
struct Processes {
    /// Our sides built for any processor of the family, if this program is built for the processor of this machine.
    portable: Option<Server>,
    /// GNU parallel mode with threads that spin between calls.
    gnu_active: Option<Server>,
    threads: usize,
}

impl Processes {
    fn start(options: &Common, has_cxx: bool) -> anyhow::Result<Self> {
        let threads = options.threads;
        let portable = env::var_os("FUSAIN_PORTABLE");
        let portable = portable.map(|program| Server::start(Path::new(&program), threads, &[])).transpose()?;
        let active = || Server::twin(threads, &[("OMP_WAIT_POLICY", "active")]);
        Ok(Processes { portable, gnu_active: has_cxx.then(active).transpose()?, threads })
    }

    /// The sides of a row that run in other processes. TBB's sorts get one process for each size, because each call leaks a task.
    fn sides<'a, T: Number>(&self, row: &str, n: usize) -> anyhow::Result<Vec<(Group, Side<'a>)>> {
        let mut sides = Vec::new();
        let mut add = |server: &Server, group: Group, side: &str, name: &str| -> anyhow::Result<()> {
            sides.extend(server.side::<T>(row, n, side, name)?.map(|side| (group, side)));
            Ok(())
        };
        if let Some(portable) = &self.portable {
            add(portable, Group::Shown, "ours", "ours portable")?;
        }
        if let Some(gnu) = &self.gnu_active {
            add(gnu, Group::Peer, "gnu", "gnu active")?;
            if leaks_tasks(row) {
                for side in ["tbb", "tbb_unseq"] {
                    add(&Server::twin(self.threads, &[])?, Group::Peer, side, side)?;
                }
            }
        }
        Ok(sides)
    }
}

/// The bytes that one worker and all workers read and write per second in a copy: the upper bound for everything that only moves memory.
fn roof(pool: &Pool, options: &Common, report: &mut Report) -> (f64, f64) {
    let n = elements_of_memory(options);
    let from = vec![1.0f64; n];
    let to = std::cell::RefCell::new(vec![0.0f64; n]);
    let part = n.div_ceil(options.threads);
    let mut sides = [
        Side::writing("one worker", &to, |to| to.copy_from_slice(&from)),
        Side::writing("all workers", &to, |to| {
            pool.scope(|scope| {
                for (to, from) in to.chunks_mut(part).zip(from.chunks(part)) {
                    scope.spawn(move |_| to.copy_from_slice(from));
                }
            });
        }),
    ];
    let samples = measure(&mut sides, &options.plan());
    report.keep(&format!("copy of {n} f64"), &samples);
    let speed = |samples: &Samples| (2 * size_of::<f64>() * n) as f64 / samples.median();
    (speed(&samples[0]), speed(&samples[1]))
}

/// Times for vectors whose pages either one worker touches first or all workers do (`first_touch_vec`): of their construction, and of a sum
/// by all workers.
fn first_touch(pool: &Pool, options: &Common, report: &mut Report) -> [f64; 4] {
    let n = elements_of_memory(options);
    let by_one = || (0..n).map(|i| i as f64).collect::<Vec<f64>>();
    let by_all = || par().on(pool).first_touch_vec(n, |i| i as f64);
    let vectors = [by_one(), by_all()];
    let sum = |v: &[f64]| par().on(pool).reduce(v, 0.0, |a, b| a + b);
    let mut sides = [
        Side::reading("made by one", || by_one().len()),
        Side::reading("made by all", || by_all().len()),
        Side::reading("sum of what one made", || sum(&vectors[0])),
        Side::reading("sum of what all made", || sum(&vectors[1])),
    ];
    let samples = measure(&mut sides, &options.plan());
    report.keep(&format!("first touch of {n} f64"), &samples);
    std::array::from_fn(|side| samples[side].median())
}

/// The number of elements of a vector that fits in no cache.
fn elements_of_memory(options: &Common) -> usize {
    1 << if options.smoke { 12 } else { 24 }
}

fn all<T: Number>(own: &Options, options: &Common) -> anyhow::Result<()> {
    let pool = options.pool()?;
    let rayon = rayon_pool(options.threads)?;
    let cxx = Cxx::load(options.threads);
    let on = Runtimes { pool: &pool, rayon: &rayon, cxx: cxx.as_ref().ok() };
    let others = Others::new(options.threads);
    let processes = Processes::start(options, cxx.is_ok())?;
    let sizes = if options.smoke { vec![10] } else { own.log2.clone() };
    let mut algorithms = suite::rows::<T>();
    algorithms.retain(|row| own.only.is_empty() || own.only.iter().any(|only| only == row.name()));

    let mut report = Report::new("algorithms");
    let (one, many) = roof(&pool, options, &mut report);
    let touched = first_touch(&pool, options, &mut report);
    let rows = sizes.iter().flat_map(|&log2| {
        let algorithms = algorithms.iter().filter(move |algorithm| log2 <= algorithm.log2_max());
        algorithms.map(move |algorithm| Row { algorithm, log2, groups: Vec::new(), samples: Vec::new() })
    });
    let mut rows: Vec<Row<'_, T>> = rows.collect();
    let progress = Progress::new(options.passes() * rows.len());
    for _ in 0..options.passes() {
        for row in &mut rows {
            progress.step(&row.label());
            row.measure((on, &others, &processes), options).with_context(|| row.label())?;
        }
    }
    drop(progress);

    for row in &rows {
        report.keep(&format!("{} {} 2^{}", row.algorithm.name(), T::NAME, row.log2), &row.samples);
    }
    for &log2 in &sizes {
        let rows: Vec<&Row<'_, T>> = rows.iter().filter(|row| row.log2 == log2).collect();
        print_table(&format!("2^{log2} {}", T::NAME), &rows, processes.portable.is_some());
    }
    let threads = options.threads;
    println!(
        "roof: one worker copies {one:.1} GB/s, {threads} copy {many:.1} GB/s, read and written: {} is what memory allows",
        cell_ratio(many / one)
    );
    let [made_by_one, made_by_all, sum_one, sum_all] = touched;
    let (making, summing) = (made_by_one / made_by_all, sum_one / sum_all);
    println!(
        "first touch: a vector made by one worker takes {}, by {threads} with first_touch_vec {}: {}; summed by {threads} then {} and {}: {}",
        cell_ns(made_by_one),
        cell_ns(made_by_all),
        cell_ratio(making),
        cell_ns(sum_one),
        cell_ns(sum_all),
        cell_ratio(summing)
    );
    report.key("first_touch_making", making);
    report.key("first_touch_summing", summing);
    for row in rows.iter().filter(|row| row.samples.iter().any(|samples| samples.side.ends_with(" stock"))) {
        let cell = |side: &str| cell_ns(row.best(|_, name| name == side));
        println!(
            "{} of TBB, par and par_unseq: {} and {}; without the flags of OpenMP {} and {}",
            row.label(),
            cell("tbb"),
            cell("tbb_unseq"),
            cell("tbb stock"),
            cell("tbb_unseq stock")
        );
    }
    if let Err(error) = &cxx {
        println!("gnu, tbb: missing; {error:#}");
    }
    finish(&rows, &sizes, report, options)
}

fn print_table<T: Number>(title: &str, rows: &[&Row<'_, T>], portable: bool) {
    let mut header = vec![title, "ours"];
    header.extend(portable.then_some("portable"));
    header.push("sequential");
    header.extend(PEERS.map(|(name, _)| name));
    header.extend(["best of the rest", "over sequential", "best peer / ours"]);
    let mut table = table(&header);
    for row in rows {
        let mut cells = vec![row.algorithm.name().to_owned(), cell_ns(row.ours())];
        cells.extend(portable.then(|| cell_ns(row.best(|_, side| side == "ours portable"))));
        cells.push(cell_ns(row.best(|group, _| group == Group::Sequential)));
        cells.extend(PEERS.map(|(_, sides)| cell_ns(row.best(|_, side| sides.contains(&side)))));
        cells.extend([row.other(), cell_ratio(row.over_sequential()), cell_ratio(row.lead())]);
        table.add_row(cells);
    }
    println!("{table}");
}

/// Names the algorithms that are behind, and prints the last line.
fn finish<T: Number>(rows: &[Row<'_, T>], sizes: &[u32], mut report: Report, options: &Common) -> anyhow::Result<()> {
    const BEHIND: f64 = 0.95;
    let counted: Vec<&Row<'_, T>> = rows.iter().filter(|row| !row.algorithm.is_variant()).collect();
    let behind: Vec<_> = counted.iter().filter(|row| row.lead() < BEHIND).collect();
    let below: Vec<_> = counted.iter().filter(|row| row.over_sequential() < BEHIND).collect();
    for row in &behind {
        println!("behind the best peer: {} ({})", row.label(), cell_ratio(row.lead()));
    }
    for row in &below {
        println!("below the best sequential code: {} ({})", row.label(), cell_ratio(row.over_sequential()));
    }
    let mut missing: Vec<_> =
        counted.iter().filter(|row| row.ours().is_nan()).map(|row| row.algorithm.name()).collect();
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        println!("missing on our side: {}", missing.join(", "));
    }

    let finite = |ratio: &dyn Fn(&Row<'_, T>) -> f64, log2: Option<u32>| -> Vec<f64> {
        let rows = counted.iter().filter(|row| log2.is_none_or(|log2| row.log2 == log2));
        rows.map(|row| ratio(row)).filter(|ratio| ratio.is_finite()).collect()
    };
    let least = |ratios: Vec<f64>| ratios.into_iter().reduce(f64::min).unwrap_or(f64::NAN);
    for &log2 in sizes {
        report.key(&format!("geomean_2e{log2}"), geometric_mean(&finite(&|row| row.lead(), Some(log2))));
    }
    report.key("rows_behind", behind.len() as f64);
    report.key("worst", least(finite(&|row| row.lead(), None)));
    for &log2 in sizes {
        let ratios = finite(&|row| row.over_sequential(), Some(log2));
        report.key(&format!("over_sequential_2e{log2}"), geometric_mean(&ratios));
    }
    report.key("rows_below_sequential", below.len() as f64);
    report.key("worst_over_sequential", least(finite(&|row| row.over_sequential(), None)));
    report.key("missing", missing.len() as f64);
    report.finish(options)
}

pub(super) fn run(own: &Options, options: &Common) -> anyhow::Result<()> {
    match own.element.as_str() {
        "i32" => all::<i32>(own, options),
        "f32" => all::<f32>(own, options),
        _ => all::<f64>(own, options),
    }
}

/// Calls sides for a comparison that runs in another process.
pub(super) fn serve(options: &Common) -> anyhow::Result<()> {
    let pool = options.pool()?;
    let rayon = rayon_pool(options.threads)?;
    let cxx = Cxx::load(options.threads);
    remote::serve(Runtimes { pool: &pool, rayon: &rayon, cxx: cxx.as_ref().ok() }, &Others::new(options.threads))
}
