//! Ranks that are MPI processes.

use fusain::comm::{MpiComm, MpiWorld};

/// The communicator that examples get.
pub type Comm = MpiComm;

/// Runs `body` on this process's rank; how many there are was said to mpirun.
///
/// # Panics
/// If MPI can not be started.
pub fn run(_ranks: usize, body: impl Fn(Comm) + Sync) {
    let world = MpiWorld::start().expect("MPI starts once");
    body(world.communicator().expect("MPI gives a communicator of all"));
}
