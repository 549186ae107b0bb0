//! The two plots of an algorithm, as SVG.

use plotters::style::{BLACK, RGBColor};

use super::speed::Curve;
use super::sweep::{SEQUENTIAL, SIDES};
use crate::chart::{Axis, BLUE, Chart, Error, GREEN, Line, PURPLE, VERMILION, power_of_two, side_by_side, span, time};

const SIZE: (u32, u32) = (620, 400);

/// A side: its name in the points, its name in the legend, and its colour.
const LINES: [(&str, &str, RGBColor); 5] = [
    (SEQUENTIAL, "best sequential", BLACK),
    ("fusain", "fusain", VERMILION),
    ("rayon", "rayon", BLUE),
    ("tbb", "TBB", GREEN),
    ("gnu", "GNU", PURPLE),
];

type Drawn = Result<String, Error>;

fn lines(points: impl Fn(&str) -> Vec<(f64, f64)>) -> Vec<Line> {
    LINES.map(|(side, name, colour)| Line { name, colour, points: points(side) }).into()
}

fn all(lines: &[Line]) -> impl Iterator<Item = (f64, f64)> {
    lines.iter().flat_map(|line| line.points.iter().copied())
}

/// Call time over length, on the largest number of threads.
pub(super) fn problem_scaling(curve: &Curve<'_>) -> Drawn {
    let (sizes, threads) = (curve.sizes(), curve.most_threads());
    let lines = lines(|side| {
        let threads = if side == SEQUENTIAL { 1 } else { threads };
        let point = |&log2: &u32| Some((f64::from(log2), curve.ns(side, log2, threads)?.log10()));
        sizes.iter().filter_map(point).collect()
    });
    let chart = Chart {
        title: format!("{} of {}: time of a call, {}", curve.algorithm, curve.element, on(threads)),
        x: Axis { range: span(all(&lines).map(|p| p.0), 0.0), label: power_of_two, title: "elements" },
        y: Axis { range: span(all(&lines).map(|p| p.1), 0.3), label: time, title: "time of a call" },
        lines,
        ideal: None,
    };
    side_by_side(&[chart], SIZE)
}

/// Speed-up over threads at the largest length.
pub(super) fn strong_scaling(curve: &Curve<'_>) -> Option<Drawn> {
    let log2 = SIDES.iter().filter_map(|(side, _)| curve.largest(side)).max()?;
    let threads = curve.threads();
    let lines = lines(|side| {
        if side == SEQUENTIAL {
            return Vec::new();
        }
        let point = |&threads: &usize| Some((threads as f64, curve.speed_up(side, log2, threads)?));
        threads.iter().filter_map(point).collect()
    });
    let most = curve.most_threads() as f64;
    let highest = all(&lines).map(|p| p.1).fold(most, f64::max);
    let (algorithm, element) = (curve.algorithm, curve.element);
    let chart = Chart {
        title: format!("{algorithm} of {element}: speed-up over the best sequential code, 2^{log2}"),
        x: Axis { range: (0.5, most + 0.5), label: whole, title: "threads" },
        y: Axis { range: (0.0, highest * 1.05), label: plain, title: "speed-up" },
        lines,
        ideal: Some([(1.0, 1.0), (most, most)]),
    };
    Some(side_by_side(&[chart], SIZE))
}

fn on(threads: usize) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}

fn whole(value: f64) -> String {
    format!("{value:.0}")
}

fn plain(value: f64) -> String {
    format!("{value}")
}
