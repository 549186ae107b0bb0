//! Programs over MPI: `mpirun -n 2 mpi-cluster funneled|serialized|multiple`, which ends with `N passed, 0 failed` from rank 0.

use fusain_cluster::Cluster;
use fusain_comm::progress::{Settings, run_funneled};
use fusain_comm::{Communicator, MpiWorld};
use fusain_pool::Pool;
use fusain_testkit_cluster::programs;

fn main() {
    let way = std::env::args().nth(1).unwrap_or_default();
    let world = match way.as_str() {
        "funneled" => MpiWorld::start(),
        "serialized" => MpiWorld::start_serialized(),
        "multiple" => MpiWorld::start_multiple(),
        other => panic!("{other:?} is none of funneled, serialized, multiple"),
    }
    .expect("MPI starts");
    let comm = world.communicator().expect("a communicator of all");
    let (rank, size) = (comm.rank(), comm.size());
    // Ranks share the cores here.
    let pool = Pool::builder().threads(1 + rank % 2).build().expect("a pool");
    let passed = if way == "funneled" {
        let (passed, end) =
            run_funneled(comm, Settings::default(), |handle| programs(&Cluster::on(handle).pool(&pool)));
        assert!(end.abandoned.is_empty() && end.unheard.is_empty(), "{:?} {:?}", end.abandoned, end.unheard);
        passed
    } else {
        programs(&Cluster::over(comm).pool(&pool))
    };
    if rank == 0 {
        report(&format!("{}, {way}, on {size} ranks\n{passed} passed, 0 failed", world.library()));
    }
}

#[allow(clippy::print_stdout, reason = "the report is what the program is for")]
fn report(text: &str) {
    println!("{text}");
}
