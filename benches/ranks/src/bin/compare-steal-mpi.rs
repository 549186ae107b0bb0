//! `compare steal` over an MPI library: `mpirun -n 2 compare-steal-mpi [--smoke]`.
//!
//! Measures the time from the end of one task of rank 1 to the start of its next, which rank 0 gives. Beside it are the library's ping-pong of as many
//! bytes, and the share of a core that a progress thread takes while no requests arrive.

#![allow(clippy::print_stdout, reason = "a comparison prints its figures")]

use std::time::Duration;

use fusain::cluster::Cluster;
use fusain::comm::{Communicator, MpiWorld};
use fusain_benches_ranks::steal::{BYTES, idle_share, ping_pong, pool, request_to_task};
use fusain_harness::median;

/// The numbers of tasks and round trips, and the seconds without a message; `SMOKE` has those of a run that only has to end.
const FULL: (u64, usize, f64) = (3_000, 20_000, 2.0);
const SMOKE: (u64, usize, f64) = (20, 20, 0.1);

fn main() {
    let (tasks, trips, idle_s) = if std::env::args().any(|argument| argument == "--smoke") { SMOKE } else { FULL };
    let world = MpiWorld::start_serialized().expect("MPI starts");
    let comm = world.communicator().expect("a communicator of all");
    let trips = ping_pong(&comm, trips).expect("round trips");
    let pool = pool();
    // From here on, only the thread that runs the progress loop calls MPI.
    let cluster = Cluster::over(comm.duplicate().expect("a communicator for the cluster")).pool(&pool);
    let waits = request_to_task(&cluster, tasks).expect("a run");
    let idle = idle_share(Duration::from_secs_f64(idle_s));
    // Each rank has one of the figures.
    let mine = if cluster.rank() == 0 { median(&trips) } else { median(&waits) };
    drop(cluster);
    let all = comm.allgather(&[mine]).expect("the figures of both");
    if comm.rank() == 0 {
        let (trip, wait) = (all[0][0], all[1][0]);
        println!(
            "{}: a round trip of {BYTES} bytes {:.2} us, from a task to the next {:.2} us, an idle progress thread takes {:.2} % of a core",
            world.library(),
            trip / 1e3,
            wait / 1e3,
            100.0 * idle
        );
        println!("keys over MPI: mpi_over_pingpong={:.1} mpi_idle_share={idle:.4}", wait / trip);
    }
}
