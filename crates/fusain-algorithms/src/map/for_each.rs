//! `for_each`: calls a function on every element, each exactly once, in no particular order.
//!
//! Idea: a worker processes its [range](crate::execution::ranges) from the front, a thief gets the back half.
//! C++'s `std::for_each`. Work O(n), span O(log n) splits, no extra memory.

use std::ops::Range;

use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::platform::simd::{Body, widest, widest_of};
use crate::policy::{Par, Plan, Watch};

/// Names call sites that visit shared elements.
enum Visit {}

/// Names call sites that visit elements and may change them.
enum VisitMut {}

/// Calls `f` on the elements of a part that begins at `at`, and their indices.
struct VisitPart<P, F> {
    f: F,
    at: usize,
    part: P,
}

impl<P: IntoIterator, F: Fn(usize, P::Item)> Body for VisitPart<P, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let VisitPart { f, at, part } = self;
        part.into_iter().enumerate().for_each(|(i, x)| f(at + i, x));
    }
}

/// # Visiting
///
/// A function is called on every element.
impl Par<'_> {
    /// Calls `f` on every element of `v`, in no particular order.
    ///
    /// O(n) work, no extra memory. A panic in `f` stops the call and propagates; some elements are then not visited.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// let sum = AtomicU32::new(0);
    /// fusain::par().for_each(&[1, 2, 3], |x| { sum.fetch_add(*x, Ordering::Relaxed); });
    /// assert_eq!(sum.into_inner(), 6);
    /// ```
    #[doc(alias = "parallel_for")]
    #[doc(alias = "par_iter")]
    #[inline]
    pub fn for_each<T: Sync, F: Fn(&T) + Sync>(&self, v: &[T], f: F) {
        each::<(Visit, T, F), _, _>(self, v, move |_, x: &T| f(x));
    }

    /// Calls `f(i, &v[i])` for every index `i`, in no particular order.
    ///
    /// Otherwise like [`for_each`](Par::for_each).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// fusain::par().for_each_indexed(&[0, 2, 4], |i, x| assert_eq!(2 * i, *x));
    /// ```
    #[doc(alias = "enumerate")]
    #[inline]
    pub fn for_each_indexed<T: Sync, F: Fn(usize, &T) + Sync>(&self, v: &[T], f: F) {
        each::<(Visit, T, F, usize), _, _>(self, v, f);
    }

    /// Calls `f` on every element of `v`, which it may change, in no particular order.
    ///
    /// Otherwise like [`for_each`](Par::for_each).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3];
    /// fusain::par().for_each_mut(&mut v, |x| *x *= 2);
    /// assert_eq!(v, [2, 4, 6]);
    /// ```
    #[doc(alias = "parallel_for")]
    #[doc(alias = "par_iter_mut")]
    #[inline]
    pub fn for_each_mut<T: Send, F: Fn(&mut T) + Sync>(&self, v: &mut [T], f: F) {
        each_mut::<(VisitMut, T, F), _, _>(self, v, move |_, x: &mut T| f(x));
    }

    /// Calls `f(i, &mut v[i])` for every index `i`, in no particular order.
    ///
    /// Otherwise like [`for_each`](Par::for_each).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [0; 4];
    /// fusain::par().for_each_mut_indexed(&mut v, |i, x| *x = i * i);
    /// assert_eq!(v, [0, 1, 4, 9]);
    /// ```
    #[doc(alias = "enumerate")]
    #[inline]
    pub fn for_each_mut_indexed<T: Send, F: Fn(usize, &mut T) + Sync>(&self, v: &mut [T], f: F) {
        each_mut::<(VisitMut, T, F, usize), _, _>(self, v, f);
    }
}

/// Visits all elements as `policy` says; `K` names the call site.
#[inline]
fn each<K: ?Sized, T: Sync, F: Fn(usize, &T) + Sync>(policy: &Par<'_>, v: &[T], f: F) {
    match policy.plan::<K>(v.len()) {
        Plan::Sequential(watch) if watch.looks_up() => visit_looking(policy, watch, v, f),
        Plan::Sequential(watch) => watch.time(|| widest_of(v.len(), VisitPart { f, at: 0, part: v })),
        Plan::Parallel(team) => visit(&team, v, f),
    }
}

/// Like [`each`], for elements that `f` may change.
#[inline]
fn each_mut<K: ?Sized, T: Send, F: Fn(usize, &mut T) + Sync>(policy: &Par<'_>, v: &mut [T], f: F) {
    match policy.plan::<K>(v.len()) {
        Plan::Sequential(watch) if watch.looks_up() => visit_mut_looking(policy, watch, v, f),
        Plan::Sequential(watch) => watch.time(|| widest_of(v.len(), VisitPart { f, at: 0, part: v })),
        Plan::Parallel(team) => visit_mut(&team, v, f),
    }
}

/// Visits all elements with `executor`.
#[inline(never)]
pub(super) fn visit<T: Sync, F: Fn(usize, &T) + Sync>(executor: &impl Executor, v: &[T], f: F) {
    executor.run_ranges(v.len(), 1, parts_of(v, f));
}

#[cold]
#[inline(never)]
fn visit_looking<T: Sync, F: Fn(usize, &T) + Sync>(policy: &Par<'_>, watch: Watch, v: &[T], f: F) {
    policy.run_ranges_looking(watch, v.len(), parts_of(v, f));
}

/// Returns a function that visits the elements of `v` in a range.
#[inline(always)]
fn parts_of<T: Sync, F: Fn(usize, &T) + Sync>(v: &[T], f: F) -> impl Fn(Range<usize>) + Sync {
    move |range| widest(VisitPart { f: &f, at: range.start, part: &v[range] })
}

/// Like [`visit`], for elements that `f` may change.
#[inline(never)]
pub(super) fn visit_mut<T: Send, F: Fn(usize, &mut T) + Sync>(executor: &impl Executor, v: &mut [T], f: F) {
    // SAFETY: the ranges that an executor is given do not overlap.
    executor.run_ranges(v.len(), 1, unsafe { parts_of_mut(v, f) });
}

#[cold]
#[inline(never)]
fn visit_mut_looking<T: Send, F: Fn(usize, &mut T) + Sync>(policy: &Par<'_>, watch: Watch, v: &mut [T], f: F) {
    // SAFETY: ranges that partition all indices do not overlap.
    policy.run_ranges_looking(watch, v.len(), unsafe { parts_of_mut(v, f) });
}

/// Like [`parts_of`], for elements that `f` may change.
///
/// # Safety
/// The returned function is called with ranges that do not overlap.
#[inline(always)]
unsafe fn parts_of_mut<T: Send, F: Fn(usize, &mut T) + Sync>(v: &mut [T], f: F) -> impl Fn(Range<usize>) + Sync {
    let parts = Parts::new(v);
    move |range: Range<usize>| {
        let at = range.start;
        // SAFETY: guaranteed by the caller.
        let part = unsafe { parts.part(range) };
        widest(VisitPart { f: &f, at, part });
    }
}
