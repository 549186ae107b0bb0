//! `partition`: moves elements that satisfy a predicate to the front, in place, in no particular order.
//!
//! Idea: a worker has a range at the left end of what is left and one at the right end, and goes inwards in both. It calls the predicate for a
//! block of each range, which gives two words of bits. Then elements that are on the wrong side are swapped pair by pair, without a branch on
//! any answer. A thief gets the inner half of both ranges. So all workers move towards the place where the boundary will be, and few elements are
//! on its wrong side in the end. These are swapped in a second run. If elements are few and expensive, all are classified one by one before any moves.
//!
//! Blocks: Edelkamp & Weiss, BlockQuicksort (2016); blocks from both ends by many workers: Tsigas & Zhang (2003), with their
//! shared counters replaced by splitting. C++'s `std::partition`. Work O(n), one call of the predicate for each element and at
//! most n swaps, span O(log n) splits, memory O(workers). Not stable. After a panic every element is in the slice, once.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Mutex;

use fusain_pool::Algorithm;

use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::filter::{Answers, BLOCK, If, ones};
use crate::platform::simd::{Body, widest};

/// The number of swaps that a worker makes before it checks for requests.
const SWAPS: usize = 1 << 12;

/// The number of blocks for each worker up to which expensive elements are classified one by one: so few blocks leave little to split.
const FEW_BLOCKS: usize = 8;

/// The time in nanoseconds from which on an element is expensive. Elements of unknown cost are taken to be expensive.
const LONG_NS: f32 = 1_000.0;

/// Elements to be partitioned.
///
/// Invariant: 1. `v` and `len` are a slice borrowed for `'a`, used through this only. Each of its elements belongs to one state.
pub(super) struct Partition<'a, T, P> {
    v: *mut T,
    len: usize,
    predicate: If<P>,
    /// What states have found, in no particular order: ranges, and whether their elements satisfy the predicate. In the end they cover the slice.
    found: Mutex<Vec<(Range<usize>, bool)>>,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: each element belongs to one state. Elements move between threads, and one thread at a time uses them, hence `T: Send`.
unsafe impl<T: Send, P: Sync> Sync for Partition<'_, T, P> {}

/// One worker's part.
///
/// Invariants:
/// 1. `left` and `right` are inside the slice, `left` before `right`, and belong to this state alone, as do the ranges in
///    `found`.
/// 2. The first `classified_left` elements of `left` have been classified, and `wrong_left` has the bits of those that do not
///    satisfy the predicate. The last `classified_right` elements of `right` have been classified, and `wrong_right` has the bits
///    of those that do, the first of them in the lowest bit.
#[derive(Debug)]
pub(super) struct Local {
    left: Range<usize>,
    right: Range<usize>,
    /// The elements in `begin..left.start` are this state's and satisfy the predicate; those in `right.end..end` are this state's and do not.
    begin: usize,
    end: usize,
    classified_left: usize,
    wrong_left: u64,
    classified_right: usize,
    wrong_right: u64,
    found: Vec<(Range<usize>, bool)>,
}

impl Local {
    /// A state with the elements in `range`, none of them classified.
    fn new(range: Range<usize>) -> Self {
        let middle = range.start + range.len() / 2;
        Local::of(range.start..middle, middle..range.end)
    }

    fn of(left: Range<usize>, right: Range<usize>) -> Self {
        let (begin, end) = (left.start, right.end);
        Local {
            left,
            right,
            begin,
            end,
            classified_left: 0,
            wrong_left: 0,
            classified_right: 0,
            wrong_right: 0,
            found: Vec::new(),
        }
    }

    fn note(&mut self, range: Range<usize>, satisfy: bool) {
        if !range.is_empty() {
            self.found.push((range, satisfy));
        }
    }
}

impl<T: Send, P: Fn(&T) -> bool + Sync> Algorithm for Partition<'_, T, P> {
    type Local = Local;

    fn has_local_work(&self, local: &Local) -> bool {
        !local.left.is_empty() || !local.right.is_empty()
    }

    fn do_unit(&self, local: &mut Local, grain: usize) {
        widest(Unit { partition: self, local, grain });
    }

    fn commit(&self, local: &mut Local) {
        if !self.has_local_work(local) {
            local.note(local.begin..local.left.start, true);
            local.note(local.right.end..local.end, false);
            (local.begin, local.end) = (local.left.start, local.right.end);
        }
        if !local.found.is_empty() {
            // A poisoned lock means that another worker panicked while it appended. The vector is valid even then.
            self.found.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).append(&mut local.found);
        }
    }

    fn split(&self, victim: &mut Local) -> Option<Local> {
        // Elements that have been classified stay with the victim.
        let inner = |range: &Range<usize>, classified: usize| (range.len() - classified) / 2;
        let (l, r) = (inner(&victim.left, victim.classified_left), inner(&victim.right, victim.classified_right));
        if l + r < 2 * BLOCK {
            return None;
        }
        let stolen = Local::of(victim.left.end - l..victim.left.end, victim.right.start..victim.right.start + r);
        victim.left.end -= l;
        victim.right.start += r;
        Some(stolen)
    }
}

