//! A reduction whose operands are always grouped in the same way: the same result for the same length and grain, on any number of workers.
//!
//! Idea: the elements are cut into parts of a fixed length. Each part is folded by one worker, which stores the result. At the end the results are combined from
//! left to right. In the words of Demmel & Nguyen (2013): reproducible for a fixed blocking. Work O(n), extra memory for one result of each part.

use super::fold::{Fold, FoldRun};
use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::platform::simd::widest;

/// The number of elements in a part if the caller sets no grain: enough that storing a result costs almost nothing, and few enough for a unit. It must not depend on the
/// machine, since the result depends on it.
const PART: usize = 1 << 11;

#[inline(never)]
pub(super) fn parallel<T: Sync, U: Send>(executor: &impl Executor, v: &[T], identity: U, by: impl Fold<T, U>) -> U {
    let len = executor.grain().unwrap_or(PART);
    let mut results: Vec<Option<U>> = Vec::new();
    results.resize_with(v.len().div_ceil(len), || None);
    let count = results.len();
    let places = Parts::new(&mut results);
    let fold_by = &by;
    executor.run_ranges(count, len, move |parts| {
        let run = &v[parts.start * len..v.len().min(parts.end.saturating_mul(len))];
        // SAFETY: ranges do not overlap.
        let places = unsafe { places.part(parts) };
        for (place, run) in places.iter_mut().zip(run.chunks(len)) {
            *place = widest(FoldRun::new(run, false, fold_by));
        }
    });
    results.into_iter().fold(identity, |all, result| match result {
        Some(result) => by.both(all, result),
        None => all,
    })
}

/// The same grouping on the calling thread.
pub(super) fn sequential<T, U>(v: &[T], grain: Option<usize>, identity: U, by: impl Fold<T, U>) -> U {
    v.chunks(grain.unwrap_or(PART)).fold(identity, |acc, run| match widest(FoldRun::new(run, false, &by)) {
        Some(result) => by.both(acc, result),
        None => acc,
    })
}
