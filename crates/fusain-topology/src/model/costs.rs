//! The costs of links, by what two ranks share.

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
    /// The links, from the largest kind to the smallest.
    links: Vec<(Kind, LogGp)>,
}

impl Costs {
    /// Makes costs from the links for some kinds. Any other kind has the link of the next larger kind that is given, or, if there is none, of the largest.
    ///
    /// # Panics
    /// If no link is given.
    pub fn new(links: impl IntoIterator<Item = (Kind, LogGp)>) -> Self {
        let mut links: Vec<_> = links.into_iter().collect();
        assert!(!links.is_empty(), "at least one kind has a link");
        links.sort_by_key(|(kind, _)| size_order(*kind));
        Self { links }
    }

    /// The link between two ranks that share at least an object of kind `shared`. Kinds are taken to be nested in the order of [`Kind`].
    ///
    /// A hierarchy knows the actual nesting: a package may also lie in a NUMA node.
    pub fn link(&self, shared: Kind) -> LogGp {
        self.links[self.up_to(shared).saturating_sub(1)].1
    }

    /// The link between ranks in these objects, from the largest to the lowest. `has` says whether a kind is on the way to any of the ranks.
    ///
    /// The lowest object with a link decides. A kind that is on none of the ranks' ways has its place in the order of kinds: ranks that share a cache have the
    /// link of a NUMA node, on a machine without known NUMA nodes. A kind that is on a way has its place there.
    pub(crate) fn link_within(
        &self,
        shared: impl DoubleEndedIterator<Item = Kind>,
        has: impl Fn(Kind) -> bool,
    ) -> LogGp {
        let mut shared = shared.rev().peekable();
        while let Some(kind) = shared.next() {
            let links = &self.links[..self.up_to(kind)];
            let own = links.last().filter(|link| link.0 == kind);
            // Otherwise a link whose place is between this object and the one around it.
            let around = shared.peek().map_or(0, |around| self.up_to(*around));
            let between = || links.get(around..)?.iter().rev().find(|link| !has(link.0));
            if let Some(link) = own.or_else(between) {
                return link.1;
            }
        }
        self.links[0].1
    }

    /// The number of links for this kind and for larger ones.
    fn up_to(&self, kind: Kind) -> usize {
        self.links.partition_point(|(other, _)| size_order(*other) <= size_order(kind))
    }
}

/// The key that orders larger objects first. (The higher of two switches comes first; in `Kind`'s own order the lower one does.)
fn size_order(kind: Kind) -> (Kind, u32) {
    match kind {
        Kind::Switch(height) => (Kind::Switch(0), u32::MAX - height),
        other => (other, 0),
    }
}

/// The default: a cluster of machines with two packages each.
///
/// The values are for one direction of one message. `L` is the latency without the `o` of both sides.
///
/// | two ranks share | latency | o | ns per byte | source |
/// |---|---|---|---|---|
/// | a network | 1,260 ns | 300 | 0.25 | latency of 8 bytes in the benchmark chapter of QLogic's InfiniPath user guide (IB6054601); 4x QDR carries 32 Gbit/s; 30 million messages a second and node (insideHPC, 2010-05) |
/// | a machine | 566 ns | 150 | 0.10 | four line transfers of 104 ns between packages (Molka, Hackenberg, Schöne, Nagel, ICPP 2015, on Haswell-EP) and 150 ns of software; QPI at 9.6 GT/s carries 19.2 GB/s, and a message is copied in and out |
/// | a NUMA node or cache | 350 ns | 150 | 0.08 | the same with 50 ns a line inside a package |
///
/// The times of the line transfers are quoted from memory of that paper and were not checked against it, and the 150 ns of software are an estimate. They only
/// decide between two ways that are both correct and use the same links.
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
