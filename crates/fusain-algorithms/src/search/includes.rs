//! `includes`: whether a sorted slice has every element of another one, each at least as often.
//!
//! Idea: a worker goes through both slices side by side. A binary search finds where a part begins in the other slice: the k-th of several equal
//! elements belongs to the k-th of them there. A worker that misses an element tells the others. After a number of equal elements in a row, numbers are
//! compared a stride at a time. C++'s `std::includes`.
//! Work O(m log(n / m)) for m elements of n, span O(log n) splits of O(log n) each; no extra memory.

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering as Memory};

use fusain_pool::Algorithm;

use crate::element::primitive::{is_primitive, may_be_primitive};
use crate::platform::simd::{Body, widest};
use crate::policy::{Par, Plan, Team};
use crate::search::gallop::{STRIDE, equal_front, leap};

/// How many elements are passed one by one before the next wanted one is searched for with growing steps.
const STEPS: usize = 8;

pub(super) struct Includes<'a, T, F> {
    compare: F,
    /// Whether an element has been missed.
    missing: AtomicBool,
    elements: PhantomData<&'a T>,
}

/// The elements still wanted, and the elements of the slice from the first on that may be equal to the first wanted one.
pub(super) struct Local<'a, T> {
    wanted: &'a [T],
    v: &'a [T],
}

impl<'a, T: Sync, F: Fn(&T, &T) -> Ordering + Sync> Algorithm for Includes<'a, T, F> {
    type Local = Local<'a, T>;

    fn wants_help(&self) -> bool {
        // Relaxed: only a hint. The final read comes after the call has returned.
        !self.missing.load(Memory::Relaxed)
    }

    fn has_local_work(&self, local: &Self::Local) -> bool {
        !local.wanted.is_empty() && self.wants_help()
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        let (unit, rest) = local.wanted.split_at(grain.clamp(1, local.wanted.len()));
        match widest(Pass { v: local.v, wanted: unit, compare: &self.compare }) {
            Some(passed) => *local = Local { wanted: rest, v: &local.v[passed..] },
            None => {
                self.missing.store(true, Memory::Relaxed);
                local.wanted = &[];
            }
        }
    }

    fn commit(&self, _local: &mut Self::Local) {}

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        if victim.wanted.len() < 2 {
            return None;
        }
        let (front, back) = victim.wanted.split_at(victim.wanted.len().div_ceil(2));
        let before = |x: &T| (self.compare)(x, &back[0]).is_lt();
        // The victim's part tells how many wanted elements equal to the first stolen one come before it.
        let equals = front.len() - front.partition_point(before);
        let passed = victim.v.partition_point(before) + equals;
        victim.wanted = front;
        // If `v` has fewer of these, the victim will find that one is missing.
        Some(Local { wanted: back, v: victim.v.get(passed..).unwrap_or(&[]) })
    }
}

impl<'a, T, F> Includes<'a, T, F> {
    pub(super) fn new(v: &'a [T], wanted: &'a [T], compare: F) -> (Self, Local<'a, T>) {
        (Includes { compare, missing: AtomicBool::new(false), elements: PhantomData }, Local { wanted, v })
    }

    pub(super) fn finish(self) -> bool {
        !self.missing.into_inner()
    }
}

/// Goes through `v` until every element of `wanted` has been found. Returns how many elements of `v` that took, or `None` if one is missing.
struct Pass<'a, T, F> {
    v: &'a [T],
    wanted: &'a [T],
    compare: F,
}

impl<T, F: Fn(&T, &T) -> Ordering> Body for Pass<'_, T, F> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        let Pass { v, wanted, compare } = self;
        let (mut at, mut met) = (0, 0);
        // How many elements in a row were wanted, or were not.
        let (mut in_a_row, mut in_vain) = (0, 0);
        while met < wanted.len() {
            if const { may_be_primitive::<T>() } && is_primitive::<T>() && in_a_row >= STRIDE {
                let equal = equal_front(&v[at..], &wanted[met..], |x, y| compare(x, y).is_eq());
                at += equal;
                met += equal;
                in_a_row = 0;
                continue;
            }
            let y = &wanted[met];
            let order = compare(v.get(at)?, y);
            if order.is_gt() {
                return None;
            }
            // Without a branch, since it cannot be predicted whether an element is wanted.
            let is_met = order.is_eq();
            at += 1;
            met += usize::from(is_met);
            in_a_row = if is_met { in_a_row + 1 } else { 0 };
            in_vain = if is_met { 0 } else { in_vain + 1 };
            if in_vain == STEPS {
                at += leap(&v[at..], |x| compare(x, y).is_lt());
                in_vain = 0;
            }
        }
        Some(at)
    }
}

/// # Checking for a subset
impl Par<'_> {
    /// Whether `v` contains every element of `wanted`, and each at least as many times as `wanted` does. Both must be sorted.
    ///
    /// O(m log(1 + n / m)) comparisons for m wanted elements of n, none if they are more than `v` has, and stops soon after one that is missing.
    /// If a slice is not sorted, the answer is unspecified. A panic in a comparison propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().includes(&[1, 2, 2, 3], &[2, 2]));
    /// assert!(!fusain::par().includes(&[1, 2, 3], &[2, 2]));
    /// ```
    #[inline]
    pub fn includes<T: Ord + Sync>(&self, v: &[T], wanted: &[T]) -> bool {
        self.includes_by(v, wanted, T::cmp)
    }

    /// Whether `v` contains every element of `wanted`, and each at least as many times as `wanted` does. Both must be sorted by `compare`.
    ///
    /// Otherwise like [`includes`](Par::includes).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert!(fusain::par().includes_by(&[0.5, 1.0, 2.0], &[1.0, 2.0], f64::total_cmp));
    /// ```
    #[doc(alias = "includes")]
    #[inline]
    pub fn includes_by<T: Sync, F: Fn(&T, &T) -> Ordering + Sync>(&self, v: &[T], wanted: &[T], compare: F) -> bool {
        if wanted.len() > v.len() {
            return false;
        }
        match self.plan::<Includes<'_, T, F>>(wanted.len()) {
            Plan::Sequential(watch) => watch.time(|| widest(Pass { v, wanted, compare }).is_some()),
            Plan::Parallel(team) => parallel(team, v, wanted, compare),
        }
    }
}

#[inline(never)]
fn parallel<T: Sync, F>(team: Team<'_>, v: &[T], wanted: &[T], compare: F) -> bool
where
    F: Fn(&T, &T) -> Ordering + Sync,
{
    let (includes, root) = Includes::new(v, wanted, compare);
    team.run(&includes, root);
    includes.finish()
}
