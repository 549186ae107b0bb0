//! The figures of README.md, taken from the results in BENCHMARKS.md: a plot, a table with two threads and with more, and the weakest figures.

use std::collections::BTreeMap;

use super::catalog::PLOT;
use super::document::{self, Outcome, Outcomes, wide};

/// The marks between which the figures stand in the README.
const MARKS: [&str; 2] = ["<!-- figures: begin -->\n", "<!-- figures: end -->"];

/// One figure: its label, the comparison and the key that it is from, and its unit.
struct Figure {
    what: &'static str,
    comparison: &'static str,
    key: &'static str,
    unit: &'static str,
}

const fn figure(what: &'static str, comparison: &'static str, key: &'static str, unit: &'static str) -> Figure {
    Figure { what, comparison, key, unit }
}

const RAYON: &str = "times as fast as rayon";
const BEST: &str = "times as fast as the best peer";
const ONE: &str = "times as fast as on one";

const TABLE: [Figure; 14] = [
    figure("latency of an empty parallel call", "region", "ours_over_rtt", "round trips of a cache line"),
    figure("`join`: recursive Fibonacci", "join", "rayon_over_ours", RAYON),
    figure("`join`: a search for N queens", "join", "queens_rayon_over_ours", RAYON),
    figure("bursts of short regions in a control loop", "tick", "rayon_over_ours_time", RAYON),
    figure("the same, each burst moved into rayon's pool", "tick", "rayon_inside_over_ours_time", RAYON),
    figure(
        "the same, compared with one core without AVX",
        "tick",
        "one_core_over_ours_time",
        "times as fast as sequential code",
    ),
    figure("shortest stable sort of `i32` that gains", "breakeven", "sort", "elements"),
    figure("basic algorithms on 2^16 elements", "first", "geomean_2e16", BEST),
    figure("basic algorithms on 2^24 elements", "first", "geomean_2e24", BEST),
    figure("parallel iterators over 2^16 elements", "iterators", "geomean_2e16", BEST),
    figure("short calls of kornia-imgproc, pictures 32 to 512 pixels wide", "crates", "geomean_short", RAYON),
    figure("longer calls of seven crates written for rayon", "crates", "geomean_long", RAYON),
    figure("programs on the drop-in core", "rayon", "programs", RAYON),
    figure("a search for N queens on two MPI processes", "irregular", "nqueens", ONE),
];

const LOSSES: [Figure; 12] = [
    figure("of basic algorithms, the one that is furthest behind", "first", "worst", BEST),
    figure(
        "of parallel iterators, the worst",
        "iterators",
        "worst_over_sequential",
        "times as fast as sequential code",
    ),
    figure("the worst choice between sequential and parallel", "noloss", "worst", "times the time of the better one"),
    figure(
        "calls within 5 % and 10 ns of the better of sequential and parallel",
        "noloss",
        "points_held",
        "of those measured",
    ),
    figure(
        "an empty call, against TBB, which may run all of it on the calling thread",
        "region",
        "tbb_over_ours",
        "times as fast",
    ),
    figure(
        "bursts of short regions in a control loop, with `Wait::Spin`",
        "tick",
        "spin_over_ours_time",
        "times the time of the default",
    ),
    figure("sorting strings, in the worst case", "strings", "worst_over_rayon", "times the time of rayon"),
    figure("a few long tasks, in the worst case", "coarse", "worst_over_rayon", "times the time of rayon"),
    figure("LU on two MPI processes", "irregular", "lu", ONE),
    figure("8 bytes over MPI, waited for at once", "latency", "ours_over_native", "times the time of the MPI library"),
    figure("the first build of a program, in release", "compile", "cold_release", "times the time with rayon"),
    figure("machine code of a program with 40 calls", "compile", "text", "times the size with rayon"),
];

/// The text between the marks.
pub(super) fn block(outcomes: &Outcomes) -> String {
    let is_drawn = outcomes.get("curves").is_some_and(|outcome| outcome.failure.is_none());
    let plot = if is_drawn {
        format!("![Time of a call over its length: sort, reduce and for_each of std, rayon and fusain]({PLOT})")
    } else {
        "The plot is not drawn yet: `cargo xtask compare --write curves`.".to_owned()
    };
    let losses: String = LOSSES.iter().map(|figure| figure.line(outcomes)).collect();
    let origins = origins(outcomes);
    let threads = TABLE.iter().find_map(|figure| document::threads(&outcomes.get(&wide(figure.comparison))?.printed));
    let rows: String = TABLE.iter().map(|figure| figure.row(outcomes, threads)).collect();
    let threads = threads.map_or_else(|| "more".to_owned(), |threads| format!("{threads} threads"));
    format!(
        "{plot}\n\n| measurement | 2 threads | {threads} | unit | command |\n|---|---:|---:|---|---|\n{rows}\nWhere it is weakest:\n\n{losses}\n{THREADS}\n\n{origins}"
    )
}

/// What holds for all figures.
const THREADS: &str = "All libraries have the same number of threads: two, where nothing else is said (`--threads N` after the command changes it, but not for rayon, crates and irregular). \
    \"-\" is not measured. rayon is called from a thread outside of its pool, as by most programs; calls from inside cost it less, as `compare rayon` and `compare tick` show. The machines are \
    virtual: two of their cores may be hyperthreads of one. Run on:";

