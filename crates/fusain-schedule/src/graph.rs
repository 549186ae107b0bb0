//! The graph of one rank: operations, the blocks that they touch, and their dependencies.
//!
//! Three flat vectors, so that a graph of 10^6 operations is three allocations: operations, the blocks they touch (each
//! operation has a range of them), and edges.

use std::ops::Range;

use crate::Action;

/// One operation of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpId(pub(crate) u32);

impl OpId {
    /// The operation's index in the graph's [operations](Graph::operations).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A piece of memory: of the scratchpad (memory 0) or of a buffer of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// 0 for the scratchpad, else the buffer's number, from 1.
    pub memory: u32,
    /// The offset of its first byte.
    pub offset: u64,
    /// Its length.
    pub bytes: u64,
}

impl Block {
    /// Whether the two blocks have a byte in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        let shares = |a: &Self, b: &Self| a.offset <= b.offset && b.offset - a.offset < a.bytes && b.bytes > 0;
        self.memory == other.memory && (shares(self, other) || shares(other, self))
    }
}

/// The moment from which another operation may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// The operation's end: `requires`.
    End,
    /// The operation's start: `irequires`.
    Start,
}

/// A dependency: `after` waits for a moment of `before`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The operation that is waited for.
    pub before: OpId,
    /// The operation that waits.
    pub after: OpId,
    /// The moment that it waits for.
    pub until: Moment,
}

/// An operation: what it does, and where a simulation runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What the operation does.
    pub action: Action,
    /// The processor of its host, in a simulation. A run ignores it.
    pub cpu: u32,
    /// The network interface of its host, in a simulation. A run ignores it.
    pub nic: u32,
    /// The operation's blocks: `first..middle` are written, `middle..last` read.
    first: u32,
    middle: u32,
    last: u32,
}

/// The operations of one rank, without types.
///
/// [`ScheduleBuilder`](crate::ScheduleBuilder) builds a graph with types. Use this type for schedules that a program generates or
/// simulates.
///
/// ```
/// use fusain_schedule::{Action, Graph};
///
/// let mut graph = Graph::new(0, 2); // rank 0 of 2
/// let room = graph.scratch(8);
/// let send = graph.add(Action::Send { to: 1, tag: 0 }, &[], &[room]);
/// let receive = graph.add(Action::Recv { from: 1, tag: 0 }, &[room], &[]);
/// graph.requires(receive, send);
/// assert_eq!(graph.compile()?.operations(), 2);
/// # Ok::<(), fusain_schedule::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    rank: u32,
    size: u32,
    operations: Vec<Operation>,
    blocks: Vec<Block>,
    edges: Vec<Edge>,
    /// The number of bytes of each memory, the scratchpad first.
    memories: Vec<u64>,
}

/// Scratch blocks begin at multiples of this, so that any element is aligned.
const ALIGNMENT_BYTES: u64 = 16;

impl Graph {
    /// An empty graph for `rank` of `size` ranks. Compiling it checks whether the ranks are valid.
    pub fn new(rank: u32, size: u32) -> Self {
        let (operations, blocks, edges) = Default::default();
        Self { rank, size, operations, blocks, edges, memories: vec![0] }
    }

