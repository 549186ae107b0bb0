//! Finds races: operations that touch the same bytes, at least one of them writing, must be ordered. The end of one comes before the start of the other.
//!
//! Checking every pair would take too long. Take the operations that touch one byte in traversal order: it is enough that each *writer* comes after the
//! writer before it, and each *reader* after the writer before and before the next writer. All other pairs follow, since order is transitive. A reader that
//! stands between two writers in the traversal and is not ordered with one of them is a race. Memories are swept from front to back, and an operation is
//! checked where one of its blocks begins.
//!
//! The question "does a's end come before b's start" is answered by a search backwards from b that leaves out all operations before a in the traversal. A
//! direct dependency, which is the usual case, is found at once. The step of the path that leaves a must be a `requires`. The others may be of either kind,
//! since an operation that waits for a start waits for everything that this start waits for.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::order::Order;
use crate::{Error, Graph, Moment, OpId, Result};

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
    let mut touching = Touching::default();
    let mut begun = Vec::new();
    let mut next = 0;
    while next < events.len() {
        let offset = events[next].at;
        while let Some(event) = events.get(next).filter(|event| event.at == offset) {
            touching.add(event);
            begun.extend(event.begins.then_some(event.position));
            next += 1;
        }
        // All other pairs were checked where the later of their blocks began.
        for position in begun.drain(..) {
            search.check_neighbours(&touching, position).map_err(|(first, second)| {
                let (first, second) = (first.index(), second.index());
                let end = events.get(next).map_or(offset, |event| event.at);
                Error::Race { first: first.min(second), second: first.max(second), memory, offset, end }
            })?;
        }
    }
    Ok(())
}

/// The operations that touch a byte, by their positions in the traversal order.
#[derive(Default)]
struct Touching {
    /// The numbers of blocks by which each operation reads and writes the byte: an operation may read what it writes, or read it through two blocks.
    counts: BTreeMap<u32, [u32; 2]>,
    writers: BTreeSet<u32>,
}

impl Touching {
    fn add(&mut self, event: &Event) {
        let counts = self.counts.entry(event.position).or_default();
        let count = &mut counts[usize::from(event.writes)];
        if event.begins {
            *count += 1;
        } else {
            *count -= 1;
        }
        if counts[1] > 0 {
            self.writers.insert(event.position);
        } else {
            self.writers.remove(&event.position);
        }
        if *counts == [0, 0] {
            self.counts.remove(&event.position);
        }
    }
}

struct Search<'a> {
    order: &'a Order,
    /// The number of the round in which each position was last seen.
    seen: Vec<u32>,
    round: u32,
    /// Pairs of positions that are known to be ordered.
    ordered: HashSet<(u32, u32)>,
}

impl Search<'_> {
    /// Checks `position` against its neighbours: the writer before it and the writer after it. If it writes, checks it also against the readers up to these
    /// writers, which are themselves ordered with the writers.
    fn check_neighbours(&mut self, touching: &Touching, position: u32) -> Result<(), (OpId, OpId)> {
        let writer_before = touching.writers.range(..position).next_back().copied();
        let writer_behind = touching.writers.range(position + 1..).next().copied();
        let (mut reader_before, mut reader_behind) = (false, false);
        if touching.writers.contains(&position) {
            for &reader in
                touching.counts.range(writer_before.map_or(0, |writer| writer + 1)..position).map(|(at, _)| at)
            {
                self.is_ordered(reader, position)?;
                reader_before = true;
            }
            for &reader in touching.counts.range(position + 1..writer_behind.unwrap_or(u32::MAX)).map(|(at, _)| at) {
                self.is_ordered(position, reader)?;
                reader_behind = true;
            }
        }
        if let Some(writer) = writer_before.filter(|_| !reader_before) {
            self.is_ordered(writer, position)?;
        }
        if let Some(writer) = writer_behind.filter(|_| !reader_behind) {
            self.is_ordered(position, writer)?;
        }
        Ok(())
    }

    fn is_ordered(&mut self, first: u32, second: u32) -> Result<(), (OpId, OpId)> {
        let [a, b] = [first, second].map(|position| self.order.sequence[position as usize]);
        // The shorter list, since one operation may wait for all others, or all others for it.
        let (before, behind) = (self.order.predecessors(b), self.order.dependents(a));
        let is_direct = match before.len() <= behind.len() {
            true => before.contains(&(a, Moment::End)),
            false => behind.contains(&(b, Moment::End)),
        };
        if is_direct || self.ordered.contains(&(first, second)) {
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
