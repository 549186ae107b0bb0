//! `compare choice`: every algorithm of five collectives at seven sizes, between threads. The version over MPI is `compare-choice-mpi`.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use clap::Parser;
use fusain::comm::World;
use fusain_benches_ranks::choice::compare;

#[derive(Parser)]
struct Arguments {
    /// One round of each, only that it works.
    #[arg(long)]
    smoke: bool,
    /// How many ranks.
    #[arg(long, default_value_t = 4)]
    ranks: usize,
}

fn main() {
    let Arguments { smoke, ranks } = Arguments::parse();
    let tables = World::threads(ranks).run(|comm| compare(&comm, if smoke { 1 } else { 15 }));
    tables.iter().flatten().for_each(|table| println!("{table}"));
    println!("choice: ranks={ranks}");
}
