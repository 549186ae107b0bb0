//! The simplest algorithm: every index once, a range at a time, and access to the elements of a range without a lock.
//!
//! Copying, filling, visiting and rearranging have no state but the range that is left to do. A range belongs to one worker alone, and so do the elements
//! of a slice in it.
//!
//! The type of the closure that is called for a range is hidden from the pool's run loop. So the loop is compiled once, in this crate, and not in each program for each of
//! its closures. What a closure has captured lies in the [`Ranges`] itself, on its own cache lines, which every worker has to fetch before it can begin. So closures
//! should capture by value what they read. A reference into the caller's frame would be another cache line to fetch.

use std::marker::PhantomData;
use std::ops::Range;

use fusain_pool::{Algorithm, kept};

/// Calls `f` with ranges that together are all indices, each once.
#[repr(C, align(64))]
pub(crate) struct Ranges<F: ?Sized> {
    /// The number of elements that an index stands for. With [`usize::MAX`] a unit is one index, whatever the grain.
    weight: usize,
    f: F,
}

impl<F> Ranges<F> {
    #[inline(always)]
    pub(crate) fn new(weight: usize, f: F) -> Self {
        Ranges { weight: weight.max(1), f }
    }
}

impl<F: Fn(Range<usize>) + Sync + ?Sized> Algorithm for Ranges<F> {
    type Local = Range<usize>;

    fn has_local_work(&self, local: &Range<usize>) -> bool {
        local.start < local.end
    }

    fn unit_len(&self, grain: usize) -> usize {
        if self.weight == usize::MAX { grain } else { (grain / self.weight).max(1).saturating_mul(self.weight) }
    }

    fn do_unit(&self, local: &mut Range<usize>, grain: usize) {
        let end = local.start.saturating_add((grain / self.weight).max(1)).min(local.end);
        let unit = std::mem::replace(&mut local.start, end)..end;
        (self.f)(unit);
    }

    fn commit(&self, _local: &mut Range<usize>) {}

    fn split(&self, victim: &mut Range<usize>) -> Option<Range<usize>> {
        self.split_late(victim, 0)
    }

    fn split_late(&self, victim: &mut Range<usize>, delay: usize) -> Option<Range<usize>> {
        let middle = victim.start + kept(victim.end.saturating_sub(victim.start), delay / self.weight)?;
        Some(middle..std::mem::replace(&mut victim.end, middle))
    }
}

/// A slice whose elements are changed by several workers at a time, each in its own ranges.
///
/// Invariant: 1. `base` and `len` are a slice borrowed for `'a`, used through this only.
pub(crate) struct Parts<'a, T> {
    base: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: a pointer and a length are shared. A worker that takes a part has it alone, and may move elements, hence `T: Send`.
unsafe impl<T: Send> Sync for Parts<'_, T> {}

impl<'a, T> Parts<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Parts { base: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// All elements, to be read.
    ///
    /// # Safety
    ///
    /// No element is in a part while the returned slice is in use.
    pub(crate) unsafe fn shared(&self) -> &[T]
    where
        T: Sync,
    {
        // SAFETY: the slice of invariant 1, and by the contract no thread changes it meanwhile.
        unsafe { std::slice::from_raw_parts(self.base, self.len) }
    }

    /// The elements in `range`.
    ///
    /// # Safety
    ///
    /// No element is in two parts that are used at the same time.
    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "parts do not overlap, by the contract")]
    pub(crate) unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "the part lies within the slice");
        // SAFETY: inside the slice of invariant 1, and by the contract in no other part meanwhile.
        unsafe { std::slice::from_raw_parts_mut(self.base.wrapping_add(range.start), range.len()) }
    }
}

#[cfg(test)]
mod tests {
    use fusain_testkit::{drive, script};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_index_once(n in 0..5_000_usize, weight in 0..20_usize, script in script(80)) {
            let mut visits = vec![0_u8; n];
            let parts = Parts::new(&mut visits);
            let visit = |range: Range<usize>| {
                // SAFETY: ranges do not overlap, which is what is tested.
                unsafe { parts.part(range) }.iter_mut().for_each(|x| *x += 1);
            };
            drive(&Ranges::new(weight, visit), 0..n, &script);
            prop_assert!(visits.into_iter().all(|x| x == 1));
        }
    }
}
