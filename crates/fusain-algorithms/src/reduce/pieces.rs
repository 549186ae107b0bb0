//! A reduction whose operands are grouped as the work happens to be split.
//!
//! Idea: a state folds its part from the front. When the part is split or finished, the result so far is stored as a *piece*, with the
//! index where it starts. At the end the few pieces (one for each worker and each steal) are combined in the order of these indices.
//! The operation need only be associative, so strings can be concatenated and matrices multiplied.
//! C++'s `std::reduce` and `std::transform_reduce` also require commutativity.
//! Work O(n), span O(log n) splits, extra memory for one result of each piece.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crossbeam_utils::CachePadded;
use fusain_pool::{Algorithm, kept};

use super::fold::{Fold, FoldRun};
use crate::execution::executor::Executor;
use crate::memory::streams::UnitLen;
use crate::platform::simd::widest;
use crate::policy::{Par, Watch};

struct Reduce<'a, T, U, B> {
    by: B,
    units: UnitLen,
    /// Results and the indices where their parts start, in the order of the indices. On its own cache lines: every worker writes here now and then, and reads the other field
    /// all the time.
    pieces: CachePadded<Mutex<Vec<(usize, U)>>>,
    elements: PhantomData<&'a [T]>,
}

/// The range that is left, and the result of the elements from `start` up to it.
///
/// Invariant: 1. `left` are indices of the slice that begins at `first`. That pointer is here and not in the reduction, so that a thief need not fetch another
/// cache line.
struct Local<'a, T, U> {
    first: *const T,
    start: usize,
    left: Range<usize>,
    found: Option<U>,
    elements: PhantomData<&'a [T]>,
}

// SAFETY: the elements are shared.
unsafe impl<T: Sync, U: Send> Send for Local<'_, T, U> {}

// A state of this size shares one cache line with the word that tells a thief that it is there.
const _: () = assert!(size_of::<Local<'_, f64, f64>>() <= 48);

impl<'a, T, U> Local<'a, T, U> {
    fn new(v: &'a [T]) -> Self {
        Self { first: v.as_ptr(), start: 0, left: 0..v.len(), found: None, elements: PhantomData }
    }
}

impl<'a, T: Sync, U: Send, B: Fold<T, U>> Algorithm for Reduce<'a, T, U, B> {
    type Local = Local<'a, T, U>;

    fn has_local_work(&self, local: &Self::Local) -> bool {
        local.left.start < local.left.end
    }

    fn unit_len(&self, grain: usize) -> usize {
        self.units.stretched(grain)
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        let start = local.left.start;
        let end = start.saturating_add(grain.max(1)).min(local.left.end);
        local.left.start = end;
        // SAFETY: invariant 1 of the state.
        let run = unsafe { std::slice::from_raw_parts(local.first.wrapping_add(start), end - start) };
        let Some(more) = widest(FoldRun::new(run, self.units.is_long(), &self.by)) else { return };
        local.found = Some(match local.found.take() {
            Some(before) => self.by.both(before, more),
            None => more,
        });
    }

    /// Stores a piece once for each state, when its work is done. What a victim has found lies to the left of what it still has to do, so it need not be stored when the rest is
    /// split. So workers whose states are split do not contend for the lock.
    fn commit(&self, local: &mut Self::Local) {
        if self.has_local_work(local) {
            return;
        }
        if let Some(piece) = local.found.take() {
            lay(&self.pieces, local.start, piece);
            local.start = local.left.start;
        }
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        self.split_late(victim, 0)
    }

    fn split_late(&self, victim: &mut Self::Local, delay: usize) -> Option<Self::Local> {
        let left = &mut victim.left;
        let middle = left.start + kept(left.end - left.start, delay)?;
        let left = middle..std::mem::replace(&mut left.end, middle);
        Some(Local { first: victim.first, start: middle, left, found: None, elements: PhantomData })
    }

    fn rejoin(&self, local: &mut Self::Local, rest: Self::Local) -> Option<Self::Local> {
        if local.left.end != rest.left.start {
            return Some(rest);
        }
        local.left = rest.left;
        None
    }
}

/// Stores the result of the part that starts at `start`, in order.
fn lay<U>(pieces: &Mutex<Vec<(usize, U)>>, start: usize, piece: U) {
    // A poisoned lock means that another worker panicked while inserting. The vector is valid even then.
    let mut pieces = pieces.lock().unwrap_or_else(PoisonError::into_inner);
    let place = pieces.partition_point(|piece| piece.0 < start);
    pieces.insert(place, (start, piece));
}

#[inline(never)]
pub(super) fn parallel<T: Sync, U: Send>(executor: &impl Executor, v: &[T], identity: U, by: impl Fold<T, U>) -> U {
    run(v, identity, by, executor.grain(), |reduce, local| executor.run(reduce, local))
}

/// Runs in sequence. `watch` checks midway whether it is better to share the rest.
#[cold]
#[inline(never)]
pub(super) fn looking<T: Sync, U: Send>(
    policy: &Par<'_>,
    watch: Watch,
    v: &[T],
    identity: U,
    by: impl Fold<T, U>,
) -> U {
    run(v, identity, by, policy.fixed_grain(), |reduce, local| policy.run_looking(watch, reduce, local))
}

/// Runs the reduction from its root by calling `run`, and combines the pieces.
#[inline(always)]
fn run<'a, T: Sync, U: Send, B: Fold<T, U>>(
    v: &'a [T],
    identity: U,
    by: B,
    grain: Option<usize>,
    run: impl FnOnce(&Reduce<'a, T, U, B>, Local<'a, T, U>),
) -> U {
    let pieces = CachePadded::new(Mutex::new(Vec::new()));
    let reduce = Reduce { by, units: UnitLen::of(v, grain), pieces, elements: PhantomData };
    run(&reduce, Local::new(v));
    let pieces = reduce.pieces.into_inner().into_inner().unwrap_or_else(PoisonError::into_inner);
    pieces.into_iter().fold(identity, |all, (_, piece)| reduce.by.both(all, piece))
}

#[cfg(test)]
mod tests {
    use super::super::sum::Sums;
    use super::*;

    #[test]
    fn only_what_lies_right_behind_is_added() {
        let v: Vec<u64> = (1..=8).collect();
        let units = UnitLen::GRAIN;
        let reduce = Reduce { by: Sums, units, pieces: CachePadded::default(), elements: PhantomData };
        let mut front = Local::new(&v);
        let last = reduce.split(&mut front).expect("there are eight");
        let middle = reduce.split(&mut front).expect("there are four");
        reduce.do_unit(&mut front, 2);
        let last = reduce.rejoin(&mut front, last).expect("what is in the middle lies between");
        for rest in [middle, last] {
            assert!(reduce.rejoin(&mut front, rest).is_none());
            reduce.do_unit(&mut front, 4);
        }
        reduce.commit(&mut front);
        let pieces = reduce.pieces.into_inner().into_inner().expect("nobody has panicked");
        assert_eq!(pieces, [(0, 36_u64)]);
    }
}
