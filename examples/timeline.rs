//! What two workers do, as a timeline: spans of this program, and the spans and events that a pool sends with feature `tracing`.
//!
//! `cargo run --release --example timeline --features tracing -- [FOLDER]` writes `timeline.json`, for chrome://tracing or ui.perfetto.dev, and draws
//! the same as `timeline.svg`.

#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use fusain::{Pool, Wait};
use fusain_examples::pictures::drawing::{Anchor, Drawing, FIRST, SECOND};
use serde::Deserialize;
use tracing::info_span;
use tracing_chrome::ChromeLayerBuilder;
use tracing_subscriber::prelude::*;

const LEAVES: usize = 8;

/// Sums the logarithms of a range, with a span for each leaf of the recursion.
fn sum(from: usize, leaves: usize) -> f64 {
    if leaves == 1 {
        let _leaf = info_span!("leaf").entered();
        return (from * 10_000..(from + 1) * 10_000).map(|i| (i as f64 + 1.0).ln()).sum();
    }
    let half = leaves / 2;
    let (a, b) = fusain::join(|| sum(from, half), || sum(from + half, leaves - half));
    a + b
}

/// Makes two calls. Before each is a pause in which the worker falls asleep.
fn program(pool: &Pool) -> f64 {
    let calls = (0..2).map(|_| {
        thread::sleep(Duration::from_millis(1));
        let _call = info_span!("call").entered();
        pool.install(|| sum(0, LEAVES))
    });
    calls.sum()
}

/// The fields of the layer's output that are drawn.
#[derive(Deserialize)]
struct Entry {
    ph: String,
    #[serde(default)]
    ts: f64,
    #[serde(default)]
    name: String,
    #[serde(default)]
    tid: u64,
    #[serde(default)]
    args: Arguments,
}

/// The arguments of an event.
#[derive(Default, Deserialize)]
struct Arguments {
    #[serde(default)]
    message: String,
}

/// The events that are drawn. A waiting worker sleeps and wakes again and again, and those events would fill the picture.
const DRAWN: [&str; 2] = ["work given", "worker woken"];

/// A span or an event on a thread. Only a span has an end.
struct Mark {
    name: String,
    begin: f64,
    end: Option<f64>,
}

/// Returns the marks of each thread, in the order in which they ended.
fn marks(entries: Vec<Entry>) -> BTreeMap<u64, Vec<Mark>> {
    let (mut lanes, mut open) = (BTreeMap::<u64, Vec<Mark>>::new(), BTreeMap::<u64, Vec<Entry>>::new());
    for entry in entries {
        match entry.ph.as_str() {
            "B" => open.entry(entry.tid).or_default().push(entry),
            "E" => {
                if let Some(begun) = open.get_mut(&entry.tid).and_then(Vec::pop) {
                    let mark = Mark { name: begun.name, begin: begun.ts, end: Some(entry.ts) };
                    lanes.entry(entry.tid).or_default().push(mark);
                }
            }
            "i" if DRAWN.contains(&&*entry.args.message) => {
                let mark = Mark { name: entry.args.message, begin: entry.ts, end: None };
                lanes.entry(entry.tid).or_default().push(mark);
            }
            _ => {}
        }
    }
    lanes
}

/// Draws a lane for each thread: spans as boxes, events as lines with their names.
fn draw(lanes: &BTreeMap<u64, Vec<Mark>>) -> String {
    const LEFT: f64 = 70.0;
    const WIDTH: f64 = 670.0;
    const LANE: f64 = 150.0;
    let spans = || lanes.values().flatten().filter_map(|mark| Some((mark.begin, mark.end?)));
    // From a little before the first span to a little after the last.
    let begin = spans().map(|(begin, _)| begin).fold(f64::MAX, f64::min) - 100.0;
    let end = spans().map(|(_, end)| end).fold(0.0, f64::max) + 300.0;
    let x = |ts: f64| LEFT + WIDTH * (ts - begin) / (end - begin);
    let mut drawing = Drawing::new(760, 30 + (LANE * lanes.len() as f64) as u32);
    for (lane, (thread, marks)) in lanes.iter().enumerate() {
        let top = 16.0 + LANE * lane as f64;
        drawing.text([8.0, top + 40.0], Anchor::Start, format!("thread {thread}"));
        // Outer spans end last, so in reverse order they are drawn below the inner ones.
        for mark in marks.iter().rev() {
            let Some(end) = mark.end else { continue };
            let (row, fill) = if mark.name == "leaf" { (30.0, SECOND) } else { (0.0, FIRST) };
            let place = [x(mark.begin), top + row, (x(end) - x(mark.begin)).max(1.0), 26.0];
            drawing.rectangle(place, fill);
        }
        let events = marks.iter().filter(|mark| mark.end.is_none() && (begin..end).contains(&mark.begin));
        for (index, event) in events.enumerate() {
            let (at, below) = (x(event.begin), top + 76.0 + 16.0 * (index % 4) as f64);
            drawing.dashed([at, top], [at, below - 10.0]);
            drawing.text([at, below + 2.0], Anchor::Middle, &event.name);
        }
    }
    drawing.finish()
}

fn main() -> anyhow::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let (json, svg) = (folder.join("timeline.json"), folder.join("timeline.svg"));
    let pool = Pool::builder().threads(2).wait(Wait::SpinThenPark(Duration::from_micros(200))).build()?;
    // The first calls of a process measure the cost of threads on this machine.
    for _ in 0..4 {
        pool.install(|| sum(0, LEAVES));
    }
    let (layer, guard) = ChromeLayerBuilder::new().file(&json).include_args(true).build();
    tracing_subscriber::registry().with(layer).init();
    let sum = program(&pool);
    drop(guard);

    let text = fs::read_to_string(&json).with_context(|| json.display().to_string())?;
    let lanes = marks(serde_json::from_str(&text).with_context(|| json.display().to_string())?);
    fs::write(&svg, draw(&lanes)).with_context(|| svg.display().to_string())?;
    println!("the sum is {sum:.1}; see {} and {}", json.display(), svg.display());
    Ok(())
}
