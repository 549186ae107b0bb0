//! `--write`, `--read` and `--render`: write the output of the comparisons into BENCHMARKS.md, and figures from there into README.md.
//!
//! Each comparison is a separate run of this program, whose whole output is kept in `target/compare/NAME.txt`. The files are written after each comparison, so
//! that a run that is stopped keeps its results.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

use super::catalog::{self, Comparison};
use super::document::{self, MIDDLE, Outcome, Outcomes};
use super::figures;
use super::machine::Origin;
use crate::{packages, workspace};

const BENCHMARKS: &str = "BENCHMARKS.md";
const README: &str = "README.md";

pub(super) fn run(names: &[String], runs: usize) -> anyhow::Result<ExitCode> {
    // With fewer peers the figures would look better than they are.
    packages::ensure().context("what is written is measured against all peers, which need Debian packages")?;
    let is_chosen = |comparison: &&Comparison| names.is_empty() || names.iter().any(|name| name == comparison.name);
    let chosen: Vec<&Comparison> = catalog::ALL.iter().filter(is_chosen).collect();
    let origin = Origin::here(&[BENCHMARKS, README, catalog::PLOT])?;
    let raw = workspace::target().join("compare");
    fs::create_dir_all(&raw).with_context(|| format!("cannot make {}", raw.display()))?;
    let mut outcomes = written()?;
    let mut failed = 0;
    let bar = ProgressBar::new(chosen.len() as u64)
        .with_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} ({elapsed})")?);
    // No ticker, since it would be measured, too.
    bar.disable_steady_tick();
    for comparison in chosen {
        bar.set_message(comparison.name);
        let outcome = middle(comparison, runs, || outcome(comparison, origin.clone(), &raw))?;
        bar.suspend(|| match &outcome.failure {
            Some(why) => println!("{}: failed: {why}", comparison.name),
            None => println!("{}", outcome.printed.lines().last().unwrap_or_default()),
        });
        failed += usize::from(outcome.failure.is_some());
        // Older results stay, with their date, so that a run that was stopped removes nothing.
        if outcome.failure.is_none() || !outcomes.contains_key(comparison.name) {
            outcomes.insert(comparison.name.to_owned(), outcome);
            save(&outcomes)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!("{BENCHMARKS} and {README} are written; failed: {failed}");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reads output that was printed on another machine.
pub(super) fn read(files: &[PathBuf]) -> anyhow::Result<()> {
    let here = Origin::here(&[BENCHMARKS, README, catalog::PLOT])?;
    let mut outcomes = written()?;
    for file in files {
        let printed = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let printed = shown(&printed);
        let machine = document::machine(&printed)
            .with_context(|| format!("{} does not say on which machine it was printed", file.display()))?;
        let origin = Origin { machine: machine.to_owned(), ..here.clone() };
        let outcome = Outcome { origin, failure: None, printed };
        let comparison = catalog::ALL
            .iter()
            .find(|comparison| !outcome.figures(comparison.name).is_empty())
            .with_context(|| format!("the last line of {} has no comparison's figures", file.display()))?;
        println!("{}", outcome.printed.lines().last().unwrap_or_default());
        outcomes.insert(document::wide(comparison.name), outcome);
    }
    save(&outcomes)
}

pub(super) fn render() -> anyhow::Result<()> {
    save(&written()?)
}

/// Complaints about files that are not what [`run`] would have written.
pub(crate) fn check(readme: &str, benchmarks: &str) -> Vec<String> {
    let outcomes = document::parse(benchmarks);
    let is_stale = [
        (BENCHMARKS, document::render(&outcomes) != benchmarks),
        (README, figures::placed(readme, &outcomes).is_none_or(|text| text != readme)),
    ];
    let complaint = |file| format!("{file} is not as its results have it: cargo xtask compare --render");
    is_stale.into_iter().filter(|(_, is_stale)| *is_stale).map(|(file, _)| complaint(file)).collect()
}

/// Returns the run whose first figure is the middle one, or the first run that failed. Its first line says what the others gave.
fn middle(
    comparison: &Comparison,
    runs: usize,
    mut run: impl FnMut() -> anyhow::Result<Outcome>,
) -> anyhow::Result<Outcome> {
    // The plot must be that of the same run as the figures.
    let plot = comparison.options.contains(&catalog::PLOT).then(|| workspace::root().join(catalog::PLOT));
    let mut outcomes = Vec::with_capacity(runs);
    for _ in 0..runs {
        let outcome = run()?;
        if outcome.failure.is_some() || runs == 1 {
            return Ok(outcome);
        }
        let drawn = plot.as_ref().map(fs::read).transpose().context("cannot read the plot")?;
        outcomes.push((outcome, drawn));
    }
    let first = |outcome: &Outcome| {
        let figures = outcome.figures(comparison.name);
        figures.first().map(|&(key, figure)| (key.to_owned(), figure.to_owned())).unwrap_or_default()
    };
    let all: Vec<String> = outcomes.iter().map(|(outcome, _)| first(outcome).1).collect();
    outcomes.sort_by(|(one, _), (other, _)| {
        let [one, other] = [one, other].map(|outcome| first(outcome).1.parse().unwrap_or(f64::NAN));
        one.total_cmp(&other)
    });
    let (mut outcome, drawn) = outcomes.swap_remove(runs / 2);
    if let Some((file, drawn)) = plot.zip(drawn) {
        fs::write(&file, drawn).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let (key, _) = first(&outcome);
    outcome.printed = format!("{MIDDLE}{runs} runs, by {key}: {}\n{}", all.join(", "), outcome.printed);
    Ok(outcome)
}

/// Runs a comparison, keeps its output, and returns the outcome.
fn outcome(comparison: &Comparison, origin: Origin, raw: &Path) -> anyhow::Result<Outcome> {
    let arguments = [&["compare", comparison.name][..], comparison.options].concat();
    let program = env::current_exe().context("cannot find the file of this program")?;
    let end = duct::cmd(program, arguments)
        .dir(workspace::root())
        .stdin_null()
        .stdout_capture()
        .stderr_capture()
        .unchecked()
        .run()
        .with_context(|| format!("cannot run {}", comparison.name))?;
    let [out, err] = [end.stdout, end.stderr].map(|bytes| shown(&String::from_utf8_lossy(&bytes)));
    let file = raw.join(format!("{}.txt", comparison.name));
    fs::write(&file, format!("{out}\n{err}\n")).with_context(|| format!("cannot write {}", file.display()))?;
    // Warnings about parts that could not be measured are on the other stream. They belong to the result.
    let warnings: String =
        err.lines().filter(|line| line.starts_with("warning: ")).flat_map(|line| [line, "\n"]).collect();
    let mut outcome = Outcome { origin, failure: None, printed: format!("{warnings}{out}").trim_end().to_owned() };
    outcome.failure = if !end.status.success() {
        let why = err.lines().last().unwrap_or("it failed, and printed no error");
        Some(why.strip_prefix("error: ").unwrap_or(why).to_owned())
    } else if outcome.figures(comparison.name).is_empty() {
        Some("it ended without its figures".to_owned())
    } else {
        None
    };
    Ok(outcome)
}

/// The text as it can stand in a document: files relative to the workspace, no blanks at the ends of lines.
fn shown(text: &str) -> String {
    let text = text.replace(&format!("{}/", workspace::root().display()), "");
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The results that BENCHMARKS.md has.
fn written() -> anyhow::Result<Outcomes> {
    let file = workspace::root().join(BENCHMARKS);
    match fs::exists(&file).with_context(|| format!("cannot read {BENCHMARKS}"))? {
        true => Ok(document::parse(&fs::read_to_string(&file).with_context(|| format!("cannot read {BENCHMARKS}"))?)),
        false => Ok(Outcomes::new()),
    }
}

fn save(outcomes: &Outcomes) -> anyhow::Result<()> {
    let path = |file: &str| workspace::root().join(file);
    let readme = fs::read_to_string(path(README)).with_context(|| format!("cannot read {README}"))?;
    let readme = figures::placed(&readme, outcomes).with_context(|| format!("{README} has no place for figures"))?;
    fs::write(path(BENCHMARKS), document::render(outcomes)).with_context(|| format!("cannot write {BENCHMARKS}"))?;
    fs::write(path(README), readme).with_context(|| format!("cannot write {README}"))
}

#[cfg(test)]
mod tests {
    use super::super::document::tests::measured;
    use super::*;

    #[test]
    fn files_that_were_changed_by_hand_are_found() {
        let outcomes = Outcomes::from([("join".to_owned(), measured("join: rayon_over_ours=4.5", None))]);
        let benchmarks = document::render(&outcomes);
        let empty = "# fusain\n<!-- figures: begin -->\n<!-- figures: end -->\n";
        let readme = figures::placed(empty, &outcomes).unwrap();
        assert_eq!(check(&readme, &benchmarks), Vec::<String>::new());
        assert_eq!(check(&readme.replace("4.5", "5.5"), &benchmarks).len(), 1);
        assert_eq!(check(empty, &benchmarks).len(), 1);
        assert_eq!(check("", &benchmarks).len(), 1);
        assert_eq!(check(&readme, &benchmarks.replace("not yet", "soon")).len(), 1);
        // The figure of the README is that of the last printed line.
        assert_eq!(check(&readme, &benchmarks.replace("4.5", "5.5")).len(), 1);
    }

    #[test]
    fn of_three_runs_the_middle_one_counts() {
        let comparison = catalog::named("join").unwrap();
        let mut printed = ["4.5", "10.5", "3.5"].into_iter();
        let mut run =
            || Ok(measured(&format!("table\njoin: rayon_over_ours={} rest=1", printed.next().unwrap()), None));
        let expected =
            "the middle one of 3 runs, by rayon_over_ours: 4.5, 10.5, 3.5\ntable\njoin: rayon_over_ours=4.5 rest=1";
        assert_eq!(middle(comparison, 3, &mut run).unwrap().printed, expected);
        let one = || Ok(measured("join: rayon_over_ours=4.5", None));
        assert_eq!(middle(comparison, 1, one).unwrap(), measured("join: rayon_over_ours=4.5", None));
        let failed = || Ok(measured("", Some("it broke")));
        assert_eq!(middle(comparison, 3, failed).unwrap().failure.as_deref(), Some("it broke"));
    }

    #[test]
    fn what_is_shown_names_no_folder_of_this_machine() {
        let here = workspace::root().display();
        assert_eq!(shown(&format!("plot: {here}/target/scale.svg  \n")), "plot: target/scale.svg");
    }
}
