//! `sum` and `product` of numbers, in the grouping that is fastest.
//!
//! Idea: floats are added in as many lanes as fill several vector registers, since an addition takes longer than it takes to start the next; the
//! compiler does so for integers only, as it may not reorder floats. C++'s `std::reduce` without an operation.
//! Work O(n), span O(log n) splits, extra memory for one result of each piece.

use std::hint::black_box;
use std::iter::{Product, Sum, empty};

use super::fold::{Fold, in_order};
use crate::element::primitive::{is_float, is_integer, may_be_primitive};
use crate::memory::streams::Streams;
use crate::policy::{Par, Plan};

/// # Summing
impl Par<'_> {
    /// The sum of all elements.
    ///
    /// Elements are grouped and reordered as is fastest, so sums of floats differ from run to run in their last bits;
    /// [`deterministic`](Par::deterministic) prevents that. The sum of no elements is that of [`Iterator::sum`]: 0, or for floats -0.0.
    ///
    /// O(n) work, extra memory for one result for each part.
    ///
    /// # Panics
    ///
    /// As [`Iterator::sum`] does: if integers overflow, with overflow checks. Here the sum of some elements may overflow although the sum of all does not.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().sum(&[0.5, 1.0, 2.0]), 3.5);
    /// ```
    #[doc(alias = "reduction")]
    #[doc(alias = "accumulate")]
    #[inline]
    pub fn sum<T: Copy + Send + Sync + Sum>(&self, v: &[T]) -> T {
        super::by(self, plan::<(Sums, T), T>(self, v.len()), v, empty().sum(), Sums)
    }

    /// The product of all elements.
    ///
    /// Otherwise like [`sum`](Par::sum), and panics where that does. The product of no elements is 1.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().product(&[2, 3, 7]), 42);
    /// ```
    #[doc(alias = "reduction")]
    #[inline]
    pub fn product<T: Copy + Send + Sync + Product>(&self, v: &[T]) -> T {
        super::by(self, plan::<(Products, T), T>(self, v.len()), v, empty().product(), Products)
    }
}

/// Decides how a call runs; `K` names the call site.
#[inline(always)]
fn plan<'p, K: ?Sized, T>(policy: &Par<'p>, len: usize) -> Plan<'p> {
    // Longer integers are not multiplied with vector instructions.
    let are_numbers = is_float::<T>() || (is_integer::<T>() && size_of::<T>() <= 4);
    if are_numbers { policy.plan_numbers::<K>(len) } else { policy.plan::<K>(len) }
}

pub(super) struct Sums;
pub(super) struct Products;

impl<T: Copy + Sum> Fold<T, T> for Sums {
    #[inline(always)]
    fn fold(&self, run: &[T], is_far: bool) -> Option<T> {
        if const { may_be_primitive::<T>() } && is_float::<T>() {
            in_lanes(run, empty().sum(), |a, b| self.both(a, b))
        } else if const { may_be_primitive::<T>() } && is_integer::<T>() && is_far {
            in_order(run, is_far, |x| *x, |a, b| self.both(a, b))
        } else {
            Some(run.iter().copied().sum())
        }
    }

    #[inline(always)]
    fn both(&self, a: T, b: T) -> T {
        [a, b].into_iter().sum()
    }
}

impl<T: Copy + Product> Fold<T, T> for Products {
    #[inline(always)]
    fn fold(&self, run: &[T], _is_far: bool) -> Option<T> {
        if const { may_be_primitive::<T>() } && is_float::<T>() {
            in_lanes(run, empty().product(), |a, b| self.both(a, b))
        } else {
            Some(run.iter().copied().product())
        }
    }

    #[inline(always)]
    fn both(&self, a: T, b: T) -> T {
        [a, b].into_iter().product()
    }
}

/// Folds `run` onto `zero` in several vectors of lanes, and then the lanes. Returns `None` if it is empty.
#[inline(always)]
fn in_lanes<T: Copy>(run: &[T], zero: T, both: impl Fn(T, T) -> T) -> Option<T> {
    // Two vectors of 64 bytes, four of 32, or eight of 16.
    match const { size_of::<T>() } {
        4 => in_lanes_of::<T, 32>(run, zero, both),
        _ => in_lanes_of::<T, 16>(run, zero, both),
    }
}

#[inline(always)]
fn in_lanes_of<T: Copy, const LANES: usize>(run: &[T], zero: T, both: impl Fn(T, T) -> T) -> Option<T> {
    let (rows, tail) = run.as_chunks::<LANES>();
    let tail = tail.iter().copied().reduce(&both);
    if rows.is_empty() {
        return tail;
    }
    let add = |lanes: &mut [T; LANES], row: &[T; LANES]| {
        for (lane, x) in lanes.iter_mut().zip(row) {
            *lane = both(*lane, *x);
        }
    };
    let streams = Streams::of_long(rows);
    let mut near = [zero; LANES];
    for row in streams.rest {
        add(&mut near, row);
    }
    let mut sum = in_halves(near, &both);
    if streams.rest.len() < rows.len() {
        // Lanes of their own: if both loops had the same ones, the compiler would make shorter vectors of them.
        let mut far = [zero; LANES];
        streams.for_each(|_, row| add(&mut far, row));
        sum = both(in_halves(far, &both), sum);
    }
    Some(tail.map_or(sum, |tail| both(sum, tail)))
}

/// Combines all lanes, whose number is a power of two. In each step the second half is combined into the first, so that each step works on vectors.
#[inline(always)]
pub fn in_halves<T: Copy, const N: usize>(lanes: [T; N], both: impl Fn(T, T) -> T) -> T {
    const { assert!(N.is_power_of_two(), "lanes have halves") };
    // If the compiler knew where the lanes come from, it would use vectors of two lanes in the loop before, as long as the last halves. That loop would take half as long again.
    let mut lanes = black_box(lanes);
    let mut width = N;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            lanes[lane] = both(lanes[lane], lanes[lane + width]);
        }
    }
    lanes[0]
}
