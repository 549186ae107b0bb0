//! `compare hierarchy`: the experiments of RR-9077, section 7, on modelled machines, beside the report's factors.
//!
//! Everything runs message by message in the in-process world, under a LogGP model on a virtual clock. The numbers are therefore those of
//! the model, the same on every machine and in every run. `machines.rs` has the machines and the sources of their links' numbers.
//!
//! * Section 7.2: each broadcast and each reduction of Open MPI, flat and by levels, and which of the two the hierarchy chooses.
//! * Section 7.3: SUMMA, simple, with hand-made groups, and by topology.
//! * Section 7.4: the processing of vectors on 576 processes, by topology and with the report's four hand-made hierarchies.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

mod algorithms;
mod applications;
mod machines;
mod shared;

use std::path::PathBuf;

use algorithms::{Algorithm, way_down};
use applications::Timed;
use clap::Parser;
use fusain::comm::{Communicator, ThreadComm, World};
use fusain::topology::Hierarchy;
use fusain::topology::model::{Operation, Way};
use fusain_harness::{geometric_mean, table, write_json};
use machines::{Model, NTW10E5, NTW24E5, Placement, SMP12E5, SMP20E7};
use serde_json::json;

#[derive(Parser)]
struct Arguments {
    /// Keeps all samples.
    #[arg(long)]
    json: Option<PathBuf>,
    /// How ranks lie on the machine.
    #[arg(long, value_enum, default_value_t = Placement::Cyclic)]
    placement: Placement,
    /// The smallest machine and two sizes only.
    #[arg(long)]
    smoke: bool,
}

const BYTES: [usize; 5] = [8, 256, 8_192, 65_536, 1_048_576];
const VECTOR_LENGTHS: [usize; 3] = [256, 4_096, 65_536];
/// The report's factor for the vectors: "About 10", section 7.4.
const VECTORS_PAPER: f64 = 10.0;

/// The time of one run on the virtual clock, from the common start to the end of the last rank.
fn elapsed_ns(comm: &ThreadComm, run: impl FnOnce()) -> u64 {
    let latest = || {
        let mut clock = [comm.clock_ns()];
        comm.allreduce(&mut clock, u64::max).expect("an allreduce");
        clock[0]
    };
    // The allreduce itself takes time: all ranks advance to a moment well after it, when all links are free.
    const PAUSE_NS: u64 = 10_000_000;
    let begin = latest() + PAUSE_NS;
    comm.compute_ns(begin.saturating_sub(comm.clock_ns()));
    run();
    latest() - begin
}

/// The times of a collective on a machine.
struct Row {
    machine: &'static str,
    operation: Operation,
    algorithm: Algorithm,
    bytes: usize,
    flat_ns: u64,
    levels_ns: u64,
    way: Way,
}

impl Row {
    fn levels_gain(&self) -> f64 {
        self.flat_ns as f64 / self.levels_ns as f64
    }

    /// The gain of the hierarchy's choice.
    fn gain(&self) -> f64 {
        if self.way == Way::Levels { self.levels_gain() } else { 1.0 }
    }
}

fn collectives(model: &Model, placement: Placement, sizes: &[usize]) -> Vec<Row> {
    let places = model.places(placement);
    let on_a_rank = |comm: ThreadComm| {
        let hierarchy = Hierarchy::build(&comm, &places[comm.rank()]).expect("a hierarchy").with_costs(model.costs());
        // The communicators of roots are created before anything is timed.
        way_down(&hierarchy).expect("roots");
        let mut rows = Vec::new();
        for operation in [Operation::Broadcast, Operation::Reduce] {
            for algorithm in Algorithm::of(operation) {
                for &bytes in sizes {
                    let mut data = vec![1_u64; bytes / 8];
                    let flat_ns = elapsed_ns(&comm, || algorithm.run(operation, &comm, &mut data).expect("flat"));
                    check(&comm, operation, &data);
                    data.fill(1);
                    let levels_ns = elapsed_ns(&comm, || {
                        algorithm.run_by_levels(operation, &hierarchy, &mut data).expect("levels");
                    });
                    check(&comm, operation, &data);
                    let way = algorithm.way(operation, &hierarchy, bytes);
                    rows.push(Row { machine: model.name, operation, algorithm, bytes, flat_ns, levels_ns, way });
                }
            }
        }
        rows
    };
    let rows = World::threads(model.ranks()).network(model.network(placement)).run(on_a_rank);
    rows.into_iter().next().expect("rank 0 is there")
}

