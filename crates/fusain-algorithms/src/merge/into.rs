//! `merge`: merges two sorted slices into one sorted vector, stable.
//!
//! Idea: a state holds what is left of both runs, and where in the result it writes next. A split halves the longer run and finds
//! the place of its middle in the other run by binary search, so each part knows its place in the result.
//! PaSTeL's `merge` (Saule & Videau 2008, section 4.2); C++'s `std::merge`.
//! Work O(n), span O(log^2 n), no extra memory besides the result. Equal elements: those of the first slice first.

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, needs_drop};

use fusain_pool::Algorithm;

use super::kernel::ByClone;
use super::lane::Lane;
use super::lanes::{LANES, Lanes};
use crate::memory::output::{Output, Window, collect, fill_alone};
use crate::policy::{Par, Plan, Team};

pub(crate) struct Merge<'a, T, L> {
    less: L,
    elements: PhantomData<&'a T>,
}

/// What is left to be merged, and the memory for the result.
///
/// Invariants:
/// 1. The lanes' room lies within the window's, and has as many slots as the window has empty ones.
/// 2. Where elements need dropping there is at most one lane, and its room is the end of the window.
pub(crate) struct Local<'a, T> {
    lanes: Lanes<T>,
    window: Window<'a, T>,
}

impl<T> Local<'_, T> {
    /// Tells the window what the lanes have written.
    fn sync(&mut self) {
        // SAFETY: invariants 1 and 2.
        unsafe { self.window.set_left(self.lanes.len()) };
    }
}

impl<T> Drop for Local<'_, T> {
    fn drop(&mut self) {
        // This matters after a panic in the middle of a unit: then the window drops what has been written.
        self.sync();
    }
}

impl<'a, T: Clone + Send + Sync, L: Fn(&T, &T) -> bool + Sync> Algorithm for Merge<'a, T, L> {
    type Local = Local<'a, T>;

    fn has_local_work(&self, local: &Self::Local) -> bool {
        !local.lanes.is_empty()
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        local.lanes.advance(grain, &self.less, ByClone);
    }

    fn commit(&self, local: &mut Self::Local) {
        local.sync();
        local.window.publish();
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        let lanes = victim.lanes.split(&self.less)?;
        let window = victim.window.split_off_back(lanes.len());
        Some(Local { lanes, window })
    }
}

/// # Merging
///
/// Two sorted slices become one.
impl Par<'_> {
    /// Merges two sorted slices into one sorted vector, stable.
    ///
    /// Of equal elements, those of `a` come first. O(n) comparisons, no memory but the result. If a slice is not sorted, the result has all
    /// elements, in an unspecified order.
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().merge(&[1, 4], &[2, 3, 5]), [1, 2, 3, 4, 5]);
    /// ```
    #[inline]
    pub fn merge<T: Ord + Clone + Send + Sync>(&self, a: &[T], b: &[T]) -> Vec<T> {
        vector(self, a, b, T::lt)
    }

    /// Merges two slices, both sorted by `compare`, into one sorted vector, stable.
    ///
    /// Otherwise like [`merge`](Par::merge). If `compare` panics, clones made so far are dropped, and the panic propagates.
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().merge_by(&[4, 1], &[3], |x, y| y.cmp(x)), [4, 3, 1]);
    /// ```
    #[inline]
    pub fn merge_by<T, F>(&self, a: &[T], b: &[T], compare: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        vector(self, a, b, |x, y| compare(x, y).is_lt())
    }

    /// Merges two slices, both sorted by key, into one sorted vector, stable.
    ///
    /// Otherwise like [`merge_by`](Par::merge_by). Each comparison computes two keys.
    ///
    /// # Panics
    ///
    /// If both lengths together overflow `usize`, which is possible only for zero-sized types.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let merged = fusain::par().merge_by_key(&["b", "cc"], &["a", "dddd"], |s| s.len());
    /// assert_eq!(merged, ["b", "a", "cc", "dddd"]);
    /// ```
    #[inline]
    pub fn merge_by_key<T, K, F>(&self, a: &[T], b: &[T], key: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        vector(self, a, b, |x, y| key(x) < key(y))
    }

    /// Merges two sorted slices into `room`, stable, and returns it, initialised.
    ///
    /// Otherwise like [`merge`](Par::merge); what `room` held before is not dropped.
    ///
    /// # Panics
    ///
    /// If the length of `room` is not that of both slices together.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 3];
    /// assert_eq!(fusain::par().merge_into(&[1, 3], &[2], &mut room), [1, 2, 3]);
    /// ```
    #[inline]
    pub fn merge_into<'r, T: Ord + Clone + Send + Sync>(
        &self,
        a: &[T],
        b: &[T],
        room: &'r mut [MaybeUninit<T>],
    ) -> &'r mut [T] {
        into(self, a, b, room, T::lt)
    }

    /// Merges two slices, both sorted by `compare`, into `room`, and returns it, initialised.
    ///
    /// Otherwise like [`merge_into`](Par::merge_into).
    ///
    /// # Panics
    ///
    /// If the length of `room` is not that of both slices together.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 2];
    /// let merged = fusain::par().merge_into_by(&[0.5], &[-1.5], &mut room, f64::total_cmp);
    /// assert_eq!(merged, [-1.5, 0.5]);
    /// ```
    #[inline]
    pub fn merge_into_by<'r, T, F>(&self, a: &[T], b: &[T], room: &'r mut [MaybeUninit<T>], compare: F) -> &'r mut [T]
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        into(self, a, b, room, |x, y| compare(x, y).is_lt())
    }
}

