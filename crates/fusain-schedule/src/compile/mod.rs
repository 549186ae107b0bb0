//! Compiles a graph into its binary form: checks, order, layout.
//!
//! 1. [`check`]: every operation by itself, which is also done for bytes that come from outside.
//! 2. [`order`]: a traversal order, or the cycle that forbids one.
//! 3. [`races`]: operations that touch the same bytes are ordered.
//! 4. [`encode`]: the layout that [`binary`](crate::binary) describes.

pub(crate) mod check;
mod encode;
mod order;
mod pairing;
pub(crate) mod pieces;
mod races;

pub(crate) use order::Order;
pub use pairing::check_world;

use crate::{Error, Graph, OpId, Result};

/// Compiles a graph into the words of its schedule.
pub(crate) fn compile(graph: &Graph, functions: usize) -> Result<Vec<u32>> {
    let (rank, size) = (u64::from(graph.rank()), u64::from(graph.size()));
    if rank >= size {
        return Err(Error::NoSuchRank { rank, size });
    }
    let limits = check::Limits::new(graph.size(), functions, graph.memories())?;
    for (index, operation) in graph.operations().iter().enumerate() {
        let id = OpId(index as u32);
        limits.check(index, operation.action, graph.target(id), graph.source(id))?;
    }
    check_edges(graph)?;
    let order = Order::of(graph)?;
    races::check(graph, &order)?;
    pairing::check_own(graph)?;
    encode::encode(graph, &order, functions)
}

fn check_edges(graph: &Graph) -> Result<()> {
    let count = graph.operations().len();
    for edge in graph.edges() {
        for operation in [edge.before.index(), edge.after.index()] {
            if operation >= count {
                let why = format!("a dependency names it, but there are {count}; it may be another graph's");
                return Err(Error::UnknownOperation { operation, why });
            }
        }
    }
    Ok(())
}
