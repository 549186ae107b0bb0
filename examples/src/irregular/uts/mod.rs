//! Unbalanced tree search: how many nodes does a tree have whose shape comes from a hash function?
//!
//! A node is 20 bytes; child `i` is the SHA-1 of the parent's bytes and `i`. A node's own bytes say how many children it has. So a rank that has a node
//! can make all nodes below it, but cannot know beforehand how many there are.
//!
//! S. Olivier, J. Huan, J. Liu, J. Prins, J. Dinan, P. Sadayappan, C.-W. Tseng: "UTS: an unbalanced tree search benchmark", LCPC 2006; the trees and
//! the letters of the parameters are those of its reference program.

mod tree;

use std::collections::VecDeque;
use std::mem;
use std::sync::{Mutex, PoisonError};

use clap::{Args, Parser, ValueEnum};
use fusain::Algorithm;
use fusain::cluster::{Cluster, Distributed, Result};
use fusain::comm::Communicator;
use serde::{Deserialize, Serialize};

use super::{Parts, Program, expect, grouped};
use tree::{Hash, Tree, child};

/// Which tree.
#[derive(Args, Clone, Debug)]
pub struct Uts {
    /// A known tree, in the place of all parameters.
    #[arg(value_enum, conflicts_with_all = ["kind", "shape", "levels", "breadth", "root", "chance", "many", "shift"])]
    preset: Option<Preset>,
    #[command(flatten)]
    tree: Tree,
}

/// The reference program's sample trees, as it names them, up to some billion nodes.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
#[value(rename_all = "UPPER")]
enum Preset {
    /// Geometric, never narrower, four million nodes: -t 1 -a 3 -d 10 -b 4 -r 19.
    T1,
    /// Geometric, in cycles, four million: -t 1 -a 2 -d 16 -b 6 -r 502.
    T2,
    /// Binomial, four million: -t 0 -b 2000 -q 0.124875 -m 8 -r 42.
    T3,
    /// Hybrid, four million: -t 2 -a 0 -d 16 -b 6 -r 1 -q 0.234375 -m 4.
    T4,
    /// Geometric, linear, four million: -t 1 -a 0 -d 20 -b 4 -r 34.
    T5,
    /// As T1, a hundred million: -t 1 -a 3 -d 13 -b 4 -r 29.
    T1L,
    /// As T2, a hundred million: -t 1 -a 2 -d 23 -b 7 -r 220.
    T2L,
    /// As T3, a hundred million: -t 0 -b 2000 -q 0.200014 -m 5 -r 7.
    T3L,
    /// As T1, more than a billion: -t 1 -a 3 -d 15 -b 4 -r 29.
    T1XL,
}

impl Preset {
    /// The parameters of this tree; the others are those of `tree`.
    fn tree(self, tree: Tree) -> Tree {
        let geometric =
            |shape, levels, breadth, root| Tree { kind: 1, shape, levels, breadth, root, chance: 15.0 / 64.0, ..tree };
        let binomial = |chance, many, root| Tree { kind: 0, breadth: 2_000.0, chance, many, root, ..tree };
        match self {
            Self::T1 => geometric(3, 10, 4.0, 19),
            Self::T2 => geometric(2, 16, 6.0, 502),
            Self::T3 => binomial(0.124_875, 8, 42),
            Self::T4 => Tree { kind: 2, many: 4, ..geometric(0, 16, 6.0, 1) },
            Self::T5 => geometric(0, 20, 4.0, 34),
            Self::T1L => geometric(3, 13, 4.0, 29),
            Self::T2L => geometric(2, 23, 7.0, 220),
            Self::T3L => binomial(0.200_014, 5, 7),
            Self::T1XL => geometric(3, 15, 4.0, 29),
        }
    }

    /// The counts that the reference program prints.
    fn count(self) -> Count {
        let (nodes, leaves, depth) = match self {
            Self::T1 => (4_130_071, 3_305_118, 10),
            Self::T2 => (4_117_769, 2_342_762, 81),
            Self::T3 => (4_112_897, 3_599_034, 1_572),
            Self::T4 => (4_132_453, 3_108_986, 134),
            Self::T5 => (4_147_582, 2_181_318, 20),
            Self::T1L => (102_181_082, 81_746_377, 13),
            Self::T2L => (96_793_510, 53_791_152, 67),
            Self::T3L => (111_345_631, 89_076_904, 17_844),
            Self::T1XL => (1_635_119_272, 1_308_100_063, 15),
        };
        Count { nodes, leaves, depth }
    }
}

/// The counts of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
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

    fn join(&mut self, part: Self) {
        self.nodes += part.nodes;
        self.leaves += part.leaves;
        self.depth = self.depth.max(part.depth);
    }
}

/// The search, on the five callbacks themselves.
///
/// All children of a node are made at once, as in the reference program, so that their hashes do not wait for each other.
struct Counting<'a> {
    tree: &'a Tree,
    found: Mutex<Count>,
}

/// Nodes that no worker has looked at, the next one at the end.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Open {
    nodes: Vec<(Hash, u32)>,
    #[serde(skip)]
    found: Count,
}

impl Algorithm for Counting<'_> {
    type Local = Open;
    fn has_local_work(&self, open: &Open) -> bool {
        !open.nodes.is_empty()
    }
    fn do_unit(&self, open: &mut Open, grain: usize) {
        for _ in 0..grain {
            let Some((node, depth)) = open.nodes.pop() else { return };
            let children = self.tree.children(&node, depth);
            open.found.add(depth, children);
            open.nodes.extend((0..children).map(|which| (child(&node, which), depth + 1)));
        }
    }
    fn commit(&self, open: &mut Open) {
        let found = mem::take(&mut open.found);
        self.found.lock().unwrap_or_else(PoisonError::into_inner).join(found);
    }
    /// Splits off every other node, and so half of the nodes of each depth.
    fn split(&self, open: &mut Open) -> Option<Open> {
        let mut place = 0;
        let is_given = |_: &mut _| {
            place += 1;
            place % 2 == 0
        };
        let nodes: Vec<_> = open.nodes.extract_if(.., is_given).collect();
        (!nodes.is_empty()).then(|| Open { nodes, ..Open::default() })
    }
}

