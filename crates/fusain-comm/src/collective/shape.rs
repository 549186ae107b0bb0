//! The trees that broadcasts run down and reductions run up.

use std::fmt;

/// The shape of a tree over ranks `0..p`, with rank 0 at its root.
///
/// In every shape the ranks under a node are a contiguous range that begins with the node, and children are in order.
///
/// | shape | children of 0 in a tree of 8 | depth | messages of the root |
/// |---|---|---|---|
/// | linear | 1 2 3 4 5 6 7 | 1 | p − 1 |
/// | chain | 1 | p − 1 | 1 |
/// | binary | 1 5 | ⌊log₂ p⌋ | 2 |
/// | binomial | 1 2 4 | ⌈log₂ p⌉ | ⌈log₂ p⌉ |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// The root with all others as its children.
    Linear,
    /// Each rank with the next as its only child.
    Chain,
    /// Two children each, as balanced as can be, numbered in preorder.
    Binary,
    /// Children at the distances 1, 2, 4, ... below the node's own lowest bit.
    Binomial,
}

impl Shape {
    /// All shapes, in the order of the table.
    pub const ALL: [Self; 4] = [Self::Linear, Self::Chain, Self::Binary, Self::Binomial];

    /// The parent of `node` in a tree of `size`; `None` for the root, and for a node that the tree does not have.
    ///
    /// ```
    /// use fusain_comm::Shape;
    /// assert_eq!(Shape::Binomial.parent(6, 8), Some(4));
    /// assert_eq!(Shape::Binomial.children(0, 8), [1, 2, 4]);
    /// assert_eq!(Shape::Binary.children(0, 8), [1, 5]);
    /// ```
    pub fn parent(self, node: usize, size: usize) -> Option<usize> {
        if node == 0 || node >= size {
            return None;
        }
        Some(match self {
            Self::Linear => 0,
            Self::Chain => node - 1,
            Self::Binary => binary_range(node, size).0,
            Self::Binomial => node & (node - 1),
        })
    }

    /// The children of `node` in a tree of `size`, in increasing order. A node that the tree does not have has none.
    pub fn children(self, node: usize, size: usize) -> Vec<usize> {
        if node >= size {
            return Vec::new();
        }
        match self {
            Self::Linear if node == 0 => (1..size).collect(),
            Self::Linear => Vec::new(),
            Self::Chain => (node + 1..size).take(1).collect(),
            Self::Binary => {
                let (_, end) = binary_range(node, size);
                let right = binary_middle(node, end);
                [node + 1, right].into_iter().filter(|&child| child < end).collect()
            }
            Self::Binomial => {
                let left = size - node;
                let below_lowest_bit = (0..node.trailing_zeros()).map(|bit| 1_usize << bit);
                below_lowest_bit.take_while(|&step| step < left).map(|step| node + step).collect()
            }
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Linear => "linear",
            Self::Chain => "chain",
            Self::Binary => "binary",
            Self::Binomial => "binomial",
        })
    }
}

/// Where the right child of the node `begin` begins, if its ranks end at `end`.
fn binary_middle(begin: usize, end: usize) -> usize {
    begin + 1 + (end - begin - 1).div_ceil(2)
}

/// Parent of `node > 0` and end of the range under `node`.
fn binary_range(node: usize, size: usize) -> (usize, usize) {
    let (mut parent, mut begin, mut end) = (0, 0, size);
    while begin != node {
        let middle = binary_middle(begin, end);
        parent = begin;
        if node < middle {
            (begin, end) = (begin + 1, middle);
        } else {
            (begin, end) = (middle, end);
        }
    }
    (parent, end)
}

#[cfg(test)]
mod tests {
    use super::Shape;

    /// Ranks under `node`, by following children.
    fn under(shape: Shape, node: usize, size: usize) -> Vec<usize> {
        let below = shape.children(node, size).into_iter().flat_map(|child| under(shape, child, size));
        [node].into_iter().chain(below).collect()
    }

    #[test]
    fn every_shape_is_a_tree_of_contiguous_ranges() {
        for shape in Shape::ALL {
            for size in 1..70 {
                assert_eq!(under(shape, 0, size), (0..size).collect::<Vec<_>>(), "{shape} {size}");
                for node in 1..size {
                    let parent = shape.parent(node, size).unwrap();
                    assert!(shape.children(parent, size).contains(&node), "{shape} {size}: {node} under {parent}");
                }
            }
        }
    }
    #[test]
    fn what_the_tree_does_not_have_has_no_relatives() {
        for shape in Shape::ALL {
            for (node, size) in [(0, 0), (5, 5), (9, 5), (usize::MAX, 5), (usize::MAX, usize::MAX)] {
                assert_eq!(
                    (shape.parent(node, size), shape.children(node, size)),
                    (None, vec![]),
                    "{shape} {node} {size}"
                );
            }
        }
    }

    #[test]
    fn the_largest_tree_there_can_be() {
        const LAST: usize = usize::MAX - 1;
        assert_eq!(Shape::Binomial.children(0, usize::MAX).len(), usize::BITS as usize);
        assert_eq!(Shape::Binary.children(0, usize::MAX), [1, 1 + LAST / 2]);
        for shape in Shape::ALL.into_iter().filter(|&shape| shape != Shape::Chain) {
            assert_eq!(shape.children(LAST, usize::MAX), []);
            assert!(shape.parent(LAST, usize::MAX).is_some());
        }
    }
}
