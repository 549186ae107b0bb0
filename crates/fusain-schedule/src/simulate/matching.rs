//! Matches messages with receives.
//!
//! Messages of one sender and tag are a *channel* of their receiver. A channel has either messages that wait for receives or receives that wait
//! for messages, never both: one list in order, threaded through the steps. The channels of a rank are those that its receives name, so the
//! table is laid out before the first event: a range of slots for each rank, open addressing, filled once, nothing ever deleted. Looking a
//! channel up takes O(1), however many messages wait. The slots of neighbouring ranks are neighbours in memory.
//!
//! A rank with a receive of any sender or any tag has separate queues instead ([`Wild`]).

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::hosts::NONE;
use super::node::Node;
use super::program::{ANY, Program, Step, Verb};

pub(super) struct Matching {
    slots: Vec<Slot>,
    /// Where each rank's slots begin, and the end. A rank with [`Wild`] queues has no slots.
    first: Vec<usize>,
    wild: BTreeMap<u32, Wild>,
    /// Messages that no receive of their destination could ever match.
    stray: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Slot {
    from: u32,
    tag: u32,
    /// The waiting receives or messages, of the kind of the first one; both [`NONE`] if nothing waits.
    first: u32,
    last: u32,
}

/// A slot that belongs to no channel, since no receive names this rank.
const FREE: Slot = Slot { from: ANY, tag: 0, first: NONE, last: NONE };

impl Matching {
    pub(super) fn new(program: &Program) -> Self {
        let mut matching = Self { slots: Vec::new(), first: vec![0], wild: BTreeMap::new(), stray: Vec::new() };
        for rank in 0..program.ranks() {
            let steps = program.of_rank(rank);
            let steps = &program.steps()[steps.start as usize..steps.end as usize];
            let receives = || steps.iter().filter(|step| step.verb == Verb::Recv);
            if receives().any(|step| step.peer == ANY || step.tag == ANY) {
                matching.wild.insert(rank, Wild::new(receives()));
                matching.first.push(matching.slots.len());
                continue;
            }
            let count = receives().count();
            // At most three quarters full, so that a search soon finds a free slot.
            let slots = if count == 0 { 0 } else { (count + count / 3 + 1).next_power_of_two() };
            let end = matching.slots.len() + slots;
            matching.slots.resize(end, FREE);
            matching.first.push(end);
            for step in receives() {
                let at = matching.search(rank, step.peer, step.tag).expect("there are more slots than receives");
                let slot = &mut matching.slots[at];
                (slot.from, slot.tag) = (step.peer, step.tag);
            }
        }
        matching
    }

    /// The channel's slot, or the free slot where it would be.
    #[inline]
    fn search(&self, rank: u32, from: u32, tag: u32) -> Option<usize> {
        let (begin, end) = (self.first[rank as usize], self.first[rank as usize + 1]);
        if begin == end {
            return None;
        }
        let mask = end - begin - 1;
        let mut at = hash(from, tag) & mask;
        loop {
            let slot = &self.slots[begin + at];
            if slot.from == ANY || (slot.from, slot.tag) == (from, tag) {
                return Some(begin + at);
            }
            at = (at + 1) & mask;
        }
    }

    /// Posts a receive: returns the step of the oldest message for it. If there is none, the receive waits.
    #[inline]
    pub(super) fn receive(&mut self, nodes: &mut [Node], receive: u32) -> Option<u32> {
        let Node { rank, peer, tag, .. } = nodes[receive as usize];
        match self.search(rank, peer, tag) {
            Some(at) => self.slots[at].meet(nodes, receive, Verb::Send),
            None => self.wild.get_mut(&rank).and_then(|wild| wild.receive(nodes, receive, (peer, tag))),
        }
    }

    /// A message arrives, named by the step that sent it: returns the oldest receive for it. If there is none, the message waits.
    #[inline]
    pub(super) fn message(&mut self, nodes: &mut [Node], message: u32) -> Option<u32> {
        let Node { rank: from, peer: rank, tag, .. } = nodes[message as usize];
        if let Some(at) = self.search(rank, from, tag).filter(|&at| self.slots[at].from != ANY) {
            return self.slots[at].meet(nodes, message, Verb::Recv);
        }
        if let Some(wild) = self.wild.get_mut(&rank) {
            return wild.message(nodes, message, (from, tag));
        }
        self.stray.push(message);
        None
    }

