//! Gather and scatter over a tree: a rank passes on the blocks of its whole subtree, which are contiguous.

use fusain_comm::Plain;

use super::{Blocks, Group, Shape, TAG, can_add, fits, total};
use crate::{Region, Result, ScheduleBuilder};

/// The tree, over ranks counted from the root, as one of its ranks sees it.
struct Node {
    /// This rank, counted from the root; its subtree ends before `end`.
    node: usize,
    end: usize,
    parent: Option<usize>,
    /// Each child with the end of its subtree.
    children: Vec<(usize, usize)>,
}

impl Node {
    fn new(group: &Group, root: usize, shape: Shape) -> Self {
        let size = group.size();
        let node = (group.rank() + size - root) % size;
        let children = shape.children(node, size);
        let end = end_of(shape, node, size);
        let ends = children.iter().skip(1).copied().chain([end]);
        let children = children.iter().copied().zip(ends).collect();
        Self { node, end, parent: shape.parent(node, size), children }
    }
}

/// The end of a subtree: where the next sibling's begins, or else where the parent's ends.
fn end_of(shape: Shape, mut node: usize, size: usize) -> usize {
    // A loop, not a recursion, since a chain is as deep as it has ranks.
    while let Some(parent) = shape.parent(node, size) {
        if let Some(next) = shape.children(parent, size).into_iter().find(|&sibling| sibling > node) {
            return next;
        }
        node = parent;
    }
    size
}

/// Where the blocks of a subtree lie on a rank: at the root in the order of ranks, on other ranks in the order of the tree, its own first.
enum Place<T> {
    Root(Blocks<T>, usize),
    Inner(Blocks<T>, usize),
}

impl<T> Place<T> {
    fn of(&self, from: usize, end: usize) -> [Region<T>; 2] {
        match self {
            Place::Root(blocks, root) => blocks.cyclic(from + root, end - from),
            Place::Inner(blocks, node) => [blocks.run(from - node, end - node), blocks.run(0, 0)],
        }
    }
}

/// The tree and the place of its blocks, after checking the lengths.
fn rooted<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    mine: Region<T>,
    (all, counts): (Option<Region<T>>, &[usize]),
    root: usize,
    shape: Shape,
) -> Result<(Node, Place<T>)> {
    can_add(builder, group)?;
    group.check(root)?;
    fits("blocks of a gather or scatter, one a rank", counts.len(), group.size())?;
    fits("elements of a rank's block", mine.len(), counts[group.rank()])?;
    let tree = Node::new(group, root, shape);
    let place = if tree.node == 0 {
        let all = all.unwrap_or_else(|| builder.scratch(0));
        Place::Root(Blocks::new("elements at the root", all, counts)?, root)
    } else {
        let counts: Vec<usize> = (tree.node..tree.end).map(|node| counts[(node + root) % counts.len()]).collect();
        let passing = builder.scratch(total(&counts)?);
        Place::Inner(Blocks::new("elements of a subtree", passing, &counts)?, tree.node)
    };
    Ok((tree, place))
}

/// Collects all ranks' blocks at `root`, in the order of ranks, in `all`. Other ranks need not give `all`. Block `r` has `counts[r]`
/// elements.
///
/// # Errors
/// [`Error::Comm`](crate::Error::Comm) for a root outside the group, [`Error::Shape`](crate::Error::Shape) if lengths do not fit,
/// [`Error::Unsuitable`](crate::Error::Unsuitable) for a builder that is not in program order.
pub fn gather<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    mine: Region<T>,
    all: (Option<Region<T>>, &[usize]),
    root: usize,
    shape: Shape,
) -> Result<()> {
    let (tree, place) = rooted(builder, group, mine, all, root, shape)?;
    builder.copy(place.of(tree.node, tree.node + 1), [mine]);
    for &(child, end) in &tree.children {
        builder.recv(place.of(child, end), group.member(child + root), TAG);
    }
    if let Some(parent) = tree.parent {
        builder.send(place.of(tree.node, tree.end), group.member(parent + root), TAG);
    }
    Ok(())
}

/// Distributes `all` of `root`: rank `r` gets block `r`, of `counts[r]` elements. Other ranks need not give `all`.
///
/// # Errors
/// As [`gather`].
pub fn scatter<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    all: (Option<Region<T>>, &[usize]),
    mine: Region<T>,
    root: usize,
    shape: Shape,
) -> Result<()> {
    let (tree, place) = rooted(builder, group, mine, all, root, shape)?;
    if let Some(parent) = tree.parent {
        builder.recv(place.of(tree.node, tree.end), group.member(parent + root), TAG);
    }
    // The largest subtree is served first, since its messages have the longest way to go.
    for &(child, end) in tree.children.iter().rev() {
        builder.send(place.of(child, end), group.member(child + root), TAG);
    }
    builder.copy([mine], place.of(tree.node, tree.node + 1));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_end_where_the_next_begin() {
        let ends = |shape| (0..6).map(|node| end_of(shape, node, 6)).collect::<Vec<_>>();
        assert_eq!(ends(Shape::Linear), [6, 2, 3, 4, 5, 6]);
        assert_eq!(ends(Shape::Chain), [6; 6]);
        assert_eq!(ends(Shape::Binomial), [6, 2, 4, 4, 6, 6]);
    }

    #[test]
    fn a_chain_of_any_length_takes_no_stack() {
        assert_eq!(end_of(Shape::Chain, 999_999, 1_000_000), 1_000_000);
    }
}
