//! BENCHMARKS.md: written from the results of comparisons, and read back, so that results that are not measured again keep their date and
//! commit.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::catalog::{self, Comparison};
use super::machine::Origin;

/// The output of a comparison, with its date, commit and machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) origin: Origin,
    /// Why there are no figures, if the comparison failed.
    pub(super) failure: Option<String>,
    /// All lines, the last with the keys.
    pub(super) printed: String,
}

impl Outcome {
    /// The figures of the last line, in its order.
    pub(super) fn figures(&self, name: &str) -> Vec<(&str, &str)> {
        let last = self.printed.lines().last().unwrap_or_default();
        let keys = last.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or_default();
        keys.split_whitespace().filter_map(|pair| pair.split_once('=')).collect()
    }
}

/// The outcomes of comparisons, by name. A run with more threads has its [`wide`] name.
pub(super) type Outcomes = BTreeMap<String, Outcome>;

/// The name of a comparison that was run on a machine with more cores.
pub(super) fn wide(name: &str) -> String {
    format!("{name} on more cores")
}

/// The machine on which a comparison was run, as the comparison has printed it.
pub(super) fn machine(printed: &str) -> Option<&str> {
    printed.lines().find_map(|line| line.strip_prefix(THIS))?.rsplit_once("; ").map(|(machine, _)| machine)
}

/// The number of threads, as the comparison has printed it.
pub(super) fn threads(printed: &str) -> Option<&str> {
    printed.lines().find_map(|line| line.strip_prefix(THIS))?.rsplit_once("; ")?.1.strip_suffix(" threads")
}

/// The number of runs of which the output is that of the middle one.
fn runs(printed: &str) -> Option<&str> {
    Some(printed.strip_prefix(MIDDLE)?.split_once(" runs")?.0)
}

const THIS: &str = "this machine: ";

const HEAD: &str = "\
# Benchmarks

`cargo xtask compare --write` runs the comparisons and writes this file; `cargo xtask compare --write NAME` does so for one. Nothing here is typed by hand.

## How to read it

- A comparison measures all sides in turn and on the same data, and compares medians (`crowd`: means). Most are one run of one program; `rayon`, `crates` and `compile` compare
  two programs, `irregular` several processes. A ratio can be compared between machines, a time cannot. Most of those of many rows go through all of them several times, so that a
  moment in which the machine is slow does not fall on all samples of a row.
- rayon is called from a thread outside of its pool, as by most programs, where nothing else is said. From inside, calls cost it less: `rayon` has both.
- Each comparison ends with its figures. `NaN` stands for a peer that is missing here, `inf` for what is never reached.
- `machine_rtt_ns` is the round trip of a cache line between two cores in that minute, and `machine_two_threads` the work that two threads of plain arithmetic did
  over that of one. On a shared machine both change from minute to minute, and no speed-up on two threads can be expected above the second.
- All parallel sides have two threads, but in the sections named `on more cores`. The C++ peers (GNU parallel mode, TBB) are built for the very processor (`-O3 -march=native -fopenmp -fopenmp-simd`); fusain and
  the other Rust libraries are built for any processor of the family. fusain chooses code with AVX2 or AVX-512 while it runs, also for loops over closures, which the other Rust
  libraries do not; `cargo xtask compare NAME --native` builds all for this processor. fusain's sums of floats are reordered, and sorts by `f64::total_cmp` use the bits of the numbers.
- From commit bcd49f5c7e on, each loop begins at a multiple of 64 bytes, in the C++ peers too; not in the comparisons of ranks, in `compile`, and in whole programs. Without that, chance decides
  whether a short loop lies across two lines of the instruction cache, which alone makes the same loop up to 1.6 times as slow, on either side.
- `cargo xtask compare NAME --json FILE` keeps all samples, where a comparison has them.
";

/// How the output begins if it is that of one of several runs.
pub(super) const MIDDLE: &str = "the middle one of ";

const NOT_YET: &str = "Not measured yet.";
const RUN: &str = "- run on ";
const COMMIT: &str = ", commit ";
const MACHINE: &str = "- machine: ";
const FAILED: &str = "- failed: ";
const PRINTED: [&str; 2] = ["```text\n", "\n```\n"];

/// The whole file.
pub(super) fn render(outcomes: &Outcomes) -> String {
    let mut text = format!("{HEAD}\n## The comparisons\n\n| comparison | question | run on |\n|---|---|---|\n");
    for Comparison { name, question, .. } in catalog::ALL {
        let date = match outcomes.get(*name) {
            None => "not yet",
            Some(Outcome { failure: Some(_), .. }) => "failed",
            Some(outcome) => &outcome.origin.date,
        };
        push(&mut text, format_args!("| [{name}](#{name}) | {question} | {date} |\n"));
    }
    for comparison in catalog::ALL {
        push(&mut text, format_args!("\n## {}\n\n**{}**\n\n", comparison.name, comparison.question));
        match outcomes.get(comparison.name) {
            Some(outcome) => section(&mut text, comparison, outcome, &[], comparison.reading),
            None => push(&mut text, format_args!("{NOT_YET}\n\n{}\n", comparison.reading)),
        }
        let wide = wide(comparison.name);
        if let Some(outcome) = outcomes.get(&wide) {
            push(&mut text, format_args!("\n### {wide}\n\n"));
            let threads = threads(&outcome.printed).unwrap_or_default();
            let reading = format!("As above, but all parallel sides have {threads} threads.");
            section(&mut text, comparison, outcome, &["--threads", threads], &reading);
        }
    }
    text
}