    /// All messages and receives that still wait.
    pub(super) fn left(&self, nodes: &[Node]) -> Vec<u32> {
        let mut left = self.stray.clone();
        for slot in &self.slots {
            let mut at = slot.first;
            while at != NONE {
                left.push(at);
                at = nodes[at as usize].next;
            }
        }
        left.extend(self.wild.values().flat_map(|wild| wild.left(nodes)));
        left
    }
}

impl Slot {
    /// Takes the first step of the list if it is of the other kind; otherwise adds this step to the list.
    #[inline]
    fn meet(&mut self, nodes: &mut [Node], step: u32, other: Verb) -> Option<u32> {
        let first = self.first;
        if first != NONE && nodes[first as usize].verb == other {
            self.first = nodes[first as usize].next;
            return Some(first);
        }
        nodes[step as usize].next = NONE;
        match first {
            NONE => self.first = step,
            _ => nodes[self.last as usize].next = step,
        }
        self.last = step;
        None
    }
}

/// Fibonacci hashing: the bits in the middle of either product depend on all bits of its factor. (In a single product of both numbers they would
/// not depend on the higher bits of the upper one, and tags are often multiples of a power of two.)
#[inline]
fn hash(from: u32, tag: u32) -> usize {
    let middle = |number: u32, factor: u64| u64::from(number).wrapping_mul(factor) >> 32;
    (middle(from, 0x9E37_79B9_7F4A_7C15) + middle(tag, 0xD1B5_4A32_D192_ED03)) as usize
}

/// The queues of a rank with a receive of any sender or any tag: one for each pattern that its receives name.
///
/// A message joins the queues of all patterns that it fits, at most four, and is matched through one of them. In the other queues it is skipped
/// when it comes first. So each operation takes O(1) here, too.
struct Wild {
    patterns: HashMap<(u32, u32), Pattern>,
    /// Messages that fit none of the patterns.
    stray: Vec<u32>,
    /// The number of receives posted. It numbers them, since the oldest one gets a message.
    posted: u64,
}

#[derive(Default)]
struct Pattern {
    receives: VecDeque<(u64, u32)>,
    messages: VecDeque<u32>,
}

/// The `next` of a message that has been matched.
const MET: u32 = NONE - 1;

impl Wild {
    fn new<'a>(receives: impl Iterator<Item = &'a Step>) -> Self {
        let patterns = receives.map(|step| ((step.peer, step.tag), Pattern::default())).collect();
        Self { patterns, stray: Vec::new(), posted: 0 }
    }

    fn receive(&mut self, nodes: &mut [Node], receive: u32, pattern: (u32, u32)) -> Option<u32> {
        let pattern = self.patterns.entry(pattern).or_default();
        while let Some(message) = pattern.messages.pop_front() {
            if std::mem::replace(&mut nodes[message as usize].next, MET) != MET {
                return Some(message);
            }
        }
        pattern.receives.push_back((self.posted, receive));
        self.posted += 1;
        None
    }

    fn message(&mut self, nodes: &mut [Node], message: u32, (from, tag): (u32, u32)) -> Option<u32> {
        let fits = [(from, tag), (from, ANY), (ANY, tag), (ANY, ANY)];
        let oldest = fits.into_iter().filter_map(|fit| Some((self.patterns.get(&fit)?.receives.front()?.0, fit))).min();
        if let Some((_, fit)) = oldest {
            return self.patterns.get_mut(&fit)?.receives.pop_front().map(|(_, receive)| receive);
        }
        nodes[message as usize].next = NONE;
        let mut is_stray = true;
        for fit in fits {
            if let Some(pattern) = self.patterns.get_mut(&fit) {
                pattern.messages.push_back(message);
                is_stray = false;
            }
        }
        if is_stray {
            self.stray.push(message);
        }
        None
    }

    fn left(&self, nodes: &[Node]) -> Vec<u32> {
        let receives = self.patterns.values().flat_map(|pattern| pattern.receives.iter().map(|&(_, receive)| receive));
        let messages = self.patterns.values().flat_map(|pattern| pattern.messages.iter().copied());
        let mut left: Vec<_> =
            receives.chain(messages.filter(|&message| nodes[message as usize].next != MET)).collect();
        left.extend(&self.stray);
        left.sort_unstable();
        left.dedup();
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Senders and tags at any constant distance get almost only different slots.
    #[test]
    fn channels_are_spread_over_the_slots() {
        const CHANNELS: u32 = 1 << 12;
        const SLOTS: usize = 1 << 13;
        for bit in 0..=u32::BITS - CHANNELS.ilog2() {
            let fullest = |hash: fn(u32) -> usize| {
                let mut channels = [0; SLOTS];
                (0..CHANNELS).for_each(|number| channels[hash(number << bit) % SLOTS] += 1);
                channels.into_iter().max()
            };
            let both = [fullest(|from| hash(from, 7)), fullest(|tag| hash(3, tag))];
            assert!(both.iter().all(|&most| most <= Some(8)), "multiples of 2^{bit}: {both:?}");
        }
    }
}
