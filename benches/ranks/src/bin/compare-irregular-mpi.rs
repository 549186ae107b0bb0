//! `compare irregular` over an MPI library: `mpirun -n 2 compare-irregular-mpi [--smoke]`.

use clap::Parser;
use fusain::comm::MpiWorld;
use fusain_benches_ranks::irregular::{Arguments, compare};

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    // The progress thread calls MPI while the main thread waits for the other rank.
    let world = MpiWorld::start_multiple()?;
    compare(world.communicator()?, format!("two processes, {}", world.library()), &arguments)
}
