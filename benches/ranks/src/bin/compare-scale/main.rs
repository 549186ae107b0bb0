//! `compare scale`: a prediction of how the protocol of `fusain-cluster` performs on machines that we do not have.
//!
//! A discrete-event model: every rank runs the protocol, the thief and the victim selection of `fusain-cluster` themselves, under a virtual clock. The
//! following is modelled:
//!
//! - The tree (`load`): as unbalanced as UTS's geometric trees, and split as a `Search` is split. Its size gives all workers work for a stated time.
//! - The workers of a rank (`peer`): in *lanes* of several workers each, a lane as fast as its workers together. A lane that runs out of work gets half of that
//!   of the fullest lane, after the time of a steal. So no worker searches for long, and no worker is idle while others of its lane work.
//! - Sending and receiving (`peer`): each message takes its time, one after the other. A thread that waits for work checks for messages continuously at first,
//!   and then between naps. Each working thread checks at least every 50 us (`poll_interval.rs` of `fusain-cluster`); the more frequent checks after a message
//!   are left out.
//! - The network (`machine`): the latency of a fat tree. Messages take no time for their length, and do not delay each other.
//!
//! Beside it is the algorithm of the paper (D. Muraoka, M. Yasugi, T. Hiraishi, S. Umatani, P2S2 2016): a thief asks random ranks again and again, one worker
//! answers, and messages are checked every 20 us. Its tree of tasks ends as ours does.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

mod agenda;
mod load;
mod machine;
mod measure;
mod model;
mod peer;
mod plot;

use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Parser;
use fusain_harness::{table, write_json};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde_json::json;

use crate::load::Subtree;
use crate::machine::Machine;
use crate::model::Outcome;
use crate::peer::Policy;

#[derive(Parser)]
struct Arguments {
    /// Keeps the figures of all runs.
    #[arg(long)]
    json: Option<PathBuf>,
    /// The plot.
    #[arg(long, default_value = "target/scale.svg")]
    svg: PathBuf,
    /// Two small machines, for a hundredth of the time: only that it works.
    #[arg(long)]
    smoke: bool,
    /// How many ranks; more than once for several machines. (100000 take some four minutes of a core, and 2 GB.)
    #[arg(long, default_values_t = [100, 1_000, 10_000, 100_000], value_delimiter = ',')]
    ranks: Vec<u32>,
    /// What all workers together take for the tree if none is ever without work, in seconds.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Workers of a rank.
    #[arg(long, default_value_t = 36)]
    workers: u32,
    /// Lanes that they are modelled in; without it one each up to 100 ranks, 6 up to 1,000, then 1.
    #[arg(long)]
    lanes: Option<u32>,
    /// Up to so many ranks the paper's way is modelled as well: its tasks are small, and 10^5 ranks have 10^8 of them.
    #[arg(long, default_value_t = 10_000)]
    paper: u32,
    /// Nanoseconds for a node; without it measured: a hash of SHA-1.
    #[arg(long)]
    node_ns: Option<f64>,
    /// Microseconds that a message takes of the thread that sends or receives it; without it 1 for the library, and half of what it takes a thread to send to
    /// itself and to receive, measured.
    #[arg(long)]
    message_us: Option<f64>,
    /// Microseconds to wake a thread; without it measured.
    #[arg(long)]
    wake_us: Option<f64>,
    /// Microseconds of a steal within a rank; without it three round trips of a cache line, as `compare handover` finds.
    #[arg(long)]
    steal_us: Option<f64>,
    /// Microseconds that messages are under way: below a switch of 32 ranks, of 1,024, of 32,768, and above. What InfiniBand's makers and users report.
    #[arg(long, num_args = 4, default_values_t = [1.2, 1.6, 2.0, 2.4], value_delimiter = ',')]
    latency_us: Vec<f64>,
}

const POLICIES: [(Policy, &str); 4] = [
    (Policy::Paper, "the paper's"),
    (Policy::Random, "random"),
    (Policy::Nearest, "nearest first"),
    (Policy::Lifelines, "lifelines"),
];

/// A planned run.
#[derive(Clone, Copy)]
struct Case {
    ranks: u32,
    lanes: u32,
    policy: usize,
}

/// The longest nap of the loop of a cluster (`fusain-cluster`, `cluster.rs`), in nanoseconds.
const LONGEST_NAP_NS: f64 = 8e5;

