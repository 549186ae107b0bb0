//! `compare crowd`: the cost of having fewer cores than workers.
//!
//! Either a pool has too many workers, or another process uses some of the cores. The second case is common on desktops and shared servers: a worker loses its
//! core in the middle of a call, and every thread that waits for this worker waits for the system.

use std::hint::black_box;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use fusain::algorithms::{Par, par};
use fusain::pool::Pool;
use rayon::prelude::*;

use crate::cases::{Algorithm, Case, Group, Runtimes};
use crate::peers::rayon_pool;
use fusain_harness::{
    Options, Progress, Report, Samples, cell_ns, cell_ratio, geometric_mean, in_turn, measure, settle, table,
};

/// `LENGTH`: elements of the input. `CROWD`: workers beyond the two that fit the cores.
const LENGTH: usize = 1_000_000;
const CROWD: usize = 8;

pub(super) fn run(options: &Options) -> anyhow::Result<()> {
    let rayon = rayon_pool(options.threads)?;
    let pool = options.pool()?;
    let on = Runtimes { pool: &pool, rayon: &rayon, cxx: None };
    let mut report = Report::new("crowd");
    many_workers(on, options, &mut report)?;
    beside_others(on, options, &mut report)?;
    report.finish(options)
}

fn many_workers(on: Runtimes<'_>, options: &Options, report: &mut Report) -> anyhow::Result<()> {
    let length = if options.smoke { 10_000 } else { LENGTH };
    let crowd = Pool::builder().threads(CROWD).build()?;
    let few = format!("{} workers", options.threads);
    let many = format!("{CROWD} workers");
    let mut table = table(&["forced parallel", &few, &many, "over"]);
    for algorithm in [Algorithm::Sort, Algorithm::Min] {
        let case = Case::<i32>::new(algorithm, length);
        // Forced, so that a model that avoids the crowd cannot hide the cost.
        let mut sides: Vec<_> = [on.pool, &crowd]
            .into_iter()
            .flat_map(|pool| case.sides(Runtimes { pool, ..on }, true))
            .filter_map(|(group, side)| (group == Group::Forced).then_some(side))
            .collect();
        let samples = measure(&mut sides, &options.plan());
        let label = format!("{algorithm} i32 of {length}");
        report.keep(&label, &samples);
        let (two, eight) = (samples[0].median(), samples[1].median());
        table.add_row([label, cell_ns(two), cell_ns(eight), cell_ratio(eight / two)]);
        report.key(&algorithm.to_string(), eight / two);
    }
    println!("{table}");
    Ok(())
}

/// A loop over `elements` elements of `steps` steps each, repeated after a `gap`.
struct Loop {
    elements: usize,
    steps: u32,
    gap: Duration,
}

impl Loop {
    /// From few expensive elements to many cheap ones, each without a gap and with the gap of a program that renders frames.
    fn all() -> Vec<Loop> {
        const STEPS: [(usize, u32); 4] = [(128, 1_500), (1_024, 400), (8_192, 400), (100_000, 5)];
        const GAPS: [Duration; 2] = [Duration::ZERO, Duration::from_micros(300)];
        STEPS.into_iter().flat_map(|(elements, steps)| GAPS.map(|gap| Loop { elements, steps, gap })).collect()
    }

    /// Arithmetic (Marsaglia's xorshift) instead of a wait for a time: it makes no progress while the thread has no core.
    fn element(&self, seed: &u32) {
        let step = |x: u32, _| {
            let x = x ^ (x << 13);
            let x = x ^ (x >> 17);
            x ^ (x << 5)
        };
        black_box((0..self.steps).fold(black_box(*seed), step));
    }

    fn label(&self, element_ns: f64) -> String {
        format!("{} x {}, gap {}", self.elements, cell_ns(element_ns), cell_ns(self.gap.as_nanos() as f64))
    }

    /// Repeats the call for `length`, after the gap each time, and times every call.
    fn turn(&self, length: Duration, call: &dyn Fn(&Loop)) -> Vec<f64> {
        let begin = Instant::now();
        let mut samples = Vec::new();
        while begin.elapsed() < length {
            std::thread::sleep(self.gap);
            let start = Instant::now();
            call(self);
            samples.push(start.elapsed().as_nanos() as f64);
        }
        samples
    }
}

/// Means instead of medians: every call counts, and the few calls in which a worker loses its core are the subject of this comparison.
fn mean(samples: &Samples) -> f64 {
    samples.ns.iter().sum::<f64>() / samples.ns.len() as f64
}

fn beside_others(on: Runtimes<'_>, options: &Options, report: &mut Report) -> anyhow::Result<()> {
    let (rounds, turn) = if options.smoke { (1, Duration::from_millis(5)) } else { (12, Duration::from_millis(150)) };
    let ours = |how: fn(Par<'static>) -> Par<'static>| {
        move |this: &Loop, seeds: &[u32]| how(par()).on(on.pool).for_each(seeds, |seed| this.element(seed))
    };
    let rayon = |this: &Loop, seeds: &[u32]| on.rayon.install(|| seeds.par_iter().for_each(|seed| this.element(seed)));
    type Call<'a> = &'a dyn Fn(&Loop, &[u32]);
    let (sequential, default) = (ours(Par::sequential), ours(|par| par));
    let sides: [(&str, Call<'_>); 3] = [("sequential", &sequential), ("ours", &default), ("rayon", &rayon)];
    let spinning = (options.threads / 2).max(1);
    let mut table = table(&[&format!("beside {spinning} spinning"), "sequential", "ours", "rayon", "over ours"]);
    let (mut over_sequential, mut over_rayon) = (Vec::new(), Vec::new());
    let loops = Loop::all();
    let progress = Progress::new(loops.len());
    for this in &loops {
        let seeds: Vec<u32> = (0..).take(this.elements).collect();
        let start = Instant::now();
        sequential(this, &seeds);
        let label = this.label(start.elapsed().as_nanos() as f64 / this.elements as f64);
        progress.step(&label);
        let others = Spinning::new(spinning)?;
        let samples = in_turn(sides.map(|(name, _)| name), rounds, |at| {
            settle();
            this.turn(turn, &|this| (sides[at].1)(this, &seeds))
        });
        drop(others);
        report.keep(&label, &samples);
        let [sequential, ours, rayon] = [0, 1, 2].map(|at| mean(&samples[at]));
        table.add_row([label, cell_ns(sequential), cell_ns(ours), cell_ns(rayon), cell_ratio(rayon / ours)]);
        over_sequential.push(ours / sequential);
        over_rayon.push(ours / rayon);
    }
    drop(progress);
    println!("{table}\nmeans of all calls");
    report.key("beside_over_sequential", geometric_mean(&over_sequential));
    report.key("beside_over_rayon", geometric_mean(&over_rayon));
    report.key("beside_worst_over_rayon", over_rayon.into_iter().fold(0.0, f64::max));
    Ok(())
}

/// Processes that do nothing but use one core each. They end when this value is dropped or this process ends.
struct Spinning(Vec<Child>);

impl Spinning {
    fn new(processes: usize) -> anyhow::Result<Self> {
        let start = || {
            Command::new("sh")
                .args(["-c", "while kill -0 $PPID; do :; done"])
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .context("cannot start a process that spins: this comparison needs `sh`")
        };
        let mut this = Spinning(Vec::new());
        for _ in 0..processes {
            this.0.push(start()?);
        }
        Ok(this)
    }
}

impl Drop for Spinning {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // Errors are ignored: a process that has already ended need not be ended.
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}
