//! Hierarchical vector processing: a vector goes down the levels in ever smaller parts, is processed, and comes back up.
//!
//! On each level the root of a group holds the group's part and hands each child its share, in proportion to the child's
//! ranks; on the way back results are put together in the same order. A part crosses each boundary of the machine once.
//!
//! Hsplit, section 7.4. `cargo run --example vector -- --ranks 16 --length 100000`; the result is checked.

#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use clap::Parser;
use fusain::comm::Communicator;
use fusain::topology::{Groups, Hierarchy, Result};
use fusain_examples::ranks::{Body, run, synthetic_place};

#[derive(Parser)]
struct Arguments {
    /// How many ranks to run as threads; under mpirun, its own count is used.
    #[arg(long, default_value_t = 16)]
    ranks: usize,
    /// How many numbers.
    #[arg(long, default_value_t = 100_000)]
    length: usize,
    /// The machine that the ranks are bound to.
    #[arg(long, default_value = "Package:2 L2:2 Core:2 PU:1")]
    synthetic: String,
}

fn work(x: u64) -> u64 {
    x.wrapping_mul(x).rotate_left(7) ^ 0x5bd1
}

/// Cuts a vector into parts in proportion to weights.
fn cut(vector: &[u64], weights: &[usize]) -> Vec<Vec<u64>> {
    let total: usize = weights.iter().sum();
    let mut seen = 0;
    let mut bound = |weight: &usize| {
        let begin = vector.len() * seen / total;
        seen += weight;
        vector[begin..vector.len() * seen / total].to_vec()
    };
    weights.iter().map(&mut bound).collect()
}

/// For each child of the group that `rank` is in at `depth`, how many ranks it has. At the bottom, one for each rank.
fn weights(groups: &Groups, rank: usize, depth: usize) -> Vec<usize> {
    let levels = groups.levels_of(rank);
    let group = if depth == 0 { groups.root() } else { levels[depth - 1] };
    match group.children() {
        children if children.is_empty() => vec![1; group.size()],
        children => children.iter().map(|child| child.size()).collect(),
    }
}

fn process<C: Communicator>(hierarchy: &Hierarchy<C>, vector: Option<Vec<u64>>) -> Result<Option<Vec<u64>>> {
    let rank = hierarchy.comm().rank();
    // Down: the communicators that this rank holds parts in, with the depth of the group above.
    let mut way: Vec<(usize, &C)> = Vec::new();
    for depth in 0..=hierarchy.levels().len() {
        way.extend(hierarchy.roots(depth)?.map(|roots| (depth, roots)));
    }
    way.push((hierarchy.levels().len(), hierarchy.leaf()));
    let mut part = vector;
    for (depth, comm) in &way {
        let parts = part.take().map(|part| cut(&part, &weights(hierarchy.groups(), rank, *depth)));
        part = Some(comm.scatter(&parts.unwrap_or_default(), 0)?);
    }
    let mut part = part.map(|part| part.into_iter().map(work).collect::<Vec<_>>());
    for (_, comm) in way.iter().rev() {
        if let Some(mine) = part.take() {
            part = comm.gather(&mine, 0)?.map(|parts| parts.concat());
        }
    }
    Ok(part)
}

impl Body for Arguments {
    type Output = ();

    fn on_rank<C: Communicator>(&self, comm: C) {
        let vector: Vec<u64> = (0..self.length as u64).collect();
        let result = synthetic_place(comm.rank(), &self.synthetic, None)
            .and_then(|place| Hierarchy::build(&comm, &place))
            .and_then(|hierarchy| process(&hierarchy, (comm.rank() == 0).then(|| vector.clone())))
            .unwrap_or_else(|error| panic!("rank {}: {error}", comm.rank()));
        if comm.rank() == 0 {
            let expected: Vec<_> = vector.into_iter().map(work).collect();
            assert_eq!(result, Some(expected), "the parts came back wrong");
            println!("{} numbers on {} ranks: the result is right", self.length, comm.size());
        }
    }
}

fn main() {
    let arguments = Arguments::parse();
    run(arguments.ranks, &arguments);
}
