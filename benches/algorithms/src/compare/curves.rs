//! `compare curves`: call time over length for three algorithms, with std on one core, rayon and fusain. Draws the plot of the README.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use plotters::style::{BLACK, RGBColor};

use crate::cases::{Algorithm, Case, Number, Ordered, Runtimes};
use crate::chart::{Axis, BLUE, Chart, Line, VERMILION, power_of_two, side_by_side, span, time};
use crate::data::Sampled;
use crate::peers::rayon_pool;
use fusain_harness::{Options as Common, Progress, Report, Side, cell_ns, cell_ratio, measure, median_of, table};

/// What to draw.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Draw time over length into this file, as SVG.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// The algorithms, each with whether it runs on `f64` or on `i32`.
const ALGORITHMS: [(Algorithm, bool); 3] =
    [(Algorithm::Sort, false), (Algorithm::Reduce, true), (Algorithm::ForEach, true)];

/// A side: its name in the rows, its name in the legend, and its colour.
const SIDES: [(&str, &str, RGBColor); 3] =
    [("std", "std, one core", BLACK), ("rayon", "rayon", BLUE), ("ours", "fusain", VERMILION)];

/// Binary logarithms of the lengths whose ratios are keys of the last line.
const KEYS: [u32; 3] = [10, 16, 20];

const SIZE: (u32, u32) = (1200, 400);

/// The medians of [`SIDES`] at one length.
struct Point {
    log2: u32,
    ns: [f64; 3],
}

struct Curve {
    algorithm: Algorithm,
    element: &'static str,
    points: Vec<Point>,
}

fn curve<T: Number + Ordered + Sampled>(
    algorithm: Algorithm,
    lengths: &[u32],
    on: Runtimes<'_>,
    options: &Common,
    (report, progress): (&mut Report, &Progress),
) -> Curve {
    let mut point = |log2: u32| {
        progress.step(&format!("{algorithm} {} 2^{log2}", T::NAME));
        let case = Case::<T>::new(algorithm, 1 << log2);
        let is_shown = |side: &Side<'_>| SIDES.iter().any(|(name, _, _)| *name == side.name());
        let mut sides: Vec<Side<'_>> =
            case.sides(on, false).into_iter().map(|(_, side)| side).filter(is_shown).collect();
        let samples = measure(&mut sides, &options.plan());
        report.keep(&format!("{algorithm} {} 2^{log2}", T::NAME), &samples);
        Point { log2, ns: SIDES.map(|(side, _, _)| median_of(&samples, side)) }
    };
    Curve { algorithm, element: T::NAME, points: lengths.iter().map(|&log2| point(log2)).collect() }
}

pub(super) fn run(own: &Options, options: &Common) -> anyhow::Result<()> {
    let pool = options.pool()?;
    let rayon = rayon_pool(options.threads)?;
    let on = Runtimes { pool: &pool, rayon: &rayon, cxx: None };
    let lengths: Vec<u32> = if options.smoke { vec![4, 8, 12] } else { (4..=22).collect() };
    let mut report = Report::new("curves");
    let progress = Progress::new(ALGORITHMS.len() * lengths.len());
    let curves = ALGORITHMS.map(|(algorithm, is_f64)| {
        let curve = if is_f64 { curve::<f64> } else { curve::<i32> };
        curve(algorithm, &lengths, on, options, (&mut report, &progress))
    });
    drop(progress);

    for Curve { algorithm, element, points } in &curves {
        let title = format!("{algorithm} {element}");
        let mut table = table(&[&title, "std", "rayon", "ours", "std / ours", "rayon / ours"]);
        for Point { log2, ns: [std, rayon, ours] } in points {
            let times = [std, rayon, ours].map(|ns| cell_ns(*ns));
            let ratios = [std, rayon].map(|ns| cell_ratio(ns / ours));
            table.add_row([format!("2^{log2}")].into_iter().chain(times).chain(ratios));
            if KEYS.contains(log2) || options.smoke {
                report.key(&format!("{algorithm}_2e{log2}"), std / ours);
            }
        }
        println!("{table}");
    }
    if let Some(file) = &own.plot {
        draw(file, &curves, options.threads)?;
    }
    report.finish(options)
}

/// Draws the curves beside each other over the same axes.
fn draw(file: &Path, curves: &[Curve], threads: usize) -> anyhow::Result<()> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let x = span(points().map(|point| f64::from(point.log2)), 0.5);
    let y = span(points().flat_map(|point| point.ns.map(f64::log10)), 0.3);
    let chart = |Curve { algorithm, element, points }: &Curve| Chart {
        title: format!("{algorithm} of {element}, {threads} threads"),
        x: Axis { range: x, label: power_of_two, title: "elements" },
        y: Axis { range: y, label: time, title: "time of a call" },
        lines: (0..SIDES.len())
            .map(|side| Line {
                name: SIDES[side].1,
                colour: SIDES[side].2,
                points: points.iter().map(|point| (f64::from(point.log2), point.ns[side].log10())).collect(),
            })
            .collect(),
        ideal: None,
    };
    let charts: Vec<Chart> = curves.iter().map(chart).collect();
    let svg = side_by_side(&charts, SIZE).map_err(|error| anyhow!("cannot draw {}: {error}", file.display()))?;
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(file, svg).with_context(|| format!("cannot write {}", file.display()))
}
