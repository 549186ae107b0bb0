//! Programs over MPI: `mpirun -n 2 mpi-cluster funneled|serialized|multiple`, which ends with `N passed, 0 failed` from rank 0.
//!
//! `mpirun -n 3 mpi-cluster KILL|STOP`: rank 1 gets this signal while all ranks are at work, and the others report in the same form that they
//! name it.

use std::process::Command;
use std::sync::Once;
use std::time::Duration;

use fusain_cluster::{Cluster, Error};
use fusain_comm::progress::{Settings, run_funneled};
use fusain_comm::{Communicator, MpiWorld};
use fusain_pool::Pool;
use fusain_testkit_cluster::programs;

fn main() {
    let way = std::env::args().nth(1).unwrap_or_default();
    let world = match way.as_str() {
        "funneled" => MpiWorld::start(),
        "serialized" | "KILL" | "STOP" => MpiWorld::start_serialized(),
        "multiple" => MpiWorld::start_multiple(),
        other => panic!("{other:?} is none of funneled, serialized, multiple, KILL, STOP"),
    }
    .expect("MPI starts");
    let comm = world.communicator().expect("a communicator of all");
    let (rank, size) = (comm.rank(), comm.size());
    // The ranks share the cores in these tests.
    let pool = Pool::builder().threads(1 + rank % 2).build().expect("a pool");
    let passed = match way.as_str() {
        "funneled" => {
            let (passed, end) =
                run_funneled(comm, Settings::default(), |handle| programs(&Cluster::on(handle).pool(&pool)));
            assert!(end.abandoned.is_empty() && end.unreported.is_empty(), "{:?} {:?}", end.abandoned, end.unreported);
            passed
        }
        "KILL" | "STOP" => {
            without_one(&Cluster::over(comm).pool(&pool).heartbeat_timeout(Duration::from_secs(2)), &way);
            report(&format!("rank {rank}: 1 passed, 0 failed"));
            return;
        }
        _ => programs(&Cluster::over(comm).pool(&pool)),
    };
    if rank == 0 {
        report(&format!("{}, {way}, on {size} ranks\n{passed} passed, 0 failed", world.library()));
    }
}

/// All ranks are at work; then rank 1 gets the signal.
fn without_one<C: Communicator>(cluster: &Cluster<'_, C>, signal: &str) {
    let (rank, once) = (cluster.rank(), Once::new());
    let strike = || {
        // The shell's own `kill`, since a package with a `kill` program need not be installed.
        let line = format!("kill -s {signal} {}", std::process::id());
        assert!(Command::new("sh").args(["-c", &line]).status().is_ok_and(|status| status.success()));
    };
    let end = cluster.reduce(
        // More work than can ever be done.
        0..usize::MAX,
        || 0_u64,
        |sum, run| {
            *sum += run.map(|i| i as u64 % 7).sum::<u64>();
            if rank == 1 {
                once.call_once(strike);
            }
        },
        |a, b| a + b,
    );
    assert!(matches!(end, Err(Error::RankLost { rank: 1, .. })), "{end:?}");
}

#[allow(clippy::print_stdout, reason = "the report is what the program is for")]
fn report(text: &str) {
    println!("{text}");
}
