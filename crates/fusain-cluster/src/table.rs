//! Numbers that all ranks know, lazily: the best so far of a branch and bound, that an answer has been found.
//!
//! A cell only ever grows, so that it does not matter in which order, how late, or how often its values arrive. Reading one is a relaxed load. A rank that raises a
//! cell tells its neighbours in the tree of ranks, at most once each [`LAZY`]; who learns something new tells its own. (What Tascell over MPI leaves open: state
//! that tasks share.)

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fusain_comm::Communicator;

use crate::cluster::Cluster;
use crate::shake::shake;
use crate::station::Station;

/// Between two tellings of a rank: values that come thick and fast at the beginning of a search are told once. Some tens of messages long; half and
/// double were not measured.
const LAZY: Duration = Duration::from_micros(200);

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
    station: Arc<Station>,
}

impl<C: Communicator> Cluster<'_, C> {
    /// Collective: a table with these numbers to begin with, the same on all ranks. It lives as long as the cluster, from run to run.
    pub fn table(&self, values: &[i64]) -> Table {
        let cells: Arc<[AtomicI64]> = values.iter().map(|&value| AtomicI64::new(value)).collect();
        self.station.tables.add(&cells);
        Table { cells, station: Arc::clone(&self.station) }
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
        if is_more && self.station.tables.stale() {
            self.station.wake();
        }
        is_more
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&*self.cells).finish()
    }
}

/// A cell's table, its place, and its value.
type Raised = (u32, u32, i64);

/// All tables of a rank, and what of them has been told.
#[derive(Default)]
pub(crate) struct Tables {
    /// Some cell is higher than what has been told. Release and Acquire, so that who clears it sees the cell.
    stale: AtomicBool,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    tables: Vec<(Arc<[AtomicI64]>, Vec<i64>)>,
    /// Of tables that this rank has not made yet.
    early: Vec<Raised>,
    next: Option<Instant>,
}

impl Tables {
    fn told(&self) -> MutexGuard<'_, Told> {
        // Numbers only.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, cells: &Arc<[AtomicI64]>) {
        let mut told = self.told();
        let values = cells.iter().map(|cell| cell.load(Ordering::Relaxed)).collect();
        told.tables.push((Arc::clone(cells), values));
        let early = std::mem::take(&mut told.early);
        drop(told);
        for (table, cell, value) in early {
            self.hear(table, cell, value);
        }
    }

    /// Something was raised. True if nobody had said so.
    fn stale(&self) -> bool {
        !self.stale.swap(true, Ordering::Release)
    }

    /// Another rank tells. A cell that is not there is nobody's.
    pub(crate) fn hear(&self, table: u32, cell: u32, value: i64) {
        let mut told = self.told();
        let Some((cells, _)) = told.tables.get(table as usize) else {
            told.early.push((table, cell, value));
            return;
        };
        let is_more = cells.get(cell as usize).is_some_and(|cell| cell.fetch_max(value, Ordering::Relaxed) < value);
        if is_more {
            self.stale();
        }
    }

    /// What is to be told now, and when to ask again.
    pub(crate) fn changes(&self, now: Instant) -> (Vec<Raised>, Option<Instant>) {
        if !self.stale.load(Ordering::Relaxed) {
            return (Vec::new(), None);
        }
        let mut told = self.told();
        if let Some(next) = told.next.filter(|&next| next > now) {
            return (Vec::new(), Some(next));
        }
        told.next = Some(now + LAZY);
        shake();
        // Before the cells are read: who raises one after that says so again. Acquire: pairs with the Release in `stale`.
        self.stale.swap(false, Ordering::Acquire);
        let mut raised = Vec::new();
        for (table, (cells, values)) in (0..).zip(&mut told.tables) {
            for (at, (cell, value)) in (0..).zip(cells.iter().zip(values)) {
                let current = cell.load(Ordering::Relaxed);
                if current > *value {
                    *value = current;
                    raised.push((table, at, current));
                }
            }
        }
        (raised, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_is_told_once_and_lazily() {
        let tables = Tables::default();
        let cells: Arc<[AtomicI64]> = [3, -1].map(AtomicI64::new).into();
        let now = Instant::now();
        // Heard before it is there.
        tables.hear(0, 1, 5);
        tables.add(&cells);
        assert_eq!(tables.changes(now), (vec![(0, 1, 5)], None));
        for (cell, value) in [(0, 2), (1, 5), (7, 9)] {
            tables.hear(0, cell, value);
        }
        assert_eq!(tables.changes(now), (vec![], None));
        tables.hear(0, 0, 4);
        assert_eq!(tables.changes(now), (vec![], Some(now + LAZY)));
        tables.hear(0, 0, 6);
        assert_eq!(tables.changes(now + LAZY), (vec![(0, 0, 6)], None));
        assert_eq!(tables.changes(now + 2 * LAZY), (vec![], None));
    }
}