/// A unit, compiled for each vector width.
struct Unit<'u, 'a, T, P> {
    partition: &'u Partition<'a, T, P>,
    local: &'u mut Local,
    grain: usize,
}

impl<T, P: Fn(&T) -> bool + Sync> Body for Unit<'_, '_, T, P> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Unit { partition, local, grain } = self;
        let mut classified = 0;
        while classified < grain && (!local.left.is_empty() || !local.right.is_empty()) {
            classified += partition.classify(local);
            partition.exchange(local);
            partition.advance(local);
        }
    }
}

impl<'a, T, P: Fn(&T) -> bool + Sync> Partition<'a, T, P> {
    /// Classifies the next block on each side that has no classified block, and returns the number of elements classified.
    #[inline(always)]
    fn classify(&self, local: &mut Local) -> usize {
        let mut classified = 0;
        if local.classified_left == 0 {
            let block = local.left.start..local.left.end.min(local.left.start + BLOCK);
            local.classified_left = block.len();
            classified += block.len();
            local.wrong_left = !self.bits(block.clone()) & low(block.len());
        }
        if local.classified_right == 0 {
            let block = local.right.start.max(local.right.end.saturating_sub(BLOCK))..local.right.end;
            local.classified_right = block.len();
            classified += block.len();
            local.wrong_right = self.bits(block);
        }
        classified
    }

    /// The bits of the elements in `block` that satisfy the predicate.
    #[inline(always)]
    fn bits(&self, block: Range<usize>) -> u64 {
        // SAFETY: the block belongs to the state and lies in the slice, by invariant 1 of the state.
        unsafe { Answers::of(self.v.cast_const(), block, None, &self.predicate) }.bits()
    }

    /// Swaps as many wrong elements of the left block with wrong ones of the right as there are pairs.
    #[inline(always)]
    fn exchange(&self, local: &mut Local) {
        let (left, right) = (local.left.start, local.right.end - local.classified_right);
        let (mut l, mut r) = (local.wrong_left, local.wrong_right);
        for _ in 0..l.count_ones().min(r.count_ones()) {
            let (i, j) = (left + l.trailing_zeros() as usize, right + r.trailing_zeros() as usize);
            // SAFETY: both belong to the state, and lie in different ranges.
            unsafe { std::ptr::swap_nonoverlapping(self.v.wrapping_add(i), self.v.wrapping_add(j), 1) };
            l &= l.wrapping_sub(1);
            r &= r.wrapping_sub(1);
        }
        (local.wrong_left, local.wrong_right) = (l, r);
    }

    /// Passes blocks without wrong elements. If one side has no elements left, what is left of the other side is divided between both.
    #[inline(always)]
    fn advance(&self, local: &mut Local) {
        if local.wrong_left == 0 {
            local.left.start += local.classified_left;
            local.classified_left = 0;
        }
        if local.wrong_right == 0 {
            local.right.end -= local.classified_right;
            local.classified_right = 0;
        }
        if local.left.is_empty() && local.classified_left == 0 && !local.right.is_empty() {
            self.halve_right(local);
        } else if local.right.is_empty() && local.classified_right == 0 && !local.left.is_empty() {
            self.halve_left(local);
        }
    }

    /// For a state whose left range is done: partitions the classified block of the right range, and halves the rest.
    #[cold]
    fn halve_right(&self, local: &mut Local) {
        let block = local.right.end - local.classified_right..local.right.end;
        let boundary = block.start + self.sort_out(block.clone(), local.wrong_right);
        local.note(local.begin..local.left.start, true);
        local.note(block.start..boundary, true);
        local.note(boundary..local.end, false);
        let found = std::mem::take(&mut local.found);
        *local = Local { found, ..Local::new(local.right.start..block.start) };
    }

    /// Like [`halve_right`](Self::halve_right), mirrored.
    #[cold]
    fn halve_left(&self, local: &mut Local) {
        let block = local.left.start..local.left.start + local.classified_left;
        let boundary = block.start + self.sort_out(block.clone(), low(block.len()) & !local.wrong_left);
        local.note(local.begin..boundary, true);
        local.note(boundary..block.end, false);
        local.note(local.right.end..local.end, false);
        let found = std::mem::take(&mut local.found);
        *local = Local { found, ..Local::new(block.end..local.left.end) };
    }

    /// Moves the elements of `block` whose bits are set to its front, and returns how many they are.
    fn sort_out(&self, block: Range<usize>, set: u64) -> usize {
        for (to, one) in ones(set).enumerate() {
            // SAFETY: both are in the block, which belongs to the state; `swap` allows that they are the same.
            unsafe { std::ptr::swap(self.v.wrapping_add(block.start + to), self.v.wrapping_add(block.start + one)) };
        }
        set.count_ones() as usize
    }
}

/// A word with the lowest `n` bits set, where `n` is at most 64.
#[inline(always)]
fn low(n: usize) -> u64 {
    if n == 0 { 0 } else { u64::MAX >> (BLOCK - n) }
}

