//! Numbers the operations of a schedule for a run: strand by strand (see the [module](super)).
//!
//! Dependencies lead forward, so a pass from front to back reaches an operation after everything that it waits for. O(n + e log n), with
//! three words for each operation besides the result.

use super::counters::{COUNT, FOLLOWS, IS_MESSAGE};
use crate::binary::{DEPENDENCIES, Header, ON_END, ON_START, Record};
use crate::{Error, Result};

/// The words of a schedule with operations numbered, and the vectors that belong to them.
pub(super) struct Numbered {
    pub(super) words: Vec<u32>,
    /// The place of each operation's record, by number.
    pub(super) places: Vec<u32>,
    /// The counter of each operation, by number.
    pub(super) counters: Vec<u32>,
    /// The operations that wait for nothing.
    pub(super) independent: Vec<u32>,
    pub(super) strands: usize,
}

/// The operation waits for nothing, as far as is known.
const NOTHING: u32 = u32::MAX;
/// The operation waits for a message, or for several strands.
const SEVERAL: u32 = u32::MAX - 1;

impl Numbered {
    /// Numbers the operations of a valid schedule.
    pub(super) fn new(schedule: &[u32], header: &Header) -> Result<Self> {
        let in_traversal = positions(schedule, header);
        let mut words = schedule.to_vec();
        for &at in &in_traversal {
            let record = Record::at(&words, at as usize);
            for place in &mut words[record.dependents(at as usize)] {
                *place = in_traversal.binary_search(place).expect("a valid schedule's places are operations") as u32;
            }
        }
        let strands = strands(&words, &in_traversal);
        let numbers = numbers(&strands);
        let mut numbered = Self {
            words,
            places: vec![0; strands.len()],
            counters: vec![0; strands.len()],
            independent: Vec::new(),
            strands: 0,
        };
        // Dependencies lead forward, so those within a strand have been left out when an operation's dependencies are counted.
        for (index, &at) in in_traversal.iter().enumerate() {
            numbered.leave_out_inner(at as usize, index, (&strands, &numbers), &in_traversal);
            numbered.count(at, numbers[index], strands[index] == index as u32)?;
        }
        Ok(numbered)
    }

    /// Leaves out the dependencies within a strand; the others give numbers instead of positions from now on.
    fn leave_out_inner(&mut self, at: usize, index: usize, (strands, numbers): (&[u32], &[u32]), in_traversal: &[u32]) {
        let record = Record::at(&self.words, at);
        let (mut from, mut kept) = (record.dependents(at).start, record.dependents(at).start);
        for (word, count) in [(ON_END, record.on_end), (ON_START, record.on_start)] {
            let begin = kept;
            for _ in 0..count {
                let waiting = self.words[from] as usize;
                if strands[waiting] == strands[index] {
                    self.words[in_traversal[waiting] as usize + DEPENDENCIES] -= 1;
                } else {
                    self.words[kept] = numbers[waiting];
                    kept += 1;
                }
                from += 1;
            }
            self.words[at + word] = (kept - begin) as u32;
        }
    }

    fn count(&mut self, at: u32, number: u32, is_first: bool) -> Result<()> {
        let record = Record::at(&self.words, at as usize);
        if record.dependencies > COUNT {
            let what = format!("operation {} waits for {} others, at most {COUNT}", record.number, record.dependencies);
            return Err(Error::TooLarge { what });
        }
        let flags = [(record.is_message(), IS_MESSAGE), (!is_first, FOLLOWS)];
        let flags: u32 = flags.into_iter().filter(|(is, _)| *is).map(|(_, flag)| flag).sum();
        self.places[number as usize] = at;
        self.counters[number as usize] = record.dependencies | flags;
        if is_first && record.dependencies == 0 {
            self.independent.push(number);
        }
        self.strands += usize::from(is_first && !record.is_message());
        Ok(())
    }
}

/// The place of each operation, in traversal order.
fn positions(words: &[u32], header: &Header) -> Vec<u32> {
    let mut at = header.first_operation();
    let next = |_| {
        let here = at;
        at += Record::at(words, at).words();
        here as u32
    };
    (0..header.operations).map(next).collect()
}

