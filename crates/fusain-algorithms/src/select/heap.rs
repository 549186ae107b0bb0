//! `make_heap`: reorders a slice into a heap, in which no element is greater than its parent.
//!
//! Idea: workers turn disjoint subtrees into heaps, then the few elements above them sink to their places. Within a subtree all of one child's
//! subtree is done before the other's, and both before the parent, so most of what is touched is in the cache.
//! Floyd, Treesort 3 (1964); the order after Bojesen, Katajainen & Spork (2000). C++'s `std::make_heap`.
//! Work O(n), at most 2 n comparisons; span O(n / subtrees + log^2 n), no extra memory.

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ops::Range;

use crate::execution::executor::Executor;
use crate::policy::{Par, Plan};

/// The number of subtrees for each worker: several, so that all workers finish at about the same time.
const SUBTREES_PER_WORKER: usize = 8;

/// Nanoseconds that an element is taken to cost until a call has been timed.
const PRIOR_NS: f32 = 2.0;

/// # Making a heap
///
/// The order of [`BinaryHeap`](std::collections::BinaryHeap).
impl Par<'_> {
    /// Reorders `v` into a binary heap: `v[i]` is at least `v[2 * i + 1]` and `v[2 * i + 2]`, so `v[0]` is the largest.
    ///
    /// O(n) work, at most 2 n comparisons, no extra memory. If a comparison panics, `v` still holds every element once.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3, 4, 5];
    /// fusain::par().make_heap(&mut v);
    /// assert_eq!(v[0], 5);
    /// assert!((1..5).all(|i| v[(i - 1) / 2] >= v[i]));
    /// ```
    #[inline]
    pub fn make_heap<T: Ord + Send>(&self, v: &mut [T]) {
        self.make_heap_by(v, T::cmp);
    }

    /// Like [`make_heap`](Par::make_heap), in the order of `compare`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [3, 1, 2];
    /// fusain::par().make_heap_by(&mut v, |x, y| y.cmp(x));
    /// assert_eq!(v[0], 1);
    /// ```
    #[inline]
    pub fn make_heap_by<T: Send, F: Fn(&T, &T) -> Ordering + Sync>(&self, v: &mut [T], compare: F) {
        match self.plan_with_prior::<([T; 1], F, [T])>(v.len(), PRIOR_NS) {
            Plan::Sequential(watch) => watch.time(|| {
                let heap = Heap::new(v, |x, y| compare(x, y).is_lt());
                // SAFETY: the whole slice, on this thread alone.
                unsafe { heap.make(0) };
            }),
            Plan::Parallel(team) => make_heap(&team, v, |x, y| compare(x, y).is_lt()),
        }
    }
}

#[inline(never)]
pub(super) fn make_heap<T: Send, L: Fn(&T, &T) -> bool + Sync>(executor: &impl Executor, v: &mut [T], less: L) {
    let least = executor.grain().unwrap_or(1 << 8).max(1);
    let subtrees = (executor.workers() * SUBTREES_PER_WORKER).min(v.len() / least).max(1).next_power_of_two();
    let heap = Heap::new(v, less);
    // A level of the tree: elements 2^d - 1 to 2^(d + 1) - 2.
    let roots: Vec<usize> = (subtrees - 1..2 * subtrees - 1).collect();
    let (heap, roots) = (&heap, &*roots);
    // SAFETY: elements of one level have no descendant in common, and each root is taken once.
    let make = move |some: Range<usize>| roots[some].iter().for_each(|root| unsafe { heap.make(*root) });
    executor.run_ranges(roots.len(), 1, make);
    for parent in (0..subtrees - 1).rev() {
        // SAFETY: the run has ended, so no other thread uses the slice. The subtrees below are heaps.
        unsafe { heap.sink(parent) };
    }
}

/// A slice that is being turned into a heap.
///
/// Invariant: 1. `v` and `len` are a slice borrowed for `'a`, used through this only.
struct Heap<'a, T, L> {
    v: *mut T,
    len: usize,
    less: L,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: each subtree belongs to one worker, see `make`. One thread at a time uses an element, hence `T: Send`.
unsafe impl<T: Send, L: Sync> Sync for Heap<'_, T, L> {}

/// An element that has been taken out, and the hole into which it is put back, even after a panic.
struct Hole<T> {
    element: std::mem::ManuallyDrop<T>,
    at: *mut T,
}

impl<T> Drop for Hole<T> {
    fn drop(&mut self) {
        // SAFETY: `at` is the empty place. Only the copy there is ever dropped, as `element` is `ManuallyDrop`.
        unsafe { std::ptr::copy_nonoverlapping(&*self.element, self.at, 1) };
    }
}

impl<'a, T, L: Fn(&T, &T) -> bool> Heap<'a, T, L> {
    fn new(v: &'a mut [T], less: L) -> Self {
        Heap { v: v.as_mut_ptr(), len: v.len(), less, slice: PhantomData }
    }

    /// Makes the subtree of `root` a heap.
    ///
    /// # Safety
    ///
    /// No other thread uses the subtree.
    unsafe fn make(&self, root: usize) {
        // Elements from here on have no children.
        if root >= self.len / 2 {
            return;
        }
        // SAFETY: guaranteed by the caller.
        unsafe { self.make(2 * root + 1) };
        // SAFETY: as above.
        unsafe { self.make(2 * root + 2) };
        // SAFETY: as above.
        unsafe { self.sink(root) };
    }

    /// Lets the element at `root` sink to its place in its subtree, which is a heap otherwise.
    ///
    /// # Safety
    ///
    /// No other thread uses the subtree.
    unsafe fn sink(&self, root: usize) {
        let mut child = 2 * root + 1;
        if child >= self.len {
            return;
        }
        let at = self.v.wrapping_add(root);
        // SAFETY: the root is in the slice; the element is put back into the hole.
        let element = std::mem::ManuallyDrop::new(unsafe { at.read() });
        let mut hole = Hole { element, at };
        while child < self.len {
            if child + 1 < self.len {
                // SAFETY: both children are in the slice.
                let left = unsafe { &*self.v.wrapping_add(child) };
                // SAFETY: as above.
                let right = unsafe { &*self.v.wrapping_add(child + 1) };
                child += usize::from((self.less)(left, right));
            }
            let greater = self.v.wrapping_add(child);
            // SAFETY: the child is in the slice.
            if !(self.less)(&hole.element, unsafe { &*greater }) {
                break;
            }
            // SAFETY: the child moves up into the hole, and its old place is the hole from now on.
            unsafe { std::ptr::copy_nonoverlapping(greater, hole.at, 1) };
            hole.at = greater;
            child = 2 * child + 1;
        }
    }
}
