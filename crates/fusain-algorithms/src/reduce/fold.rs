//! What a reduction does to a run of elements, and the loop for any associative operation: operands keep their order.
//!
//! In a sum of floats each addition waits for the one before it. That takes two to four cycles for an element, where the machine
//! could do one in half a cycle. But if the operation is associative, the run may be cut into [streams](crate::memory::streams), which are folded side by side, and each
//! stream into groups of elements that are combined in a tree. The results are combined in order; no operand changes its place.
//! For integers the compiler does better alone: it knows that their operations may be reordered, and vectorises.

use std::marker::PhantomData;

use crate::element::primitive::{is_integer, is_light};
use crate::memory::streams::{STREAMS, Streams};
use crate::platform::simd::Body;

/// The number of elements that are combined in a tree: one cache line of 8-byte elements. Of the operations only one for each tree waits for the one before it.
const TREE: usize = 8;

/// The number of integers that are folded before those of another stream.
const ROW: usize = 128;

/// What a reduction does to a run of elements, and to two results.
pub(super) trait Fold<T, U>: Sync {
    /// Folds `run`. Returns `None` if it is empty. `is_far` says whether it is thought to lie outside the caches.
    fn fold(&self, run: &[T], is_far: bool) -> Option<U>;

    /// The result of two runs, the first before the second.
    fn both(&self, a: U, b: U) -> U;
}

/// An operation on what a function makes of the elements: operands keep their order.
pub(super) struct Ordered<M, F> {
    pub(super) map: M,
    pub(super) op: F,
}

impl<T, U, M: Fn(&T) -> U + Sync, F: Fn(U, U) -> U + Sync> Fold<T, U> for Ordered<M, F> {
    #[inline(always)]
    fn fold(&self, run: &[T], is_far: bool) -> Option<U> {
        in_order(run, is_far, &self.map, &self.op)
    }

    #[inline(always)]
    fn both(&self, a: U, b: U) -> U {
        (self.op)(a, b)
    }
}

/// Folds a run.
pub(super) struct FoldRun<'a, T, U, B> {
    run: &'a [T],
    is_far: bool,
    by: &'a B,
    result: PhantomData<U>,
}

impl<'a, T, U, B: Fold<T, U>> FoldRun<'a, T, U, B> {
    #[inline(always)]
    pub(super) fn new(run: &'a [T], is_far: bool, by: &'a B) -> Self {
        Self { run, is_far, by, result: PhantomData }
    }
}

impl<T, U, B: Fold<T, U>> Body for FoldRun<'_, T, U, B> {
    type Output = Option<U>;

    #[inline(always)]
    fn run(self) -> Option<U> {
        self.by.fold(self.run, self.is_far)
    }
}

/// Folds `run` in its order: results that are light and no integers as streams of trees.
#[inline(always)]
pub(super) fn in_order<T, U, M, F>(run: &[T], is_far: bool, map: M, op: F) -> Option<U>
where
    M: Fn(&T) -> U,
    F: Fn(U, U) -> U,
{
    if const { !is_light::<U>() } {
        return in_sequence(run, None, map, op);
    }
    if is_integer::<U>() {
        if !is_far {
            return in_sequence(run, None, map, op);
        }
        let streams = Streams::of(run.as_chunks::<ROW>().0);
        let mut found = [const { None }; STREAMS];
        streams.for_each(|stream, row| found[stream] = in_sequence(row, found[stream].take(), &map, &op));
        let found = found.into_iter().flatten().reduce(&op);
        return in_sequence(&run[ROW * streams.blocks()..], found, map, op);
    }
    let (blocks, tail) = run.as_chunks::<TREE>();
    let two = |a: &T, b: &T| op(map(a), map(b));
    let tree = |[a, b, c, d, e, f, g, h]: &[T; TREE]| op(op(two(a, b), two(c, d)), op(two(e, f), two(g, h)));
    let join = |found: Option<U>, more: U| {
        Some(match found {
            Some(found) => op(found, more),
            None => more,
        })
    };
    let streams = Streams::of(blocks);
    let mut found = [const { None }; STREAMS];
    streams.for_each(|stream, block| found[stream] = join(found[stream].take(), tree(block)));
    let found = found.into_iter().flatten().chain(streams.rest.iter().map(tree)).fold(None, join);
    in_sequence(tail, found, &map, &op)
}

/// Folds `run` onto `found`, one element after the other.
#[inline(always)]
fn in_sequence<T, U>(run: &[T], found: Option<U>, map: impl Fn(&T) -> U, op: impl Fn(U, U) -> U) -> Option<U> {
    let mut elements = run.iter().map(map);
    let first = found.or_else(|| elements.next())?;
    Some(elements.fold(first, op))
}
