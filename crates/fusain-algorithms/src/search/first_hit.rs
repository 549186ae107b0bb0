//! The algorithm behind every search: all workers look for the first of many indices that is a hit.
//!
//! Idea: the indices are cut into *stripes*. A worker claims the next stripe from the front, so all workers look near the front, and with p
//! workers the first hit is found about p times sooner. (If each worker had one long part, only one of them would look where the first hit is.)
//! The best hit so far is shared; indices behind it need not be looked at any more. A stripe is split like any other part, so short
//! searches need no claims. If any hit will do, all indices are one stripe: no place is better than another, and each worker goes on with what its caches have.
//! Work O(indices before the hit), and at most about a stripe for each worker behind it; O(n) if any hit will do. No extra memory.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use fusain_pool::{Algorithm, kept};

use super::stride::{first_in, first_in_streams};
use crate::memory::streams::{UnitLen, window};
use crate::policy::{Par, Plan, Team};

/// How long a stripe should take in nanoseconds, if the cost of an index is known: four units. Claims, each of which moves a cache line between cores,
/// then cost almost nothing, and few indices behind the hit are looked at.
const STRIPE_NS: f32 = 8_000.0;

/// The number of indices in a stripe if the cost of an index is not known.
const STRIPE: usize = 1 << 10;

/// How long in nanoseconds the caller searches alone before it calls other workers: about as long as calling them takes, so a hit near the
/// front takes at most twice its time.
const ALONE_NS: f32 = 500.0;

/// Alone the caller looks at no more than one in this many of all indices, since their cost may have been misjudged.
const ALONE_PART: usize = 1 << 5;

/// The number of indices that the caller looks at before it asks whether the rest is worth sharing.
const HEAD: usize = 8;

/// Before it asks, the caller looks at no more than one in this many of all indices, since looking at one may be expensive.
const HEAD_PART: usize = 1 << 6;

/// How many windows there are before the first one that is read as streams. One with a hit near its front may be read in vain as a whole, which is to be a small part of
/// the search.
const NEAR: usize = 4;

/// A number on its own cache line.
#[repr(align(128))]
struct Line(AtomicUsize);

pub(crate) struct FirstHit<F> {
    /// Returns the first hit in a range of places.
    find: F,
    len: usize,
    stripe: usize,
    units: UnitLen,
    /// The minimum number of places in a unit and in a part, as far as there are as many: see [`first_hit`].
    least: usize,
    /// Whether any hit is an answer, not only the first.
    any: bool,
    /// The best hit; `len` if there is none.
    best: Line,
    /// The first place that no worker has claimed.
    next: Line,
}

/// The places that a worker has claimed and not yet looked at.
pub(crate) type Claimed = Range<usize>;

impl<F: Fn(Range<usize>) -> Option<usize> + Sync> Algorithm for FirstHit<F> {
    type Local = Claimed;

    fn wants_help(&self) -> bool {
        self.limit() > 0
    }

    fn has_local_work(&self, local: &Claimed) -> bool {
        let limit = self.limit();
        local.start < local.end.min(limit) || self.has_unclaimed(limit)
    }

    fn unit_len(&self, grain: usize) -> usize {
        self.units.stretched(grain).max(self.least).min(self.stripe)
    }

    fn do_unit(&self, local: &mut Claimed, grain: usize) {
        let limit = self.limit();
        if local.start >= local.end.min(limit) {
            *local = self.claim();
        }
        let end = local.start.saturating_add(grain.max(self.least)).min(local.end).min(limit);
        if local.start < end
            && let Some(i) = (self.find)(local.start..end)
        {
            // Relaxed: no other data depends on the index. The final read comes after the call has returned.
            self.best.0.fetch_min(i, Ordering::Relaxed);
            local.end = end;
        }
        local.start = end.max(local.start);
    }

    fn commit(&self, _local: &mut Claimed) {}

    fn split(&self, victim: &mut Claimed) -> Option<Claimed> {
        self.split_late(victim, 0)
    }

    fn split_late(&self, victim: &mut Claimed, delay: usize) -> Option<Claimed> {
        let limit = self.limit();
        if self.has_unclaimed(limit) {
            return Some(self.claim());
        }
        let end = victim.end.min(limit);
        let left = end.saturating_sub(victim.start);
        if left / 2 < self.least {
            return None;
        }
        let middle = victim.start + kept(left, delay)?;
        victim.end = middle;
        Some(middle..end)
    }
}

impl<F: Fn(Range<usize>) -> Option<usize>> FirstHit<F> {
    /// The search among `len` places, of which those before `from` are known to be no hits.
    pub(super) fn new(from: usize, len: usize, stripe: usize, least: usize, any: bool, find: F) -> Self {
        let line = |x| Line(AtomicUsize::new(x));
        let stripe = stripe.max(least).min(len).max(1);
        let least = least.max(1);
        FirstHit { find, len, stripe, units: UnitLen::GRAIN, least, any, best: line(len), next: line(from) }
    }

    /// The first claim.
    pub(super) fn root(&self) -> Claimed {
        self.claim()
    }