/// For at most this many elements, a plain loop is the fastest merge.
const PLAIN: usize = 48;

#[inline]
fn vector<T, L>(policy: &Par<'_>, a: &[T], b: &[T], less: L) -> Vec<T>
where
    T: Clone + Send + Sync,
    L: Fn(&T, &T) -> bool + Sync,
{
    // Slices of zero-sized elements may be so long that the sum overflows.
    let len = a.len().checked_add(b.len()).expect("the number of elements fits in a usize");
    if len <= PLAIN { plain(a, b, less) } else { collect(len, |room| into(policy, a, b, room, less)) }
}

#[inline]
fn plain<T: Clone>(mut a: &[T], mut b: &[T], less: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
        if less(y, x) {
            merged.push(y.clone());
            b = b_rest;
        } else {
            merged.push(x.clone());
            a = a_rest;
        }
    }
    merged.extend_from_slice(a);
    merged.extend_from_slice(b);
    merged
}

#[inline]
fn into<'r, T, L>(policy: &Par<'_>, a: &[T], b: &[T], room: &'r mut [MaybeUninit<T>], less: L) -> &'r mut [T]
where
    T: Clone + Send + Sync,
    L: Fn(&T, &T) -> bool + Sync,
{
    assert_eq!(a.len().checked_add(b.len()), Some(room.len()), "the room must have a slot for every element");
    match policy.plan_plain::<Merge<'_, T, L>>(room.len()) {
        Plan::Sequential(watch) => watch.time(|| sequential(a, b, room, less)),
        Plan::Parallel(team) => parallel(team, a, b, room, less),
    }
}

/// Fewer elements than this are merged one by one: setting up lanes would take longer than it saves.
const FEW: usize = 64;

fn sequential<'r, T: Clone>(
    a: &[T],
    b: &[T],
    room: &'r mut [MaybeUninit<T>],
    less: impl Fn(&T, &T) -> bool,
) -> &'r mut [T] {
    if room.len() < FEW {
        return fill_alone(room, |window| merge_few(a, b, window, less));
    }
    let output = Output::new(room);
    let mut root = root(a, b, &output);
    root.lanes.advance(usize::MAX, &less, ByClone);
    root.sync();
    root.window.publish();
    drop(root);
    output.finish()
}

#[inline]
fn merge_few<T: Clone>(a: &[T], b: &[T], window: &mut Window<'_, T>, less: impl Fn(&T, &T) -> bool) {
    let (mut from_a, mut from_b) = (0, 0);
    window.fill_by(a.len() + b.len(), |_| {
        if from_a == a.len() || (from_b < b.len() && less(&b[from_b], &a[from_a])) {
            from_b += 1;
            b[from_b - 1].clone()
        } else {
            from_a += 1;
            a[from_a - 1].clone()
        }
    });
}

#[inline(never)]
fn parallel<'r, T, L>(team: Team<'_>, a: &[T], b: &[T], room: &'r mut [MaybeUninit<T>], less: L) -> &'r mut [T]
where
    T: Clone + Send + Sync,
    L: Fn(&T, &T) -> bool + Sync,
{
    let output = Output::new(room);
    team.run(&Merge::new(less), root(a, b, &output));
    output.finish()
}

impl<T, L: Fn(&T, &T) -> bool> Merge<'_, T, L> {
    pub(super) fn new(less: L) -> Self {
        Merge { less, elements: PhantomData }
    }
}

/// The state with all the work. Called only once for an output.
pub(super) fn root<'a, T>(a: &'a [T], b: &'a [T], output: &'a Output<'_, T>) -> Local<'a, T> {
    // SAFETY: called once.
    let window = unsafe { output.window() };
    assert_eq!(Some(window.len()), a.len().checked_add(b.len()));
    // SAFETY: both slices are borrowed for as long as the lane lives, and the window is all of the room, as long as
    // both together.
    let lane = unsafe { Lane::new((a.as_ptr(), a.len()), (b.as_ptr(), b.len()), window.base()) };
    // Elements that need dropping are written one after the other, so that after a panic one contiguous part is dropped.
    let width = if needs_drop::<T>() { 1 } else { LANES };
    Local { lanes: Lanes::new([lane], width), window }
}
