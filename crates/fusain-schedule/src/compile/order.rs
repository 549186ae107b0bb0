//! The traversal order: breadth first, independent operations first, every dependency forward.
//!
//! Kahn's algorithm with a queue (A. Kahn, "Topological sorting of large networks", CACM 1962), O(n + e). An interpreter
//! that takes ready operations from a queue meets them in about this order, so it reads the schedule from front to back.

use crate::{Edge, Error, Graph, Moment, OpId, Result};

/// The graph's operations in traversal order, and its edges by operation.
#[derive(Debug)]
pub(crate) struct Order {
    /// Traversal order.
    pub(crate) sequence: Vec<OpId>,
    /// Where each operation stands in it.
    pub(crate) position: Vec<u32>,
    dependents: Lists,
    predecessors: Lists,
}

/// One list of operations and moments for each operation, flat.
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
        let mut next = 0;
        while let Some(&operation) = sequence.get(next) {
            next += 1;
            for &(dependent, _) in dependents.of(operation) {
                missing[dependent.index()] -= 1;
                if missing[dependent.index()] == 0 {
                    sequence.push(dependent);
                }
            }
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

    /// Who waits for the operation, and for which moment.
    pub(crate) fn dependents(&self, operation: OpId) -> &[(OpId, Moment)] {
        self.dependents.of(operation)
    }

    /// Whom the operation waits for.
    pub(crate) fn predecessors(&self, operation: OpId) -> &[(OpId, Moment)] {
        self.predecessors.of(operation)
    }
}

/// Going back from what is left one must come round, since each of it waits for another of it.
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
