//! Which algorithm a collective uses for which size.

use super::{AllToAll, Allgather, Allreduce, ReduceScatter, Shape, Tree};

/// Chooses the algorithm of each collective by the number of bytes.
///
/// The defaults are for networks. They are those of MPICH, which compares the same algorithms (Thakur, Rabenseifner, Gropp, IJHPCA 2005,
/// section 4 and its tables). [`shared_memory`](Self::shared_memory) is for a few ranks that share memory. The best values depend on the
/// machine: `cargo xtask compare choice` shows every algorithm at seven sizes. All ranks must use the same choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Broadcasts and reductions of more bytes use a binary tree in segments; others use a binomial tree.
    pub tree_whole_max_bytes: usize,
    /// The length of a segment.
    pub segment_bytes: usize,
    /// Allreduces of more bytes use Rabenseifner's algorithm; others use recursive doubling.
    pub allreduce_doubling_max_bytes: usize,
    /// Allreduces of more bytes use the ring if the reduction commutes.
    pub allreduce_halving_max_bytes: usize,
    /// Allgathers of more bytes in all use the ring; others use Bruck's algorithm.
    pub allgather_bruck_max_bytes: usize,
    /// All-to-alls with longer blocks are linear or pairwise; others use Bruck's algorithm.
    pub all_to_all_bruck_max_bytes: usize,
    /// All-to-alls with blocks longer than this are pairwise.
    pub all_to_all_linear_max_bytes: usize,
    /// Gathers and scatters with longer blocks use one message for each rank; others use a binomial tree.
    pub gather_tree_max_bytes: usize,
    /// Partners in each round of a barrier.
    pub barrier_ways: usize,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            tree_whole_max_bytes: 12 << 10,
            segment_bytes: 16 << 10,
            allreduce_doubling_max_bytes: 2 << 10,
            allreduce_halving_max_bytes: 512 << 10,
            allgather_bruck_max_bytes: 80 << 10,
            all_to_all_bruck_max_bytes: 256,
            all_to_all_linear_max_bytes: 32 << 10,
            gather_tree_max_bytes: 2 << 10,
            barrier_ways: 1,
        }
    }
}

impl Choice {
    /// For a few ranks that share memory, where the number of messages matters less than their bytes.
    ///
    /// So, up to larger sizes than by default, allreduces use recursive doubling, all-to-alls are linear, and broadcasts are sent as a
    /// whole. Gathers and scatters use one message for each rank. `cargo xtask compare choice` shows the time of every algorithm at seven
    /// sizes.
    ///
    /// ```
    /// use fusain_schedule::collective::{AllToAll, Allreduce, Choice};
    /// let (network, memory) = (Choice::default(), Choice::shared_memory());
    /// assert_eq!(network.allreduce(30_000, true), Allreduce::Rabenseifner);
    /// assert_eq!(memory.allreduce(30_000, true), Allreduce::RecursiveDoubling);
    /// assert_eq!(network.all_to_all(4, 100, true), AllToAll::Bruck);
    /// assert_eq!(memory.all_to_all(4, 100, true), AllToAll::Linear);
    /// ```
    pub fn shared_memory() -> Self {
        Self {
            tree_whole_max_bytes: 1 << 20,
            allreduce_doubling_max_bytes: 128 << 10,
            all_to_all_bruck_max_bytes: 0,
            all_to_all_linear_max_bytes: 256 << 10,
            gather_tree_max_bytes: 0,
            ..Self::default()
        }
    }

    /// The tree of a broadcast or reduction of `bytes`.
    pub fn tree(&self, bytes: usize) -> Tree {
        if bytes <= self.tree_whole_max_bytes {
            Tree::whole(Shape::Binomial)
        } else {
            Tree { shape: Shape::Binary, segment_bytes: self.segment_bytes }
        }
    }

    /// The algorithm of an allreduce of `bytes`.
    pub fn allreduce(&self, bytes: usize, commutes: bool) -> Allreduce {
        if bytes <= self.allreduce_doubling_max_bytes {
            Allreduce::RecursiveDoubling
        } else if bytes <= self.allreduce_halving_max_bytes || !commutes {
            Allreduce::Rabenseifner
        } else {
            Allreduce::Ring
        }
    }

    /// The algorithm of a reduce-scatter: the ring if the reduction commutes.
    pub fn reduce_scatter(&self, commutes: bool) -> ReduceScatter {
        if commutes { ReduceScatter::Ring } else { ReduceScatter::Linear }
    }

    /// The algorithm of an allgather of `bytes` in all.
    pub fn allgather(&self, bytes: usize) -> Allgather {
        if bytes <= self.allgather_bruck_max_bytes { Allgather::Bruck } else { Allgather::Ring }
    }

    /// The algorithm of an all-to-all between `ranks` with blocks of `block_bytes`, or of different lengths up to that. Up to three ranks,
    /// Bruck's algorithm sends no fewer messages than the others.
    pub fn all_to_all(&self, ranks: usize, block_bytes: usize, are_equal: bool) -> AllToAll {
        if are_equal && ranks > 3 && block_bytes <= self.all_to_all_bruck_max_bytes {
            AllToAll::Bruck
        } else if block_bytes <= self.all_to_all_linear_max_bytes {
            AllToAll::Linear
        } else {
            AllToAll::Pairwise
        }
    }

    /// The tree of a gather or scatter with blocks of up to `block_bytes`.
    pub fn rooted(&self, block_bytes: usize) -> Shape {
        if block_bytes <= self.gather_tree_max_bytes { Shape::Binomial } else { Shape::Linear }
    }
}
