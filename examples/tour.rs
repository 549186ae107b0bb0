//! A tour of the algorithms over the words of a text.
//!
//! ```text
//! cargo run --release --example tour                 # over this workspace's own sources
//! cargo run --release --example tour -- FILE
//! ```
//!
//! Every step does the same thing with std on one core and with fusain on all cores, checks that the results are equal, and shows the times. On a text
//! of a few hundred words most calls are too small to gain, and run on the calling thread.
#![allow(clippy::print_stdout, reason = "a tour talks")]

use std::fmt::Debug;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::Parser;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use fusain::{Pool, par};
use indicatif::{ProgressBar, ProgressStyle};
use walkdir::WalkDir;

/// Sorts, merges, searches and counts the words of a text, on one core and on all.
#[derive(Debug, Parser)]
struct Cli {
    /// The text; without it, the sources of this workspace.
    file: Option<PathBuf>,
    /// Workers, the calling thread among them; by default, as many as this process may use.
    #[arg(long)]
    threads: Option<usize>,
    /// How often each stop is timed; the median counts.
    #[arg(long, default_value_t = 21)]
    repeat: usize,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let text = match &cli.file {
        Some(file) => read(file)?,
        None => own_sources()?,
    };
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        bail!("there are no words in {}", cli.file.as_deref().unwrap_or(Path::new("the sources")).display());
    }

    let own;
    let pool = match cli.threads {
        Some(threads) => {
            own = Pool::builder().threads(threads).build()?;
            &own
        }
        None => Pool::try_global()?,
    };
    let mut tour = Tour::new(cli.repeat.max(1), STOPS);
    visit(&words, pool, &mut tour)?;
    println!("{} words, {} workers, medians of {} runs", words.len(), pool.workers(), tour.repeat);
    println!("{}", tour.finish());
    println!("{}", counters(pool));
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// All Rust and Markdown files of the workspace, one after the other.
fn own_sources() -> anyhow::Result<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let is_source = |path: &Path| path.extension().is_some_and(|end| end == "rs" || end == "md");
    let mut text = String::new();
    for folder in ["crates", "benches", "examples", "xtask"] {
        for entry in WalkDir::new(root.join(folder)).sort_by_file_name() {
            let path = entry.context("cannot list the sources of the workspace")?.into_path();
            if is_source(&path) {
                text.push_str(&read(&path)?);
                text.push('\n');
            }
        }
    }
    Ok(text)
}

/// How many stops [`visit`] makes.
const STOPS: usize = 9;

/// The stops of the tour.
fn visit(words: &[&str], pool: &Pool, tour: &mut Tour) -> anyhow::Result<()> {
    let par = par().on(pool);
    let longest = words.iter().map(|word| word.len()).max().unwrap_or_default();

    tour.stop("sort", || words.to_vec(), |v| v.sort(), |v| par.sort(v))?;
    tour.stop(
        "sort by length, stable",
        || words.to_vec(),
        |v| v.sort_by_key(|w| w.len()),
        |v| par.sort_by_key(v, |w| w.len()),
    )?;

    let (mut left, mut right) = (words[..words.len() / 2].to_vec(), words[words.len() / 2..].to_vec());
    left.sort();
    right.sort();
    tour.stop("merge two halves", Vec::new, |v| *v = merge(&left, &right), |v| *v = par.merge(&left, &right))?;

    tour.stop(
        "first and last by alphabet",
        || None,
        |found| *found = words.iter().min().zip(words.iter().max()),
        |found| *found = par.minmax(words).map(|((_, min), (_, max))| (min, max)),
    )?;
    tour.stop(
        "count the longest",
        || 0,
        |n| *n = words.iter().filter(|w| w.len() == longest).count(),
        |n| *n = par.count_if(words, |w| w.len() == longest),
    )?;
    tour.stop(
        "find the longest",
        || None,
        |at| *at = words.iter().position(|w| w.len() == longest),
        |at| *at = par.position(words, |w| w.len() == longest),
    )?;
    tour.stop(
        "lengths, then where each starts (scan)",
        Vec::new,
        |v| *v = starts(words),
        |v| {
            *v = par.transform_exclusive_scan(words, 0, |w| w.len() + 1, |a, b| a + b);
        },
    )?;
    tour.stop(
        "letters in all (map, reduce)",
        || 0,
        |n| *n = words.iter().map(|w| w.chars().count()).sum(),
        |n| *n = par.map_reduce(words, 0, |w| w.chars().count(), |a, b| a + b),
    )?;
    tour.stop("vowels, by joins", || 0, |n| *n = vowels(words), |n| *n = pool.join(|| vowels_by_halves(words), || ()).0)
}

