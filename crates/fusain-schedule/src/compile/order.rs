//! The traversal order: breadth first, independent operations first, every dependency forward.
//!
//! Kahn's algorithm (A. Kahn, "Topological sorting of large networks", CACM 1962), step by step: a step contains all operations whose last dependency
//! is in the step before. An interpreter that takes ready operations from a queue meets them in about this order, so it reads the schedule from front
//! to back. O(n log k + e) with k kinds of operations.
//!
//! Within a step any order is valid. Messages and long operations come first, and short ones follow grouped by kind: an interpreter branches on the
//! kind of an operation, and a mispredicted branch takes longer than a sum of two numbers.

use crate::{Action, Edge, Error, Graph, Moment, OpId, Result, binary};

/// The maximum number of bytes of a short operation: a cache line. In longer operations the time for the bytes is more than that of a mispredicted
/// branch, and the program's own order may be better for its caches.
const SHORT_BYTES: u64 = 64;

/// The graph's operations in traversal order, and its edges by operation.
#[derive(Debug)]
pub(crate) struct Order {
    /// Traversal order.
    pub(crate) sequence: Vec<OpId>,
    /// The position of each operation in `sequence`.
    pub(crate) position: Vec<u32>,
    dependents: Lists,
    predecessors: Lists,
}

/// One list of operations and moments for each operation, in flat vectors.
#[derive(Debug)]
struct Lists {
    begins: Vec<u32>,
    entries: Vec<(OpId, Moment)>,
}

impl Lists {
    fn new(count: usize, edges: &[Edge], ends: impl Fn(&Edge) -> (OpId, OpId)) -> Self {
        let mut begins = vec![0; count + 1];
        for edge in edges {
            begins[ends(edge).0.index() + 1] += 1;
        }
        for at in 0..count {
            begins[at + 1] += begins[at];
        }
        let mut next = begins.clone();
        let mut entries = vec![(OpId(0), Moment::End); edges.len()];
        for edge in edges {
            let (of, other) = ends(edge);
            entries[next[of.index()] as usize] = (other, edge.until);
            next[of.index()] += 1;
        }
        Self { begins, entries }
    }

    fn of(&self, operation: OpId) -> &[(OpId, Moment)] {
        &self.entries[self.begins[operation.index()] as usize..self.begins[operation.index() + 1] as usize]
    }
}

impl Order {
    pub(crate) fn of(graph: &Graph) -> Result<Self> {
        let count = graph.operations().len();
        let dependents = Lists::new(count, graph.edges(), |edge| (edge.before, edge.after));
        let predecessors = Lists::new(count, graph.edges(), |edge| (edge.after, edge.before));
        let mut missing: Vec<usize> = (0..count).map(|index| predecessors.of(OpId(index as u32)).len()).collect();
        let mut sequence: Vec<OpId> = Vec::with_capacity(count);
        sequence.extend((0..count).filter(|&index| missing[index] == 0).map(|index| OpId(index as u32)));
        let mut step = 0..sequence.len();
        while !step.is_empty() {
            // A stable sort: messages of one sender with one tag keep their order.
            sequence[step.clone()].sort_by_key(|&operation| kind(graph, operation));
            for at in step.clone() {
                for &(dependent, _) in dependents.of(sequence[at]) {
                    missing[dependent.index()] -= 1;
                    if missing[dependent.index()] == 0 {
                        sequence.push(dependent);
                    }
                }
            }
            step = step.end..sequence.len();
        }
        if sequence.len() < count {
            return Err(Error::Cycle { operations: circle(&missing, &predecessors) });
        }
        let mut position = vec![0; count];
        for (at, operation) in sequence.iter().enumerate() {
            position[operation.index()] = at as u32;
        }
        Ok(Self { sequence, position, dependents, predecessors })
    }

    /// The operations that wait for this one, and the moment that each waits for.
    pub(crate) fn dependents(&self, operation: OpId) -> &[(OpId, Moment)] {
        self.dependents.of(operation)
    }

    /// The operations that this one waits for.
    pub(crate) fn predecessors(&self, operation: OpId) -> &[(OpId, Moment)] {
        self.predecessors.of(operation)
    }
}

/// The key by which short operations are ordered within a step; None for all others.
fn kind(graph: &Graph, operation: OpId) -> Option<[u8; 4]> {
    let action = graph.operations()[operation.index()].action;
    let bytes: u64 = graph.target(operation).iter().map(|block| block.bytes).sum();
    let is_message = matches!(action, Action::Send { .. } | Action::Recv { .. });
    (!is_message && bytes <= SHORT_BYTES).then(|| binary::code(action))
}

/// Finds a cycle: each remaining operation waits for another remaining one, so going back must reach one operation twice.
fn circle(missing: &[usize], predecessors: &Lists) -> Vec<usize> {
    let mut seen_at = vec![usize::MAX; missing.len()];
    let mut path = Vec::new();
    let mut at = missing.iter().position(|&missing| missing > 0).expect("something is left");
    while seen_at[at] == usize::MAX {
        seen_at[at] = path.len();
        path.push(at);
        let waits_for = predecessors.of(OpId(at as u32)).iter().map(|(before, _)| before.index());
        at = waits_for.into_iter().find(|&before| missing[before] > 0).expect("what is left waits for what is left");
    }
    path.split_off(seen_at[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, ElementType, Operator, Side};

    #[test]
    fn short_operations_of_a_step_stand_kind_by_kind_behind_the_others() {
        let mut graph = Graph::new(0, 2);
        let memory = graph.scratch(1 << 10);
        let block = |bytes| Block { bytes, ..memory };
        let apply = |operator| Action::Apply { operator, element: ElementType::U8, side: Side::Left };
        let actions = [
            (apply(Operator::Xor), 1),
            (apply(Operator::Add), 64),
            (Action::Copy, 100),
            (apply(Operator::Xor), 2),
            (Action::Send { to: 1, tag: 0 }, 1),
            (apply(Operator::Add), 100),
            (apply(Operator::Add), 1),
        ];
        let ids = actions.map(|(action, bytes)| match action {
            Action::Send { .. } => graph.add(action, &[], &[block(bytes)]),
            _ => graph.add(action, &[block(bytes)], &[block(bytes)]),
        });
        // This one is in a later step, though its kind would come first.
        let last = graph.add(Action::Copy, &[block(1)], &[block(1)]);
        graph.requires(last, ids[0]);
        let sequence = Order::of(&graph).unwrap().sequence;
        let expected = [2, 4, 5, 1, 6, 0, 3].map(|at: usize| ids[at]);
        assert_eq!(sequence, [&expected[..], &[last]].concat());
    }
}
