//! The report: a single page that contains its plots and tables.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::code::CodeSize;
use super::plot;
use super::speed::{Curve, EFFICIENT};
use super::store::{Machine, Point};
use super::sweep::{LeftOut, SEQUENTIAL, SIDES};

const STYLE: &str = "body { font-family: sans-serif; max-width: 82rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; margin: 1rem 0 } td, th { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #ddd }
td:first-child, th:first-child { text-align: left } .plots { display: flex; flex-wrap: wrap } .plots svg { max-width: 100% }
.best { font-weight: bold } h2 { margin-top: 3rem } nav { display: flex; flex-wrap: wrap } nav a { margin-right: .8rem }";

/// The whole page.
pub(super) fn page(points: &[Point], left_out: &[LeftOut], sizes: &[CodeSize], machine: &Machine) -> Markup {
    let curves = Curve::all(points);
    let sides: Vec<&str> =
        SIDES.iter().map(|(side, _)| *side).filter(|side| points.iter().any(|point| point.side == *side)).collect();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "How the algorithms scale" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "How the algorithms scale" }
                p {
                    (machine.host) ": " (machine.processor) ", " (machine.cores) " cores. "
                    @if machine.native { "Rust is built for this processor, as C++ is." }
                    @else { "Rust is built for any processor of its family; C++ for this one." }
                    " " (points.len()) " points; a point is the median time of a call."
                }
                nav { @for curve in &curves { a href=(format!("#{}", anchor(curve))) { (curve.algorithm) } } }
                (speed_ups(&curves, &sides))
                (efficiency(&curves, &sides))
                (code(sizes))
                (break_even(&curves, &sides))
                h2 { "Plots" }
                @for curve in &curves { (plots(curve)) }
                (omissions(left_out))
            }
        }
    }
}

fn anchor(curve: &Curve<'_>) -> String {
    format!("{}-{}", curve.algorithm, curve.element)
}

/// A table with a row for each curve and a column for each side.
fn table(curves: &[Curve<'_>], sides: &[&str], cell: impl Fn(&Curve<'_>, &str) -> Markup) -> Markup {
    html! {
        table {
            tr { th { "algorithm" } @for side in sides { th { (side) } } }
            @for curve in curves {
                tr {
                    td { a href=(format!("#{}", anchor(curve))) { (curve.algorithm) } " (" (curve.element) ")" }
                    @for side in sides { (cell(curve, side)) }
                }
            }
        }
    }
}

fn speed_ups(curves: &[Curve<'_>], sides: &[&str]) -> Markup {
    let speed_up = |curve: &Curve<'_>, side: &str| {
        let log2 = curve.largest(side)?;
        Some((curve.speed_up(side, log2, curve.most_threads())?, log2))
    };
    html! {
        h2 { "Speed-up at the largest size" }
        p { "On most threads, over the best sequential code; the largest size measured, where it is not the same for all, beside it." }
        (table(curves, sides, |curve, side| {
            let largest = sides.iter().filter_map(|side| curve.largest(side)).max();
            let best = sides.iter().filter_map(|side| speed_up(curve, side)).map(|(x, _)| x).fold(0.0, f64::max);
            match speed_up(curve, side) {
                Some((x, log2)) => html! {
                    td class=[(x == best).then_some("best")] {
                        (format!("{x:.2}")) @if Some(log2) != largest { " (2^" (log2) ")" }
                    }
                },
                None => html! { td { "-" } },
            }
        }))
    }
}

fn efficiency(curves: &[Curve<'_>], sides: &[&str]) -> Markup {
    html! {
        h2 { "Threads that are well used" }
        p { "The most threads at the largest size whose speed-up is at least " (EFFICIENT * 100.0) " % of their number; 0 where one thread is not." }
        (table(curves, sides, |curve, side| {
            html! { td { (curve.efficient_threads(side).map_or_else(|| "-".to_owned(), |threads| threads.to_string())) } }
        }))
    }
}

fn code(sizes: &[CodeSize]) -> Markup {
    html! {
        h2 { "Binary size" }
        p { "Machine code of each library in what runs the whole suite for all element types; what was inlined counts for its caller." }
        table {
            tr { th { "library" } th { "code" } th { "and at run time" } }
            @for size in sizes {
                tr { td { (size.side) } td { (size.bytes / 1024) " KiB" } td { (size.besides) } }
            }
        }
    }
}

fn break_even(curves: &[Curve<'_>], sides: &[&str]) -> Markup {
    html! {
        h2 { "Break-even size" }
        p { "From so many elements on, a call on most threads is faster than the best sequential code, and stays so." }
        (table(curves, sides, |curve, side| {
            html! { td { (curve.break_even(side).map_or_else(|| "-".to_owned(), |log2| format!("2^{log2}"))) } }
        }))
    }
}

fn plots(curve: &Curve<'_>) -> Markup {
    let has_sequential = curve.sizes().iter().any(|&log2| curve.ns(SEQUENTIAL, log2, 1).is_some());
    html! {
        h3 id=(anchor(curve)) { (curve.algorithm) " (" (curve.element) ")" }
        div class="plots" {
            (drawn(plot::problem_scaling(curve)))
            @if has_sequential { @if let Some(plot) = plot::strong_scaling(curve) { (drawn(plot)) } }
        }
    }
}

fn drawn(plot: Result<String, Box<dyn std::error::Error>>) -> Markup {
    match plot {
        Ok(svg) => PreEscaped(svg),
        Err(error) => html! { p { "This plot cannot be drawn: " (error) } },
    }
}

fn omissions(left_out: &[LeftOut]) -> Markup {
    html! {
        h2 { "Left out" }
        @if left_out.is_empty() { p { "Nothing." } }
        @else {
            table {
                tr { th { "algorithm" } th { "size" } th { "side" } th { "why" } }
                @for left in left_out {
                    tr {
                        td { (left.algorithm) " (" (left.element) ")" } td { "2^" (left.log2) } td { (left.side) } td { (left.why) }
                    }
                }
            }
        }
    }
}
