//! The machines of RR-9077, Table 1, as trees with links.
//!
//! The table shows one direction of a message between two ranks, by the smallest part of the machine that they share. `o` is the software overhead of each of
//! the two ranks; `L` is the remaining latency.
//!
//! | link | latency | o | ns a byte | from |
//! |---|---|---|---|---|
//! | InfiniBand QDR (TrueScale), one switch | 1,260 ns | 300 | 0.25 | 8 bytes in the benchmark chapter of QLogic's InfiniPath user guide (IB6054601); 4x QDR carries 32 Gbit/s; 30 million messages a second and node (insideHPC, 2010-05) |
//! | the same, three switches | 1,540 ns | 300 | 0.25 | two hops more of about 140 ns |
//! | NUMAlink 6 (SGI UV 2000) | 1,000 ns | 150 | 0.15 | SGI's table of MPI latencies for NUMAlink; EuroBen's overview of 2013: 6.7 GB/s a direction |
//! | NUMAlink 5 (SGI UV 100) | 1,000 ns | 150 | 0.30 | the same overview: half of that |
//! | QPI, two packages | 566 ns | 150 | 0.10 | four line transfers of 104 ns and 150 ns of software (Molka, Hackenberg, Schöne, Nagel, ICPP 2015, for Haswell-EP); 19.2 GB/s, copied in and out |
//! | two NUMA nodes of a package | 390 ns | 150 | 0.09 | the same with 60 ns a line |
//! | one NUMA node | 350 ns | 150 | 0.08 | the same with 50 ns a line |
//!
//! The line transfers are quoted from memory of that paper and not checked against it; 140 ns for each hop and 150 ns of software are estimates. The results
//! depend little on them: with all three links inside a host a quarter shorter, or up to twice as long, the mean gains change by less than a tenth, and no row
//! falls below 1.

use std::sync::Arc;

use clap::ValueEnum;
use fusain::comm::{Clock, LogGp, Network};
use fusain::topology::model::Costs;
use fusain::topology::{Host, Kind, Machine, Place};

/// How ranks lie on a machine.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Placement {
    /// Dealt out over the largest parts, one by one (`mpirun --map-by node`).
    Cyclic,
    /// Host after host, and on each dealt out over the NUMA nodes (what Open MPI 2 does if it is told nothing).
    Socket,
    /// In the order of the cores.
    Block,
}

/// A machine, and the largest gains that the report states for it.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    /// The number of hosts behind each switch; a single switch is left out of the tree.
    hosts: &'static [usize],
    /// The levels inside a host, from the top: kind, number in each part of the kind above, and the link between two of them.
    inside: &'static [(Kind, usize, LogGp)],
    /// The report's largest gains for broadcast, reduction and SUMMA.
    pub(crate) paper: Option<[f64; 3]>,
    /// Rows and columns of SUMMA's grid.
    pub(crate) grid: (usize, usize),
}

const fn link(whole: u64, overhead_ns: u64, gap_per_byte_ns: f64) -> LogGp {
    LogGp { latency_ns: whole - 2 * overhead_ns, overhead_ns, gap_ns: 0, gap_per_byte_ns }
}

const BETWEEN_SWITCHES: LogGp = link(1_540, 300, 0.25);
const BETWEEN_HOSTS: LogGp = link(1_260, 300, 0.25);
const NUMALINK_6: LogGp = link(1_000, 150, 0.15);
const NUMALINK_5: LogGp = link(1_000, 150, 0.30);
const QPI: LogGp = link(566, 150, 0.10);
const IN_PACKAGE: LogGp = link(390, 150, 0.09);
const IN_NODE: LogGp = link(350, 150, 0.08);

/// Two packages of two NUMA nodes of six cores.
const E5_2680_V3: &[(Kind, usize, LogGp)] =
    &[(Kind::Package, 2, QPI), (Kind::NumaNode, 2, IN_PACKAGE), (Kind::Core, 6, IN_NODE)];

pub(crate) const NTW10E5: Model =
    Model { name: "NTW10E5", hosts: &[10], inside: E5_2680_V3, paper: Some([21.0, 39.0, 12.0]), grid: (15, 16) };

pub(crate) const SMP20E7: Model = Model {
    name: "SMP20E7",
    hosts: &[1],
    inside: &[(Kind::Group, 10, NUMALINK_5), (Kind::NumaNode, 2, QPI), (Kind::Core, 8, IN_NODE)],
    paper: Some([11.0, 11.0, 5.0]),
    grid: (10, 16),
};

pub(crate) const SMP12E5: Model = Model {
    name: "SMP12E5",
    hosts: &[1],
    inside: &[(Kind::Group, 6, NUMALINK_6), (Kind::NumaNode, 2, QPI), (Kind::Core, 8, IN_NODE)],
    paper: Some([22.0, 8.0, 6.0]),
    grid: (8, 12),
};

