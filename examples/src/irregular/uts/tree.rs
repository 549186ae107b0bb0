//! Trees: the parameters, the hash, and how many children a node has.

use std::f64::consts::PI;

use anyhow::ensure;
use clap::Args;
use sha1::{Digest, Sha1};

/// A node.
pub(super) type Hash = [u8; 20];

/// The maximum number of children of a node, except for a binomial root and the nodes of a balanced tree.
const MOST: u32 = 100;

/// A tree, by the letters of the reference program.
#[derive(Args, Clone, Copy, Debug, PartialEq)]
pub(super) struct Tree {
    /// The kind: 0 binomial, 1 geometric, 2 geometric above and binomial below, 3 balanced.
    #[arg(short = 't', default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=3))]
    pub(super) kind: u32,
    /// How a geometric tree narrows: 0 linearly, 1 exponentially, 2 in cycles, 3 not until it ends.
    #[arg(short = 'a', default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=3))]
    pub(super) shape: u32,
    /// Levels of a geometric or a balanced tree.
    #[arg(short = 'd', default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) levels: u32,
    /// Children of the root; in a geometric tree, of an average root; in a balanced one, of every node.
    #[arg(short = 'b', default_value_t = 4.0)]
    pub(super) breadth: f64,
    /// The root's number.
    #[arg(short = 'r', default_value_t = 0)]
    pub(super) root: u32,
    /// Binomial: the chance that a node has children.
    #[arg(short = 'q', default_value_t = 15.0 / 64.0)]
    pub(super) chance: f64,
    /// Binomial: how many it has then.
    #[arg(short = 'm', default_value_t = 4)]
    pub(super) many: u32,
    /// Both kinds: the share of the levels that is geometric.
    #[arg(short = 'f', default_value_t = 0.5)]
    pub(super) shift: f64,
}

impl Tree {
    /// Checks that the tree is finite.
    ///
    /// # Errors
    /// Which parameter is wrong.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        ensure!(self.breadth >= 1.0 && self.breadth < 1e6, "-b {} must be from 1 to a million", self.breadth);
        ensure!((0.0..=1.0).contains(&self.chance), "-q {} must be from 0 to 1", self.chance);
        ensure!((0.0..=1.0).contains(&self.shift), "-f {} must be from 0 to 1", self.shift);
        let next = self.chance * f64::from(self.many.min(MOST));
        ensure!(
            ![0, 2].contains(&self.kind) || next < 1.0,
            "the tree need not end: the product of -q and -m is {next}, and must be below 1"
        );
        Ok(())
    }

    /// The root.
    pub(super) fn seed(&self) -> Hash {
        child_of(&[0; 16], self.root)
    }

    /// How many children `node` has.
    pub(super) fn children(&self, node: &Hash, depth: u32) -> u32 {
        match self.kind {
            0 if depth == 0 => self.breadth as u32,
            0 => self.binomial(node).min(MOST),
            1 => self.geometric(node, depth).min(MOST),
            2 if f64::from(depth) < self.shift * f64::from(self.levels) => self.geometric(node, depth).min(MOST),
            2 => self.binomial(node).min(MOST),
            _ if depth < self.levels => self.breadth as u32,
            _ => 0,
        }
    }

    fn binomial(&self, node: &Hash) -> u32 {
        if uniform(node) < self.chance { self.many } else { 0 }
    }

    /// A geometrically distributed number. Its average is what the shape gives for this depth.
    fn geometric(&self, node: &Hash, depth: u32) -> u32 {
        let (b, depth, levels) = (self.breadth, f64::from(depth), f64::from(self.levels));
        let average = match self.shape {
            _ if depth == 0.0 => b,
            0 => b * (1.0 - depth / levels),
            1 => b * depth.powf(-b.ln() / levels.ln()),
            2 if depth > 5.0 * levels => 0.0,
            2 => b.powf((2.0 * PI * depth / levels).sin()),
            _ if depth < levels => b,
            _ => 0.0,
        };
        let stop = 1.0 / (1.0 + average);
        ((1.0 - uniform(node)).ln() / (1.0 - stop).ln()).floor() as u32
    }
}

/// Child number `which`.
pub(super) fn child(node: &Hash, which: u32) -> Hash {
    child_of(node, which)
}

fn child_of(bytes: &[u8], which: u32) -> Hash {
    Sha1::new().chain_update(bytes).chain_update(which.to_be_bytes()).finalize().into()
}

/// The last 31 bits of a node, as a number from 0 to 1.
fn uniform(node: &Hash) -> f64 {
    let word = u32::from_be_bytes([node[16], node[17], node[18], node[19]]);
    f64::from(word & 0x7fff_ffff) / f64::from(1_u32 << 31)
}
