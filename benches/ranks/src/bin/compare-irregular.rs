//! `compare irregular` without MPI: its two ranks are threads of one process.

use clap::Parser;
use fusain::comm::World;
use fusain_benches_ranks::irregular::{Arguments, compare};

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let ended = World::threads(2).run(|comm| compare(comm, "two ranks in one process", &arguments));
    ended.into_iter().collect()
}
