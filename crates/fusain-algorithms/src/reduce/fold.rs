//! What a reduction does to a run of elements, and the loop for any associative operation: operands keep their order.
//!
//! In a sum of floats each addition waits for the one before it. That takes two to four cycles for an element, where the machine
//! could do one in half a cycle. But if the operation is associative, the run may be cut into sub-runs, which are folded side by side,
//! and whose results are combined in order; no operand changes its place.
//! For integers the compiler does better alone: it knows that their operations may be reordered, and vectorises.

use std::marker::PhantomData;

use crate::element::primitive::{is_integer, is_light};
use crate::memory::prefetch::{ahead_of, fetch};
use crate::platform::simd::Body;

/// The number of sub-runs that are folded side by side.
///
/// An addition takes 2 to 4 cycles and two can start in each: eight chains keep both adders busy and fit the registers. `cargo bench
/// --bench kernels` shows them beside the one chain of a plain sum.
const CHAINS: usize = 8;

/// The number of elements in a sub-run: one cache line of 8-byte elements, so that all chains together read memory as one stream.
///
/// Longer sub-runs would be several streams, which gains only for a single worker far outside the caches.
const SUB_RUN: usize = 8;

/// What a reduction does to a run of elements, and to two results.
pub(super) trait Fold<T, U>: Sync {
    /// Folds `run`. Returns `None` if it is empty.
    fn fold(&self, run: &[T]) -> Option<U>;

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
    fn fold(&self, run: &[T]) -> Option<U> {
        ordered(run, &self.map, &self.op)
    }

    #[inline(always)]
    fn both(&self, a: U, b: U) -> U {
        (self.op)(a, b)
    }
}

/// Folds a run.
pub(super) struct FoldRun<'a, T, U, B> {
    run: &'a [T],
    by: &'a B,
    result: PhantomData<U>,
}

impl<'a, T, U, B: Fold<T, U>> FoldRun<'a, T, U, B> {
    #[inline(always)]
    pub(super) fn new(run: &'a [T], by: &'a B) -> Self {
        Self { run, by, result: PhantomData }
    }
}

impl<T, U, B: Fold<T, U>> Body for FoldRun<'_, T, U, B> {
    type Output = Option<U>;

    #[inline(always)]
    fn run(self) -> Option<U> {
        self.by.fold(self.run)
    }
}

#[inline(always)]
fn ordered<T, U, M, F>(run: &[T], map: M, op: F) -> Option<U>
where
    M: Fn(&T) -> U,
    F: Fn(U, U) -> U,
{
    if const { is_light::<U>() } && !is_integer::<U>() && run.len() >= 2 * CHAINS {
        let (blocks, tail) = run.as_chunks::<{ CHAINS * SUB_RUN }>();
        let ahead = ahead_of(blocks);
        let part = |(k, block): (usize, &[T; CHAINS * SUB_RUN])| {
            fetch(ahead.get(k));
            chains(block, &map, &op)
        };
        let all = blocks.iter().enumerate().map(part).reduce(&op);
        let tail = if tail.len() >= 2 * CHAINS {
            Some(chains(tail, &map, &op))
        } else {
            tail.split_first().map(|(first, rest)| rest.iter().fold(map(first), |acc, x| op(acc, map(x))))
        };
        match (all, tail) {
            (Some(a), Some(b)) => Some(op(a, b)),
            (a, b) => a.or(b),
        }
    } else {
        let (first, rest) = run.split_first()?;
        Some(rest.iter().fold(map(first), |acc, x| op(acc, map(x))))
    }
}

/// Folds a block of at least [`CHAINS`] elements as that many sub-runs side by side.
#[inline(always)]
fn chains<T, U>(run: &[T], map: impl Fn(&T) -> U, op: impl Fn(U, U) -> U) -> U {
    let len = run.len() / CHAINS;
    let (even, tail) = run.split_at(len * CHAINS);
    let part = |k: usize| &even[k * len..(k + 1) * len];
    let (r0, r1, r2, r3) = (part(0), part(1), part(2), part(3));
    let (r4, r5, r6, r7) = (part(4), part(5), part(6), part(7));
    // One variable for each chain, as values that are not `Copy` cannot be moved out of an array and back.
    let (mut a0, mut a1, mut a2, mut a3) = (map(&r0[0]), map(&r1[0]), map(&r2[0]), map(&r3[0]));
    let (mut a4, mut a5, mut a6, mut a7) = (map(&r4[0]), map(&r5[0]), map(&r6[0]), map(&r7[0]));
    for i in 1..len {
        a0 = op(a0, map(&r0[i]));
        a1 = op(a1, map(&r1[i]));
        a2 = op(a2, map(&r2[i]));
        a3 = op(a3, map(&r3[i]));
        a4 = op(a4, map(&r4[i]));
        a5 = op(a5, map(&r5[i]));
        a6 = op(a6, map(&r6[i]));
        a7 = op(a7, map(&r7[i]));
    }
    let head = op(op(op(a0, a1), op(a2, a3)), op(op(a4, a5), op(a6, a7)));
    tail.iter().fold(head, |acc, x| op(acc, map(x)))
}
