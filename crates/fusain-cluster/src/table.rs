//! Numbers that all ranks know, lazily: the best so far of a branch and bound, that an answer has been found.
//!
//! A cell only ever grows, so that it does not matter in which order, how late, or how often its values arrive. Reading one is a relaxed load. A rank that raises a
//! cell tells its neighbours in the tree of ranks, at most once in 200 us; who learns something new tells its own. (What Tascell over MPI leaves open: state
//! that tasks share.)

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use fusain_comm::Communicator;

use crate::cluster::Cluster;
use crate::rank_state::RankState;

/// A small table of numbers that grow, one copy a rank; made by [`Cluster::table`].
///
/// A bound that shall shrink is kept negated.
///
/// ```
/// use fusain_cluster::Cluster;
/// use fusain_comm::{Communicator, World};
///
/// World::threads(2).run(|comm| {
///     let cluster = Cluster::over(comm);
///     let best = cluster.table(&[i64::MIN]);
///     // Inside of a search: prune where `best.get(0)` can not be reached, and
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
    /// Collective: a table with these numbers to begin with, the same on all ranks. It lives as long as the cluster, from run to run.
    pub fn table(&self, values: &[i64]) -> Table {
        let cells: Arc<[AtomicI64]> = values.iter().map(|&value| AtomicI64::new(value)).collect();
        self.state.tables.add(&cells);
        Table { cells, state: Arc::clone(&self.state) }
    }
}

impl Table {
    /// What this rank knows of cell `at`: the largest value that it has raised it to or heard of.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub fn get(&self, at: usize) -> i64 {
        // Relaxed, here and below: a value stands for itself, nothing lies behind it.
        self.cells[at].load(Ordering::Relaxed)
    }

    /// Makes cell `at` at least `value`, here now and on other ranks soon. Says whether it was less.
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