/// Section 7.4 states the number of hosts behind each of the four switches.
pub(crate) const NTW24E5: Model =
    Model { name: "NTW24E5", hosts: &[12, 6, 4, 2], inside: E5_2680_V3, paper: None, grid: (24, 24) };

impl Model {
    fn cores(&self) -> usize {
        self.inside.iter().map(|level| level.1).product()
    }

    pub(crate) fn ranks(&self) -> usize {
        self.hosts.iter().sum::<usize>() * self.cores()
    }

    /// The host and core of each rank.
    fn positions(&self, placement: Placement) -> Vec<(usize, usize)> {
        let (hosts, cores) = (self.hosts.iter().sum::<usize>(), self.cores());
        // Cores are distributed round-robin over the parts of the first level. For sockets, over the NUMA nodes instead: all levels but the last.
        let dealt = |parts: usize| (0..cores).map(move |at| at % parts * (cores / parts) + at / parts);
        let numa_nodes = cores / self.inside[self.inside.len() - 1].1;
        match placement {
            Placement::Block => (0..hosts * cores).map(|rank| (rank / cores, rank % cores)).collect(),
            Placement::Socket => (0..hosts).flat_map(|host| dealt(numa_nodes).map(move |core| (host, core))).collect(),
            // The hosts take turns, each with its next core; inside a host, all levels are distributed round-robin.
            Placement::Cyclic => {
                let order: Vec<usize> = (0..cores).map(|at| self.mirrored(at)).collect();
                order.iter().flat_map(|&core| (0..hosts).map(move |host| (host, core))).collect()
            }
        }
    }

    /// The core whose part on each level is the next digit of `at`, the largest parts first.
    fn mirrored(&self, at: usize) -> usize {
        let mut rest = at;
        let digits: Vec<usize> = self
            .inside
            .iter()
            .map(|level| {
                let digit = rest % level.1;
                rest /= level.1;
                digit
            })
            .collect();
        self.inside.iter().zip(digits).fold(0, |core, (level, digit)| core * level.1 + digit)
    }

    fn switch_of(&self, host: usize) -> usize {
        let ends = self.hosts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        ends.take_while(|&end| end <= host).count()
    }

    /// The place of each rank.
    pub(crate) fn places(&self, placement: Placement) -> Vec<Place> {
        let description: Vec<String> = self.inside.iter().map(|level| format!("{}:{}", level.0, level.1)).collect();
        let machine = Machine::synthetic(&description.join(" ")).expect("the model's kinds are inside kinds");
        let host = |host: usize| {
            let switches =
                if self.hosts.len() > 1 { vec![format!("switch{}", self.switch_of(host))] } else { Vec::new() };
            Host::behind(format!("node{host}"), switches)
        };
        let hosts: Vec<Arc<Host>> = (0..self.hosts.iter().sum()).map(host).collect();
        let place = |(host, core): (usize, usize)| {
            let binding = machine.nth(Kind::Core, core).expect("as many cores as ranks");
            Place::bound(&hosts[host], &machine, binding).expect("cores are of the machine")
        };
        self.positions(placement).into_iter().map(place).collect()
    }

    /// The links, by the smallest part that two ranks share.
    pub(crate) fn costs(&self) -> Costs {
        let network = [(Kind::Cluster, BETWEEN_SWITCHES), (Kind::Switch(0), BETWEEN_HOSTS)];
        let network = if self.hosts.len() > 1 { network.to_vec() } else { vec![(Kind::Cluster, BETWEEN_HOSTS)] };
        // Two ranks whose smallest common part is of one kind are separated on the next level.
        let around = [Kind::Machine].into_iter().chain(self.inside.iter().map(|level| level.0));
        Costs::new(network.into_iter().chain(around.zip(self.inside.iter().map(|level| level.2))))
    }

    /// The host of each rank.
    pub(crate) fn host_of(&self, placement: Placement) -> Vec<usize> {
        self.positions(placement).into_iter().map(|(host, _)| host).collect()
    }

    /// The same links by rank number, computed from the positions instead of the groups.
    pub(crate) fn links(&self, placement: Placement) -> impl Fn(usize, usize) -> LogGp + Send + Sync + 'static {
        let positions = self.positions(placement);
        let switches: Vec<usize> = positions.iter().map(|(host, _)| self.switch_of(*host)).collect();
        let inside = self.inside;
        move |a: usize, b: usize| {
            let ((host_a, core_a), (host_b, core_b)) = (positions[a], positions[b]);
            if switches[a] != switches[b] {
                return BETWEEN_SWITCHES;
            }
            if host_a != host_b {
                return BETWEEN_HOSTS;
            }
            let mut below = inside.iter().map(|level| level.1).product::<usize>();
            for &(_, count, link) in inside {
                below /= count;
                if core_a / below != core_b / below {
                    return link;
                }
            }
            LogGp::default()
        }
    }

    /// The same links for the in-process world.
    pub(crate) fn network(&self, placement: Placement) -> Network {
        Network::with(self.links(placement)).clock(Clock::Virtual)
    }
}