/// The maximum time between two checks of a worker (`fusain-cluster`, `poll_interval.rs`), in nanoseconds.
const LOOK_NS: f64 = 5e4;

/// The processor time that the MPI library takes for a small message: a barrier of two by Open MPI takes 0.8 to 1.0 us (`compare latency`).
const LIBRARY_NS: f64 = 1_000.0;

/// The assumed round trip of a cache line in nanoseconds, if there is no second core to measure it.
const ROUND_TRIP_NS: f64 = 250.0;

impl Arguments {
    fn machine(&self) -> Machine {
        let measured = measure::measure(self.smoke.then_some(1));
        let round_trip = measured.round_trip.unwrap_or(ROUND_TRIP_NS);
        let us = |given: Option<f64>, measured_ns: f64| given.map_or(measured_ns, |us| us * 1e3);
        let latencies: Vec<f64> = self.latency_us.iter().map(|us| us * 1e3).collect();
        Machine {
            workers: self.workers,
            lanes: 1,
            node: self.node_ns.unwrap_or(measured.node),
            // The length of a unit at which a worker of `fusain-pool` aims.
            unit: 2_000.0,
            steal: us(self.steal_us, 3.0 * round_trip),
            message: us(self.message_us, LIBRARY_NS + measured.message),
            wake: us(self.wake_us, measured.wake),
            look: LOOK_NS,
            ceiling: LONGEST_NAP_NS,
            switches: [32, 1 << 10, 1 << 15].into_iter().zip(latencies.iter().copied()).collect(),
            above: latencies.last().copied().unwrap_or(0.0),
        }
    }

    fn lanes(&self, ranks: u32) -> u32 {
        let most = match ranks {
            0..=100 => self.workers,
            101..=1_000 => 6,
            _ => 1,
        };
        (1..=self.lanes.unwrap_or(most).min(self.workers))
            .rev()
            .find(|lanes| self.workers.is_multiple_of(*lanes))
            .unwrap_or(1)
    }
}

fn main() -> anyhow::Result<()> {
    let mut arguments = Arguments::parse();
    if arguments.smoke {
        (arguments.ranks, arguments.seconds) = (vec![20, 100], 0.01);
    }
    ensure!(arguments.ranks.iter().all(|&ranks| ranks > 0), "--ranks 0: there is no machine without a rank");
    ensure!(arguments.workers > 0 && arguments.lanes != Some(0), "--workers and --lanes must be at least 1");
    ensure!(arguments.seconds > 0.0, "--seconds must be more than 0");
    let machine = arguments.machine();
    println!("{machine}");
    println!("the tree: so many nodes that all workers together take {} s at best", arguments.seconds);
    let cases: Vec<Case> = (arguments.ranks.iter())
        .flat_map(|&ranks| (0..POLICIES.len()).map(move |policy| (ranks, policy)))
        .filter(|&(ranks, policy)| POLICIES[policy].0 != Policy::Paper || ranks <= arguments.paper)
        .map(|(ranks, policy)| Case { ranks, policy, lanes: arguments.lanes(ranks) })
        .collect();
    let outcomes = run_all(&cases, &machine, arguments.seconds)?;
    print_table(&cases, &outcomes);
    let efficiency = |ranks: u32, policy: usize| {
        let at = cases.iter().position(|case| (case.ranks, case.policy) == (ranks, policy))?;
        Some(outcomes[at].efficiency)
    };
    let lines: Vec<(&str, Vec<(f64, f64)>)> = (POLICIES.iter().enumerate())
        .map(|(policy, (_, name))| {
            let point = |&ranks: &u32| Some((f64::from(ranks), efficiency(ranks, policy)?));
            (*name, arguments.ranks.iter().filter_map(point).collect())
        })
        .collect();
    let drawn =
        plot::draw(&lines, &format!("{} workers a rank, {} s of work each", machine.workers, arguments.seconds));
    let drawn = drawn.map_err(|error| anyhow::anyhow!("the plot: {error}"))?;
    std::fs::write(&arguments.svg, drawn).with_context(|| arguments.svg.display().to_string())?;
    println!("plot: {}", arguments.svg.display());
    let run = |(case, outcome): (&Case, &Outcome)| {
        json!({
            "ranks": case.ranks, "lanes": case.lanes, "victims": POLICIES[case.policy].1, "efficiency": outcome.efficiency, "took_s": outcome.took,
            "requests": outcome.requests, "refusals": outcome.refusals, "tasks": outcome.tasks, "steals": outcome.steals, "events": outcome.events,
        })
    };
    let runs: Vec<_> = cases.iter().zip(&outcomes).map(run).collect();
    let kept = json!({ "machine": machine.to_string(), "seconds": arguments.seconds, "runs": runs });
    write_json(arguments.json.as_deref(), &kept)?;
    // The keys are those of 10^4 ranks, or of the largest machine if that was not run.
    let ranks = arguments.ranks.iter().copied().find(|&ranks| ranks == 10_000).or(arguments.ranks.last().copied());
    let name = if ranks == Some(10_000) { "1e4".to_owned() } else { ranks.unwrap_or(0).to_string() };
    let key = |policy, of: &str| {
        let value = ranks.and_then(|ranks| efficiency(ranks, policy)).unwrap_or(f64::NAN);
        format!("eff_{name}_{of}={value:.3}")
    };
    println!("scale: {} {} {} {}", key(2, "nearest"), key(3, "lifeline"), key(1, "random"), key(0, "paper"));
    Ok(())
}

