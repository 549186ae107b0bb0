//! `sort`: stable merge sort as a data flow.
//!
//! Idea: std sorts a few long leaves, one for each worker, and a tree of merges is above them. The leaves are few, since std's sort gains from
//! equal elements and keeps the pivot it compares with at hand, and a merge does neither. There is no barrier between levels:
//! the worker that finishes the second of two siblings goes on with their merge at once, and any merge can be split for a
//! thief. After PaSTeL's `stable_sort` (Saule & Videau 2008, section 4.3), whose weakness was those barriers.
//! Work O(n log n), span O(n/leaves log n), memory for n elements. Stable if the sort of the leaves is.

use std::cmp::Ordering;
use std::ops::Range;

use fusain_pool::Algorithm;

use super::quick::{self, FEW_WORKERS, quick};
use super::tree::{Merging, Tree};
use crate::execution::executor::Executor;
use crate::memory::scratch::Scratch;
use crate::merge::kernel::Move;

/// The minimum length of a leaf: with shorter ones, a level of merges costs more than sharing saves.
const LEAF_MIN: usize = 128;

/// The maximum length of a leaf in bytes: a longer one waits for memory that a merge of two reads ahead (`compare strings`, 10^6 pairs).
const LEAF_BYTES: usize = 4 << 20;

/// A comparison that takes more than about half of this, in nanoseconds, is expensive.
const DEAR_NS: f32 = 100.0;

pub(crate) struct Sort<'t, T, L, S> {
    tree: &'t Tree<T>,
    less: L,
    sort_leaf: S,
}

/// Leaves that no worker has begun, and a part of a merge.
pub(crate) struct Local<T> {
    leaves: Range<usize>,
    merging: Option<Merging<T>>,
}

impl<T, L, S> Algorithm for Sort<'_, T, L, S>
where
    T: Send,
    L: Fn(&T, &T) -> bool + Sync,
    S: Fn(&mut [T]) + Sync,
{
    type Local = Local<T>;

    fn wants_help(&self) -> bool {
        !self.tree.is_finished()
    }

    fn has_local_work(&self, local: &Self::Local) -> bool {
        local.merging.is_some() || !local.leaves.is_empty()
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        if let Some(merging) = &mut local.merging {
            merging.lanes.advance(grain, &self.less, Move);
            if merging.lanes.is_empty() {
                local.merging = self.tree.part_done(merging, &self.less);
            }
        } else if let Some(leaf) = local.leaves.next() {
            // SAFETY: each leaf belongs to one state, and is taken from its range once.
            local.merging = unsafe { self.tree.leaf(leaf, &self.sort_leaf, &self.less) };
        }
    }

    fn commit(&self, _local: &mut Self::Local) {}

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        let leaves = &mut victim.leaves;
        if leaves.start < leaves.end {
            // A victim that is merging gives even its only leaf away.
            let keep = if victim.merging.is_some() { leaves.len() / 2 } else { leaves.len().div_ceil(2) };
            let middle = leaves.start + keep;
            if middle < leaves.end {
                let stolen = middle..leaves.end;
                leaves.end = middle;
                return Some(Local { leaves: stolen, merging: None });
            }
        }
        let merging = victim.merging.as_mut()?.split(&self.less)?;
        Some(Local { leaves: 0..0, merging: Some(merging) })
    }
}

impl<'t, T, L, S> Sort<'t, T, L, S> {
    /// # Safety
    ///
    /// This is the only sort that is ever run on `tree`, and its root is the only state that is not split from another.
    pub(crate) unsafe fn new(tree: &'t Tree<T>, less: L, sort_leaf: S) -> (Self, Local<T>) {
        (Sort { tree, less, sort_leaf }, Local { leaves: 0..tree.leaves(), merging: None })
    }
}

/// How many leaves a sort of `len` elements has: about `shared` if it is long enough.
fn leaves(len: usize, shared: usize, grain: Option<usize>) -> usize {
    let wanted = grain.map_or(shared.next_power_of_two(), |grain| len / grain.max(1));
    let most = (len / grain.unwrap_or(LEAF_MIN).clamp(1, LEAF_MIN)).max(2);
    1 << wanted.clamp(2, most).ilog2()
}

/// Sorts `v` by `compare`. Equal elements may change their order, even if `sort_leaf` is stable.
#[inline]
pub(super) fn unstable<T, C, S>(executor: &impl Executor, v: &mut [T], compare: C, sort_leaf: S)
where
    T: Send,
    C: Fn(&T, &T) -> Ordering + Sync,
    S: Fn(&mut [T]) + Sync,
{
    if size_of::<T>() == 0 {
        // All elements are in their places, and there may be too many to be looked at; std leaves them alone.
        sort_leaf(v);
    } else if executor.workers() <= FEW_WORKERS && !is_dear_leaf(executor, v.len()) {
        quick(executor, v, compare, sort_leaf)
    } else {
        parallel(executor, v, |a, b| compare(a, b).is_lt(), sort_leaf)
    }
}

/// Whether `len` elements would be one leaf of a quicksort, although their comparisons take so long that a merge of two halves gains.
fn is_dear_leaf(executor: &impl Executor, len: usize) -> bool {
    len <= quick::LEAF_MIN && executor.elements_in(DEAR_NS).is_some_and(|comparisons| comparisons <= 1)
}

/// Sorts `v` by `less`, its leaves with `sort_leaf`.
///
/// Closures that sort a leaf wrap the caller's comparison in another closure: called through a reference, some orders are compiled to
/// branches, which make the sort much slower.
#[inline(never)]
pub(super) fn parallel<T, L, S>(executor: &impl Executor, v: &mut [T], less: L, sort_leaf: S)
where
    T: Send,
    L: Fn(&T, &T) -> bool + Sync,
    S: Fn(&mut [T]) + Sync,
{
    if size_of::<T>() == 0 {
        // Zero-sized elements are all in their places already. std may still call the comparison, so it is left to std.
        return sort_leaf(v);
    }
    let len = v.len();
    let leaves = leaves(len, executor.workers().max(size_of_val(v) / LEAF_BYTES), executor.grain());
    let bound = |i: usize| i * (len / leaves) + i.min(len % leaves);
    let mut buffer = Scratch::<T>::new(v.len());
    // SAFETY: both memories belong to this call until the tree is dropped, which is before the end of this function, even
    // if a panic ends it. Elements in the buffer are never dropped there.
    let tree = unsafe { Tree::new(v.as_mut_ptr(), buffer.room().as_mut_ptr().cast(), leaves, bound) };
    // SAFETY: the only sort on this tree.
    let (sort, root) = unsafe { Sort::new(&tree, less, sort_leaf) };
    executor.run(&sort, root);
}
