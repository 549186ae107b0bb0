//! Operations that touch the same bytes, one of them writing, must be ordered: the end of one before the start of the other.
//!
//! It would be too much to ask of every pair. Take the operations that touch one byte in traversal order: it is enough that
//! each *writer* comes after the writer before it, and each *reader* after the writer before and before the writer behind it.
//! All other pairs follow, since order is transitive; and a reader that stands between two writers in the traversal and is not
//! ordered with one of them is a race. So each byte costs one question for each operation that touches it, and bytes with
//! the same operations are asked for once (memories are swept from front to back, interval by interval).
//!
//! The question "does a's end come before b's start" is a search backwards from b that leaves out what stands before a in the
//! traversal. A direct dependency, which is the usual case, is seen at once. The last step of a path, the one that leaves a,
//! must be a `requires`; the others may be of either kind, since who waits for a start waits for all that this start waits for.

use std::collections::{BTreeMap, HashSet};

use super::order::Order;
use crate::{Error, Graph, Moment, OpId, Result};

/// How an operation touches some bytes; keyed by its position in the traversal.
type Touching = BTreeMap<u32, bool>;

struct Event {
    at: u64,
    begins: bool,
    position: u32,
    writes: bool,
}

pub(crate) fn check(graph: &Graph, order: &Order) -> Result<()> {
    let mut events: Vec<Vec<Event>> = (0..graph.memories().len()).map(|_| Vec::new()).collect();
    for (position, &operation) in order.sequence.iter().enumerate() {
        let position = position as u32;
        let reads = graph.source(operation).iter().map(|block| (block, false));
        for (block, writes) in graph.target(operation).iter().map(|block| (block, true)).chain(reads) {
            if block.bytes > 0 {
                let events = &mut events[block.memory as usize];
                events.push(Event { at: block.offset, begins: true, position, writes });
                events.push(Event { at: block.offset + block.bytes, begins: false, position, writes });
            }
        }
    }
    let mut search = Search { order, seen: vec![0; order.sequence.len()], round: 0, ordered: HashSet::new() };
    for (memory, events) in events.iter_mut().enumerate() {
        sweep(memory as u32, events, &mut search)?;
    }
    Ok(())
}

fn sweep(memory: u32, events: &mut [Event], search: &mut Search<'_>) -> Result<()> {
    events.sort_unstable_by_key(|event| event.at);
    // An operation may touch a byte twice: read what it writes, or read it through two blocks.
    let mut counts: BTreeMap<u32, [u32; 2]> = BTreeMap::new();
    let mut writers = 0usize;
    let mut next = 0;
    while next < events.len() {
        let offset = events[next].at;
        let mut fresh = false;
        while let Some(event) = events.get(next).filter(|event| event.at == offset) {
            let count = &mut counts.entry(event.position).or_default()[usize::from(event.writes)];
            if event.begins {
                *count += 1;
                fresh = true;
            } else {
                *count -= 1;
            }
            if event.writes {
                writers = if event.begins { writers + 1 } else { writers - 1 };
            }
            if counts[&event.position] == [0, 0] {
                counts.remove(&event.position);
            }
            next += 1;
        }
        // Where blocks only end nothing new meets.
        if fresh && writers > 0 && counts.len() > 1 {
            let end = events.get(next).map_or(offset, |event| event.at);
            let touching: Touching = counts.iter().map(|(&position, count)| (position, count[1] > 0)).collect();
            search.check_interval(&touching).map_err(|(first, second)| {
                let (first, second) = (first.index(), second.index());
                Error::Race { first: first.min(second), second: first.max(second), memory, offset, end }
            })?;
        }
    }
    Ok(())
}

struct Search<'a> {
    order: &'a Order,
    /// In which round a position was last seen.
    seen: Vec<u32>,
    round: u32,
    /// Pairs of positions that were asked for before.
    ordered: HashSet<(u32, u32)>,
}

impl Search<'_> {
    fn check_interval(&mut self, touching: &Touching) -> Result<(), (OpId, OpId)> {
        let mut writer: Option<u32> = None;
        let mut readers: Vec<u32> = Vec::new();
        for (&position, &writes) in touching {
            // Readers come after the writer before them, so a writer that comes after them comes after it.
            let before = if writes && !readers.is_empty() { &readers[..] } else { writer.as_slice() };
            for &before in before {
                self.is_ordered(before, position)?;
            }
            if writes {
                writer = Some(position);
                readers.clear();
            } else {
                readers.push(position);
            }
        }
        Ok(())
    }

    fn is_ordered(&mut self, first: u32, second: u32) -> Result<(), (OpId, OpId)> {
        let [a, b] = [first, second].map(|position| self.order.sequence[position as usize]);
        if self.order.predecessors(b).contains(&(a, Moment::End)) || self.ordered.contains(&(first, second)) {
            return Ok(());
        }
        self.round += 1;
        let mut path = vec![b];
        while let Some(operation) = path.pop() {
            for &(before, until) in self.order.predecessors(operation) {
                let position = self.order.position[before.index()];
                if position == first && until == Moment::End {
                    self.ordered.insert((first, second));
                    return Ok(());
                }
                if position > first && self.seen[position as usize] != self.round {
                    self.seen[position as usize] = self.round;
                    path.push(before);
                }
            }
        }
        Err((a, b))
    }
}
