//! `partition`: moves elements that satisfy a predicate to the front, in place, in no particular order.
//!
//! Idea: a worker has a range at the left end of what is left and one at the right end, and goes inwards in both. It calls the predicate for a
//! block of each range, which gives two words of bits. Then elements that are on the wrong side are swapped pair by pair, without a branch on
//! any answer. A thief gets the inner half of both ranges. So all work towards the place where the boundary will be, and few elements are on
//! its wrong side in the end. These are swapped in a second run. Of few elements that take long each is judged by itself, before any moves.
//!
//! Blocks: Edelkamp & Weiss, BlockQuicksort (2016); blocks from both ends by many workers: Tsigas & Zhang (2003), with their
//! shared counters replaced by splitting. C++'s `std::partition`. Work O(n), one call of the predicate an element and at
//! most n swaps, span O(log n) splits, memory O(workers). Not stable. A panic finds every element in the slice, once.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Mutex;

use fusain_pool::Algorithm;

use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::filter::{Answers, BLOCK, If, ones};
use crate::platform::simd::{Body, widest};

/// Swaps that a worker makes before it checks for requests.
const SWAPS: usize = 1 << 12;

/// So few blocks for each worker that there is little to split, ...
const FEW_BLOCKS: usize = 8;

/// ... of elements that take so long, as far as is known, are judged one by one.
const LONG_NS: f32 = 1_000.0;

/// Elements to be partitioned.
///
/// Invariant: 1. `v` and `len` are a slice borrowed for `'a`, used through this only, by states that share out its elements.
pub(super) struct Partition<'a, T, P> {
    v: *mut T,
    len: usize,
    predicate: If<P>,
    /// What states have found, in no order: ranges, and whether their elements satisfy the predicate. They share out the slice.
    found: Mutex<Vec<(Range<usize>, bool)>>,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: states share out the elements; these move between threads and are looked at by one at a time, hence `T: Send`.
unsafe impl<T: Send, P: Sync> Sync for Partition<'_, T, P> {}

/// One worker's part.
///
/// Invariants:
/// 1. `left` and `right` are inside the slice, `left` before `right`, and this state's alone, as are the ranges in `found`.
/// 2. The first `judged` of `left` have been judged, and `wrong_left` has the bits of those that do not satisfy the
///    predicate; likewise of `right` the last `judged_right`, and the bits, from the first of them, of those that do.
#[derive(Debug)]
pub(super) struct Local {
    left: Range<usize>,
    right: Range<usize>,
    /// Where this state's elements before `left` that satisfy the predicate begin, and those after `right` that do not end.
    begin: usize,
    end: usize,
    judged_left: usize,
    wrong_left: u64,
    judged_right: usize,
    wrong_right: u64,
    found: Vec<(Range<usize>, bool)>,
}

impl Local {
    /// A state with nothing but the elements in `range`.
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
            judged_left: 0,
            wrong_left: 0,
            judged_right: 0,
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
            // A poisoned lock means that another worker panicked while pushing: nothing half-done is in a vector.
            self.found.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).append(&mut local.found);
        }
    }

    fn split(&self, victim: &mut Local) -> Option<Local> {
        // What has been judged stays.
        let inner = |range: &Range<usize>, judged: usize| (range.len() - judged) / 2;
        let (l, r) = (inner(&victim.left, victim.judged_left), inner(&victim.right, victim.judged_right));
        if l + r < 2 * BLOCK {
            return None;
        }
        let stolen = Local::of(victim.left.end - l..victim.left.end, victim.right.start..victim.right.start + r);
        victim.left.end -= l;
        victim.right.start += r;
        Some(stolen)
    }
}

/// A unit, compiled for each width.
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
        let mut judged = 0;
        while judged < grain && (!local.left.is_empty() || !local.right.is_empty()) {
            judged += partition.judge(local);
            partition.exchange(local);
            partition.advance(local);
        }
    }
}

impl<'a, T, P: Fn(&T) -> bool + Sync> Partition<'a, T, P> {
    /// Judges the next block on each side that has none, and returns how many elements that were.
    #[inline(always)]
    fn judge(&self, local: &mut Local) -> usize {
        let mut judged = 0;
        if local.judged_left == 0 {
            let block = local.left.start..local.left.end.min(local.left.start + BLOCK);
            local.judged_left = block.len();
            judged += block.len();
            local.wrong_left = !self.bits(block.clone()) & low(block.len());
        }
        if local.judged_right == 0 {
            let block = local.right.start.max(local.right.end.saturating_sub(BLOCK))..local.right.end;
            local.judged_right = block.len();
            judged += block.len();
            local.wrong_right = self.bits(block);
        }
        judged
    }

    /// The bits of the elements in `block` that satisfy the predicate.
    #[inline(always)]
    fn bits(&self, block: Range<usize>) -> u64 {
        // SAFETY: the block is the state's, in the slice by its invariant 1.
        unsafe { Answers::of(self.v.cast_const(), block, None, &self.predicate) }.bits()
    }

