//! Writes a graph as the words of a schedule.

use super::order::Order;
use crate::binary::{BLOCK_WORDS, HEADER_WORDS, Header, OPERATION_WORDS, code_of, narrow, write_block};
use crate::{Action, Error, Graph, Moment, OpId, Result};

/// Lays out a checked graph in the given order.
pub(super) fn encode(graph: &Graph, order: &Order, functions: usize) -> Result<Vec<u32>> {
    // All edges lead forward, so all places must be known before anything is written.
    let mut places = vec![0usize; graph.operations().len()];
    let mut end = HEADER_WORDS + 2 * graph.memories().len();
    for &operation in &order.sequence {
        places[operation.index()] = end;
        let blocks = graph.target(operation).len() + graph.source(operation).len();
        end += OPERATION_WORDS + BLOCK_WORDS * blocks + order.dependents(operation).len();
    }
    let Ok(words) = u32::try_from(end) else {
        return Err(Error::TooLarge { what: format!("{end} words of 4 bytes, at most 2^32") });
    };
    let is_independent = |operation: &&OpId| order.predecessors(**operation).is_empty();
    let is_message = |action| matches!(action, Action::Send { .. } | Action::Recv { .. });
    let header = Header {
        words,
        rank: graph.rank(),
        size: graph.size(),
        operations: places.len() as u32,
        independent: order.sequence.iter().take_while(is_independent).count() as u32,
        memories: graph.memories().len() as u32,
        functions: functions as u32,
        messages: graph.operations().iter().filter(|operation| is_message(operation.action)).count() as u32,
    };
    let mut out = Vec::with_capacity(end);
    out.extend(header.write());
    out.extend(graph.memories().iter().copied().flat_map(narrow));
    for &operation in &order.sequence {
        write(graph, order, operation, &places, &mut out);
    }
    debug_assert_eq!(out.len(), end);
    Ok(out)
}

fn write(graph: &Graph, order: &Order, operation: OpId, places: &[usize], out: &mut Vec<u32>) {
    let (target, source) = (graph.target(operation), graph.source(operation));
    let dependents = order.dependents(operation);
    let waiting = |moment: Moment| dependents.iter().filter(move |(_, until)| *until == moment);
    let (code, [a, b]) = code_of(graph.operations()[operation.index()].action);
    let dependencies = order.predecessors(operation).len() as u32;
    let code = u32::from_le_bytes(code);
    out.extend([code, operation.index() as u32, dependencies, dependencies, a, b]);
    out.extend([target.len(), source.len()].map(|count| count as u32));
    out.extend([Moment::End, Moment::Start].map(|moment| waiting(moment).count() as u32));
    out.extend(target.iter().chain(source).flat_map(write_block));
    for moment in [Moment::End, Moment::Start] {
        out.extend(waiting(moment).map(|(dependent, _)| places[dependent.index()] as u32));
    }
}
