//! The collectives over MPI, algorithm by algorithm, and with the algorithms chosen by size: `mpirun -n 4 mpi-collectives`, which ends with `N passed, 0
//! failed` from rank 0.

use fusain_comm::{Communicator, MpiWorld};
use fusain_schedule::collective::Choice;
use fusain_testkit_schedule::{choices, collectives};

fn main() {
    let world = MpiWorld::start().expect("MPI starts");
    let comm = world.communicator().expect("a communicator of all");
    let chosen = [Choice::default(), Choice::shared_memory()].map(|choice| choices(&comm, &choice));
    let passed = collectives(&comm, &[0, 1, 7, 5000]) + chosen.iter().sum::<usize>();
    comm.barrier().expect("a last barrier");
    if comm.rank() == 0 {
        report(&format!("{} on {} ranks\n{passed} passed, 0 failed", world.library(), comm.size()));
    }
}

#[allow(clippy::print_stdout, reason = "the report is what the program is for")]
fn report(text: &str) {
    println!("{text}");
}
