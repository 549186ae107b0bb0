//! Finds dependencies from what operations read and write, in the order they are added.
//!
//! Each memory is cut into segments that have one history: the operation that wrote it last, and those that have read it since. A reader
//! waits for the writer. A writer waits for the readers, or for the writer if there are no readers. Messages to (or from) one rank with one
//! tag are matched in the order in which they start, so each waits for the start of the one before.
//!
//! O(log s + k) for each block, where s is the number of segments and k the number of segments that the block touches.

use std::collections::{BTreeMap, HashMap};

use crate::{Action, Block, Graph, OpId};

#[derive(Clone, Debug)]
struct Segment {
    end: u64,
    writer: Option<OpId>,
    readers: Vec<OpId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Channel {
    To(u32, u32),
    From(u32, u32),
}

/// The histories of all memories.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracker {
    /// For each memory the segments, by where they begin. Bytes that no operation has touched have no segment.
    memories: HashMap<u32, BTreeMap<u64, Segment>>,
    last: HashMap<Channel, OpId>,
}

impl Tracker {
    /// Adds the dependencies of the operation that was just added.
    pub(crate) fn follow(&mut self, graph: &mut Graph, operation: OpId) {
        let mut before = Vec::new();
        for block in graph.source(operation) {
            self.touch(block, operation, false, &mut before);
        }
        for block in graph.target(operation) {
            self.touch(block, operation, true, &mut before);
        }
        before.sort_unstable();
        before.dedup();
        for before in before.into_iter().filter(|&before| before != operation) {
            graph.requires(operation, before);
        }
        let channel = match graph.operations()[operation.index()].action {
            Action::Send { to, tag } => Channel::To(to, tag),
            Action::Recv { from, tag } => Channel::From(from, tag),
            _ => return,
        };
        if let Some(before) = self.last.insert(channel, operation) {
            graph.irequires(operation, before);
        }
    }

    fn touch(&mut self, block: &Block, operation: OpId, writes: bool, before: &mut Vec<OpId>) {
        let (start, end) = (block.offset, block.offset.saturating_add(block.bytes));
        if start == end {
            return;
        }
        let segments = self.memories.entry(block.memory).or_default();
        cut(segments, start);
        cut(segments, end);
        let touched: Vec<u64> = segments.range(start..end).map(|(&at, _)| at).collect();
        for segment in touched.iter().map(|at| &segments[at]) {
            if writes && !segment.readers.is_empty() {
                before.extend(&segment.readers);
            } else {
                before.extend(segment.writer);
            }
        }
        if writes {
            for at in &touched {
                segments.remove(at);
            }
            segments.insert(start, Segment { end, writer: Some(operation), readers: Vec::new() });
        } else {
            let mut at = start;
            for begin in touched {
                fill(segments, at, begin, operation);
                let segment = segments.get_mut(&begin).expect("it was just listed");
                segment.readers.push(operation);
                at = segment.end;
            }
            fill(segments, at, end, operation);
        }
    }
}

/// Bytes that were never written have now been read, and a later writer must wait for the reader.
fn fill(segments: &mut BTreeMap<u64, Segment>, start: u64, end: u64, reader: OpId) {
    if start < end {
        segments.insert(start, Segment { end, writer: None, readers: vec![reader] });
    }
}

/// If a segment spans `at`, cuts it there.
fn cut(segments: &mut BTreeMap<u64, Segment>, at: u64) {
    let Some((_, segment)) = segments.range_mut(..at).next_back() else { return };
    if segment.end > at {
        let rest = segment.clone();
        segment.end = at;
        segments.insert(at, rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moment;

    fn edges(graph: &Graph) -> Vec<(usize, usize, Moment)> {
        graph.edges().iter().map(|edge| (edge.before.index(), edge.after.index(), edge.until)).collect()
    }

    #[test]
    fn readers_wait_for_writers_and_writers_for_readers() {
        let mut graph = Graph::new(0, 2);
        let mut tracker = Tracker::default();
        let (a, b) = (graph.buffer(100), graph.buffer(100));
        let part = Block { offset: 40, bytes: 20, ..a };
        let mut copy = |into: Block, from: Block| {
            let operation = graph.add(Action::Copy, &[into], &[from]);
            tracker.follow(&mut graph, operation);
        };
        let of_b = Block { bytes: 20, ..b };
        copy(part, of_b); // 0 writes the middle of a
        copy(of_b, part); // 1 reads it, and writes the bytes that 0 read
        copy(Block { bytes: 45, ..b }, Block { bytes: 45, ..a }); // 2 reads untouched bytes and some of the middle
        copy(Block { offset: 60, bytes: 40, ..a }, Block { offset: 60, bytes: 40, ..b }); // 3 touches bytes that no other operation touches
        copy(Block { bytes: 10, ..a }, Block { offset: 50, bytes: 10, ..b }); // 4 writes the bytes that 2 read
        let end = Moment::End;
        assert_eq!(edges(&graph), [(0, 1, end), (0, 2, end), (1, 2, end), (2, 4, end)]);
    }

    #[test]
    fn messages_of_one_channel_start_in_order() {
        let mut graph = Graph::new(0, 3);
        let mut tracker = Tracker::default();
        for (to, tag) in [(1, 0), (2, 0), (1, 1), (1, 0)] {
            let send = graph.add(Action::Send { to, tag }, &[], &[]);
            tracker.follow(&mut graph, send);
        }
        assert_eq!(edges(&graph), [(0, 3, Moment::Start)]);
    }
}
