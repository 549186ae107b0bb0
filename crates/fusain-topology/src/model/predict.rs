//! Predicts the time of a collective on given ranks, message by message.
//!
//! The rules are those of the modelled network of `fusain-comm` on its virtual clock (LogGP): a sender pays `o`, its link is busy for `max(g, k·G)`, the
//! message takes `L`, passes the receiver's link at the same pace, and the receiver pays `o`. So the prediction for given links is the time that the virtual
//! clock then shows.
//!
//! O(ranks · segments) for each question; a hierarchy remembers the answers. As on that clock, times saturate at the last one that a clock can show.

use fusain_comm::{LogGp, Shape};

use super::Costs;
use crate::Groups;

/// The kind of collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Messages go down from the root.
    Broadcast,
    /// Messages go up to the root.
    Reduce,
    /// Empty messages go up and down again; the flat barrier is a dissemination.
    Barrier,
}

/// The way of a collective of a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// Through the groups, level by level.
    Levels,
    /// All ranks in one tree.
    Flat,
}

/// A question to the model. Lengths are rounded up to powers of two, so that questions repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    operation: Operation,
    shape: Shape,
    bytes: usize,
    segment_bytes: usize,
    /// Whether the root is rank 0. The levels start at rank 0, so another root costs them a message.
    root_is_first: bool,
}

impl Question {
    pub(crate) fn new(operation: Operation, shape: Shape, bytes: usize, segment_bytes: usize, root: usize) -> Self {
        let round = |bytes: usize| bytes.checked_next_power_of_two().unwrap_or(usize::MAX);
        let bytes = round(bytes);
        let segment_bytes = round(segment_bytes).min(bytes);
        Self { operation, shape, bytes, segment_bytes, root_is_first: root == 0 }
    }

    /// The number of segments, and the length of each.
    fn segments(&self) -> (usize, usize) {
        (self.bytes.checked_div(self.segment_bytes).unwrap_or(1), self.segment_bytes)
    }
}

/// Chooses the levels if they are faster, otherwise flat.
pub(crate) fn choose(groups: &Groups, costs: &Costs, question: Question) -> Way {
    /// The maximum number of segments that are computed. The pace of a pipeline is usually constant after as many segments as it is deep; further segments are
    /// counted at the pace of the last one.
    const SEGMENTS_MAX: usize = 64;
    let (segments, bytes) = question.segments();
    let time = |way: Way| {
        let run = |segments: usize| Clocks::new(groups, costs).run(way, question, segments, bytes);
        if segments <= SEGMENTS_MAX {
            return run(segments);
        }
        let (some, one_less) = (run(SEGMENTS_MAX), run(SEGMENTS_MAX - 1));
        some.saturating_add(some.saturating_sub(one_less).saturating_mul((segments - SEGMENTS_MAX) as u64))
    };
    let moved = if question.root_is_first { 0 } else { LogGp::cost(groups.link_of_all(costs), question.bytes) };
    if time(Way::Levels).saturating_add(moved) < time(Way::Flat) { Way::Levels } else { Way::Flat }
}

trait Cost {
    fn cost(self, bytes: usize) -> u64;
}

impl Cost for LogGp {
    /// The time of one message, from the call of its sender to the return of its receiver.
    fn cost(self, bytes: usize) -> u64 {
        let overhead_ns = self.overhead_ns.saturating_mul(2);
        overhead_ns.saturating_add(self.latency_ns).saturating_add(self.occupancy_ns(bytes))
    }
}

/// The time of every rank, and when its links are free.
struct Clocks<'a> {
    groups: &'a Groups,
    costs: &'a Costs,
    ranks: Vec<Times>,
}

#[derive(Clone, Copy, Default)]
struct Times {
    now: u64,
    send_free: u64,
    receive_free: u64,
}

impl<'a> Clocks<'a> {
    fn new(groups: &'a Groups, costs: &'a Costs) -> Self {
        Self { groups, costs, ranks: vec![Times::default(); groups.ranks()] }
    }

    /// Runs the collective; returns the time of the last rank.
    fn run(mut self, way: Way, question: Question, segments: usize, bytes: usize) -> u64 {
        let tree = |clocks: &mut Self, ranks: &[usize], up: bool| {
            clocks.tree(ranks, question.shape, segments, bytes, up);
        };
        let all: Vec<usize> = (0..self.groups.ranks()).collect();
        match (way, question.operation) {
            (Way::Flat, Operation::Barrier) => self.dissemination(),
            (Way::Flat, operation) => tree(&mut self, &all, operation == Operation::Reduce),
            (Way::Levels, operation) => {
                let communicators: Vec<Vec<usize>> = self.groups.iter().map(|group| communicator(&group)).collect();
                if operation != Operation::Broadcast {
                    communicators.iter().rev().for_each(|ranks| tree(&mut self, ranks, true));
                }
                if operation != Operation::Reduce {
                    communicators.iter().for_each(|ranks| tree(&mut self, ranks, false));
                }
            }
        }
        self.ranks.iter().map(|times| times.now).max().unwrap_or(0)
    }

