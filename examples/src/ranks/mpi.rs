//! Ranks that are MPI processes.

use fusain::comm::{MpiComm, MpiWorld};

/// The communicator that examples get.
pub type Comm = MpiComm;

/// Runs `body` on this process's rank, and returns what it does; how many there are was said to mpirun. A progress thread may take MPI over.
///
/// # Panics
/// If MPI can not be started.
pub fn run<T: Send>(_ranks: usize, body: impl Fn(Comm) -> T + Sync) -> Vec<T> {
    let world = MpiWorld::start_serialized().expect("MPI starts once");
    vec![body(world.communicator().expect("MPI gives a communicator of all"))]
}