    pub(super) fn finish(&self) -> Option<usize> {
        Some(self.best.0.load(Ordering::Relaxed)).filter(|best| *best < self.len)
    }

    /// The place from which on no place can be the answer.
    #[inline]
    fn limit(&self) -> usize {
        // Relaxed: an old value costs some search, nothing else.
        let best = self.best.0.load(Ordering::Relaxed);
        if self.any && best < self.len { 0 } else { best }
    }

    fn has_unclaimed(&self, limit: usize) -> bool {
        // Relaxed: a hint; the claim itself decides.
        self.next.0.load(Ordering::Relaxed) < limit
    }

    /// Claims the next stripe. The range is empty if there is none.
    fn claim(&self) -> Claimed {
        // Relaxed: claims need only be distinct. The sum saturates, as there may be `usize::MAX` places, and each worker may claim once more when all are claimed.
        let claim = |next: usize| Some(next.saturating_add(self.stripe));
        let next = self.next.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, claim);
        let start = next.unwrap_or(self.len).min(self.len);
        start..self.len.min(start.saturating_add(self.stripe))
    }
}

/// The first of `len` places that is a hit. `find` returns the first hit in a range, and `K` names the call site.
///
/// `find` must search the range from its front and stop soon after a hit. It is called with `least` places or more, as far as there are as many: for fewer places
/// it may have to look at as many elements.
#[inline]
pub(super) fn first_hit<K: ?Sized>(
    policy: &Par<'_>,
    len: usize,
    least: usize,
    find: impl Fn(Range<usize>) -> Option<usize> + Sync,
) -> Option<usize> {
    behind_head::<K, _>(policy, 0..len, least, UnitLen::GRAIN, false, find)
}

/// Like [`first_hit`], for `places`; those before them are known to be no hits. With `any`, any hit will do.
#[inline(never)]
fn behind_head<K: ?Sized, F: Fn(Range<usize>) -> Option<usize> + Sync>(
    policy: &Par<'_>,
    places: Range<usize>,
    least: usize,
    units: UnitLen,
    any: bool,
    find: F,
) -> Option<usize> {
    let Range { start: head, end: len } = places;
    let seen = |hit: &Option<usize>| hit.map_or(len, |i| i + 1) - head;
    match policy.plan::<K>(len - head) {
        Plan::Sequential(watch) => watch.time_some(|| find(head..len), seen),
        Plan::Parallel(team) => {
            let alone = team.elements_in(ALONE_NS).unwrap_or(0).min(len / ALONE_PART);
            if alone > 0
                && let Some(i) = find(head..head + alone)
            {
                return Some(i);
            }
            let left = len - head - alone;
            let stripe = team.grain().unwrap_or_else(|| if any { left } else { stripe(&team, left, units) });
            search(team, FirstHit { units, ..FirstHit::new(head + alone, len, stripe, least, any, find) })
        }
    }
}

/// The length of the stripes of `len` places. There are as many for each worker, so that no worker is left alone with the last one.
#[inline(never)]
fn stripe(team: &Team<'_>, len: usize, units: UnitLen) -> usize {
    let longest = units.stretched(team.elements_in(STRIPE_NS).unwrap_or(STRIPE).max(1));
    // There can be so many zero-sized elements that the multiple overflows.
    let stripes = len.div_ceil(longest).checked_next_multiple_of(team.workers()).unwrap_or(len);
    len.div_ceil(stripes.max(1))
}

#[inline(never)]
fn search<F: Fn(Range<usize>) -> Option<usize> + Sync>(team: Team<'_>, search: FirstHit<F>) -> Option<usize> {
    team.run_search(&search, search.root(), &|| search.finish().is_some());
    search.finish()
}

/// The first `i` for which `hit(&a[i], &b[i])` holds, or with `any` one such `i`. `numbers` says whether elements are numbers, and `K` names the call site.
///
/// # Panics
///
/// If the slices are of different lengths.
#[inline(always)]
pub(super) fn first_pair_hit<K: ?Sized, A: Sync, B: Sync>(
    policy: &Par<'_>,
    (a, b): (&[A], &[B]),
    any: bool,
    numbers: bool,
    hit: impl Fn(&A, &B) -> bool + Sync,
) -> Option<usize> {
    assert_eq!(a.len(), b.len(), "every element has a partner");
    let head = HEAD.min(a.len() / HEAD_PART);
    for i in 0..head {
        if hit(&a[i], &b[i]) {
            return Some(i);
        }
    }
    let units = if numbers { UnitLen::of(a, policy.fixed_grain()) } else { UnitLen::GRAIN };
    behind_head::<K, _>(policy, head..a.len(), 1, units, any, |range| {
        let Range { start, end } = range;
        let far = if units.is_long() { end.min(start.max(NEAR * window::<A>())) } else { end };
        match first_in(&a[start..far], &b[start..far], numbers, &hit) {
            None if far < end => first_in_streams(&a[far..end], &b[far..end], numbers, &hit).map(|i| far + i),
            found => found.map(|i| start + i),
        }
    })
}
