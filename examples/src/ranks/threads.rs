//! Without feature `mpi`, ranks are always threads.

use super::{Body, is_launched, on_threads};

/// Runs `body` on `ranks` threads and returns their results in order.
pub fn run<B: Body>(ranks: usize, body: &B) -> Vec<B::Output> {
    if is_launched() {
        eprintln!("warning: mpirun has started this, but it was built without feature mpi: each process works alone");
    }
    on_threads(ranks, body)
}
