//! The plot of efficiency over ranks, as SVG.

use plotters::prelude::*;

const SIZE: (u32, u32) = (640, 420);

/// Colours that people with red-green blindness can tell apart (the palette of Okabe and Ito).
const COLOURS: [RGBColor; 4] = [BLACK, RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115)];

/// Draws a line for each name, with pairs of ranks and efficiency.
pub(super) fn draw(lines: &[(&str, Vec<(f64, f64)>)], what: &str) -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    {
        let points = || lines.iter().flat_map(|(_, points)| points);
        let least = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
        let most = points().map(|point| point.0).fold(1.0, f64::max);
        let lowest = points().map(|point| point.1).fold(0.9, f64::min);
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .caption(format!("Efficiency in the model: {what}"), ("sans-serif", 16))
            .x_label_area_size(38)
            .y_label_area_size(48)
            .build_cartesian_2d((least * 0.8..most * 1.25).log_scale(), (lowest * 10.0 - 0.5).floor() / 10.0..1.0)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .x_labels(6)
            .x_label_formatter(&|ranks| format!("{ranks:.0}"))
            .y_label_formatter(&|efficiency| format!("{efficiency:.2}"))
            .x_desc("ranks")
            .y_desc("work over the time of all workers")
            .draw()?;
        for ((name, points), colour) in lines.iter().zip(COLOURS) {
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3))?
                .label(*name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.2))
            .draw()?;
        area.present()?;
    }
    Ok(text)
}
