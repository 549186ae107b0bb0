//! The load: an unbalanced tree of which only the visited parts exist.
//!
//! A subtree is a seed and a number of nodes. The seed determines how many children its root has and which share of the nodes each gets. So the same tree grows
//! again wherever it is expanded, and 10¹⁴ nodes take no memory. As in the geometric trees of UTS with four children on average (T1, T1L), a quarter of the
//! children have almost nothing below them, and the sizes of the others are exponentially distributed: such a branching process tends to that law. The number
//! of children has the same distribution at each node, whatever its size; in UTS large subtrees have slightly more children.

/// A node and everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Subtree {
    pub(super) seed: u64,
    /// The number of nodes, the root included.
    pub(super) size: u64,
}

/// The average number of children of a node.
const BREADTH: f64 = 4.0;

/// The probability that a line dies out if the number of children is geometric with mean `BREADTH`: the smaller root of `q = 1 / (1 + BREADTH (1 - q))`.
const DIES_OUT: f64 = 0.25;

/// The maximum number of children of a node, as in UTS.
const MOST: u64 = 100;

/// Splitmix64.
pub(super) fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A uniform random number above 0 and at most 1.
fn uniform(state: &mut u64) -> f64 {
    ((draw(state) >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

impl Subtree {
    /// The children of the root, in the order in which they are tried.
    fn children(self, into: &mut Vec<Subtree>) {
        into.clear();
        let mut random = self.seed;
        // Geometric, but at least one: a node without children is a leaf, whose size is one.
        let more = (uniform(&mut random).ln() / ((BREADTH - 1.0) / BREADTH).ln()) as u64;
        let count = (1 + more).min(MOST).min(self.size - 1);
        let mut shares = [0.0; MOST as usize];
        let shares = &mut shares[..count as usize];
        for share in &mut *shares {
            *share = if uniform(&mut random) < DIES_OUT { 0.0 } else { -uniform(&mut random).ln() };
        }
        let sum: f64 = shares.iter().sum();
        let divided = self.size - 1 - count;
        let mut rest = divided;
        for share in shares {
            let size = if sum > 0.0 { (divided as f64 * *share / sum) as u64 } else { 0 }.min(rest);
            rest -= size;
            into.push(Subtree { seed: draw(&mut random), size: 1 + size });
        }
        // The largest child gets what rounding left, or everything if all shares are zero.
        if let Some(largest) = into.iter_mut().max_by_key(|child| child.size) {
            largest.size += rest;
        }
    }
}

/// The work of one worker: a position in the tree, and the untried choices above it. It corresponds to the path of a `Search`.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Untried siblings; the next is at the end.
    untried: Vec<Subtree>,
    /// The subtree in which the worker is, and the number of its nodes, depth first, that are done.
    current: Option<(Subtree, u64)>,
    /// The number of nodes to do.
    pub(super) left: u64,
}

impl Part {
    pub(super) fn whole(tree: Subtree) -> Self {
        Self { untried: vec![tree], current: None, left: tree.size }
    }

    /// Adds the choices of `other`, none of which has begun.
    pub(super) fn join(&mut self, other: Part) {
        self.untried.extend(other.current.map(|(tree, _)| tree));
        self.untried.extend(other.untried);
        self.left += other.left;
    }

    /// Marks the next `nodes` nodes as done.
    pub(super) fn advance(&mut self, nodes: u64) {
        let mut nodes = nodes.min(self.left);
        self.left -= nodes;
        while nodes > 0 {
            let Some((tree, done)) = self.current.take().or_else(|| Some((self.untried.pop()?, 0))) else { return };
            if tree.size - done > nodes {
                self.current = Some((tree, done + nodes));
                return;
            }
            nodes -= tree.size - done;
        }
    }

    /// Splits off half of the untried choices of the oldest level that has any, as a `Search` does.
    pub(super) fn split(&mut self) -> Option<Part> {
        let mut children = Vec::new();
        while self.untried.is_empty() {
            let (tree, done) = self.current.filter(|(tree, _)| tree.size > 1)?;
            tree.children(&mut children);
            // The root of the subtree is done before its children.
            let mut before = done.saturating_sub(1);
            let mut at = children.iter().copied();
            self.current = None;
            for child in at.by_ref() {
                if before < child.size {
                    self.current = Some((child, before));
                    break;
                }
                before -= child.size;
            }
            self.untried.extend(at.rev());
            // A subtree that has not begun: its root is still to be done, and only the nodes below it can be split.
            if done == 0 {
                self.current = Some((Subtree { seed: tree.seed, size: 1 }, 0));
                self.untried = children.iter().rev().copied().collect();
            }
        }
        let count = self.untried.len();
        let given = if self.current.is_none() { count / 2 } else { count.div_ceil(2) };
        if given == 0 {
            // The only choice is begun, and the nodes below it are split.
            self.current = self.untried.pop().map(|tree| (tree, 0));
            return self.split();
        }
        let kept = self.untried.split_off(given);
        let untried = std::mem::replace(&mut self.untried, kept);
        let left = untried.iter().map(|tree| tree.size).sum();
        self.left -= left;
        Some(Part { untried, current: None, left })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_neither_lost_nor_made() {
        let mut random = 7;
        for seed in 0..200 {
            let size = 1 + draw(&mut random) % 100_000;
            let mut parts = vec![Part::whole(Subtree { seed, size })];
            let mut done = 0;
            while let Some(mut part) = parts.pop() {
                let nodes = draw(&mut random) % (part.left + 1);
                part.advance(nodes);
                done += nodes;
                if let Some(other) = part.split() {
                    assert!(other.left > 0);
                    parts.push(other);
                }
                let in_it = part.current.map_or(0, |(tree, done)| tree.size - done);
                assert_eq!(part.left, in_it + part.untried.iter().map(|tree| tree.size).sum::<u64>());
                if part.left > 0 {
                    parts.push(part);
                }
            }
            assert_eq!(done, size);
        }
    }

    /// The nodes are those of the same tree at each expansion.
    #[test]
    fn trees_are_unbalanced_and_always_the_same() {
        let tree = Subtree { seed: 3, size: 1 << 40 };
        let (mut once, mut again) = (Vec::new(), Vec::new());
        let mut shares = Vec::new();
        for seed in 0..1_000 {
            let tree = Subtree { seed, ..tree };
            tree.children(&mut once);
            tree.children(&mut again);
            assert_eq!(once, again);
            assert_eq!(1 + once.iter().map(|child| child.size).sum::<u64>(), tree.size);
            shares.push(once.iter().map(|child| child.size).max().unwrap() as f64 / tree.size as f64);
        }
        let mean = shares.iter().sum::<f64>() / 1_000.0;
        assert!((0.5..0.8).contains(&mean), "the largest child has {mean} of a node");
    }
}