fn check(comm: &ThreadComm, operation: Operation, data: &[u64]) {
    let sum = if operation == Operation::Reduce { comm.size() as u64 } else { 1 };
    assert!(comm.rank() != 0 || data.iter().all(|&number| number == sum), "a wrong result");
}

fn us(ns: u64) -> String {
    format!("{:.1}", ns as f64 / 1e3)
}

fn print_collectives(rows: &[Row]) {
    let mut table =
        table(&["machine", "call", "algorithm", "bytes", "flat us", "levels us", "gain of levels", "chosen", "gain"]);
    for row in rows {
        table.add_row([
            row.machine.to_owned(),
            format!("{:?}", row.operation).to_lowercase(),
            row.algorithm.name(),
            row.bytes.to_string(),
            us(row.flat_ns),
            us(row.levels_ns),
            format!("{:.2}", row.levels_gain()),
            format!("{:?}", row.way).to_lowercase(),
            format!("{:.2}", row.gain()),
        ]);
    }
    println!("{table}");
}

/// The largest factor of an operation on a machine, and its row.
fn largest(rows: &[Row], machine: &str, operation: Operation) -> (f64, String) {
    let of = rows.iter().filter(|row| row.machine == machine && row.operation == operation);
    let best = of.max_by(|a, b| a.gain().total_cmp(&b.gain())).expect("every machine has rows");
    (best.gain(), format!("{}, {} bytes", best.algorithm.name(), best.bytes))
}

/// The speed-up of `fast` over `slow`: with a network card for each rank, and with one for each host.
fn factors(slow: &Timed, fast: &Timed) -> [Option<f64>; 2] {
    [slow.own_ns as f64 / fast.own_ns as f64, slow.shared_ns as f64 / fast.shared_ns as f64].map(Some)
}

fn times_of(times: &[Timed]) -> String {
    let all = times.iter().map(|time| format!("{} {} / {} us", time.name, us(time.own_ns), us(time.shared_ns)));
    all.collect::<Vec<_>>().join(", ")
}

