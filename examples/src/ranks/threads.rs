//! Ranks that are threads.

use fusain::comm::{ThreadComm, World};

/// The communicator that examples get.
pub type Comm = ThreadComm;

/// Runs `body` on `ranks` threads.
pub fn run(ranks: usize, body: impl Fn(Comm) + Sync) {
    World::threads(ranks).run(body);
}
