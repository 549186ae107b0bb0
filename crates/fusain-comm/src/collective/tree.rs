//! Broadcast and reduction over a tree of any shape, whole or in segments.

use super::{BROADCAST, REDUCE, Shape, check_length};
use crate::{Communicator, Plain, Result, Tag};

/// Copies `root`'s `data` to every rank, down a tree of `shape`, in segments of `segment` elements.
///
/// Segments make a chain or a tree a pipeline: a rank passes a segment on while the next one is on its way. With `usize::MAX` the message
/// goes whole.
///
/// # Errors
/// [`Error::RankOutOfRange`]; [`Error::Truncated`] or [`Error::LengthMismatch`] if the ranks' lengths differ; the errors of sending and
/// receiving.
/// Lengths that differ by whole segments are not noticed: a rank then waits for ever, or the next call takes what is left.
///
/// [`Error::RankOutOfRange`]: crate::Error::RankOutOfRange
/// [`Error::Truncated`]: crate::Error::Truncated
/// [`Error::LengthMismatch`]: crate::Error::LengthMismatch
///
/// # Panics
/// If `segment` is 0.
///
/// ```
/// use fusain_comm::{Communicator, Shape, World, collective};
/// World::threads(5).run(|comm| {
///     let mut text = if comm.rank() == 3 { *b"charcoal" } else { [0; 8] };
///     collective::broadcast(&comm, &mut text, 3, Shape::Chain, 2).unwrap();
///     assert_eq!(&text, b"charcoal");
/// });
/// ```
pub fn broadcast<C: Communicator, T: Plain>(
    comm: &C,
    data: &mut [T],
    root: usize,
    shape: Shape,
    segment: usize,
) -> Result<()> {
    comm.check_rank(root)?;
    let size = comm.size();
    // The tree is over ranks counted from the root.
    let node = (comm.rank() + size - root) % size;
    let rank_of = |node: usize| (node + root) % size;
    let parent = shape.parent(node, size).map(rank_of);
    let children: Vec<_> = shape.children(node, size).into_iter().map(rank_of).collect();
    for part in segments(data, segment) {
        if let Some(parent) = parent {
            receive_all(comm, part, parent, BROADCAST)?;
        }
        // The largest subtree is served first, since its messages have the longest way to go.
        for &child in children.iter().rev() {
            comm.send(part, child, BROADCAST)?;
        }
    }
    Ok(())
}

/// Combines the `data` of all ranks by `op`, element by element, up a tree of `shape`, in segments of `segment` elements, into the `data`
/// of `root`.
///
/// `op(a, b)` is called with `a` from lower ranks than `b`. To keep that order, the tree's root is always rank 0; another `root` gets the
/// result by one more message.
///
/// # Errors
/// As [`broadcast`].
///
/// # Panics
/// If `segment` is 0.
pub fn reduce<C: Communicator, T: Plain>(
    comm: &C,
    data: &mut [T],
    root: usize,
    op: impl Fn(T, T) -> T,
    shape: Shape,
    segment: usize,
) -> Result<()> {
    comm.check_rank(root)?;
    let (rank, size) = (comm.rank(), comm.size());
    let parent = shape.parent(rank, size);
    let children = shape.children(rank, size);
    let mut theirs = vec![T::zeroed(); if children.is_empty() { 0 } else { data.len().min(segment) }];
    for part in segments(data, segment) {
        for &child in &children {
            let theirs = &mut theirs[..part.len()];
            receive_all(comm, theirs, child, REDUCE)?;
            for (mine, &theirs) in part.iter_mut().zip(&*theirs) {
                *mine = op(*mine, theirs);
            }
        }
        if let Some(parent) = parent {
            comm.send(part, parent, REDUCE)?;
        }
    }
    match (rank, root) {
        (_, 0) => Ok(()),
        (0, _) => comm.send(data, root, REDUCE),
        _ if rank == root => receive_all(comm, data, 0, REDUCE),
        _ => Ok(()),
    }
}

/// At least one segment, so that lengths are compared even if there is nothing to send.
fn segments<T>(data: &mut [T], segment: usize) -> impl Iterator<Item = &mut [T]> {
    assert!(segment > 0, "a segment has at least one element");
    let count = data.len().div_ceil(segment).max(1);
    let mut rest = data;
    (0..count).map(move |_| {
        let at = segment.min(rest.len());
        let (part, tail) = std::mem::take(&mut rest).split_at_mut(at);
        rest = tail;
        part
    })
}

fn receive_all<C: Communicator, T: Plain>(comm: &C, data: &mut [T], from: usize, tag: Tag) -> Result<()> {
    let status = comm.recv(data, from, tag)?;
    check_length::<T>(status, data.len())
}