/// For each operation the first one of its strand, both as positions in traversal order. A message is a strand by itself.
fn strands(words: &[u32], in_traversal: &[u32]) -> Vec<u32> {
    // Each entry first holds the strand that the operation waits for, then its own strand.
    let mut strands = vec![NOTHING; in_traversal.len()];
    let mut independent = NOTHING;
    for (index, &at) in in_traversal.iter().enumerate() {
        let record = Record::at(words, at as usize);
        let own = match strands[index] {
            _ if record.is_message() => index as u32,
            NOTHING if independent == NOTHING => {
                independent = index as u32;
                independent
            }
            NOTHING => independent,
            SEVERAL => index as u32,
            one => one,
        };
        strands[index] = own;
        for &waiting in &words[record.dependents(at as usize)] {
            let waits_for = &mut strands[waiting as usize];
            *waits_for = if !record.is_message() && [NOTHING, own].contains(waits_for) { own } else { SEVERAL };
        }
    }
    strands
}

/// The number of each operation: strands in the order of their first operations, each strand in traversal order.
fn numbers(strands: &[u32]) -> Vec<u32> {
    let mut next = vec![0; strands.len()];
    for &strand in strands {
        next[strand as usize] += 1;
    }
    let mut sum = 0;
    for next in &mut next {
        sum += std::mem::replace(next, sum);
    }
    let number = |&strand: &u32| {
        let next = &mut next[strand as usize];
        *next += 1;
        *next - 1
    };
    strands.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::HEADER_WORDS;
    use crate::{Action, Graph, OpId};

    /// The counters in graph order, and the strand of each.
    fn numbered(graph: &Graph) -> Vec<(u32, u32)> {
        let schedule = graph.compile().unwrap();
        let numbered = Numbered::new(schedule.words(), &schedule.header()).unwrap();
        let mut strand = 0;
        let mut all: Vec<_> = numbered
            .places
            .iter()
            .zip(&numbered.counters)
            .enumerate()
            .map(|(number, (&at, &counter))| {
                if counter & FOLLOWS == 0 {
                    strand = number as u32;
                }
                (Record::at(&numbered.words, at as usize).number, counter & COUNT, strand)
            })
            .collect();
        all.sort_unstable();
        assert!(schedule.words().len() > HEADER_WORDS);
        all.into_iter().map(|(_, count, strand)| (count, strand)).collect()
    }

    fn calc(graph: &mut Graph, after: &[OpId]) -> OpId {
        let id = graph.add(Action::Calc { duration_ns: 0 }, &[], &[]);
        after.iter().for_each(|&before| graph.requires(id, before));
        id
    }

    #[test]
    fn a_strand_counts_only_what_comes_from_outside() {
        let mut graph = Graph::new(0, 2);
        let receive = graph.add(Action::Recv { from: 1, tag: 0 }, &[], &[]);
        let a = calc(&mut graph, &[]);
        let b = calc(&mut graph, &[a, a]);
        let c = calc(&mut graph, &[receive]);
        let d = calc(&mut graph, &[c]);
        let e = calc(&mut graph, &[b, d]);
        let f = calc(&mut graph, &[e]);
        graph.irequires(f, e);
        let send = graph.add(Action::Send { to: 1, tag: 0 }, &[], &[]);
        graph.requires(send, d);
        graph.requires(send, f);
        let found = numbered(&graph);
        let counts: Vec<_> = found.iter().map(|(count, _)| *count).collect();
        assert_eq!(counts, [0, 0, 0, 1, 0, 2, 0, 2]);
        let same = |x: OpId, y: OpId| found[x.index()].1 == found[y.index()].1;
        assert!(same(a, b) && same(c, d) && same(e, f));
        assert!(!same(a, c) && !same(a, e) && !same(c, e) && !same(receive, c) && !same(send, f));
    }

    #[test]
    fn a_local_graph_is_one_strand() {
        let mut graph = Graph::new(0, 1);
        let mut random = 7_u64;
        let mut all: Vec<OpId> = Vec::new();
        for _ in 0..200 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let before: Vec<_> = all.iter().copied().skip((random >> 33 & 63) as usize).step_by(17).collect();
            all.push(calc(&mut graph, &before));
        }
        assert_eq!(numbered(&graph), vec![(0, 0); 200]);
    }
}
