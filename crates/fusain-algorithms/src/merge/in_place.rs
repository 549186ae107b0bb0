//! `inplace_merge`: merges two neighbouring sorted runs into one, stable.
//!
//! Idea: elements at both ends that are in their places already stay there. All others are copied to a buffer and merged back.
//! The merge is split like any other. C++'s `std::inplace_merge`. Work O(n), span O(log^2 n), memory for n elements.

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

use fusain_pool::Algorithm;

use super::kernel::Move;
use super::lane::Lane;
use super::lanes::{LANES, Lanes};
use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::memory::scratch::Scratch;
use crate::policy::{Par, Plan, Team};

/// Nanoseconds that merging an element is taken to cost until a call has been timed.
const PRIOR_NS: f32 = 2.0;

/// At most this many bytes are copied to the buffer by one worker: that takes about as long as calling another worker.
const COPIED_ALONE: usize = 1 << 16;

/// # Merging in place
///
/// Two neighbouring sorted runs become one.
impl Par<'_> {
    /// Merges `v[..middle]` and `v[middle..]`, both sorted, in place and stable.
    ///
    /// Of equal elements, those of the first part come first. O(n) comparisons, memory for at most n elements. If a part is not sorted, `v` has
    /// all elements afterwards, in an unspecified order.
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length of `v`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 4, 2, 3];
    /// fusain::par().inplace_merge(&mut v, 2);
    /// assert_eq!(v, [1, 2, 3, 4]);
    /// ```
    #[inline]
    pub fn inplace_merge<T: Ord + Send>(&self, v: &mut [T], middle: usize) {
        in_place(self, v, middle, T::cmp);
    }

    /// Merges `v[..middle]` and `v[middle..]`, both sorted by `compare`, in place and stable.
    ///
    /// Otherwise like [`inplace_merge`](Par::inplace_merge). If `compare` panics, `v` still holds every element once.
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length of `v`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [4, 1, 3];
    /// fusain::par().inplace_merge_by(&mut v, 2, |a, b| b.cmp(a));
    /// assert_eq!(v, [4, 3, 1]);
    /// ```
    #[inline]
    pub fn inplace_merge_by<T, F>(&self, v: &mut [T], middle: usize, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        in_place(self, v, middle, compare);
    }

    /// Merges `v[..middle]` and `v[middle..]`, both sorted by key, in place and stable.
    ///
    /// Otherwise like [`inplace_merge_by`](Par::inplace_merge_by).
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length of `v`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = ["b", "cc", "a"];
    /// fusain::par().inplace_merge_by_key(&mut v, 2, |s| s.len());
    /// assert_eq!(v, ["b", "a", "cc"]);
    /// ```
    #[inline]
    pub fn inplace_merge_by_key<T, K, F>(&self, v: &mut [T], middle: usize, key: F)
    where
        T: Send,
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        in_place(self, v, middle, |a, b| key(a).cmp(&key(b)));
    }
}

#[inline]
fn in_place<T: Send, F: Fn(&T, &T) -> Ordering + Sync>(policy: &Par<'_>, v: &mut [T], middle: usize, compare: F) {
    assert!(middle <= v.len(), "the middle must lie within the slice");
    if middle == 0 || middle == v.len() || size_of::<T>() == 0 || compare(&v[middle - 1], &v[middle]).is_le() {
        return;
    }
    let less = |a: &T, b: &T| compare(a, b).is_lt();
    match policy.plan_with_prior::<(T, F, [T])>(v.len(), PRIOR_NS) {
        Plan::Sequential(watch) => watch.time(|| merge_back(None, v, middle, less)),
        Plan::Parallel(team) => merge_back(Some(&team), v, middle, less),
    }
}

/// Merges runs that have been copied to a buffer back to their place.
struct Merging<T, L> {
    less: L,
    elements: PhantomData<fn(T)>,
}

impl<T: Send, L: Fn(&T, &T) -> bool + Sync> Algorithm for Merging<T, L> {
    type Local = Lanes<T>;

    fn has_local_work(&self, local: &Lanes<T>) -> bool {
        !local.is_empty()
    }

    fn do_unit(&self, local: &mut Lanes<T>, grain: usize) {
        local.advance(grain, &self.less, Move);
    }

    fn commit(&self, _local: &mut Lanes<T>) {}

    fn split(&self, victim: &mut Lanes<T>) -> Option<Lanes<T>> {
        victim.split(&self.less)
    }
}

/// A slice whose elements have been copied to a buffer, from where they are put back, merged.
///
/// Invariants:
/// 1. `slice` and `buffer` do not overlap, are valid for `len` elements, and are used by this and its lanes only.
/// 2. All elements lie in the buffer. Until `is_merged`, the slice holds only old bits or copies.
struct MovedOut<T> {
    slice: *mut T,
    buffer: *const T,
    len: usize,
    is_merged: bool,
}

impl<T> Drop for MovedOut<T> {
    fn drop(&mut self) {
        if !self.is_merged {
            // A comparison has panicked, so all elements are put back as they were.
            // SAFETY: invariants 1 and 2. The thread that made the call drops this, after all other workers have left it.
            unsafe { std::ptr::copy_nonoverlapping(self.buffer, self.slice, self.len) };
        }
    }
}

fn merge_back<T, L>(team: Option<&Team<'_>>, v: &mut [T], middle: usize, less: L)
where
    T: Send,
    L: Fn(&T, &T) -> bool + Sync,
{
    let (a, b) = v.split_at(middle);
    let start = a.partition_point(|x| !less(&b[0], x));
    let end = middle + b.partition_point(|y| less(y, &a[middle - 1]));
    let (v, middle) = (&mut v[start..end], middle - start);

    let len = v.len();
    let mut buffer = Scratch::<T>::new(len);
    copy(team, v, buffer.room());
    let mut moved = MovedOut { slice: v.as_mut_ptr(), buffer: buffer.room().as_ptr().cast(), len, is_merged: false };
    let (a, b) = ((moved.buffer, middle), (moved.buffer.wrapping_add(middle), len - middle));
    // SAFETY: both runs lie in the buffer, and the slice has as many places; invariant 1 of `MovedOut`.
    let mut lanes = Lanes::new([unsafe { Lane::new(a, b, moved.slice) }], LANES);
    match team {
        Some(team) => team.run(&Merging { less, elements: PhantomData }, lanes),
        None => lanes.advance(usize::MAX, &less, Move),
    }
    moved.is_merged = true;
}

/// Copies the bits of all elements to `room`, which has at least as many slots.
fn copy<T: Send>(team: Option<&Team<'_>>, v: &mut [T], room: &mut [MaybeUninit<T>]) {
    let (len, bytes) = (v.len(), size_of_val(v));
    let (from, to) = (Parts::new(v), Parts::new(room));
    let some = move |range: Range<usize>| {
        // SAFETY: ranges do not overlap.
        let from = unsafe { from.part(range.clone()) };
        // SAFETY: as above.
        let to = unsafe { to.part(range) };
        // SAFETY: both are slices of this length, apart from each other.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr().cast(), from.len()) };
    };
    match team {
        Some(team) if bytes > COPIED_ALONE => team.run_ranges(len, 1, some),
        _ => some(0..len),
    }
}