    /// Runs a tree, segment after segment: parents before children, or the reverse if `up`. In all shapes children have higher numbers than their parents.
    fn tree(&mut self, ranks: &[usize], shape: Shape, segments: usize, bytes: usize, up: bool) {
        let size = ranks.len();
        let children: Vec<Vec<usize>> = (0..size).map(|node| shape.children(node, size)).collect();
        let parents: Vec<Option<usize>> = (0..size).map(|node| shape.parent(node, size)).collect();
        let mut arrivals = vec![0; size];
        for _ in 0..segments {
            if up {
                for node in (0..size).rev() {
                    for &child in &children[node] {
                        self.receive(ranks[child], ranks[node], bytes, arrivals[child]);
                    }
                    if let Some(parent) = parents[node] {
                        arrivals[node] = self.send(ranks[node], ranks[parent], bytes);
                    }
                }
            } else {
                for node in 0..size {
                    if let Some(parent) = parents[node] {
                        self.receive(ranks[parent], ranks[node], bytes, arrivals[node]);
                    }
                    for &child in children[node].iter().rev() {
                        arrivals[child] = self.send(ranks[node], ranks[child], bytes);
                    }
                }
            }
        }
    }

    fn dissemination(&mut self) {
        let size = self.ranks.len();
        let mut distance = 1;
        while distance < size {
            let arrivals: Vec<u64> = (0..size).map(|rank| self.send(rank, (rank + distance) % size, 0)).collect();
            for rank in 0..size {
                let from = (rank + size - distance) % size;
                self.receive(from, rank, 0, arrivals[from]);
            }
            distance *= 2;
        }
    }

    fn link(&self, from: usize, to: usize) -> LogGp {
        self.groups.link(self.costs, from, to)
    }

    /// Sends a message; returns when it arrives.
    fn send(&mut self, from: usize, to: usize, bytes: usize) -> u64 {
        let link = self.link(from, to);
        let own = &mut self.ranks[from];
        own.now = own.now.saturating_add(link.overhead_ns);
        let start = own.now.max(own.send_free);
        own.send_free = start.saturating_add(link.occupancy_ns(bytes));
        own.send_free.saturating_add(link.latency_ns)
    }

    fn receive(&mut self, from: usize, to: usize, bytes: usize, arrival: u64) {
        let link = self.link(from, to);
        let own = &mut self.ranks[to];
        own.receive_free = arrival.max(own.receive_free.saturating_add(link.occupancy_ns(bytes)));
        own.now = own.now.max(own.receive_free).saturating_add(link.overhead_ns);
    }
}

/// The ranks that communicate in a group on the way: its leaders, or all ranks at the bottom.
fn communicator(group: &crate::Group<'_>) -> Vec<usize> {
    if group.children().is_empty() { group.ranks() } else { group.leaders() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Host, Kind, Machine, Place};

    /// Latencies between rank 0 and the others, with one rank on each core. Only the given kinds have links.
    fn latencies(machine: &str, links: &[(Kind, u64)]) -> Vec<u64> {
        let (machine, host) = (Machine::synthetic(machine).unwrap(), Host::new("host"));
        let place = |core: &&crate::Object| Place::bound(&host, &machine, &core.cpuset).unwrap();
        let groups = Groups::build(&machine.objects(Kind::Core).iter().map(place).collect::<Vec<_>>()).unwrap();
        let costs = Costs::new(links.iter().map(|&(kind, latency)| (kind, LogGp::hockney(latency, 0.0))));
        let clocks = Clocks::new(&groups, &costs);
        (1..groups.ranks()).map(|rank| clocks.link(0, rank).latency_ns).collect()
    }

    #[test]
    fn links_follow_the_tree_and_not_the_list_of_kinds() {
        let nodes = [(Kind::Machine, 9), (Kind::NumaNode, 5)];
        assert_eq!(latencies("Package:2 NUMANode:2 Core:2", &nodes), [5, 9, 9, 9, 9, 9, 9]);
        assert_eq!(latencies("NUMANode:2 Package:2 Core:2", &nodes), [5, 5, 5, 9, 9, 9, 9], "a package in a node");
        let packages = [(Kind::Machine, 9), (Kind::Package, 3)];
        assert_eq!(
            latencies("NUMANode:2 Package:2 Core:2", &packages),
            [3, 9, 9, 9, 9, 9, 9],
            "one node, two packages"
        );
        let both = [(Kind::Machine, 9), (Kind::NumaNode, 5), (Kind::Package, 3)];
        assert_eq!(latencies("NUMANode:2 Package:2 L3:1 Core:2", &both), [3, 5, 5, 9, 9, 9, 9]);
    }

    #[test]
    fn a_kind_that_a_machine_does_not_have_is_where_the_list_has_it() {
        assert_eq!(latencies("Package:1 L3:2 Core:2", &[(Kind::Machine, 9), (Kind::NumaNode, 5)]), [5, 9, 9]);
        assert_eq!(latencies("Package:1 L3:2 Core:2", &[(Kind::L2Cache, 2)]), [2, 2, 2], "the only one");
        assert_eq!(latencies("Package:2 Core:2", &[(Kind::Cluster, 9), (Kind::Group, 4)]), [4, 9, 9]);
    }
}
