//! The algorithm behind every search: all workers look for the first of many indices that is a hit.
//!
//! Idea: the indices are cut into *stripes*. A worker claims the next stripe from the front, so all workers look near the front, and with p
//! workers the first hit is found about p times sooner. (If each worker had one long part, only one of them would look where the first hit is.)
//! The best hit so far is shared; indices behind it need not be looked at any more. A stripe is split like any other part, so short
//! searches need no claims. Where any hit will do, all is one stripe: no place is a better one to look at, and each worker goes on with what its caches have.
//! Work O(indices before the hit), and at most about a stripe for each worker behind it, of any hit O(n); no extra memory.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use fusain_pool::{Algorithm, kept};

use super::stride::first_in;
use crate::policy::{Par, Plan, Team};

/// How long a stripe should take, if the cost of an index is known: four units. Claims, each of which moves a cache line between cores, then cost
/// next to nothing, and few indices behind the hit are looked at.
const STRIPE_NS: f32 = 8_000.0;

/// Indices in a stripe if the cost is not known.
const STRIPE: usize = 1 << 10;

/// For so long the caller searches alone before it calls others: about as long as calling them takes, so a hit near the front takes at
/// most twice its time.
const ALONE_NS: f32 = 500.0;

/// The caller alone looks at no more than one in so many of all indices, since it may be wrong about their cost.
const ALONE_PART: usize = 1 << 5;

/// Indices the caller looks at before it asks whether the rest is worth sharing, ...
const HEAD: usize = 8;

/// ... but no more than one in so many of all, since looking at one may be expensive.
const HEAD_PART: usize = 1 << 6;

/// A number on a cache line of its own.
#[repr(align(128))]
struct Line(AtomicUsize);

pub(crate) struct FirstHit<F> {
    /// The first hit in a range of places.
    find: F,
    len: usize,
    stripe: usize,
    /// Places of a unit and of a part at least, if there are so many: see [`first_hit`].
    least: usize,
    /// Whether any hit is an answer, not only the first.
    any: bool,
    /// The best hit; `len` where there is none.
    best: Line,
    /// The first place that nobody has claimed.
    next: Line,
}

/// The places a worker has claimed and not looked at.
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
        grain.max(self.least).min(self.stripe)
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
            // Relaxed: the index carries no other data with it; it is read for good after the call has returned.
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
        FirstHit { find, len, stripe, least: least.max(1), any, best: line(len), next: line(from) }
    }

    /// The first claim.
    pub(super) fn root(&self) -> Claimed {
        self.claim()
    }

    pub(super) fn finish(&self) -> Option<usize> {
        Some(self.best.0.load(Ordering::Relaxed)).filter(|best| *best < self.len)
    }

    /// Nothing from here on can be the answer.
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

    /// The next stripe; empty where there is none.
    fn claim(&self) -> Claimed {
        // Relaxed: claims need only be distinct. There may be as many places as a number can count, and each worker may come once when all are claimed.
        let claim = |next: usize| Some(next.saturating_add(self.stripe));
        let next = self.next.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, claim);
        let start = next.unwrap_or(self.len).min(self.len);
        start..self.len.min(start.saturating_add(self.stripe))
    }
}

/// The first of `len` places that is a hit, or any; `find` looks for the first in a range, and `K` names the call site.
///
/// `find` is to look at the range from its front and to stop soon after a hit. It is called with `least` places or more, as far as there are: for fewer it may
/// have to look at as many elements.
#[inline]
pub(super) fn first_hit<K: ?Sized>(
    policy: &Par<'_>,
    len: usize,
    least: usize,
    find: impl Fn(Range<usize>) -> Option<usize> + Sync,
) -> Option<usize> {
    behind_head::<K, _>(policy, 0, len, least, false, find)
}

/// As [`first_hit`], when the places before `head` are known to be no hits.
#[inline(never)]
fn behind_head<K: ?Sized, F: Fn(Range<usize>) -> Option<usize> + Sync>(
    policy: &Par<'_>,
    head: usize,
    len: usize,
    least: usize,
    any: bool,
    find: F,
) -> Option<usize> {
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
            let stripe = team.grain().unwrap_or_else(|| if any { left } else { stripe(&team, left) });
            search(team, FirstHit::new(head + alone, len, stripe, least, any, find))
        }
    }
}

/// The length of stripes of `len` places: as many for each worker, so that no one is left with the last.
#[inline(never)]
fn stripe(team: &Team<'_>, len: usize) -> usize {
    let longest = team.elements_in(STRIPE_NS).unwrap_or(STRIPE).max(1);
    // Elements without a size can be so many that there is no such multiple.
    let stripes = len.div_ceil(longest).checked_next_multiple_of(team.workers()).unwrap_or(len);
    len.div_ceil(stripes.max(1))
}

#[inline(never)]
fn search<F: Fn(Range<usize>) -> Option<usize> + Sync>(team: Team<'_>, search: FirstHit<F>) -> Option<usize> {
    team.run_search(&search, search.root(), &|| search.finish().is_some());
    search.finish()
}

/// The first `i` for which `hit(&a[i], &b[i])`, or any; `numbers` says whether elements are, and `K` names the call site.
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
    behind_head::<K, _>(policy, head, a.len(), 1, any, |range| {
        let start = range.start;
        first_in(&a[range.clone()], &b[range], numbers, &hit).map(|i| start + i)
    })
}