/// Runs as many cases at a time as there are cores, the longest first.
fn run_all(cases: &[Case], machine: &Machine, seconds: f64) -> anyhow::Result<Vec<Outcome>> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|&at| cases[at].ranks);
    let (queue, outcomes) = (Mutex::new(order), Mutex::new(vec![None; cases.len()]));
    let bars = MultiProgress::new();
    let style = ProgressStyle::with_template("{msg:32} [{bar:40}] {percent:>3} % {elapsed}")?.progress_chars("=> ");
    let work = || -> anyhow::Result<()> {
        loop {
            let Some(at) = queue.lock().ok().and_then(|mut queue| queue.pop()) else { return Ok(()) };
            let Case { ranks, lanes, policy } = cases[at];
            let machine = Machine { lanes, ..machine.clone() };
            let (policy, name) = POLICIES[policy];
            let bar = bars
                .add(ProgressBar::new(1_000))
                .with_style(style.clone())
                .with_message(format!("{ranks} ranks, {name}"));
            let size = (seconds * 1e9 / machine.node * f64::from(machine.workers) * f64::from(ranks)).max(1.0) as u64;
            let begun = Instant::now();
            let outcome = model::run(ranks, policy, &machine, Subtree { seed: 19, size }, &bar)
                .with_context(|| format!("{ranks} ranks, {name}"))?;
            bar.finish_and_clear();
            let outcome = Outcome { modelled_in: begun.elapsed().as_secs_f64(), ..outcome };
            if let Ok(mut outcomes) = outcomes.lock() {
                outcomes[at] = Some(outcome);
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(cases.len());
    thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter().try_for_each(|one| one.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload)))
    })?;
    let outcomes = outcomes.into_inner().ok().context("a run has panicked")?;
    outcomes.into_iter().collect::<Option<_>>().context("a run is missing")
}

fn print_table(cases: &[Case], outcomes: &[Outcome]) {
    let mut table = table(&[
        "ranks",
        "lanes",
        "victims",
        "efficiency",
        "took s",
        "90 % had work after ms",
        "tasks/rank",
        "requests/rank",
        "refused",
        "steals in a rank",
        "M events",
        "modelled in s",
    ]);
    for (case, outcome) in cases.iter().zip(outcomes) {
        let per_rank = |count: u64| format!("{:.1}", count as f64 / f64::from(case.ranks));
        table.add_row([
            case.ranks.to_string(),
            case.lanes.to_string(),
            POLICIES[case.policy].1.to_owned(),
            format!("{:.3}", outcome.efficiency),
            format!("{:.4}", outcome.took),
            format!("{:.2}", outcome.spread * 1e3),
            per_rank(outcome.tasks),
            per_rank(outcome.requests),
            per_rank(outcome.refusals),
            per_rank(outcome.steals),
            format!("{:.1}", outcome.events as f64 / 1e6),
            format!("{:.1}", outcome.modelled_in),
        ]);
    }
    println!("{table}");
}
