//! `compare breakeven`: the length from which a parallel call pays off, and whether the pool's model finds it.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use plotters::style::{BLACK, RGBColor};

use super::region;
use crate::cases::{Algorithm, Case, Group, Number, Ordered, Runtimes};
use crate::chart::{self, Axis, BLUE, Chart, GREEN, Line, PURPLE, VERMILION, power_of_two, side_by_side, span};
use crate::data::Sampled;
use crate::peers::{Cxx, rayon_pool};
use fusain_harness::{Options as Common, Plan, Progress, Report, Samples, Side, cell_ns, cell_ratio, measure, table};

/// What to measure.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Only these algorithms.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    only: Vec<String>,
    /// Draw time over length into this folder, an SVG an algorithm.
    #[arg(long, value_name = "FOLDER")]
    plot: Option<PathBuf>,
}

/// The rows: key in the last line, algorithm, whether on `f64`, and the bar, which limits the sequential time at the break-even in empty regions.
const ROWS: [(&str, Algorithm, bool, f64); 8] = [
    ("min", Algorithm::Min, false, 4.0),
    ("merge", Algorithm::Merge, false, 8.0),
    ("sort", Algorithm::Sort, false, 8.0),
    ("for_each", Algorithm::ForEach, true, 4.0),
    ("reduce", Algorithm::Reduce, true, 4.0),
    ("scan", Algorithm::InclusiveScan, true, 4.0),
    ("filter", Algorithm::Filter, true, 4.0),
    ("count", Algorithm::Count, true, 4.0),
];

/// A ratio must exceed this to count as ahead; smaller differences are noise of the machine.
const AHEAD: f64 = 1.02;

/// The lengths from 16 to 2^20: four for each octave where the curves cross, one elsewhere.
fn lengths(smoke: bool) -> Vec<usize> {
    if smoke {
        return vec![16, 256, 4096];
    }
    let fine = |log2: u32| (8..15).contains(&log2);
    (4..=20)
        .flat_map(|log2| {
            let quarters: &[f64] = if fine(log2) { &[1.0, 1.19, 1.41, 1.68] } else { &[1.0] };
            quarters.iter().map(move |factor| ((1usize << log2) as f64 * factor) as usize & !1)
        })
        .collect()
}

/// Passes over all lengths. A minute in which a core is taken away spoils some samples of many lengths, whose medians still hold. In a single pass it would
/// spoil all samples of a few lengths.
const PASSES: usize = 3;

/// The samples at one length, and those of an empty region taken at the same time.
#[derive(Default)]
struct Measured {
    region: Vec<f64>,
    sides: Vec<(Group, Samples)>,
}

impl Measured {
    /// Adds the samples of one more pass.
    fn add(&mut self, region: Samples, groups: Vec<Group>, samples: Vec<Samples>) {
        self.region.extend(region.ns);
        if self.sides.is_empty() {
            self.sides = groups.into_iter().zip(samples).collect();
        } else {
            self.sides.iter_mut().zip(samples).for_each(|((_, all), some)| all.ns.extend(some.ns));
        }
    }

    fn point(&self, n: usize) -> Point {
        let region = Samples { side: String::new(), ns: self.region.clone() };
        let medians = self.sides.iter().map(|(group, samples)| (*group, samples.side.clone(), samples.median()));
        Point { n, region_ns: region.median(), medians: medians.collect() }
    }
}

/// The medians at one length, and that of an empty region taken at the same time.
struct Point {
    n: usize,
    region_ns: f64,
    medians: Vec<(Group, String, f64)>,
}

impl Point {
    fn best(&self, group: Group) -> f64 {
        self.medians.iter().filter(|(g, _, _)| *g == group).map(|&(_, _, ns)| ns).reduce(f64::min).unwrap_or(f64::NAN)
    }

    fn side(&self, name: &str) -> f64 {
        self.medians.iter().find(|(_, side, _)| side == name).map_or(f64::NAN, |&(_, _, ns)| ns)
    }

    /// The error of the model: the time of its choice divided by that of the better choice.
    fn regret(&self) -> f64 {
        self.best(Group::Ours) / self.best(Group::Forced).min(self.side("ours sequential"))
    }
}

