//! `count_if`: how many elements satisfy a predicate.
//!
//! Idea: a sum of zeros and ones, in lanes (sums side by side in a vector register) as narrow as the elements themselves, so that a vector of elements makes
//! one vector of counts. C++'s `std::count` and `std::count_if`. Work O(n), no extra memory.

use std::iter::{Sum, empty};
use std::ops::AddAssign;

use super::fold::Fold;
use super::pieces::parallel;
use crate::element::primitive::is_primitive;
use crate::memory::copy_or_ref::CopyOrRef;
use crate::memory::streams::{Streams, UnitLen};
use crate::platform::simd::{Body, widest_of};
use crate::policy::{Par, Plan};

/// Counts the elements for which the predicate holds.
pub(super) struct Count<P>(pub(super) P);

impl<T, P: Fn(&T) -> bool + Sync> Fold<T, usize> for Count<P> {
    #[inline(always)]
    fn fold(&self, run: &[T], is_far: bool) -> Option<usize> {
        Some(count(run, is_far, &self.0))
    }

    #[inline(always)]
    fn both(&self, a: usize, b: usize) -> usize {
        a + b
    }
}

/// The number of elements in a block, which is prefetched as a whole.
const BLOCK: usize = 64;

/// Counts the elements of a part for which the predicate holds.
struct Counting<'a, T, P> {
    part: &'a [T],
    is_far: bool,
    predicate: P,
}

impl<T, P: Fn(&T) -> bool> Body for Counting<'_, T, P> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        count(self.part, self.is_far, self.predicate)
    }
}

/// Counts in lanes of the width of `T`.
#[inline(always)]
fn count<T>(part: &[T], is_far: bool, predicate: impl Fn(&T) -> bool) -> usize {
    match const { size_of::<T>() } {
        1 => part.chunks(u8::MAX.into()).map(|c| c.iter().map(|x| predicate(x) as u8).sum::<u8>() as usize).sum(),
        2 => part.chunks(u16::MAX.into()).map(|c| c.iter().map(|x| predicate(x) as u16).sum::<u16>() as usize).sum(),
        // A unit is far below 2^32 elements, but nothing forbids a longer slice here.
        4 if is_far => part.chunks(1 << 20).map(|c| in_streams(c, |x| predicate(x) as u32) as usize).sum(),
        4 => part.chunks(1 << 20).map(|c| c.iter().map(|x| predicate(x) as u32).sum::<u32>() as usize).sum(),
        _ => in_streams(part, |x| predicate(x) as usize),
    }
}

/// The sum of what `count` makes of the elements.
#[inline(always)]
fn in_streams<T, C: Sum + AddAssign>(part: &[T], count: impl Fn(&T) -> C) -> C {
    let (blocks, tail) = part.as_chunks::<BLOCK>();
    let sum = |run: &[T]| run.iter().map(&count).sum::<C>();
    let streams = Streams::of_long(blocks);
    let mut far: C = empty().sum();
    streams.for_each(|_, block| far += sum(block));
    far += sum(streams.rest.as_flattened());
    far += sum(tail);
    far
}

/// # Counting
impl Par<'_> {
    /// Counts the elements of `v` that satisfy `predicate`.
    ///
    /// O(n) work, no extra memory. A panic in `predicate` propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().count_if(&[1, 2, 3], |x| x % 2 == 1), 2);
    /// ```
    #[inline]
    pub fn count_if<T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> usize {
        counted(self.plan::<(Count<P>, T)>(v.len()), v, predicate)
    }

    /// Counts the elements of `v` that are equal to `value`.
    ///
    /// Otherwise like [`count_if`](Par::count_if).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().count(&[1, 2, 1], &1), 2);
    /// ```
    #[inline]
    pub fn count<T: PartialEq + Sync>(&self, v: &[T], value: &T) -> usize {
        let value = CopyOrRef::new(value);
        let are_numbers = is_primitive::<T>() && size_of::<T>() <= 8;
        let plan =
            if are_numbers { self.plan_numbers::<OfValue<T>>(v.len()) } else { self.plan::<OfValue<T>>(v.len()) };
        counted(plan, v, move |x| x == value.get())
    }
}

/// Names call sites.
type OfValue<T> = (Count<()>, T);

/// Counts as `plan` says.
#[inline]
fn counted<T: Sync, P: Fn(&T) -> bool + Sync>(plan: Plan<'_>, v: &[T], predicate: P) -> usize {
    match plan {
        Plan::Sequential(watch) => {
            watch.time(|| widest_of(v.len(), Counting { part: v, is_far: UnitLen::of(v, None).is_long(), predicate }))
        }
        Plan::Parallel(team) => parallel(&team, v, 0, Count(predicate)),
    }
}
