//! The cells of tables on one rank, and which of their values other ranks have been sent.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fusain_pool::shake::shake;

/// The minimum time between two updates from a rank, so that the many values at the beginning of a search are sent once. It is as long as
/// some tens of messages.
const LAZY: Duration = Duration::from_micros(200);

/// A cell's table, its index, and its value.
pub(crate) type Raised = (u32, u32, i64);

/// All tables of a rank, and the values that other ranks have been sent.
#[derive(Default)]
pub(crate) struct Tables {
    /// Some cell is higher than the value that was sent. Release and Acquire, so that a thread that clears it sees the cell.
    stale: AtomicBool,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    tables: Vec<(Arc<[AtomicI64]>, Vec<i64>)>,
    /// Values for tables that this rank has not made yet.
    early: Vec<Raised>,
    next: Option<Instant>,
}

impl Tables {
    fn told(&self) -> MutexGuard<'_, Told> {
        // The data are numbers only, which a panic cannot leave half changed.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, cells: &Arc<[AtomicI64]>) {
        let mut told = self.told();
        let values = cells.iter().map(|cell| cell.load(Ordering::Relaxed)).collect();
        told.tables.push((Arc::clone(cells), values));
        let early = std::mem::take(&mut told.early);
        drop(told);
        for (table, cell, value) in early {
            self.hear(table, cell, value);
        }
    }

    /// Notes that a cell was raised. Returns whether that was not noted already.
    pub(crate) fn stale(&self) -> bool {
        !self.stale.swap(true, Ordering::Release)
    }

    /// Another rank has sent a value. A cell that does not exist is ignored.
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

    /// Returns the values to send now, and if it is too early for that, when to ask again.
    pub(crate) fn changes(&self, now: Instant) -> (Vec<Raised>, Option<Instant>) {
        if !self.stale.load(Ordering::Relaxed) {
            return (Vec::new(), None);
        }
        let mut told = self.told();
        if let Some(next) = told.next.filter(|&next| next > now) {
            return (Vec::new(), Some(next));
        }
        told.next = Some(now + LAZY);
        drop(told);
        (self.rest(), None)
    }

    /// Returns the values to send, no matter when the last ones were sent.
    pub(crate) fn rest(&self) -> Vec<Raised> {
        let mut told = self.told();
        shake();
        // Before the cells are read: a thread that raises a cell later sets it again. Acquire: pairs with the Release in `stale`.
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
        raised
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
        // The value arrives before the table is made.
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
