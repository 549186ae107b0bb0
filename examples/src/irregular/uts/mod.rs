//! Unbalanced tree search: how many nodes has a tree whose shape only a hash function knows?
//!
//! A node is 20 bytes; child `i` is the SHA-1 of the parent's bytes and `i`. How many children there are is read off a node's own bytes, so whoever has a
//! node can make all that is below it, and nobody can say beforehand how much that is.
//!
//! S. Olivier, J. Huan, J. Liu, J. Prins, J. Dinan, P. Sadayappan, C.-W. Tseng: "UTS: an unbalanced tree search benchmark", LCPC 2006; the trees and
//! the letters of the parameters are those of its reference program.

mod tree;

use std::ops::Range;

use clap::{Args, ValueEnum};
use fusain::cluster::{Cluster, Result, Search};
use fusain::comm::Communicator;
use serde::{Deserialize, Serialize};

use super::{Program, grouped};
use tree::{Hash, Tree, child};

/// Which tree.
#[derive(Args, Clone, Debug)]
pub(super) struct Uts {
    /// A known tree, in the place of all parameters.
    #[arg(value_enum, conflicts_with_all = ["kind", "shape", "levels", "breadth", "root", "chance", "many", "shift"])]
    preset: Option<Preset>,
    #[command(flatten)]
    tree: Tree,
}

/// Trees whose counts the reference program tells.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Preset {
    /// Geometric, four million nodes: -t 1 -a 3 -d 10 -b 4 -r 19.
    #[value(name = "T1")]
    T1,
    /// Geometric, a hundred million: -t 1 -a 3 -d 13 -b 4 -r 29.
    #[value(name = "T1L")]
    T1L,
    /// Binomial, four million: -t 0 -b 2000 -q 0.124875 -m 8 -r 42.
    #[value(name = "T3")]
    T3,
}

impl Preset {
    /// The parameters that are not those of `tree`.
    fn tree(self, tree: Tree) -> Tree {
        let fixed = |levels, root| Tree { kind: 1, shape: 3, levels, breadth: 4.0, root, ..tree };
        match self {
            Self::T1 => fixed(10, 19),
            Self::T1L => fixed(13, 29),
            Self::T3 => Tree { kind: 0, breadth: 2_000.0, chance: 0.124_875, many: 8, root: 42, ..tree },
        }
    }

    fn count(self) -> Count {
        let (nodes, leaves, depth) = match self {
            Self::T1 => (4_130_071, 3_305_118, 10),
            Self::T1L => (102_181_082, 81_746_377, 13),
            Self::T3 => (4_112_897, 3_599_034, 1_572),
        };
        Count { nodes, leaves, depth }
    }
}

/// What a tree comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Count {
    nodes: u64,
    leaves: u64,
    depth: u32,
}

impl Count {
    fn add(&mut self, depth: u32, children: u32) {
        self.nodes += 1;
        self.leaves += u64::from(children == 0);
        self.depth = self.depth.max(depth);
    }

    fn say(self) -> String {
        format!("a tree of {} nodes, {} leaves, depth {}", grouped(self.nodes), grouped(self.leaves), self.depth)
    }
}

impl Search for Tree {
    /// From the root to the node.
    type Node = Vec<Hash>;
    /// Which child.
    type Choice = u32;
    type Choices = Range<u32>;
    type Output = Count;
    fn root(&self) -> Vec<Hash> {
        vec![self.seed()]
    }
    fn choices(&self, path: &Vec<Hash>, found: &mut Count) -> Range<u32> {
        let depth = path.len() as u32 - 1;
        let children = self.children(&path[depth as usize], depth);
        found.add(depth, children);
        0..children
    }
    fn apply(&self, path: &mut Vec<Hash>, &which: &u32) {
        path.push(child(&path[path.len() - 1], which));
    }
    fn undo(&self, path: &mut Vec<Hash>, _: &u32) {
        path.pop();
    }
    fn merge(&self, found: &mut Count, part: Count) {
        found.nodes += part.nodes;
        found.leaves += part.leaves;
        found.depth = found.depth.max(part.depth);
    }
}

impl Uts {
    /// Whether the tree has an end.
    ///
    /// # Errors
    /// What must be otherwise.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        self.tree.check()
    }

    /// The known tree, or the one of the parameters.
    fn tree(&self) -> Tree {
        self.preset.map_or(self.tree, |preset| preset.tree(self.tree))
    }
}

impl Program for Uts {
    fn answer<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<String> {
        cluster.search(&self.tree()).map(Count::say)
    }

    fn expected(&self) -> String {
        self.preset.map_or_else(|| count(&self.tree), Preset::count).say()
    }
}

/// By one loop.
fn count(tree: &Tree) -> Count {
    let mut found = Count::default();
    let mut open = vec![(tree.seed(), 0)];
    while let Some((node, depth)) = open.pop() {
        let children = tree.children(&node, depth);
        found.add(depth, children);
        open.extend((0..children).map(|which| (child(&node, which), depth + 1)));
    }
    found
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::irregular::tests::on_some_ranks;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        uts: Uts,
    }

    fn read(line: &str) -> Uts {
        Line::try_parse_from(["uts"].into_iter().chain(line.split_whitespace())).unwrap().uts
    }

    #[test]
    fn ranks_count_what_a_loop_counts() {
        let shapes = ["-d 6 -r 34", "-a 1 -d 4 -r 7", "-a 2 -d 3 -b 3 -r 7", "-a 3 -d 4 -r 7"];
        for line in shapes.into_iter().chain(["-t 0 -b 300 -q 0.12 -m 8 -r 7", "-t 2 -d 5 -q 0.2 -r 7"]) {
            let uts = read(line);
            uts.check().unwrap();
            let count = count(&uts.tree);
            assert!((20..100_000).contains(&count.nodes), "{line}: {count:?}");
            on_some_ranks(&uts);
        }
    }

    /// What small trees came to when T1 and T3 came to what the reference program says: these take no time.
    #[test]
    fn the_hash_is_that_of_the_reference() {
        for (line, nodes, leaves, depth) in
            [("-a 3 -d 4 -r 7", 2_006, 1_613, 4), ("-t 0 -b 300 -q 0.12 -m 8 -r 7", 7_317, 6_439, 63)]
        {
            assert_eq!(count(&read(line).tree), Count { nodes, leaves, depth });
        }
    }

    #[test]
    fn a_preset_is_its_parameters() {
        for (preset, line) in [
            ("T1", "-t 1 -a 3 -d 10 -b 4 -r 19"),
            ("T1L", "-t 1 -a 3 -d 13 -b 4 -r 29"),
            ("T3", "-t 0 -b 2000 -q 0.124875 -m 8 -r 42"),
        ] {
            assert_eq!(read(preset).tree(), read(line).tree());
        }
    }

    #[test]
    fn trees_without_end_are_refused() {
        for line in ["-t 0 -q 0.25", "-t 2 -q 0.5 -m 2", "-b 0.5", "-q 2", "-f 3", "-b NaN"] {
            assert!(read(line).check().is_err(), "{line}");
        }
    }
}