fn kept_time(machine: &str, what: &str, length: usize, time: &Timed) -> serde_json::Value {
    let Timed { name, own_ns, shared_ns } = time;
    json!({"machine": machine, "application": what, "length": length, "way": name, "own_ns": own_ns, "shared_ns": shared_ns})
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let placement = arguments.placement;
    let models: &[Model] = if arguments.smoke { &[SMP12E5] } else { &[NTW10E5, SMP20E7, SMP12E5] };
    let sizes = if arguments.smoke { &BYTES[..2] } else { &BYTES[..] };
    let rows: Vec<Row> = models.iter().flat_map(|model| collectives(model, placement, sizes)).collect();
    print_collectives(&rows);

    let mut paper = table(&["section", "machine", "largest factor of", "report", "model", "one card a host", "there"]);
    let mut compare = |section: &str, machine: &str, what: &str, theirs: f64, ours: [Option<f64>; 2], at: String| {
        let [own, shared] = ours.map(|ours| ours.map_or_else(String::new, |ours| format!("{ours:.1}")));
        let names = [section, machine, what].map(str::to_owned);
        paper.add_row(names.into_iter().chain([format!("{theirs:.0}"), own, shared, at]));
    };
    let mut kept = Vec::new();
    for model in models {
        let [broadcast, reduce, product] = model.paper.expect("these machines have factors");
        for (what, theirs, operation) in
            [("broadcast", broadcast, Operation::Broadcast), ("reduction", reduce, Operation::Reduce)]
        {
            let (ours, at) = largest(&rows, model.name, operation);
            compare("7.2", model.name, what, theirs, [Some(ours), None], at);
        }
        let times = applications::summa(model, placement);
        // The topological variant is the better of the last two: as for collectives, levels are used where they are faster.
        let topological = times[times.len() - 2..].iter().min_by_key(|time| time.shared_ns).expect("two ways");
        compare("7.3", model.name, "SUMMA", product, factors(&times[0], topological), times_of(&times));
        kept.extend(times.iter().map(|time| kept_time(model.name, "summa", 0, time)));
    }
    let lengths = if arguments.smoke { &VECTOR_LENGTHS[..1] } else { &VECTOR_LENGTHS[..] };
    for &length in lengths {
        let times = applications::vectors(&NTW24E5, placement, length);
        let slowest = times[1..].iter().max_by_key(|time| time.shared_ns).expect("four were made by hand");
        let what = format!("{length} numbers");
        compare("7.4", NTW24E5.name, &what, VECTORS_PAPER, factors(slowest, &times[0]), times_of(&times));
        kept.extend(times.iter().map(|time| kept_time(NTW24E5.name, "vectors", length, time)));
    }
    println!("{paper}");
    println!("{WHY}");
    kept.extend(rows.iter().map(|row| {
        json!({
            "machine": row.machine, "operation": format!("{:?}", row.operation), "algorithm": row.algorithm.name(), "bytes": row.bytes,
            "flat_ns": row.flat_ns, "levels_ns": row.levels_ns, "chosen": format!("{:?}", row.way),
        })
    }));
    write_json(arguments.json.as_deref(), &kept)?;
    let gain = |operation| {
        let gains = rows.iter().filter(|row| row.operation == operation).map(Row::gain);
        geometric_mean(&gains.collect::<Vec<_>>())
    };
    let worst = rows.iter().map(Row::gain).fold(f64::INFINITY, f64::min);
    println!(
        "hierarchy: gain_bcast={:.2} gain_reduce={:.2} worst={worst:.2}",
        gain(Operation::Broadcast),
        gain(Operation::Reduce)
    );
    Ok(())
}

/// The explanation under the tables.
const WHY: &str = "\
Report: RR-9077, section 7, the largest factors in its figures. Model: every rank with a network card of its own, as the modelled network of the
in-process world has it; one card a host: the ranks of a host share it. Where they differ:
- 7.2: the model has no contention, no operating system and no jitter, and takes one latency for all messages of a kind of link. NTW10E5's reduction
  (39) and SMP12E5's broadcast (22) are above what fewer and shorter rounds can give: there the flat algorithms of Open MPI suffered from contention besides.
  SMP12E5's reduction (8) is below: its levels did.
- 7.3: a step sends 64 bytes a rank along its row and along its column, so its time is latency. Trees by levels are at least as deep as flat ones, and a grid
  laid over the tree has its rows near and its columns far: each step still waits for a broadcast over the slowest links, so by latency alone topology gains
  less than 2. On SMP12E5 it gains nothing: ranks that are dealt out over 6 groups of 2 nodes have columns (every 12th rank) within a node, and the
  grid over the tree has the rows there in their place. The report's 12, 5 and 6 are even above the ratio of the slowest link to the fastest (3.6 on
  NTW10E5, 2.9 on the others), so most of its gain is no latency of links. Its bars are averages over processes of all time spent in broadcasts, which
  holds how long they wait for each other, and messages that contend for a card or for a node's memory. The model has neither jitter nor contention, but
  for the cards in the column of one card a host.
- 7.4: with a card for each rank nothing is lost by crossing hosts, and topology does not pay; with one card a host the hand-made groups press all
  vectors through the cards of a few hosts, and the factor is the report's. With ranks in the order of the cores (--placement block) it is not: then
  neighbours by rank are neighbours in the machine, and the hand-made groups are nearly the levels.";