/// A line for each machine and day.
fn origins(outcomes: &Outcomes) -> String {
    let figures = TABLE.iter().chain(&LOSSES).map(|figure| figure.comparison);
    let mut names: Vec<&str> = figures.chain(["curves"]).collect();
    names.sort_unstable();
    names.dedup();
    let mut places: BTreeMap<(&str, &str, &str), Vec<&str>> = BTreeMap::new();
    for name in names {
        for Outcome { origin, .. } in [name, &wide(name)].into_iter().filter_map(|name| outcomes.get(name)) {
            places.entry((&origin.date, origin.processor(), origin.cores())).or_default().push(name);
        }
    }
    places
        .iter()
        .rev()
        .map(|((date, processor, cores), names)| format!("- {processor}, {cores}, {date}: {}\n", names.join(", ")))
        .collect()
}

impl Figure {
    /// The value of the outcome `name`, which is this comparison or its [`wide`] one.
    fn value(&self, outcomes: &Outcomes, name: &str) -> String {
        let Some(outcome) = outcomes.get(name) else { return "not measured yet".to_owned() };
        let figures = outcome.figures(self.comparison);
        match figures.iter().find(|(key, _)| *key == self.key).map(|(_, figure)| *figure) {
            // Measured before there was such a figure.
            None if outcome.failure.is_none() => "-".to_owned(),
            None => "it failed".to_owned(),
            Some("NaN") => "no peer here".to_owned(),
            Some("inf") => "never".to_owned(),
            Some(figure) => grouped(figure),
        }
    }

    /// The row with two threads and with `threads`. Results with other numbers of threads are only in BENCHMARKS.md.
    fn row(&self, outcomes: &Outcomes, threads: Option<&str>) -> String {
        let Self { what, comparison, unit, .. } = self;
        let wide = wide(comparison);
        let two = self.value(outcomes, comparison);
        let has_more = outcomes.get(&wide).is_some_and(|outcome| document::threads(&outcome.printed) == threads);
        let more = if has_more { self.value(outcomes, &wide) } else { "-".to_owned() };
        format!("| {what} | {two} | {more} | {unit} | `cargo xtask compare {comparison}` |\n")
    }

    fn line(&self, outcomes: &Outcomes) -> String {
        let Self { what, comparison, unit, .. } = self;
        let more = outcomes.get(&wide(comparison)).and_then(|outcome| document::threads(&outcome.printed));
        let more = more.map_or_else(String::new, |threads| {
            format!(", with {threads} threads {}", self.value(outcomes, &wide(comparison)))
        });
        format!("- {what}: {} {unit}{more} (`cargo xtask compare {comparison}`)\n", self.value(outcomes, comparison))
    }
}

/// Writes whole numbers of five digits and more in groups of three digits.
fn grouped(figure: &str) -> String {
    if figure.len() < 5 || !figure.bytes().all(|byte| byte.is_ascii_digit()) {
        return figure.to_owned();
    }
    let digits = figure.char_indices();
    let group = |(at, digit): (usize, char)| {
        let comma = at > 0 && (figure.len() - at).is_multiple_of(3);
        comma.then_some(',').into_iter().chain([digit])
    };
    digits.flat_map(group).collect()
}

/// The README with these figures; `None` if it has no place for them.
pub(super) fn placed(readme: &str, outcomes: &Outcomes) -> Option<String> {
    let (before, rest) = readme.split_once(MARKS[0])?;
    let (_, after) = rest.split_once(MARKS[1])?;
    Some([before, MARKS[0], &block(outcomes), MARKS[1], after].concat())
}

#[cfg(test)]
mod tests {
    use super::super::catalog;
    use super::super::document::tests::measured;
    use super::*;

    #[test]
    fn every_figure_is_of_a_comparison_and_every_row_is_short() {
        let widest = Outcomes::from([("breakeven".to_owned(), measured("breakeven: sort=1048576", None))]);
        for figure in TABLE.iter().chain(&LOSSES) {
            assert!(catalog::named(figure.comparison).is_some(), "{}", figure.comparison);
            assert!(figure.row(&widest, None).len() <= 160, "{}", figure.row(&widest, None));
        }
    }

    #[test]
    fn figures_go_between_the_marks() {
        let outcomes = Outcomes::from([
            ("breakeven".to_owned(), measured("breakeven: sort=23100", None)),
            ("region".to_owned(), measured("", Some("exit status 1"))),
            ("curves".to_owned(), measured("curves: sort_2e20=2", None)),
        ]);
        let readme = format!("before\n{}old\n{}\nafter", MARKS[0], MARKS[1]);
        let text = placed(&readme, &outcomes).unwrap();
        assert!(text.starts_with("before\n") && text.ends_with("\nafter") && !text.contains("old"));
        let origin = "- a processor, 2 cores, 2026-01-02: breakeven, curves, region\n";
        for expected in ["| 23,100 | - | elements |", "| it failed |", "| not measured yet |", PLOT, origin] {
            assert!(text.contains(expected), "{expected}");
        }
        assert_eq!(placed("no marks", &outcomes), None);
    }

    #[test]
    fn digits_stand_in_groups() {
        assert_eq!(
            ["512", "4096", "23100", "1048576", "1.25"].map(grouped),
            ["512", "4096", "23,100", "1,048,576", "1.25"]
        );
    }
}
