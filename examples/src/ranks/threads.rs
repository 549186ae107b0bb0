//! Ranks that are threads.

use fusain::comm::{ThreadComm, World};

/// The communicator that examples get.
pub type Comm = ThreadComm;

/// Runs `body` on `ranks` threads; what each returns, in order.
pub fn run<T: Send>(ranks: usize, body: impl Fn(Comm) -> T + Sync) -> Vec<T> {
    if ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"].into_iter().any(|name| std::env::var_os(name).is_some()) {
        eprintln!("warning: mpirun has started this, but it was built without feature mpi: each process works alone");
    }
    World::threads(ranks).run(body)
}