impl<'a, T, P: Fn(&T) -> bool + Sync> Partition<'a, T, P> {
    pub(super) fn new(v: &'a mut [T], predicate: P) -> (Self, Local) {
        let root = Local::new(0..v.len());
        let (v, len) = (v.as_mut_ptr(), v.len());
        (Partition { v, len, predicate: If(predicate), found: Mutex::new(Vec::new()), slice: PhantomData }, root)
    }

    /// Returns the boundary, and the swaps that are left to be made: two places, and how many elements from each place on are swapped. Swaps do not overlap.
    pub(super) fn finish(&mut self) -> (usize, Vec<(usize, usize, usize)>) {
        let found = self.found.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        debug_assert_eq!(found.iter().map(|x| x.0.len()).sum::<usize>(), self.len, "the ranges share out the slice");
        let boundary = found.iter().filter(|x| x.1).map(|x| x.0.len()).sum();
        let before = |range: &Range<usize>| range.start..range.end.min(boundary);
        let behind = |range: &Range<usize>| range.start.max(boundary)..range.end;
        let wrong_before = found.iter().filter(|x| !x.1).map(|x| before(&x.0)).filter(|x| !x.is_empty());
        let mut wrong_behind = found.iter().filter(|x| x.1).map(|x| behind(&x.0)).filter(|x| !x.is_empty());
        let mut swaps = Vec::new();
        let mut there = 0..0;
        for mut here in wrong_before {
            while !here.is_empty() {
                if there.is_empty() {
                    there = wrong_behind.next().expect("as many are wrong before the boundary as behind it");
                }
                let n = here.len().min(there.len()).min(SWAPS);
                swaps.push((here.start, there.start, n));
                here.start += n;
                there.start += n;
            }
        }
        (boundary, swaps)
    }

    /// Makes one of the swaps that [`finish`](Self::finish) has returned.
    ///
    /// # Safety
    ///
    /// Each of these swaps is made once, and no state is left.
    pub(super) unsafe fn swap(&self, (here, there, n): (usize, usize, usize)) {
        // SAFETY: both lie in the slice, one before the boundary and one behind; no two swaps have an element in common.
        unsafe { std::ptr::swap_nonoverlapping(self.v.wrapping_add(here), self.v.wrapping_add(there), n) };
    }
}

/// Partitions `v` on `executor`.
#[inline(never)]
pub(crate) fn partition_on<T: Send, P>(executor: &impl Executor, v: &mut [T], predicate: P) -> usize
where
    P: Fn(&T) -> bool + Sync,
{
    if v.len() <= FEW_BLOCKS * BLOCK * executor.workers()
        && executor.elements_in(LONG_NS).is_none_or(|in_that| in_that <= 1)
    {
        return classify_first(executor, v, predicate);
    }
    let (mut partition, root) = Partition::new(v, predicate);
    executor.run_claims(&partition, root);
    let (boundary, swaps) = partition.finish();
    // SAFETY: the run has ended, and each swap is made once.
    let make = |some: Range<usize>| swaps[some].iter().for_each(|swap| unsafe { partition.swap(*swap) });
    if swaps.len() < 4 {
        make(0..swaps.len());
    } else {
        executor.run_ranges(swaps.len(), 1, make);
    }
    boundary
}

/// Classifies all elements one by one, and then partitions `v`.
fn classify_first<T: Send, P: Fn(&T) -> bool + Sync>(executor: &impl Executor, v: &mut [T], predicate: P) -> usize {
    let mut said = vec![false; v.len()];
    let (parts, answers) = (Parts::new(v), Parts::new(&mut said));
    executor.run_ranges(parts.len(), 1, move |range| {
        // SAFETY: ranges do not overlap.
        let part = unsafe { parts.part(range.clone()) };
        // SAFETY: as above.
        let answers = unsafe { answers.part(range) };
        answers.iter_mut().zip(part).for_each(|(answer, x)| *answer = predicate(x));
    });
    let (mut front, mut back) = (0, v.len());
    loop {
        front += said[front..back].iter().take_while(|satisfies| **satisfies).count();
        back -= said[front..back].iter().rev().take_while(|satisfies| !**satisfies).count();
        if front == back {
            return front;
        }
        // The first element of the rest does not satisfy the predicate, and the last one does.
        back -= 1;
        v.swap(front, back);
        front += 1;
    }
}

/// Partitions `v` on the calling thread.
#[inline]
pub(crate) fn partition_alone<T: Send, P: Fn(&T) -> bool + Sync>(v: &mut [T], predicate: P) -> usize {
    let (mut partition, mut root) = Partition::new(v, predicate);
    while partition.has_local_work(&root) {
        partition.do_unit(&mut root, usize::MAX);
    }
    partition.commit(&mut root);
    let (boundary, swaps) = partition.finish();
    // SAFETY: the one state is done, and each swap is made once.
    swaps.into_iter().for_each(|swap| unsafe { partition.swap(swap) });
    boundary
}