impl Distributed for Counting<'_> {
    type Output = Count;
    fn take(&self) -> Count {
        mem::take(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }
    fn merge(&self, found: &mut Count, part: Count) {
        found.join(part);
    }
}

impl Uts {
    /// Reads the options of the reference program, as in `-t 1 -a 3 -d 10 -b 4 -r 19`, or the name of one of its trees.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn read(line: &str) -> std::result::Result<Self, clap::Error> {
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            uts: Uts,
        }
        Line::try_parse_from(["uts"].into_iter().chain(line.split_whitespace())).map(|line| line.uts)
    }

    /// Checks that the tree is finite.
    ///
    /// # Errors
    /// Which parameter is wrong.
    pub(super) fn check_tree(&self) -> anyhow::Result<()> {
        self.tree.check()
    }

    /// The known tree, or the tree of the parameters.
    fn tree(&self) -> Tree {
        self.preset.map_or(self.tree, |preset| preset.tree(self.tree))
    }
}

/// Counts a node and all nodes below it, in one loop.
fn count(tree: &Tree, node: (Hash, u32)) -> Count {
    let mut found = Count::default();
    let mut open = vec![node];
    while let Some((node, depth)) = open.pop() {
        let children = tree.children(&node, depth);
        found.add(depth, children);
        open.extend((0..children).map(|which| (child(&node, which), depth + 1)));
    }
    found
}

impl Program for Uts {
    type Found = Count;
    fn run<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<Count> {
        let tree = self.tree();
        let input = Open { nodes: vec![(tree.seed(), 0)], ..Open::default() };
        cluster.run(&Counting { tree: &tree, found: Mutex::default() }, input)
    }
    fn plain(&self) -> Count {
        let tree = self.tree();
        count(&tree, (tree.seed(), 0))
    }
    fn say(&self, found: &Count) -> String {
        let [nodes, leaves] = [found.nodes, found.leaves].map(grouped);
        format!("a tree of {nodes} nodes, {leaves} leaves, depth {}", found.depth)
    }
    /// Compares the result with that of the reference program, or with that of the plain loop.
    fn check(&self, found: &Count) -> anyhow::Result<()> {
        expect(found, &self.preset.map_or_else(|| self.plain(), Preset::count))
    }
}

impl Parts for Uts {
    type Part = (Hash, u32);
    /// Goes down level by level, until there are enough nodes.
    fn parts(&self) -> (Vec<(Hash, u32)>, Count) {
        let tree = self.tree();
        let mut open = VecDeque::from([(tree.seed(), 0)]);
        let mut found = Count::default();
        while open.len() < 1_000
            && let Some((node, depth)) = open.pop_front()
        {
            let children = tree.children(&node, depth);
            found.add(depth, children);
            open.extend((0..children).map(|which| (child(&node, which), depth + 1)));
        }
        (open.into(), found)
    }
    fn part(&self, node: &(Hash, u32)) -> Count {
        count(&self.tree(), *node)
    }
    fn join(&self, mut found: Count, other: Count) -> Count {
        found.join(other);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular::tests::{in_parts, on_any_ranks, on_ranks};

    fn read(line: &str) -> Uts {
        Uts::read(line).unwrap()
    }

    /// The counts that the reference program (its release 2.1, compiled and run) prints for small trees of all types and shapes.
    #[test]
    fn ranks_count_what_the_reference_counts() {
        for (line, nodes, leaves, depth) in [
            ("-a 0", 1_732, 1_050, 6),
            ("-a 0 -d 6 -r 34", 320, 192, 6),
            ("-a 1 -d 4 -r 7", 1_373, 741, 13),
            ("-a 1 -d 8 -r 34", 2_390, 1_210, 22),
            ("-a 2 -d 3 -b 3 -r 7", 488, 285, 16),
            ("-a 3 -d 4 -r 7", 2_006, 1_613, 4),
            ("-t 0 -b 300 -q 0.12 -m 8 -r 7", 7_317, 6_439, 63),
            ("-t 2 -d 5 -q 0.2 -r 7", 804, 607, 10),
            ("-t 3 -d 5 -b 4", 1_365, 1_024, 5),
        ] {
            let uts = read(line);
            uts.check_tree().unwrap();
            assert_eq!(uts.plain(), Count { nodes, leaves, depth }, "{line}");
            on_ranks(&uts);
            in_parts(&uts);
        }
        on_any_ranks(&read("-a 1 -d 8 -r 34"));
    }

    #[test]
    fn a_preset_is_its_parameters() {
        for preset in Preset::value_variants() {
            let shown = preset.to_possible_value().unwrap();
            let help = shown.get_help().unwrap().to_string();
            let line = help.split_once(": ").unwrap().1.trim_end_matches('.');
            assert_eq!(preset.tree(read(line).tree), read(line).tree, "{line}");
            assert_eq!(read(shown.get_name()).preset, Some(*preset));
        }
    }

    #[test]
    fn trees_without_end_are_refused() {
        for line in ["-t 0 -q 0.25", "-t 2 -q 0.5 -m 2", "-b 0.5", "-q 2", "-f 3", "-b NaN"] {
            assert!(read(line).check_tree().is_err(), "{line}");
        }
    }
}
