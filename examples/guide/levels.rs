//! The guide's sixth exercise: how many messages of a broadcast cross from one host to another.
//!
//! `cargo run --release --example guide-levels`

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use fusain::topology::{Group, Groups, Host, Machine, Place, Result};

const RANKS: usize = 16;
const HOSTS: usize = 2;

/// Which host a rank is on.
type HostOf = fn(usize) -> usize;

/// The tree of groups, where `host_of` says which host a rank is on.
fn groups(host_of: HostOf) -> Result<Groups> {
    let machine = Machine::synthetic("Package:2 L2:2 Core:2 PU:1")?;
    let place = |rank| Place::unbound(&Host::new(format!("node{}", host_of(rank))), &machine);
    Groups::build(&(0..RANKS).map(place).collect::<Vec<_>>())
}

/// Sender and receiver of each message: in a round, each rank that has the data sends it on.
fn flat() -> Vec<(usize, usize)> {
    let rounds = (0..).map(|round| 1 << round).take_while(|&distance| distance < RANKS);
    rounds.flat_map(|distance| (0..distance).map(move |rank| (rank, rank + distance))).collect()
}

/// Sends from a group's first rank to the first ranks of its parts, and so on below; at the bottom to each rank.
fn by_levels(group: &Group<'_>) -> Vec<(usize, usize)> {
    let ranks = group.ranks();
    let root = ranks[0];
    let parts = group.children();
    let next: Vec<usize> = if parts.is_empty() { ranks } else { group.roots() };
    let here = next.into_iter().filter(|&to| to != root).map(|to| (root, to));
    here.chain(parts.iter().flat_map(by_levels)).collect()
}

fn main() -> Result<()> {
    println!("{:<14} {:>6} {:>10}", "ranks", "flat", "by levels");
    let placements: [(&str, HostOf, usize); 2] =
        [("host by host", |rank| rank / (RANKS / HOSTS), 8), ("in turn", |rank| rank % HOSTS, 1)];
    for (name, host_of, flat_expected) in placements {
        let groups = groups(host_of)?;
        let crossing =
            |messages: &[(usize, usize)]| messages.iter().filter(|&&(from, to)| host_of(from) != host_of(to)).count();
        let (flat, levels) = (crossing(&flat()), crossing(&by_levels(&groups.root())));
        println!("{name:<14} {flat:>6} {levels:>10}");
        assert_eq!((flat, levels), (flat_expected, 1));
    }
    Ok(())
}