fn section(text: &mut String, comparison: &Comparison, outcome: &Outcome, more: &[&str], reading: &str) {
    let Outcome { origin: Origin { date, commit, machine }, failure, printed } = outcome;
    let command = [&["cargo xtask compare", comparison.name][..], comparison.options, more].concat().join(" ");
    let several = runs(printed).map_or_else(String::new, |runs| format!(", {MIDDLE}{runs} runs"));
    push(text, format_args!("- `{command}`{several}\n{RUN}{date}{COMMIT}{commit}\n{MACHINE}{machine}\n"));
    if let Some(why) = failure {
        push(text, format_args!("{FAILED}{why}\n"));
    }
    let figures = outcome.figures(comparison.name);
    if !figures.is_empty() {
        push(text, format_args!("\n| key | figure |\n|---|---:|\n"));
        figures.iter().for_each(|(key, figure)| push(text, format_args!("| `{key}` | {figure} |\n")));
    }
    let [begin, end] = PRINTED;
    push(
        text,
        format_args!(
            "\n{reading}\n\n<details><summary>All that it printed</summary>\n\n{begin}{printed}{end}\n</details>\n"
        ),
    );
}

fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("a string takes everything");
}

/// Reads the outcome of each comparison from the file. Comparisons that are not there in this form are left out.
pub(super) fn parse(text: &str) -> Outcomes {
    let of = |name: String, mark| Some((outcome(section_of(text, mark, &name)?)?, name));
    let all = catalog::names().flat_map(|name| [of(name.to_owned(), "##"), of(wide(name), "###")]);
    all.flatten().map(|(outcome, name)| (name, outcome)).collect()
}

fn section_of<'t>(text: &'t str, mark: &str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("\n{mark} {name}\n"))?;
    let end = ["\n## ", "\n### "].iter().filter_map(|next| rest.find(next)).min();
    Some(&rest[..end.unwrap_or(rest.len())])
}

fn outcome(section: &str) -> Option<Outcome> {
    let line = |begin: &str| section.lines().find_map(|line| line.strip_prefix(begin)).map(str::to_owned);
    let (date, commit) = line(RUN)?.split_once(COMMIT).map(|(date, commit)| (date.to_owned(), commit.to_owned()))?;
    let (_, rest) = section.split_once(PRINTED[0])?;
    let (printed, _) = rest.split_once(PRINTED[1])?;
    let origin = Origin { date, commit, machine: line(MACHINE)? };
    Some(Outcome { origin, failure: line(FAILED), printed: printed.to_owned() })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::compare) fn measured(printed: &str, failure: Option<&str>) -> Outcome {
        let origin = Origin {
            date: "2026-01-02".to_owned(),
            commit: "0123456789".to_owned(),
            machine: "a processor, 2 cores; no MPI library".to_owned(),
        };
        Outcome { origin, failure: failure.map(str::to_owned), printed: printed.to_owned() }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let table = "the middle one of 3 runs, by ours_over_rtt: 1, 2, 1.13\n╭────╮\n│ ## │\n╰────╯\nregion: ours_over_rtt=1.13 tbb_over_ours=NaN";
        let outcomes = Outcomes::from([
            ("region".to_owned(), measured(table, None)),
            ("join".to_owned(), measured("", Some("exit status 1"))),
            (
                wide("region"),
                measured("this machine: a processor, 16 cores; 16 threads\nregion: ours_over_rtt=9", None),
            ),
            (wide("tick"), measured("tick: a=1", None)),
        ]);
        let text = render(&outcomes);
        assert_eq!(parse(&text), outcomes);
        assert!(text.contains("- `cargo xtask compare region`, the middle one of 3 runs\n"));
        assert!(text.contains("| `ours_over_rtt` | 1.13 |") && text.contains("- failed: exit status 1"));
        assert!(text.contains("| 2026-01-02 |") && text.contains("| failed |"));
        assert!(
            text.contains("- `cargo xtask compare region --threads 16`") && text.contains("| `ours_over_rtt` | 9 |")
        );
        assert_eq!(text.matches(NOT_YET).count(), catalog::ALL.len() - 2);
    }

    #[test]
    fn what_is_printed_elsewhere_says_where() {
        let printed = "a table\nthis machine: a processor, 16 cores, 8 GiB of memory; Linux; 16 threads\njoin: a=1";
        assert_eq!(machine(printed), Some("a processor, 16 cores, 8 GiB of memory; Linux"));
        assert_eq!(threads(printed), Some("16"));
        assert_eq!((machine("join: a=1"), threads("join: a=1")), (None, None));
    }

    #[test]
    fn figures_are_those_of_the_last_line() {
        let outcome = measured("region: old=1\nregion: a=1.5 b=inf", None);
        assert_eq!(outcome.figures("region"), [("a", "1.5"), ("b", "inf")]);
        assert!(measured("no keys", None).figures("region").is_empty());
    }

    #[test]
    fn a_file_without_results_has_none() {
        assert_eq!(parse(&render(&Outcomes::new())), Outcomes::new());
        assert_eq!(parse(""), Outcomes::new());
    }
}
