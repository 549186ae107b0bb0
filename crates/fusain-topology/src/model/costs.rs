//! Links by what two ranks share.

use fusain_comm::LogGp;

use crate::Kind;

/// The link between two ranks, by the lowest object that they share.
///
/// ```
/// use fusain_comm::LogGp;
/// use fusain_topology::{Kind, model::Costs};
/// let costs = Costs::new([(Kind::Cluster, LogGp::hockney(1_500, 0.3)), (Kind::Package, LogGp::hockney(200, 0.1))]);
/// assert_eq!(costs.link(Kind::Machine).latency_ns, 1_500, "as what is around it");
/// assert_eq!(costs.link(Kind::L2Cache).latency_ns, 200);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// From what holds most to what holds least.
    links: Vec<(Kind, LogGp)>,
}

impl Costs {
    /// Links for some kinds. A kind that is not there has the link of the next larger one that is; what is larger than all has the largest one's.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(links: impl IntoIterator<Item = (Kind, LogGp)>) -> Self {
        let mut links: Vec<_> = links.into_iter().collect();
        assert!(!links.is_empty(), "at least one kind has a link");
        links.sort_by_key(|(kind, _)| size_order(*kind));
        Self { links }
    }

    /// The link between two ranks that share no less than `shared`.
    pub fn link(&self, shared: Kind) -> LogGp {
        let larger = self.links.partition_point(|(kind, _)| size_order(*kind) <= size_order(shared));
        self.links[larger.saturating_sub(1)].1
    }
}

/// Larger objects first. (Of switches the higher one; `Kind`'s own order has the lower one first.)
fn size_order(kind: Kind) -> (Kind, u32) {
    match kind {
        Kind::Switch(height) => (Kind::Switch(0), u32::MAX - height),
        other => (other, 0),
    }
}

/// A cluster of two-package machines, as the defaults. One direction of one message; `L` is what is left of the latency without both sides' `o`.
///
/// | two ranks share | latency | o | ns a byte | source |
/// |---|---|---|---|---|
/// | a network | 1,260 ns | 300 | 0.25 | latency of 8 bytes in the benchmark chapter of QLogic's InfiniPath user guide (IB6054601); 4x QDR carries 32 Gbit/s; 30 million messages a second and node (insideHPC, 2010-05) |
/// | a machine | 566 ns | 150 | 0.10 | four line transfers of 104 ns between packages (Molka, Hackenberg, Schöne, Nagel, ICPP 2015, on Haswell-EP) and 150 ns of software; QPI at 9.6 GT/s carries 19.2 GB/s, and a message is copied in and out |
/// | a NUMA node or cache | 350 ns | 150 | 0.08 | the same with 50 ns a line inside a package |
///
/// The line transfers are quoted from memory of that paper and not checked against it, and the 150 ns of software are an estimate. They decide only between two
/// ways that are both right and made of the same links.
impl Default for Costs {
    fn default() -> Self {
        let link = |whole: u64, overhead_ns: u64, gap_per_byte_ns: f64| LogGp {
            latency_ns: whole - 2 * overhead_ns,
            overhead_ns,
            gap_ns: 0,
            gap_per_byte_ns,
        };
        Self::new([
            (Kind::Cluster, link(1_260, 300, 0.25)),
            (Kind::Machine, link(566, 150, 0.10)),
            (Kind::NumaNode, link(350, 150, 0.08)),
        ])
    }
}
