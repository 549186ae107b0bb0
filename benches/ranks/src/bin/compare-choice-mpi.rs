//! `compare choice` over an MPI library: `mpirun -n 2 compare-choice-mpi [--smoke]`.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use fusain::comm::{Communicator, MpiWorld};
use fusain_benches_ranks::choice::compare;

fn main() {
    let smoke = std::env::args().any(|argument| argument == "--smoke");
    let world = MpiWorld::start().expect("MPI starts");
    let comm = world.communicator().expect("a communicator of all");
    if let Some(table) = compare(&comm, if smoke { 1 } else { 15 }) {
        println!("{}, {} ranks\n{table}", world.library(), comm.size());
    }
}
