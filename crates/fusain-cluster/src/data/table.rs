//! Numbers that all ranks know, with some delay: the best so far of a branch and bound, or that an answer has been found.
//!
//! A cell only grows, so it does not matter in which order, how late, or how often its values arrive. Reading one is a relaxed load. A rank
//! that raises a cell tells its neighbours in a tree of ranks, at most once in 200 us; the neighbours tell theirs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use fusain_comm::Communicator;

use crate::cluster::Cluster;
use crate::rank_state::RankState;

/// A small table of numbers that only grow, with a copy on each rank.
///
/// [`Cluster::table`] makes one.
///
/// For a bound that shrinks, keep its negative.
///
/// ```
/// use fusain_cluster::Cluster;
/// use fusain_comm::{Communicator, World};
///
/// World::threads(2).run(|comm| {
///     let cluster = Cluster::over(comm);
///     let best = cluster.table(&[i64::MIN]);
///     // Inside of a search: prune where `best.get(0)` cannot be reached, and
///     assert!(best.raise(0, 7));
///     assert!(!best.raise(0, 5), "it is 7 already");
///     assert_eq!(best.get(0), 7);
/// });
/// ```
#[derive(Clone)]
pub struct Table {
    cells: Arc<[AtomicI64]>,
    state: Arc<RankState>,
}

impl<C: Communicator> Cluster<'_, C> {
    /// Collective: makes a table with these initial numbers, the same on all ranks. It lives as long as the cluster, over several runs.
    pub fn table(&self, values: &[i64]) -> Table {
        let cells: Arc<[AtomicI64]> = values.iter().map(|&value| AtomicI64::new(value)).collect();
        self.state.tables.add(&cells);
        Table { cells, state: Arc::clone(&self.state) }
    }
}

impl Table {
    /// The value of cell `at` as far as this rank knows: the largest value that it has set or received.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub fn get(&self, at: usize) -> i64 {
        // Relaxed, here and below: no other data depends on a value.
        self.cells[at].load(Ordering::Relaxed)
    }

    /// Raises cell `at` to `value`, at once on this rank and soon on others. Returns whether it was less before. The call may run a round of the progress loop: hold no lock
    /// that the encoding of a stored value takes.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn raise(&self, at: usize, value: i64) -> bool {
        let is_more = self.get(at) < value && self.cells[at].fetch_max(value, Ordering::Relaxed) < value;
        if is_more && self.state.tables.stale() {
            self.state.wake();
        }
        is_more
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&*self.cells).finish()
    }
}
