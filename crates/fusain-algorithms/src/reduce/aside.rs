//! Results of parts: all workers store theirs here, and the caller combines them at the end, in the order of the parts.

use std::sync::Mutex;

use crossbeam_utils::CachePadded;

/// Results, and the places where their parts start, in the order of these.
///
/// On lines of its own: every worker writes here now and then, and reads all the time what lies beside it.
pub(super) struct Aside<P>(CachePadded<Mutex<Vec<(usize, P)>>>);

impl<P> Aside<P> {
    pub(super) fn new() -> Self {
        Aside(CachePadded::new(Mutex::new(Vec::new())))
    }

    /// Lays aside the result of the part that starts at `start`.
    pub(super) fn lay(&self, start: usize, result: P) {
        // A poisoned lock means that another worker panicked while inserting: nothing half-done is in a vector.
        let mut results = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let place = results.partition_point(|result| result.0 < start);
        results.insert(place, (start, result));
    }

    /// All results, from the front to the back.
    pub(super) fn in_order(self) -> impl Iterator<Item = P> {
        let results = self.0.into_inner().into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        results.into_iter().map(|result| result.1)
    }
}
