//! A reduction whose operands are grouped as it comes.
//!
//! Idea: a state folds its part from the front. When the part is split or finished, the result so far is stored as a *piece*, with the
//! index where it starts. At the end the few pieces (one for each worker and each steal) are combined in the order of these indices.
//! The operation need only be associative, so strings can be concatenated and matrices multiplied.
//! C++'s `std::reduce` and `std::transform_reduce` also require commutativity.
//! Work O(n), span O(log n) splits, extra memory one result for each piece.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crossbeam_utils::CachePadded;
use fusain_pool::{Algorithm, kept};

use super::fold::{Fold, fold};
use super::found::Found;
use crate::crew::{Common, Crew};
use crate::policy::{Steps, Team};
use crate::widest::widest;

struct Reduce<'a, T, U, B> {
    by: B,
    /// Results and where their parts start, in the order of these. On lines of its own: every worker writes here now and then, and reads all the time what lies
    /// beside it.
    pieces: CachePadded<Mutex<Vec<(usize, Found)>>>,
    elements: PhantomData<&'a [T]>,
    result: PhantomData<fn() -> U>,
}

/// What is left, and what the elements from `start` up to it fold to.
///
/// Invariants, of which the reduction knows the types; states of one reduction never meet another:
/// 1. `left` are indices of the slice that begins at `first`, which the reduction borrows. It is here and not there, since a worker that is given a state need not
///    fetch another cache line then.
/// 2. `found` is a `U`.
struct Local {
    first: *const (),
    start: usize,
    left: Range<usize>,
    found: Option<Found>,
}

// SAFETY: the elements are shared, as the algorithm is.
unsafe impl Send for Local {}

// What lies on one cache line together with the word that says that it is there.
const _: () = assert!(size_of::<Local>() <= 48);

impl Common for Local {
    #[inline(never)]
    fn run(team: &Team<'_>, algorithm: &Steps<'_, Self>, local: Self) {
        team.run(algorithm, local);
    }
}

fn state(first: *const (), left: Range<usize>) -> Local {
    Local { first, start: left.start, left, found: None }
}

impl<T: Sync, U: Send, B: Fold<T, U>> Algorithm for Reduce<'_, T, U, B> {
    type Local = Local;

    fn has_local_work(&self, local: &Local) -> bool {
        local.left.start < local.left.end
    }

    fn do_unit(&self, local: &mut Local, grain: usize) {
        let start = local.left.start;
        let end = start.saturating_add(grain.max(1)).min(local.left.end);
        local.left.start = end;
        // SAFETY: invariant 1 of the state.
        let run = unsafe { std::slice::from_raw_parts(local.first.cast::<T>().wrapping_add(start), end - start) };
        let Some(more) = widest((fold, (run, &self.by))) else { return };
        // SAFETY: invariant 2 of the state.
        let before = local.found.take().map(|found| unsafe { found.get() });
        local.found = Some(Found::new(match before {
            Some(before) => self.by.both(before, more),
            None => more,
        }));
    }

    /// Once for each state, when its work is done. What a victim has found lies to the left of what it still has to do, so it may wait while that is split, and workers whose
    /// states are split do not meet at the lock.
    fn commit(&self, local: &mut Local) {
        if self.has_local_work(local) {
            return;
        }
        if let Some(piece) = local.found.take() {
            lay(&self.pieces, local.start, piece);
            local.start = local.left.start;
        }
    }

    fn split(&self, victim: &mut Local) -> Option<Local> {
        self.split_late(victim, 0)
    }

    fn split_late(&self, victim: &mut Local, delay: usize) -> Option<Local> {
        let left = &mut victim.left;
        let middle = left.start + kept(left.end - left.start, delay)?;
        Some(state(victim.first, middle..std::mem::replace(&mut left.end, middle)))
    }

    fn rejoin(&self, local: &mut Local, rest: Local) -> Option<Local> {
        if local.left.end != rest.left.start {
            return Some(rest);
        }
        local.left = rest.left;
        None
    }
}

/// Lays the result of the part that starts at `start` in its place.
fn lay(pieces: &Mutex<Vec<(usize, Found)>>, start: usize, piece: Found) {
    // A poisoned lock means that another worker panicked while inserting: nothing half-done is in a vector.
    let mut pieces = pieces.lock().unwrap_or_else(PoisonError::into_inner);
    let place = pieces.partition_point(|piece| piece.0 < start);
    pieces.insert(place, (start, piece));
}

#[inline(never)]
pub(super) fn parallel<T: Sync, U: Send>(crew: &impl Crew, v: &[T], identity: U, by: impl Fold<T, U>) -> U {
    let reduce = Reduce { by, pieces: CachePadded::default(), elements: PhantomData::<&[T]>, result: PhantomData };
    crew.run(&reduce, state(v.as_ptr().cast(), 0..v.len()));
    let pieces = reduce.pieces.into_inner().into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut all = identity;
    for (_, piece) in pieces {
        // SAFETY: invariant 2 of the states that have laid them.
        all = reduce.by.both(all, unsafe { piece.get() });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::sum::Sums;
    use super::*;

    #[test]
    fn only_what_lies_right_behind_is_added() {
        let v: Vec<u64> = (1..=8).collect();
        let reduce = Reduce {
            by: Sums,
            pieces: CachePadded::default(),
            elements: PhantomData::<&[u64]>,
            result: PhantomData::<fn() -> u64>,
        };
        let mut front = state(v.as_ptr().cast(), 0..8);
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
        let [(0, sum)] = <[_; 1]>::try_from(pieces).ok().expect("one piece") else { panic!("it begins at 0") };
        // SAFETY: invariant 2 of the state that has laid it.
        assert_eq!(unsafe { sum.get::<u64>() }, 36);
    }
}
