//! The comparisons between ranks, each a program. Those whose names end in `-mpi` are started with `mpirun`.
//!
//! `cargo xtask compare NAME` builds and starts them, and ends with the keys of the one between threads.

pub mod choice;
pub mod irregular;
pub mod nonblocking;
pub mod programs;
pub mod steal;

use fusain::comm::Communicator;

/// The maximum of all ranks' times.
///
/// # Panics
/// If a message is lost.
pub fn slowest<C: Communicator>(comm: &C, time: f64) -> f64 {
    let mut slowest = [time];
    comm.allreduce(&mut slowest, f64::max).expect("an allreduce");
    slowest[0]
}
