//! The machine: the costs of its operations, and the fat tree that connects its ranks.

use std::fmt;

use fusain::cluster::Level;

/// The costs of one rank in nanoseconds; the options of the program name their sources.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// Workers of a rank.
    pub(super) workers: u32,
    /// The number of lanes in which the workers of a rank are modelled; each lane is as fast as its share of the workers.
    pub(super) lanes: u32,
    /// A node of the tree, on one worker.
    pub(super) node: f64,
    /// The time between two polls of a worker.
    pub(super) unit: f64,
    /// The time from when a worker runs out of work to its next unit, within a rank.
    pub(super) steal: f64,
    /// The time that the sending or receiving thread spends on a message.
    pub(super) message: f64,
    /// The time between two checks of a worker for messages.
    pub(super) look: f64,
    /// The time from the arrival of a task to its first unit, or of a result to its merge: a sleeping thread is woken.
    pub(super) wake: f64,
    /// The longest nap of a thread that waits for work, between two checks for messages.
    pub(super) ceiling: f64,
    /// For each level, the number of ranks below a switch, and the latency of a message between two of them.
    pub(super) switches: Vec<(u32, f64)>,
    /// The latency across the whole tree.
    pub(super) above: f64,
}

impl Machine {
    /// The latency of a message.
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

    /// The nanoseconds that a lane needs for a node.
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