    /// The rank that the graph is for.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// The number of ranks.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Reserves a block of the scratchpad. If the scratchpad grows past 2^64 bytes, compiling the graph gives
    /// [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn scratch(&mut self, bytes: u64) -> Block {
        let offset = self.memories[0].checked_next_multiple_of(ALIGNMENT_BYTES);
        let place = offset.and_then(|offset| Some((offset, offset.checked_add(bytes)?)));
        let (offset, end) = place.unwrap_or((0, u64::MAX));
        self.memories[0] = end;
        Block { memory: 0, offset, bytes }
    }

    /// Declares a buffer of the user, as one block.
    pub fn buffer(&mut self, bytes: u64) -> Block {
        self.memories.push(bytes);
        Block { memory: (self.memories.len() - 1) as u32, offset: 0, bytes }
    }

    /// Adds an operation that writes (or reads and writes) `target` and reads `source`. Compiling the graph checks whether the blocks fit
    /// the action.
    ///
    /// # Panics
    /// If there are 2^32 operations or blocks already.
    pub fn add(&mut self, action: Action, target: &[Block], source: &[Block]) -> OpId {
        let place = |len: usize| u32::try_from(len).expect("a graph has fewer than 2^32 operations and blocks");
        let id = OpId(place(self.operations.len()));
        let first = place(self.blocks.len());
        self.blocks.extend_from_slice(target);
        let middle = place(self.blocks.len());
        self.blocks.extend_from_slice(source);
        let last = place(self.blocks.len());
        self.operations.push(Operation { action, cpu: 0, nic: 0, first, middle, last });
        id
    }

    /// Puts an operation on a processor and a network interface of its host. Both are 0 by default.
    ///
    /// # Panics
    /// If the graph has no operation of that number.
    pub fn place(&mut self, operation: OpId, cpu: u32, nic: u32) {
        let operation = &mut self.operations[operation.index()];
        (operation.cpu, operation.nic) = (cpu, nic);
    }

    /// Makes `after` start once `before` has ended.
    pub fn requires(&mut self, after: OpId, before: OpId) {
        self.edges.push(Edge { before, after, until: Moment::End });
    }

    /// Makes `after` start once `before` has started.
    pub fn irequires(&mut self, after: OpId, before: OpId) {
        self.edges.push(Edge { before, after, until: Moment::Start });
    }

    /// All operations, in the order they were added.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// All dependencies, in the order they were added.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The number of bytes of each memory, the scratchpad first.
    pub fn memories(&self) -> &[u64] {
        &self.memories
    }

    /// The blocks that an operation writes.
    ///
    /// # Panics
    /// If the graph has no operation of that number.
    pub fn target(&self, operation: OpId) -> &[Block] {
        let Operation { first, middle, .. } = self.operations[operation.index()];
        &self.blocks[range(first, middle)]
    }

    /// The blocks that an operation reads.
    ///
    /// # Panics
    /// If the graph has no operation of that number.
    pub fn source(&self, operation: OpId) -> &[Block] {
        let Operation { middle, last, .. } = self.operations[operation.index()];
        &self.blocks[range(middle, last)]
    }

    /// The number of bytes that an operation sends or can receive, at most `u64::MAX`; 0 for an operation that is no message.
    ///
    /// # Panics
    /// If the graph has no operation of that number.
    pub fn message_bytes(&self, operation: OpId) -> u64 {
        let blocks = match self.operations[operation.index()].action {
            Action::Send { .. } => self.source(operation),
            Action::Recv { .. } => self.target(operation),
            _ => &[],
        };
        blocks.iter().fold(0, |sum, block| sum.saturating_add(block.bytes))
    }
}

/// A graph of no ranks: it has a scratchpad, and cannot be compiled.
impl Default for Graph {
    fn default() -> Self {
        Self::new(0, 0)
    }
}

fn range(from: u32, to: u32) -> Range<usize> {
    from as usize..to as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_the_scratchpad_do_not_overlap() {
        let mut graph = Graph::new(0, 1);
        let blocks = [graph.scratch(3), graph.scratch(0), graph.scratch(17), graph.scratch(1)];
        for pair in blocks.windows(2) {
            assert!(pair[0].offset + pair[0].bytes <= pair[1].offset);
        }
        assert!(blocks.iter().all(|block| block.offset % ALIGNMENT_BYTES == 0));
        assert_eq!(graph.memories(), [49]);
    }

    #[test]
    fn a_graph_of_no_ranks_has_a_scratchpad() {
        let mut graph = Graph::default();
        assert_eq!((graph.scratch(8).memory, graph.buffer(8).memory), (0, 1));
        assert_eq!(graph.compile().map(drop), Err(crate::Error::NoSuchRank { rank: 0, size: 0 }));
    }

    #[test]
    fn a_scratchpad_does_not_begin_again_at_its_start() {
        let mut graph = Graph::new(0, 1);
        graph.scratch(8);
        graph.scratch(u64::MAX);
        graph.scratch(8);
        assert!(matches!(graph.compile(), Err(crate::Error::TooLarge { .. })));
    }

    #[test]
    fn a_message_of_too_many_bytes_has_as_many_as_can_be_told() {
        let mut graph = Graph::new(0, 2);
        let block = graph.buffer(u64::MAX);
        let send = graph.add(Action::Send { to: 1, tag: 0 }, &[], &[block, block]);
        assert_eq!(graph.message_bytes(send), u64::MAX);
    }

    #[test]
    fn an_operation_knows_its_blocks() {
        let mut graph = Graph::new(0, 2);
        let (a, b) = (graph.buffer(8), graph.scratch(24));
        let copy = graph.add(Action::Copy, &[a], &[b, a]);
        let send = graph.add(Action::Send { to: 1, tag: 3 }, &[], &[a, b]);
        assert_eq!((graph.target(copy), graph.source(copy)), (&[a][..], &[b, a][..]));
        assert_eq!((graph.message_bytes(copy), graph.message_bytes(send)), (0, 32));
    }
}
