//! Line charts as SVG on white, for the plots of the sweep and of the README.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;

pub(crate) type Error = Box<dyn std::error::Error>;

/// Colours that people with red-green blindness can tell apart (the palette of Okabe and Ito).
pub(crate) const VERMILION: RGBColor = RGBColor(213, 94, 0);
pub(crate) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(crate) const GREEN: RGBColor = RGBColor(0, 158, 115);
pub(crate) const PURPLE: RGBColor = RGBColor(204, 121, 167);
const GREY: RGBColor = RGBColor(150, 150, 150);

/// A linear axis with custom labels at whole numbers, as many as fit. A logarithmic axis is an axis of logarithms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) range: (f64, f64),
    pub(crate) label: fn(f64) -> String,
    pub(crate) title: &'static str,
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.range.0) / (self.range.1 - self.range.0);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
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

/// The label of a logarithm to base 2.
pub(crate) fn power_of_two(log2: f64) -> String {
    format!("2^{log2:.0}")
}

/// The label of a time given as the logarithm to base 10 of its nanoseconds.
pub(crate) fn time(log10_ns: f64) -> String {
    let units = ["ns", "us", "ms", "s"];
    let whole = log10_ns.round().max(0.0) as usize;
    let unit = (whole / 3).min(units.len() - 1);
    format!("{} {}", 10usize.pow((whole - 3 * unit) as u32), units[unit])
}

/// The range from the least value to the greatest, widened a little.
pub(crate) fn span(values: impl Iterator<Item = f64>, beyond: f64) -> (f64, f64) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    let more = beyond.max(if low < high { 0.0 } else { 0.5 });
    (low - more, high + more)
}

/// A line through measured points, which are marked.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: &'static str,
    pub(crate) colour: RGBColor,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Lines over two axes.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// Lines without points are not drawn.
    pub(crate) lines: Vec<Line>,
    /// The end points of the ideal line, which is dashed.
    pub(crate) ideal: Option<[(f64, f64); 2]>,
}

/// The charts beside each other in one picture; `size` is in pixels.
pub(crate) fn side_by_side(charts: &[Chart], size: (u32, u32)) -> Result<String, Error> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        for (chart, area) in charts.iter().zip(root.split_evenly((1, charts.len()))) {
            chart.draw(&area)?;
        }
        root.present()?;
    }
    Ok(svg)
}

impl Chart {
    fn draw(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Error> {
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 16))
            .margin(10)
            .margin_right(28)
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(self.x, self.y)?;
        // The maximum width of a label is 54 pixels.
        let labels = area.dim_in_pixel().0 / 54;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_labels(labels as usize)
            .y_labels(10)
            .x_desc(self.x.title)
            .y_desc(self.y.title)
            .label_style(("sans-serif", 13))
            .draw()?;
        if let Some(ends) = self.ideal {
            chart
                .draw_series(DashedLineSeries::new(ends, 6, 4, GREY.stroke_width(1)))?
                .label("ideal")
                .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], GREY.stroke_width(1)));
        }
        for Line { name, colour, points } in self.lines.iter().filter(|line| !line.points.is_empty()) {
            let colour = *colour;
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
                .label(*name)
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
        Ok(())
    }
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
