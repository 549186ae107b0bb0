//! `compare steal`: how long a rank waits for work, in round trips of a cache line, between two ranks that are threads.
//!
//! Measures the time from the end of one task of rank 1 to the start of its next, which rank 0 gives between two of its units of a microsecond. Beside it is a
//! round trip of as many bytes by blocking calls of the same world. Each rank has one worker, which runs the progress loop itself, and a progress thread that
//! stays passive meanwhile.

#![allow(clippy::print_stdout, reason = "a comparison prints its figures")]

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use fusain::cluster::Cluster;
use fusain::comm::{Communicator, World};
use fusain_benches_ranks::steal::{BYTES, idle_share, ping_pong, pool, request_to_task};
use fusain_harness::{median, round_trip_ns, write_json};
use serde_json::json;

#[derive(Parser)]
struct Arguments {
    /// Keeps all samples.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Few tasks: only that it works.
    #[arg(long)]
    smoke: bool,
    /// Keys that go before ours in the last line: of the program over MPI.
    #[arg(long, hide = true, default_value = "")]
    keys: String,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let (tasks, trips, idle) = if arguments.smoke { (20, 20, 0.1) } else { (5_000, 20_000, 2.0) };
    let line_ns = round_trip_ns().context("one core: there is nobody to pass a cache line to")?;
    let mut ranks = World::threads(2).run(|comm| -> anyhow::Result<_> {
        let trips = ping_pong(&comm, trips)?;
        let pool = pool();
        let rank = comm.rank();
        let cluster = Cluster::over(comm).pool(&pool);
        let waits = request_to_task(&cluster, tasks)?;
        // The share of both ranks' progress threads together, halved.
        let idle = idle_share(Duration::from_secs_f64(idle)) / 2.0;
        Ok((if rank == 0 { trips } else { waits }, idle))
    });
    let (waits, _) = ranks.pop().context("rank 1")??;
    let (trips, idle) = ranks.pop().context("rank 0")??;
    let (trip, wait) = (median(&trips), median(&waits));
    println!(
        "threads: a cache line there and back {line_ns:.0} ns, a round trip of {BYTES} bytes {:.2} us, from a task to the next {:.2} us, an idle progress \
         thread takes {:.2} % of a core",
        trip / 1e3,
        wait / 1e3,
        100.0 * idle
    );
    let samples = json!({ "line_ns": line_ns, "round_trips_ns": trips, "waits_ns": waits, "idle_share": idle });
    write_json(arguments.json.as_deref(), &samples)?;
    let keys = if arguments.keys.is_empty() { String::new() } else { format!(" {}", arguments.keys) };
    println!(
        "steal: local_over_rtt={:.1}{keys} local_over_pingpong={:.1} idle_share={idle:.4}",
        wait / line_ns,
        wait / trip
    );
    Ok(())
}
