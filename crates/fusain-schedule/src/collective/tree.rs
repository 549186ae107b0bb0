//! Broadcast down a tree and reduction up a tree, whole or in segments.
//!
//! With segments each rank passes a segment on while the next one is on its way: a chain or tree becomes a pipeline. This follows from the
//! order of messages: segments are added in order, and each waits only for the data that it needs.

use std::ops::Range;

use fusain_comm::Plain;

use super::{Group, Reduction, Shape, TAG, can_add};
use crate::{Region, Result, ScheduleBuilder};

/// The tree and the segments of a broadcast or a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The tree.
    pub shape: Shape,
    /// The number of bytes of a segment, at least one element; `usize::MAX` for all elements in one segment.
    pub segment_bytes: usize,
}

impl Tree {
    /// A tree that is passed in one piece.
    pub const fn whole(shape: Shape) -> Self {
        Self { shape, segment_bytes: usize::MAX }
    }

    /// The parts of `count` elements; one empty part if there are no elements. Zero-sized elements are one part, however many there are.
    fn segments<T>(self, count: usize) -> impl Iterator<Item = Range<usize>> {
        let segment = self.segment_bytes.checked_div(size_of::<T>()).unwrap_or(count).max(1);
        (0..count.div_ceil(segment).max(1)).map(move |at| at * segment..((at + 1).saturating_mul(segment)).min(count))
    }
}

/// Copies `root`'s `data` to all ranks.
///
/// # Errors
/// [`Error::Comm`](crate::Error::Comm) for a root outside the group, [`Error::Unsuitable`](crate::Error::Unsuitable) for a builder that is not in
/// program order.
pub fn broadcast<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    data: Region<T>,
    root: usize,
    tree: Tree,
) -> Result<()> {
    can_add(builder, group)?;
    group.check(root)?;
    // The tree is over ranks counted from the root.
    let (size, node) = (group.size(), (group.rank() + group.size() - root) % group.size());
    let parent = tree.shape.parent(node, size);
    let children = tree.shape.children(node, size);
    for segment in tree.segments::<T>(data.len()) {
        let part = data.slice(segment);
        if let Some(parent) = parent {
            builder.recv(part, group.member(parent + root), TAG);
        }
        // The largest subtree is served first, since its messages have the longest way to go.
        for child in children.iter().rev() {
            builder.send(part, group.member(child + root), TAG);
        }
    }
    Ok(())
}

/// Reduces the `data` of all ranks, element by element, into `data` of `root`. Other ranks' `data` is left with partial results.
///
/// To keep the operands in the order of ranks, the tree's root is always rank 0; another root gets the result by one more message. Extra
/// memory: `data` for each child.
///
/// # Errors
/// As [`broadcast`].
pub fn reduce<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    data: Region<T>,
    root: usize,
    reduction: &Reduction<T>,
    tree: Tree,
) -> Result<()> {
    can_add(builder, group)?;
    group.check(root)?;
    let (rank, size) = (group.rank(), group.size());
    let children = tree.shape.children(rank, size);
    let theirs: Vec<Region<T>> = children.iter().map(|_| builder.scratch(data.len())).collect();
    for segment in tree.segments::<T>(data.len()) {
        let part = data.slice(segment.clone());
        for (&child, theirs) in children.iter().zip(&theirs) {
            let theirs = theirs.slice(segment.clone());
            builder.recv(theirs, group.member(child), TAG);
            reduction.append(builder, part, theirs);
        }
        if let Some(parent) = tree.shape.parent(rank, size) {
            builder.send(part, group.member(parent), TAG);
        }
    }
    if root != 0 && rank == 0 {
        builder.send(data, group.member(root), TAG);
    } else if root != 0 && rank == root {
        builder.recv(data, group.member(0), TAG);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_have_an_element_at_least_and_end() {
        let tree = |segment_bytes| Tree { shape: Shape::Chain, segment_bytes };
        let segments = |segment_bytes, count| tree(segment_bytes).segments::<u32>(count).collect::<Vec<_>>();
        assert_eq!(segments(8, 5), [0..2, 2..4, 4..5]);
        assert_eq!((segments(0, 5).len(), segments(1, 0).len()), (5, 1));
        for segment_bytes in [0, 1, usize::MAX] {
            let mut all = tree(segment_bytes).segments::<()>(usize::MAX);
            assert_eq!([all.next(), all.next()], [Some(0..usize::MAX), None]);
        }
    }
}
