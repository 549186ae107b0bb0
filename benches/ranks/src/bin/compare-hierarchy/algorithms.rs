//! The report's algorithms: Open MPI's broadcasts and reductions, over any communicator.

use fusain::comm::{Communicator, Result, Shape, ThreadComm, collective};
use fusain::topology::model::{Operation, Way};
use fusain::topology::{self, Hierarchy};

/// The segment length of a pipeline in bytes.
const SEGMENT_BYTES: usize = 8_192;

/// An algorithm for broadcast or reduction.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Algorithm {
    Tree(Shape),
    /// A chain in segments.
    Pipeline,
    /// Half of the data goes down each half of a binary tree, then pairs exchange.
    SplitBinary,
    /// A binary tree rooted at the last rank, which keeps the order of operands, followed by one message to the root.
    InOrderBinary,
}

const TREES: [Algorithm; 5] = [
    Algorithm::Tree(Shape::Linear),
    Algorithm::Tree(Shape::Chain),
    Algorithm::Pipeline,
    Algorithm::Tree(Shape::Binary),
    Algorithm::Tree(Shape::Binomial),
];

impl Algorithm {
    /// The report's algorithms for an operation.
    pub(crate) fn of(operation: Operation) -> Vec<Self> {
        let own = if operation == Operation::Broadcast { Self::SplitBinary } else { Self::InOrderBinary };
        TREES.into_iter().chain([own]).collect()
    }

    pub(crate) fn name(self) -> String {
        match self {
            Self::Tree(shape) => shape.to_string(),
            Self::Pipeline => "pipeline".to_owned(),
            Self::SplitBinary => "split binary".to_owned(),
            Self::InOrderBinary => "in-order binary".to_owned(),
        }
    }

    /// The tree that the algorithm is or uses, and its segment length.
    fn tree(self) -> (Shape, usize) {
        match self {
            Self::Tree(shape) => (shape, usize::MAX),
            Self::Pipeline => (Shape::Chain, SEGMENT_BYTES),
            Self::SplitBinary | Self::InOrderBinary => (Shape::Binary, usize::MAX),
        }
    }

    /// Runs from or to rank 0 of `comm`.
    pub(crate) fn run(self, operation: Operation, comm: &ThreadComm, data: &mut [u64]) -> Result<()> {
        let (shape, segment) = self.tree();
        let segment = (segment / 8).max(1);
        match (self, operation) {
            (Self::SplitBinary, _) => split_binary(comm, data),
            (Self::InOrderBinary, _) => in_order_binary(comm, data),
            (_, Operation::Broadcast) => collective::broadcast(comm, data, 0, shape, segment),
            _ => collective::reduce(comm, data, 0, u64::wrapping_add, shape, segment),
        }
    }

    /// The report's loop over levels: the same algorithm on each communicator in turn.
    pub(crate) fn run_by_levels(
        self,
        operation: Operation,
        hierarchy: &Hierarchy<ThreadComm>,
        data: &mut [u64],
    ) -> topology::Result<()> {
        let mut way = way_down(hierarchy)?;
        if operation == Operation::Reduce {
            way.reverse();
        }
        way.into_iter().try_for_each(|comm| Ok(self.run(operation, comm, data)?))
    }

    /// The choice of the hierarchy.
    pub(crate) fn way(self, operation: Operation, hierarchy: &Hierarchy<ThreadComm>, bytes: usize) -> Way {
        let (shape, segment_bytes) = self.tree();
        // Each half of a split tree carries half of the bytes.
        let bytes = if self == Self::SplitBinary { bytes / 2 } else { bytes };
        // An in-order tree ends at the last rank, which costs one more message on each level; the flat tree has only one such message.
        let root = usize::from(self == Self::InOrderBinary);
        hierarchy.way(operation, shape, bytes, segment_bytes, root)
    }
}

/// This rank's communicators of roots, from the top, and its lowest group.
pub(crate) fn way_down(hierarchy: &Hierarchy<ThreadComm>) -> topology::Result<Vec<&ThreadComm>> {
    let mut way = Vec::new();
    for depth in 0..hierarchy.levels().len() {
        way.extend(hierarchy.roots(depth)?);
    }
    way.push(hierarchy.leaf());
    Ok(way)
}

const DOWN: fusain::comm::Tag = 1;
const ACROSS: fusain::comm::Tag = 2;
const UP: fusain::comm::Tag = 3;

fn split_binary(comm: &ThreadComm, data: &mut [u64]) -> Result<()> {
    let (rank, size) = (comm.rank(), comm.size());
    if size == 1 {
        return Ok(());
    }
    let left = (size - 1).div_ceil(2);
    let middle = data.len().div_ceil(2);
    if rank == 0 {
        comm.send(&data[..middle], 1, DOWN)?;
        if left + 1 < size {
            comm.send(&data[middle..], left + 1, DOWN)?;
        }
        // In the larger half, the last rank may have no partner in the smaller half.
        if left > size - 1 - left {
            comm.send(&data[middle..], left, ACROSS)?;
        }
        return Ok(());
    }
    let is_left = rank <= left;
    let (first, count) = if is_left { (1, left) } else { (left + 1, size - 1 - left) };
    let node = rank - first;
    let (lower, upper) = data.split_at_mut(middle);
    let (mine, theirs) = if is_left { (lower, upper) } else { (upper, lower) };
    let parent = Shape::Binary.parent(node, count).map_or(0, |parent| first + parent);
    comm.recv(mine, parent, DOWN)?;
    for child in Shape::Binary.children(node, count).into_iter().rev() {
        comm.send(mine, first + child, DOWN)?;
    }
    let partner = if is_left { left + 1 + node } else { 1 + node };
    if is_left && partner >= size {
        return comm.recv(theirs, 0, ACROSS).map(drop);
    }
    comm.sendrecv(mine, partner, theirs, partner, ACROSS).map(drop)
}

fn in_order_binary(comm: &ThreadComm, data: &mut [u64]) -> Result<()> {
    let (rank, size) = (comm.rank(), comm.size());
    let (node, of) = (size - 1 - rank, |node: usize| size - 1 - node);
    let mut theirs = vec![0_u64; data.len()];
    for child in Shape::Binary.children(node, size) {
        comm.recv(&mut theirs, of(child), UP)?;
        data.iter_mut().zip(&theirs).for_each(|(mine, theirs)| *mine = theirs.wrapping_add(*mine));
    }
    if let Some(parent) = Shape::Binary.parent(node, size) {
        comm.send(data, of(parent), UP)?;
    }
    match rank {
        _ if size == 1 => Ok(()),
        0 => comm.recv(data, size - 1, UP).map(drop),
        _ if rank == size - 1 => comm.send(data, 0, UP),
        _ => Ok(()),
    }
}
