//! The tree of a merge sort: which merge waits for which, and where each run lies.
//!
//! Leaves are runs to be sorted, an inner node is the merge of its two children. The root's result lies in the slice
//! itself, its children's in the buffer, theirs in the slice again. So a merge always goes from one memory to the
//! other, never onto its own source, and nothing has to be copied at the end.
//!
//! ```text
//! depth 0   slice   [........ 1 ........]
//! depth 1   buffer  [... 2 ...][... 3 ...]
//! depth 2   slice   [ 4 ][ 5 ][ 6 ][ 7 ]     leaves (at odd depth a leaf is moved over before it is sorted)
//! ```
//!
//! # States of a node
//!
//! | `left` | `arrived` | state |
//! |---|---|---|
//! | length | 0 or 1 | waits for its children |
//! | length down to 1 | 2 | being merged, its parts counted down as they are done |
//! | 0 | 2 | its result lies complete at its depth's memory |
//!
//! # When something panics
//!
//! A merge only reads its source. The source is overwritten by the parent's merge, which waits for this one. So at
//! any time each element lies, complete, in the memory of the topmost finished node above it (or where its leaf is).
//! [`Tree::restore`] collects the elements from there, after any panic, and whether or not states were dropped.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use crate::merge::lane::Lane;
use crate::merge::lanes::{LANES, Lanes};

/// One run: a leaf or the merge of two.
struct Node {
    run: Range<usize>,
    /// The number of elements whose part of the merge is not done yet.
    left: AtomicUsize,
    /// The number of children that are done.
    arrived: AtomicU8,
}

/// The runs of a sort, and the two memories in which they lie in turn.
///
/// Invariants:
/// 1. `slice` and `buffer` are valid for reads and writes of `len` elements for as long as the tree lives, apart from
///    each other, and used through the tree only.
/// 2. Outside the finished part of the tree, `slice` holds every element; inside, the memory of a finished node's
///    depth holds those of its run. ("Finished": `left` is 0.)
/// 3. Nodes are in heap order: the root is 1, the children of `i` are `2 i` and `2 i + 1`; there are `leaves` leaves,
///    a power of two.
pub(crate) struct Tree<T> {
    slice: *mut T,
    buffer: *mut T,
    nodes: Vec<Node>,
    leaves: usize,
}

// SAFETY: a node's run is used by the one state that holds the node, or by several states that each hold some of its
// lanes. Elements are moved between threads and never shared, hence `T: Send`.
unsafe impl<T: Send> Sync for Tree<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Tree<T> {}

impl<T> Tree<T> {
    /// A tree over `slice`, with `leaves` leaves, a power of two. Leaf `i` begins at `bound(i)`: the first bound is 0, and
    /// the last one is the length.
    ///
    /// # Safety
    ///
    /// `slice` holds that many elements, `buffer` has room for as many, and until the tree is dropped no other code
    /// uses either. When it is dropped, `slice` holds all elements, each once.
    pub(crate) unsafe fn new(slice: *mut T, buffer: *mut T, leaves: usize, bound: impl Fn(usize) -> usize) -> Self {
        assert!(leaves.is_power_of_two());
        let node = |i: usize| {
            // Leaves below node `i`: `width` from `first`. Node 0 is never used, and may be anything.
            let i = i.max(1);
            let width = leaves >> i.ilog2();
            let first = i * width - leaves;
            let run = bound(first)..bound(first + width);
            Node { left: AtomicUsize::new(run.len()), run, arrived: AtomicU8::new(0) }
        };
        Tree { slice, buffer, nodes: (0..2 * leaves).map(node).collect(), leaves }
    }

    /// Number of leaves.
    pub(crate) fn leaves(&self) -> usize {
        self.leaves
    }

    /// Whether the whole slice is sorted.
    pub(crate) fn is_finished(&self) -> bool {
        // Relaxed: a hint; the end of the call orders everything.
        self.nodes[1].left.load(Ordering::Relaxed) == 0
    }

    /// The memory in which the result of a node lies.
    fn home(&self, node: usize) -> *mut T {
        if node.ilog2().is_multiple_of(2) { self.slice } else { self.buffer }
    }

