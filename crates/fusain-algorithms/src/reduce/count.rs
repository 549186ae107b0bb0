//! `count_if`: how many elements satisfy a predicate.
//!
//! Idea: a sum of zeros and ones, in lanes as narrow as the elements themselves, so that a vector of elements makes
//! one vector of counts. C++'s `std::count` and `std::count_if`. Work O(n), no extra memory.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;
use fusain_pool::Algorithm;

use crate::feed::Feed;
use crate::policy::{Par, Plan, Team};
use crate::widest::{widest, widest_of};

pub(crate) struct Count<'a, T, P> {
    predicate: P,
    /// On a cache line of its own: a worker that commits writes to it, and must not slow down those that read the rest.
    found: CachePadded<AtomicUsize>,
    elements: PhantomData<&'a T>,
}

pub(crate) struct Local<'a, T> {
    found: usize,
    left: Feed<'a, T>,
}

impl<'a, T: Sync, P: Fn(&T) -> bool + Sync> Algorithm for Count<'a, T, P> {
    type Local = Local<'a, T>;

    fn has_local_work(&self, local: &Self::Local) -> bool {
        !local.left.is_empty()
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        let (_, part) = local.left.take(grain);
        local.found += widest((count, (part, &self.predicate)));
    }

    fn commit(&self, local: &mut Self::Local) {
        // Relaxed: read after the call that ran the algorithm has returned, which orders it.
        self.found.fetch_add(std::mem::take(&mut local.found), Ordering::Relaxed);
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        victim.left.split().map(|left| Local { found: 0, left })
    }
}

/// Counts in lanes of the width of `T`.
#[inline(always)]
pub(super) fn count<T, P: Fn(&T) -> bool>((part, predicate): (&[T], P)) -> usize {
    match size_of::<T>() {
        1 => part.chunks(u8::MAX.into()).map(|c| c.iter().map(|x| predicate(x) as u8).sum::<u8>() as usize).sum(),
        2 => part.chunks(u16::MAX.into()).map(|c| c.iter().map(|x| predicate(x) as u16).sum::<u16>() as usize).sum(),
        // A unit is far below 2^32 elements, but nothing forbids a longer slice here.
        4 => part.chunks(1 << 20).map(|c| c.iter().map(|x| predicate(x) as u32).sum::<u32>() as usize).sum(),
        _ => part.iter().map(|x| predicate(x) as usize).sum(),
    }
}

/// # Counting
impl Par<'_> {
    /// Counts the elements of `v` that satisfy `predicate`.
    ///
    /// O(n) work, no extra memory. A panic in `predicate` propagates.
    ///
    /// ```
    /// assert_eq!(fusain_algorithms::par().count_if(&[1, 2, 3], |x| x % 2 == 1), 2);
    /// ```
    #[inline]
    pub fn count_if<T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> usize {
        match self.plan::<Count<'_, T, P>>(v.len()) {
            Plan::Sequential(watch) => watch.time(|| widest_of(v.len(), (count, (v, &predicate)))),
            Plan::Parallel(team) => parallel(team, v, predicate),
        }
    }

    /// Counts the elements of `v` that are equal to `value`.
    ///
    /// Otherwise like [`count_if`](Par::count_if).
    ///
    /// ```
    /// assert_eq!(fusain_algorithms::par().count(&[1, 2, 1], &1), 2);
    /// ```
    #[inline]
    pub fn count<T: PartialEq + Sync>(&self, v: &[T], value: &T) -> usize {
        self.count_if(v, |x| x == value)
    }
}

#[inline(never)]
fn parallel<T: Sync, P: Fn(&T) -> bool + Sync>(team: Team<'_>, v: &[T], predicate: P) -> usize {
    let (count, root) = Count::new(v, predicate);
    team.run(&count, root);
    count.finish()
}

impl<'a, T, P: Fn(&T) -> bool> Count<'a, T, P> {
    pub(super) fn new(v: &'a [T], predicate: P) -> (Self, Local<'a, T>) {
        (
            Count { predicate, found: CachePadded::new(AtomicUsize::new(0)), elements: PhantomData },
            Local { found: 0, left: Feed::new(v) },
        )
    }

    pub(super) fn finish(self) -> usize {
        self.found.into_inner().into_inner()
    }
}
