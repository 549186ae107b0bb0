//! `compare overlap`: the share of a nonblocking collective that is hidden behind computing.
//!
//! Eight ranks in the in-process world, on a modelled network of 20 µs latency and 1 GB/s. Computing is the world's modelled computing,
//! which leaves the processor to other threads: eight ranks that each kept a core busy would measure this machine's cores. What the
//! progress loop takes from an application is therefore reported as processor time: of the progress thread, divided by the time of the
//! collective.
//!
//! The smallest overlap over the sizes is the key of each collective. Open MPI and MPICH, and ours over them, are in `compare-overlap-mpi`,
//! which `cargo xtask compare overlap` runs first.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use std::path::PathBuf;

use clap::Parser;
use fusain::comm::progress::{Progress, Settings};
use fusain::comm::{Communicator, LogGp, Network, ThreadComm, World};
use fusain::schedule::Engine;
use fusain_benches_ranks::nonblocking::{CASES, Ours, Overlap, cpu_time, overlap, runs};
use fusain_benches_ranks::slowest;
use fusain_harness::{median, table, write_json};
use serde_json::json;

#[derive(Parser)]
struct Arguments {
    /// Keeps all samples.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Few rounds, to see that it runs.
    #[arg(long)]
    smoke: bool,
    /// The network's latency in microseconds.
    #[arg(long, default_value_t = 20)]
    latency_us: u64,
    /// How many ranks.
    #[arg(long, default_value_t = 8)]
    ranks: usize,
}

/// One case on one rank: the overlap, and the progress thread's processor time for each collective.
struct Sample {
    overlap: Overlap,
    cpu_us: f64,
}

fn on_a_rank(comm: &ThreadComm, manual: bool, rounds: usize) -> Vec<Sample> {
    let transport = comm.duplicate().expect("a communicator for the loop");
    let progress = match manual {
        true => Progress::manual(transport, Settings::default()),
        false => Progress::spawn(transport, Settings::default()).expect("a progress thread"),
    };
    let (handle, engine) = (progress.handle(), Engine::new(progress.handle()));
    let agree = |time_us: f64| slowest(comm, time_us);
    let measure = |(call, bytes)| {
        let mut ours = Ours::new(&engine, call, bytes);
        comm.barrier().expect("a barrier");
        let begin = cpu_time(&handle);
        let overlap = overlap(rounds, &mut ours, |time| comm.compute_ns(time.as_nanos() as u64), agree);
        let cpu_us = (cpu_time(&handle) - begin).as_secs_f64() * 1e6 / runs(rounds) as f64;
        Sample { overlap, cpu_us }
    };
    CASES.into_iter().map(measure).collect()
}

/// The medians over the ranks for each case: pure time, overlap, processor time.
fn on_all(arguments: &Arguments, manual: bool, rounds: usize) -> Vec<[f64; 3]> {
    let wire = LogGp { gap_per_byte_ns: 1.0, ..LogGp::hockney(arguments.latency_us * 1_000, 0.0) };
    let world = World::threads(arguments.ranks).network(Network::flat(wire));
    let ranks = world.run(|comm| on_a_rank(&comm, manual, rounds));
    let over_ranks = |case: usize, get: fn(&Sample) -> f64| {
        median(&ranks.iter().map(|samples| get(&samples[case])).collect::<Vec<_>>())
    };
    let row = |case| {
        [
            over_ranks(case, |sample| sample.overlap.pure_us),
            over_ranks(case, |sample| sample.overlap.share),
            over_ranks(case, |sample| sample.cpu_us),
        ]
    };
    (0..CASES.len()).map(row).collect()
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let rounds = if arguments.smoke { 4 } else { 101 };
    let [threaded, manual] = [false, true].map(|manual| on_all(&arguments, manual, rounds));
    let mut table =
        table(&["collective", "bytes", "thread us", "overlap", "loop's cpu us", "cpu/us", "manual us", "overlap"]);
    let (mut kept, mut least, mut most_cpu) = (Vec::new(), [f64::INFINITY; 3], 0.0_f64);
    for (((call, bytes), thread), manual) in CASES.into_iter().zip(&threaded).zip(&manual) {
        let [pure_us, share, cpu_us] = *thread;
        let key = &mut least[call as usize];
        *key = key.min(share);
        most_cpu = most_cpu.max(cpu_us / pure_us);
        table.add_row([
            call.name().to_owned(),
            bytes.to_string(),
            format!("{pure_us:.0}"),
            format!("{share:.3}"),
            format!("{cpu_us:.1}"),
            format!("{:.3}", cpu_us / pure_us),
            format!("{:.0}", manual[0]),
            format!("{:.3}", manual[1]),
        ]);
        kept.push(json!({
            "collective": call.name(), "bytes": bytes, "thread_us": pure_us, "thread_overlap": share,
            "thread_cpu_us": cpu_us, "manual_us": manual[0], "manual_overlap": manual[1],
        }));
    }
    println!("{table}");
    println!("{} ranks in one process, a network of {} us and 1 GB/s.", arguments.ranks, arguments.latency_us);
    write_json(arguments.json.as_deref(), &kept)?;
    let [barrier, all_to_all, allreduce] = least;
    println!("overlap: barrier={barrier:.3} alltoall={all_to_all:.3} allreduce={allreduce:.3} cpu={most_cpu:.3}");
    Ok(())
}
