//! Ranks as MPI processes, if mpirun has started this one.

use fusain::comm::MpiWorld;

use super::{Body, is_launched, on_threads};

/// Runs `body` on this process's rank and returns its result. mpirun determines the number of ranks. MPI is initialized so that a
/// progress thread may make all calls to it.
///
/// Without mpirun, runs it on `ranks` threads.
///
/// # Panics
/// If MPI cannot be started.
pub fn run<B: Body>(ranks: usize, body: &B) -> Vec<B::Output> {
    if !is_launched() {
        return on_threads(ranks, body);
    }
    let world = MpiWorld::start_serialized().expect("MPI starts once");
    vec![body.on_rank(world.communicator().expect("MPI gives a communicator of all"))]
}
