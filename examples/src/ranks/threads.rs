//! Ranks that are threads.

use fusain::comm::{ThreadComm, World};

/// The communicator that examples get.
pub type Comm = ThreadComm;

/// Runs `body` on `ranks` threads; what each returns, in order.
pub fn run<T: Send>(ranks: usize, body: impl Fn(Comm) -> T + Sync) -> Vec<T> {
    World::threads(ranks).run(body)
}
