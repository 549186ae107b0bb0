//! The two plots of an algorithm, as SVG.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;

use super::speed::Curve;
use super::sweep::{SEQUENTIAL, SIDES};

const SIZE: (u32, u32) = (620, 400);

/// A side: its name in the points, the one in the legend, and its colour, which are told apart also by who sees no red or no
/// green (Okabe and Ito's).
const LINES: [(&str, &str, RGBColor); 5] = [
    (SEQUENTIAL, "best sequential", BLACK),
    ("fusain", "fusain", RGBColor(213, 94, 0)),
    ("rayon", "rayon", RGBColor(0, 114, 178)),
    ("tbb", "TBB", RGBColor(0, 158, 115)),
    ("gnu", "GNU", RGBColor(204, 121, 167)),
];

type Drawn = Result<String, Box<dyn std::error::Error>>;

/// Time of a call over the length, on most threads.
pub(super) fn problem_scaling(curve: &Curve<'_>) -> Drawn {
    let (sizes, threads) = (curve.sizes(), curve.most_threads());
    let line = |side: &str| -> Vec<(f64, f64)> {
        let threads = if side == SEQUENTIAL { 1 } else { threads };
        let point = |&log2: &u32| Some((f64::from(log2), curve.ns(side, log2, threads)?.log10()));
        sizes.iter().filter_map(point).collect()
    };
    let all: Vec<(f64, f64)> = LINES.iter().flat_map(|(side, _, _)| line(side)).collect();
    let (x, y) = (span(all.iter().map(|p| p.0), 0.0), span(all.iter().map(|p| p.1), 0.3));
    let title = format!("{} of {}: time of a call, {}", curve.algorithm, curve.element, on(threads));
    let (x, y) = (Axis { range: x, label: power_of_two }, Axis { range: y, label: time });
    draw(&title, (x, "elements"), (y, "time of a call"), &line, None)
}

/// Speed-up over threads at the largest length.
pub(super) fn strong_scaling(curve: &Curve<'_>) -> Option<Drawn> {
    let log2 = SIDES.iter().filter_map(|(side, _)| curve.largest(side)).max()?;
    let threads = curve.threads();
    let line = |side: &str| -> Vec<(f64, f64)> {
        if side == SEQUENTIAL {
            return Vec::new();
        }
        let point = |&threads: &usize| Some((threads as f64, curve.speed_up(side, log2, threads)?));
        threads.iter().filter_map(point).collect()
    };
    let most = curve.most_threads() as f64;
    let highest = LINES.iter().flat_map(|(side, _, _)| line(side)).map(|p| p.1).fold(most, f64::max);
    let title = format!("{} of {}: speed-up over the best sequential code, 2^{log2}", curve.algorithm, curve.element);
    let x = Axis { range: (0.5, most + 0.5), label: whole };
    let y = Axis { range: (0.0, highest * 1.05), label: plain };
    Some(draw(&title, (x, "threads"), (y, "speed-up"), &line, Some([(1.0, 1.0), (most, most)])))
}

fn on(threads: usize) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}

/// From the least to the greatest, and a little beyond.
fn span(values: impl Iterator<Item = f64>, beyond: f64) -> (f64, f64) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    let more = beyond.max(if low < high { 0.0 } else { 0.5 });
    (low - more, high + more)
}

/// A linear axis with labels of its own at whole numbers, as many as fit.
#[derive(Clone, Copy)]
struct Axis {
    range: (f64, f64),
    label: fn(f64) -> String,
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.range.0) / (self.range.1 - self.range.0);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: plotters::coord::ranged1d::KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let (first, last) = (self.range.0.ceil() as i64, self.range.1.floor() as i64);
        let step = (last - first) / hint.max_num_points().max(1) as i64 + 1;
        (first..=last).step_by(step as usize).map(|whole| whole as f64).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.0..self.range.1
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        (self.label)(*value)
    }
}

fn power_of_two(log2: f64) -> String {
    format!("2^{log2:.0}")
}

fn time(log10_ns: f64) -> String {
    let units = ["ns", "us", "ms", "s"];
    let whole = log10_ns.round().max(0.0) as usize;
    let unit = (whole / 3).min(units.len() - 1);
    format!("{} {}", 10usize.pow((whole - 3 * unit) as u32), units[unit])
}

fn whole(value: f64) -> String {
    format!("{value:.0}")
}

fn plain(value: f64) -> String {
    format!("{value}")
}

fn draw(
    title: &str,
    x: (Axis, &str),
    y: (Axis, &str),
    line: &dyn Fn(&str) -> Vec<(f64, f64)>,
    ideal: Option<[(f64, f64); 2]>,
) -> Drawn {
    let mut svg = String::new();
    {
        let root: DrawingArea<_, Shift> = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(title, ("sans-serif", 16))
            .margin(10)
            .margin_right(28)
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(x.0, y.0)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_labels(12)
            .y_labels(10)
            .x_desc(x.1)
            .y_desc(y.1)
            .label_style(("sans-serif", 13))
            .draw()?;
        if let Some(ends) = ideal {
            let grey = RGBColor(150, 150, 150);
            chart
                .draw_series(DashedLineSeries::new(ends, 6, 4, grey.stroke_width(1)))?
                .label("ideal")
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], grey.stroke_width(1)));
        }
        for (side, name, colour) in LINES {
            let points = line(side);
            if points.is_empty() {
                continue;
            }
            chart
                .draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)))?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 2, colour.filled())))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .label_font(("sans-serif", 13))
            .border_style(RGBColor(200, 200, 200))
            .background_style(WHITE.mix(0.85))
            .draw()?;
        root.present()?;
    }
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_labelled_at_whole_powers() {
        assert_eq!(time(0.0), "1 ns");
        assert_eq!(time(4.0), "10 us");
        assert_eq!(time(9.0), "1 s");
        assert_eq!(power_of_two(24.0), "2^24");
        assert_eq!(span([1.0, 1.0].into_iter(), 0.0), (0.5, 1.5));
    }
}