/// One pass over all lengths, with half the rounds of a single comparison: what the pool learns about a call, it learns in the first rounds.
fn pass<T: Number + Ordered + Sampled>(
    algorithm: Algorithm,
    lengths: &[usize],
    on: Runtimes<'_>,
    options: &Common,
    progress: &Progress,
    curve: &mut [Measured],
) {
    let whole = options.plan();
    let plan = Plan { rounds: whole.rounds.div_ceil(2), ..whole };
    for (&n, measured) in lengths.iter().zip(curve) {
        progress.step(&format!("{algorithm} {} of {n}", T::NAME));
        let case = Case::<T>::new(algorithm, n);
        let region = measure(&mut [region::ours(on.pool, options.threads)], &plan).swap_remove(0);
        let (groups, mut sides): (Vec<Group>, Vec<Side<'_>>) = case.sides(on, true).into_iter().unzip();
        let samples = measure(&mut sides, &plan);
        measured.add(region, groups, samples);
    }
}

/// The point of the smallest length from which on `ns` is always ahead of the best sequential code.
fn breakeven(points: &[Point], ns: impl Fn(&Point) -> f64) -> Option<&Point> {
    let is_ahead = |point: &&Point| point.best(Group::Sequential) / ns(point) > AHEAD;
    points.iter().rev().take_while(is_ahead).last()
}

fn cell_length(point: Option<&Point>) -> String {
    point.map_or_else(|| "-".to_owned(), |point| point.n.to_string())
}

pub(super) fn run(own: &Options, options: &Common) -> anyhow::Result<()> {
    let pool = options.pool()?;
    let rayon = rayon_pool(options.threads)?;
    let cxx = Cxx::load(options.threads);
    let on = Runtimes { pool: &pool, rayon: &rayon, cxx: cxx.as_ref().ok() };
    let rows: Vec<_> =
        ROWS.into_iter().filter(|row| own.only.is_empty() || own.only.iter().any(|o| o == row.0)).collect();
    let lengths = lengths(options.smoke);
    let passes = if options.smoke { 1 } else { PASSES };
    let progress = Progress::new(passes * rows.len() * lengths.len());
    let mut report = Report::new("breakeven");
    let mut measured: Vec<Vec<Measured>> =
        rows.iter().map(|_| lengths.iter().map(|_| Measured::default()).collect()).collect();
    for _ in 0..passes {
        for (&(_, algorithm, is_f64, _), curve) in rows.iter().zip(&mut measured) {
            let pass = if is_f64 { pass::<f64> } else { pass::<i32> };
            pass(algorithm, &lengths, on, options, &progress, curve);
        }
    }
    for (&(_, algorithm, is_f64, _), curve) in rows.iter().zip(&measured) {
        let element = if is_f64 { f64::NAME } else { i32::NAME };
        for (n, at) in lengths.iter().zip(curve) {
            let samples: Vec<Samples> = at.sides.iter().map(|(_, samples)| samples.clone()).collect();
            report.keep(&format!("{algorithm} {element} {n}"), &samples);
        }
    }
    let curves: Vec<Vec<Point>> = measured
        .iter()
        .map(|curve| lengths.iter().zip(curve).map(|(&n, measured)| measured.point(n)).collect())
        .collect();
    drop(progress);

    for (row, points) in rows.iter().zip(&curves) {
        println!("{}", curve_table(row.0, row.2, points));
    }
    let peers = ["rayon", "gnu", "tbb", "tbb_unseq"];
    let header = [
        &["break-even", "ours", "forced"],
        &peers[..],
        &["regions", "bar", "n=16 over sequential", "model wrong by", "at"],
    ]
    .concat();
    let mut summary = table(&header);
    let (mut worst_16, mut worst_regret) = (0.0f64, 0.0f64);
    let mut over_region = Vec::new();
    for (&(key, _, is_f64, bar), points) in rows.iter().zip(&curves) {
        let ours = breakeven(points, |point| point.best(Group::Ours));
        let forced = breakeven(points, |point| point.best(Group::Forced));
        let at_16 = points[0].best(Group::Ours) / points[0].best(Group::Sequential);
        let wrong = points.iter().max_by(|a, b| a.regret().total_cmp(&b.regret()));
        let (regret, at) = wrong.map_or((f64::NAN, 0), |point| (point.regret(), point.n));
        worst_16 = worst_16.max(at_16);
        worst_regret = worst_regret.max(regret);
        let mut cells = vec![
            format!("{key} {}", if is_f64 { f64::NAME } else { i32::NAME }),
            cell_length(ours),
            cell_length(forced),
        ];
        cells.extend(peers.map(|peer| cell_length(breakeven(points, |point| point.side(peer)))));
        let regions = ours.map_or(f64::INFINITY, |point| point.best(Group::Sequential) / point.region_ns);
        cells.extend([
            cell_ratio(regions),
            cell_ratio(bar),
            cell_ratio(at_16),
            format!("{:.0} %", (regret - 1.0) * 100.0),
            at.to_string(),
        ]);
        summary.add_row(cells);
        report.key(key, ours.map_or(f64::INFINITY, |point| point.n as f64));
        over_region.push((key, regions));
    }
    println!("{summary}");
    println!(
        "regions: what the best sequential code takes at the length of `ours`, over an empty region in those moments"
    );
    println!(
        "elements from which a side is more than {:.0} % ahead of the best sequential code, and stays so up to {}",
        (AHEAD - 1.0) * 100.0,
        lengths.last().copied().unwrap_or_default()
    );
    if let Err(error) = &cxx {
        println!("gnu, tbb, tbb_unseq: missing; {error:#}");
    }
    for (key, regions) in over_region {
        report.key(&format!("{key}_over_region"), regions);
    }
    report.key("at_16_over_sequential", worst_16);
    report.key("model_over_best", worst_regret);
    if let Some(folder) = &own.plot {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for (row, points) in rows.iter().zip(&curves) {
            let file = folder.join(format!("breakeven-{}.svg", row.0));
            let svg = plot(row.0, points).map_err(|error| anyhow!("cannot draw {}: {error}", file.display()))?;
            fs::write(&file, svg).with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    report.finish(options)
}

fn curve_table(key: &str, is_f64: bool, points: &[Point]) -> comfy_table::Table {
    let element = if is_f64 { f64::NAME } else { i32::NAME };
    let title = format!("{key} {element}");
    let mut table = table(&[
        &title,
        "ours",
        "forced",
        "best sequential",
        "rayon",
        "gnu",
        "tbb",
        "tbb_unseq",
        "speed-up",
        "model / best",
    ]);
    for point in points {
        table.add_row([
            point.n.to_string(),
            cell_ns(point.best(Group::Ours)),
            cell_ns(point.best(Group::Forced)),
            cell_ns(point.best(Group::Sequential)),
            cell_ns(point.side("rayon")),
            cell_ns(point.side("gnu")),
            cell_ns(point.side("tbb")),
            cell_ns(point.side("tbb_unseq")),
            cell_ratio(point.best(Group::Sequential) / point.best(Group::Ours)),
            cell_ratio(point.regret()),
        ]);
    }
    table
}

/// The speed-up of every side over the best sequential code, by length.
fn plot(key: &str, points: &[Point]) -> Result<String, chart::Error> {
    type Side = (&'static str, fn(&Point) -> f64, RGBColor);
    let sides: [Side; 7] = [
        ("best sequential", |point| point.best(Group::Sequential), BLACK),
        ("ours", |point| point.best(Group::Ours), VERMILION),
        ("ours forced", |point| point.best(Group::Forced), RGBColor(240, 150, 120)),
        ("rayon", |point| point.side("rayon"), BLUE),
        ("GNU", |point| point.side("gnu"), PURPLE),
        ("TBB par", |point| point.side("tbb"), GREEN),
        ("TBB par_unseq", |point| point.side("tbb_unseq"), RGBColor(150, 200, 80)),
    ];
    let line = |(name, ns, colour): Side| {
        let speed_up = |point: &Point| (point.n as f64, point.best(Group::Sequential) / ns(point));
        let logarithms = points.iter().map(speed_up).map(|(n, speed_up)| (n.log2(), speed_up.log2()));
        Line { name, colour, points: logarithms.filter(|(_, y)| y.is_finite()).collect() }
    };
    let lines = sides.map(line);
    let all = || lines.iter().flat_map(|line| &line.points);
    let chart = Chart {
        title: format!("{key}: speed-up over the best sequential code"),
        x: Axis { range: span(all().map(|point| point.0), 0.0), label: power_of_two, title: "elements" },
        y: Axis {
            range: span(all().map(|point| point.1), 0.3),
            label: |log2| log2.exp2().to_string(),
            title: "speed-up",
        },
        lines: lines.into(),
        ideal: None,
    };
    side_by_side(&[chart], (900, 560))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(n: usize, ours: f64, sequential: f64) -> Point {
        let medians = vec![(Group::Ours, "ours".into(), ours), (Group::Sequential, "std".into(), sequential)];
        Point { n, region_ns: 1.0, medians }
    }

    #[test]
    fn ahead_means_ahead_from_there_on() {
        let points = [point(1, 1.0, 2.0), point(2, 2.0, 1.0), point(4, 1.0, 2.0), point(8, 1.0, 3.0)];
        let at = breakeven(&points, |point| point.best(Group::Ours)).map(|point| point.n);
        assert_eq!(at, Some(4));
        let behind = [point(1, 1.0, 2.0), point(2, 1.0, 1.01)];
        assert!(breakeven(&behind, |point| point.best(Group::Ours)).is_none());
    }
}