    /// Sorts a leaf with `sort`. If that was the second child of its node, returns the merge that can start now.
    ///
    /// # Safety
    ///
    /// Called once for each leaf.
    pub(crate) unsafe fn leaf(
        &self,
        leaf: usize,
        sort: impl Fn(&mut [T]),
        less: &impl Fn(&T, &T) -> bool,
    ) -> Option<Merging<T>> {
        let node = self.leaves + leaf;
        let run = self.nodes[node].run.clone();
        let home = self.home(node).wrapping_add(run.start);
        if home != self.slice.wrapping_add(run.start) {
            // SAFETY: the leaf's run lies in the slice (invariant 2), the buffer has room for it, and both belong to
            // the worker that has the leaf.
            unsafe { std::ptr::copy_nonoverlapping(self.slice.wrapping_add(run.start), home, run.len()) };
        }
        // Before the sort: from here on this is where the elements are, in whatever order.
        // Relaxed: read by `restore` only, when all workers have left.
        self.nodes[node].left.store(0, Ordering::Relaxed);
        // SAFETY: as above.
        sort(unsafe { std::slice::from_raw_parts_mut(home, run.len()) });
        self.arrive(node, less)
    }

    /// Notes that part of a merge is done. If it was the last part, and its node the second child of its parent,
    /// returns the merge that can start now.
    pub(crate) fn part_done(&self, merging: &Merging<T>, less: &impl Fn(&T, &T) -> bool) -> Option<Merging<T>> {
        assert!(merging.lanes.is_empty(), "the part is done");
        let Merging { node, share, .. } = *merging;
        // AcqRel: Release, pairs with the Acquire of the worker that does the last part, so that it sees what this part
        // wrote; and Acquire, for the case that this is the last part.
        let left = self.nodes[node].left.fetch_sub(share, Ordering::AcqRel);
        if left == share { self.arrive(node, less) } else { None }
    }

    /// Notes that a node is finished. If its sibling is finished too, returns the merge of both.
    fn arrive(&self, node: usize, less: &impl Fn(&T, &T) -> bool) -> Option<Merging<T>> {
        if node == 1 {
            return None;
        }
        let parent = node / 2;
        // AcqRel: Release, pairs with the Acquire of the sibling that arrives second, so that it sees this run; and
        // Acquire, for the case that this is the second.
        if self.nodes[parent].arrived.fetch_add(1, Ordering::AcqRel) == 0 {
            return None;
        }
        let from = self.home(2 * parent);
        let run = |child: usize| {
            let run = &self.nodes[child].run;
            (from.wrapping_add(run.start).cast_const(), run.len())
        };
        let out = self.home(parent).wrapping_add(self.nodes[parent].run.start);
        // SAFETY: both children are finished, their runs lie side by side in the memory of their depth, and no other
        // worker goes on with the parent. Its place is in the other memory, which only the children's merges have read,
        // and they have finished. Invariants 1 and 2.
        let lane = unsafe { Lane::new(run(2 * parent), run(2 * parent + 1), out) };
        let lanes = match lane.concatenation(less) {
            Some(lanes) => Lanes::new(lanes, LANES),
            None => Lanes::new([lane], LANES),
        };
        Some(Merging { share: lanes.len(), lanes, node: parent })
    }

    /// Brings every element back to the slice.
    fn restore(&mut self, node: usize) {
        let run = self.nodes[node].run.clone();
        if *self.nodes[node].left.get_mut() == 0 {
            let home = self.home(node);
            if home != self.slice {
                let (from, to) = (home.wrapping_add(run.start), self.slice.wrapping_add(run.start));
                // SAFETY: the node is finished, and the nodes above it are not. By invariant 2 its elements lie here,
                // and their places in the slice hold only old bits.
                unsafe { std::ptr::copy_nonoverlapping(from, to, run.len()) };
            }
        } else if node < self.leaves {
            self.restore(2 * node);
            self.restore(2 * node + 1);
        }
        // A leaf that no worker has begun lies in the slice.
    }
}

impl<T> Drop for Tree<T> {
    fn drop(&mut self) {
        self.restore(1);
    }
}

/// A part of the merge of one node.
#[repr(C)]
pub(crate) struct Merging<T> {
    pub(crate) lanes: Lanes<T>,
    node: usize,
    /// The number of elements of this part, which are counted off when the part is done.
    share: usize,
}

impl<T> Merging<T> {
    /// Splits off a part.
    pub(crate) fn split(&mut self, less: &impl Fn(&T, &T) -> bool) -> Option<Self> {
        let lanes = self.lanes.split(less)?;
        let share = lanes.len();
        self.share -= share;
        Some(Merging { lanes, node: self.node, share })
    }
}