    /// Swaps as many wrong elements of the left block with wrong ones of the right as there are pairs.
    #[inline(always)]
    fn exchange(&self, local: &mut Local) {
        let (left, right) = (local.left.start, local.right.end - local.judged_right);
        let (mut l, mut r) = (local.wrong_left, local.wrong_right);
        for _ in 0..l.count_ones().min(r.count_ones()) {
            let (i, j) = (left + l.trailing_zeros() as usize, right + r.trailing_zeros() as usize);
            // SAFETY: both are the state's own, in different ranges.
            unsafe { std::ptr::swap_nonoverlapping(self.v.wrapping_add(i), self.v.wrapping_add(j), 1) };
            l &= l.wrapping_sub(1);
            r &= r.wrapping_sub(1);
        }
        (local.wrong_left, local.wrong_right) = (l, r);
    }

    /// Goes on past blocks in which nothing is wrong. Where one side has no block left, what is left of the other becomes both.
    #[inline(always)]
    fn advance(&self, local: &mut Local) {
        if local.wrong_left == 0 {
            local.left.start += local.judged_left;
            local.judged_left = 0;
        }
        if local.wrong_right == 0 {
            local.right.end -= local.judged_right;
            local.judged_right = 0;
        }
        if local.left.is_empty() && local.judged_left == 0 && !local.right.is_empty() {
            self.halve_right(local);
        } else if local.right.is_empty() && local.judged_right == 0 && !local.left.is_empty() {
            self.halve_left(local);
        }
    }

    /// The left range is done: sorts out the block of the right one that has been judged, and halves the rest.
    #[cold]
    fn halve_right(&self, local: &mut Local) {
        let block = local.right.end - local.judged_right..local.right.end;
        let boundary = block.start + self.sort_out(block.clone(), local.wrong_right);
        local.note(local.begin..local.left.start, true);
        local.note(block.start..boundary, true);
        local.note(boundary..local.end, false);
        let found = std::mem::take(&mut local.found);
        *local = Local { found, ..Local::new(local.right.start..block.start) };
    }

    /// As [`halve_right`](Self::halve_right), mirrored.
    #[cold]
    fn halve_left(&self, local: &mut Local) {
        let block = local.left.start..local.left.start + local.judged_left;
        let boundary = block.start + self.sort_out(block.clone(), low(block.len()) & !local.wrong_left);
        local.note(local.begin..boundary, true);
        local.note(boundary..block.end, false);
        local.note(local.right.end..local.end, false);
        let found = std::mem::take(&mut local.found);
        *local = Local { found, ..Local::new(block.end..local.left.end) };
    }

    /// Moves the elements of `block` whose bits are set to its front; returns how many these are.
    fn sort_out(&self, block: Range<usize>, set: u64) -> usize {
        for (to, one) in ones(set).enumerate() {
            // SAFETY: both are in the block, which is the state's, and may be the same.
            unsafe { std::ptr::swap(self.v.wrapping_add(block.start + to), self.v.wrapping_add(block.start + one)) };
        }
        set.count_ones() as usize
    }
}

/// The lowest `n` bits, at most all.
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

    /// Where the boundary is, and which swaps are left to be made: two places, apart, and how many elements from each.
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

    /// Makes one of the swaps that [`finish`](Self::finish) has named.
    ///
    /// # Safety
    ///
    /// It is one of these, made once, and no state is left.
    pub(super) unsafe fn swap(&self, (here, there, n): (usize, usize, usize)) {
        // SAFETY: both lie in the slice, one before the boundary and one behind; no two swaps have an element in common.
        unsafe { std::ptr::swap_nonoverlapping(self.v.wrapping_add(here), self.v.wrapping_add(there), n) };
    }
}

/// Partitions `v` with others.
#[inline(never)]
pub(crate) fn partition_on<T: Send, P>(executor: &impl Executor, v: &mut [T], predicate: P) -> usize
where
    P: Fn(&T) -> bool + Sync,
{
    if v.len() <= FEW_BLOCKS * BLOCK * executor.workers()
        && executor.elements_in(LONG_NS).is_none_or(|in_that| in_that <= 1)
    {
        return judge_first(executor, v, predicate);
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

/// Partitions `v` when all elements have been judged, one by one.
fn judge_first<T: Send, P: Fn(&T) -> bool + Sync>(executor: &impl Executor, v: &mut [T], predicate: P) -> usize {
    let mut said = vec![false; v.len()];
    let (parts, answers) = (Parts::new(v), Parts::new(&mut said));
    executor.run_ranges(parts.len(), 1, move |range| {
        // SAFETY: ranges do not overlap.
        let part = unsafe { parts.part(range.clone()) };
        // SAFETY: likewise.
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
        // One that does not satisfy the predicate, and one behind it that does.
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
