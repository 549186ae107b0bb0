//! `position`: the first element that satisfies a predicate; `find_any`: one that does.
//!
//! Idea: the best place found so far is shared; a state whose part lies behind it has no work any more, so that after
//! the first hit only what lies before it is looked at. For `find_any` any hit is the best.
//! C++'s `std::find_if`. Work O(n), at most about a grain a worker beyond what the sequential search looks at on its
//! part; no extra memory.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use fusain_pool::Algorithm;

use crate::feed::Feed;
use crate::kind::is_primitive;
use crate::policy::{Par, Plan, Team};
use crate::widest::widest;

/// Elements looked at without asking whether one was a hit: enough to fill vectors, few enough to waste.
const STRIDE: usize = 64;

pub(crate) struct Position<'a, T, P> {
    predicate: P,
    /// Where the best hit is; the length where there is none.
    best: AtomicUsize,
    /// Elements from here on cannot hold the answer, given the best hit: the hit itself, or 0 once any will do.
    any: bool,
    len: usize,
    elements: PhantomData<&'a T>,
}

impl<T, P> Position<'_, T, P> {
    /// Nothing from here on can be the answer.
    #[inline]
    fn limit(&self) -> usize {
        // Relaxed: an old value costs some search, nothing else; the index carries no other data with it.
        let best = self.best.load(Ordering::Relaxed);
        if self.any && best < self.len { 0 } else { best }
    }
}

impl<'a, T: Sync, P: Fn(&T) -> bool + Sync> Algorithm for Position<'a, T, P> {
    type Local = Feed<'a, T>;

    fn has_global_work(&self) -> bool {
        self.limit() > 0
    }

    fn has_local_work(&self, local: &Self::Local) -> bool {
        !local.is_empty() && local.start < self.limit()
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        let (at, part) = local.take(grain);
        if let Some(i) = widest((first, (part, &self.predicate))) {
            // Relaxed: as in `limit`; the minimum is read for good after the call has returned.
            self.best.fetch_min(at + i, Ordering::Relaxed);
            *local = Feed { start: self.len, rest: &[] };
        }
    }

    fn commit(&self, _local: &mut Self::Local) {}

    fn steal(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        victim.split()
    }
}

/// The first hit in `part`.
#[inline(always)]
pub(crate) fn first<'a, T, P: Fn(&'a T) -> bool>((part, predicate): (&'a [T], P)) -> Option<usize> {
    if !is_primitive::<T>() {
        return part.iter().position(predicate);
    }
    // A loop that may leave early does not vectorise; one that looks at a few elements too many does.
    let (strides, tail) = part.as_chunks::<STRIDE>();
    for (k, stride) in strides.iter().enumerate() {
        if stride.iter().fold(false, |hit, x| hit | predicate(x)) {
            // The predicate may not answer the same twice, hence no `unwrap`.
            if let Some(i) = stride.iter().position(&predicate) {
                return Some(k * STRIDE + i);
            }
        }
    }
    tail.iter().position(predicate).map(|i| strides.len() * STRIDE + i)
}

impl Par<'_> {
    /// The index of the first element of `v` that satisfies `predicate`.
    ///
    /// O(n) work at most; stops soon after the first hit. `predicate` may be called on elements behind the hit, and a
    /// panic there comes out of the call although a sequential search would not have met it.
    ///
    /// ```
    /// assert_eq!(fusain_algorithms::par().position(&[3, 1, 4, 1], |x| *x == 1), Some(1));
    /// ```
    #[doc(alias = "find_if")]
    #[inline]
    pub fn position<T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> Option<usize> {
        match self.plan::<Position<'_, T, P>>(v.len()) {
            Plan::Sequential(watch) => watch.time(|| v.iter().position(predicate)),
            Plan::Parallel(team) => search(team, v, predicate, false),
        }
    }

    /// The first element of `v` that satisfies `predicate`.
    ///
    /// As [`position`](Par::position) otherwise.
    ///
    /// ```
    /// assert_eq!(fusain_algorithms::par().find_first(&[3, 1, 4], |x| *x > 2), Some(&3));
    /// ```
    #[doc(alias = "find_if")]
    #[inline]
    pub fn find_first<'v, T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &'v [T], predicate: P) -> Option<&'v T> {
        self.position(v, predicate).map(|i| &v[i])
    }

    /// An element of `v` that satisfies `predicate`, not always the same where there are several.
    ///
    /// O(n) work at most; stops soon after any hit.
    ///
    /// ```
    /// assert_eq!(fusain_algorithms::par().find_any(&[3, 1, 4], |x| *x > 3), Some(&4));
    /// ```
    #[inline]
    pub fn find_any<'v, T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &'v [T], predicate: P) -> Option<&'v T> {
        let found = match self.plan::<(Position<'_, T, P>, bool)>(v.len()) {
            Plan::Sequential(watch) => watch.time(|| v.iter().position(predicate)),
            Plan::Parallel(team) => search(team, v, predicate, true),
        };
        found.map(|i| &v[i])
    }
}

#[inline(never)]
fn search<T: Sync, P: Fn(&T) -> bool + Sync>(team: Team<'_>, v: &[T], predicate: P, any: bool) -> Option<usize> {
    let (position, root) = Position::new(v, predicate, any);
    team.run(&position, root);
    position.finish()
}

impl<'a, T, P: Fn(&T) -> bool> Position<'a, T, P> {
    pub(super) fn new(v: &'a [T], predicate: P, any: bool) -> (Self, Feed<'a, T>) {
        let best = AtomicUsize::new(v.len());
        (Position { predicate, best, any, len: v.len(), elements: PhantomData }, Feed::new(v))
    }

    pub(super) fn finish(self) -> Option<usize> {
        Some(self.best.into_inner()).filter(|best| *best < self.len)
    }
}
