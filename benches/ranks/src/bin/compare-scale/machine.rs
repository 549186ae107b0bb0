//! The machine: what things cost, and the fat tree that its ranks are connected by.

use std::fmt;

use fusain::cluster::Level;

/// Costs in nanoseconds, of one rank; see the options of the program for where they come from.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// Workers of a rank.
    pub(super) workers: u32,
    /// In so many lanes the workers of a rank are modelled; each is as fast as its share of them.
    pub(super) lanes: u32,
    /// A node of the tree, on one worker.
    pub(super) node: f64,
    /// Between two polls of a worker.
    pub(super) unit: f64,
    /// From a worker that runs dry to its next unit, within a rank.
    pub(super) steal: f64,
    /// What a message takes of the thread that sends or receives it.
    pub(super) message: f64,
    /// Between two looks of a worker for messages.
    pub(super) look: f64,
    /// From a task that has come to the first unit of it, or to a result merged: a thread that sleeps is woken.
    pub(super) wake: f64,
    /// The longest nap between two looks for messages of a thread that waits for work.
    pub(super) ceiling: f64,
    /// Ranks below a switch of each level, and how long a message is under way between two of them.
    pub(super) switches: Vec<(u32, f64)>,
    /// Of the whole tree.
    pub(super) above: f64,
}

impl Machine {
    /// How long a message is under way.
    pub(super) fn latency(&self, from: u32, to: u32) -> f64 {
        let switch = self.switches.iter().find(|(below, _)| from / below == to / below);
        switch.map_or(self.above, |(_, latency)| *latency)
    }

    /// The ranks near `rank`, the nearest first.
    pub(super) fn levels(&self, rank: u32) -> Vec<Level> {
        let mut inner = rank as usize..rank as usize + 1;
        let level = |(below, _): &(u32, f64)| {
            let begin = (rank / below * below) as usize;
            let outer = begin..begin + *below as usize;
            let runs = [outer.start..inner.start, inner.end..outer.end];
            inner = outer;
            runs.into_iter().collect()
        };
        self.switches.iter().map(level).collect()
    }

    /// Nanoseconds of a lane for a node.
    pub(super) fn lane_node(&self) -> f64 {
        self.node * f64::from(self.lanes) / f64::from(self.workers)
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} workers a rank; a node {:.0} ns, a unit {:.1} us, a steal within a rank {:.2} us, a message {:.2} us of a thread at either end, \
             waking the thread that it is for {:.1} us; on its way",
            self.workers,
            self.node,
            self.unit / 1e3,
            self.steal / 1e3,
            self.message / 1e3,
            self.wake / 1e3,
        )?;
        for (below, latency) in &self.switches {
            write!(f, " {:.1} us below a switch of {below},", latency / 1e3)?;
        }
        write!(f, " else {:.1} us", self.above / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_of_the_switches() {
        let machine = Machine {
            workers: 1,
            lanes: 1,
            node: 1.0,
            unit: 1.0,
            steal: 1.0,
            message: 1.0,
            look: 1.0,
            wake: 1.0,
            ceiling: 1.0,
            switches: vec![(4, 10.0), (16, 20.0)],
            above: 30.0,
        };
        assert_eq!([1, 6, 17].map(|to| machine.latency(2, to)), [10.0, 20.0, 30.0]);
        let levels = machine.levels(6);
        assert_eq!(levels, [[4..6, 7..8].into_iter().collect::<Level>(), [0..4, 8..16].into_iter().collect()]);
    }
}