/// The merge of two sorted slices, on one core: std's sort finds both runs.
fn merge<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<&'a str> {
    let mut both = [a, b].concat();
    both.sort();
    both
}

/// The position at which each word would start if each were followed by one blank.
fn starts(words: &[&str]) -> Vec<usize> {
    let start = |next: &mut usize, word: &&str| {
        let start = *next;
        *next += word.len() + 1;
        Some(start)
    };
    words.iter().scan(0, start).collect()
}

fn vowels(words: &[&str]) -> usize {
    words.iter().flat_map(|word| word.bytes()).filter(|b| b"aeiouAEIOU".contains(b)).count()
}

/// Splits in halves down to a few words. A join costs so little that the leaves may be small.
fn vowels_by_halves(words: &[&str]) -> usize {
    if words.len() <= 64 {
        return vowels(words);
    }
    let (left, right) = words.split_at(words.len() / 2);
    let (left, right) = fusain::join(|| vowels_by_halves(left), || vowels_by_halves(right));
    left + right
}

/// The table of results, with a row for each stop.
struct Tour {
    repeat: usize,
    table: Table,
    progress: ProgressBar,
}

impl Tour {
    fn new(repeat: usize, stops: usize) -> Self {
        let mut table = table(["stop", "one core", "fusain", "speed-up"]);
        table.column_mut(0).expect("the column of names").set_cell_alignment(CellAlignment::Left);
        let progress = ProgressBar::new((stops * repeat * 2) as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg} ({eta} left)") {
            progress.set_style(style);
        }
        Tour { repeat, table, progress }
    }

    /// Times both ways, each on what `fresh` makes, and checks that they agree.
    fn stop<S: PartialEq + Debug>(
        &mut self,
        name: &'static str,
        fresh: impl Fn() -> S,
        sequential: impl Fn(&mut S),
        parallel: impl Fn(&mut S),
    ) -> anyhow::Result<()> {
        self.progress.set_message(name);
        let run = |way: &dyn Fn(&mut S)| {
            let mut state = fresh();
            let start = Instant::now();
            way(black_box(&mut state));
            (start.elapsed(), state)
        };
        // The first run of each way is the one that is checked, and warms the caches for the others.
        let ((_, one), (_, all)) = (run(&sequential), run(&parallel));
        ensure!(one == all, "{name}: one core and all cores do not agree");
        let timed = |way: &dyn Fn(&mut S)| {
            let times = (0..self.repeat).map(|_| {
                self.progress.inc(1);
                run(way).0
            });
            times.collect::<Vec<Duration>>()
        };
        let (on_one, on_all) = (timed(&sequential), timed(&parallel));
        let (one, all) = (median(on_one), median(on_all));
        let speed_up = one.as_secs_f64() / all.as_secs_f64().max(1e-9);
        self.table.add_row([name, &micros(one), &micros(all), &format!("{speed_up:.2}x")]);
        Ok(())
    }

    fn finish(self) -> Table {
        self.progress.finish_and_clear();
        self.table
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn micros(time: Duration) -> String {
    format!("{:.1} us", time.as_secs_f64() * 1e6)
}

/// A table of the pool's counters.
fn counters(pool: &Pool) -> Table {
    let counters = pool.counters();
    let mut table = table(["units", "polls answered", "steals tried", "done", "refused", "parks", "wakes"]);
    table.add_row([
        counters.units,
        counters.polls_answered,
        counters.steals_tried,
        counters.steals_done,
        counters.steals_refused,
        counters.parks,
        counters.wakes,
    ]);
    table
}

/// An empty table with a header, aligned for numbers.
fn table<const COLUMNS: usize>(header: [&str; COLUMNS]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED.with_rounded_corners()).set_header(header);
    table.column_iter_mut().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}
