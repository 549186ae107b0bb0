//! One merge in progress: what is left of two runs, and where the next merged element goes.

use std::cmp::Ordering;

/// What is left of two runs `a` and `b`, and the room for the merge of both.
///
/// Invariants:
/// 1. `a_len` elements from `a` and `b_len` from `b` are initialised, and not written to while the lane lives.
/// 2. `a_len + b_len` slots from `out` belong to this lane alone, and do not overlap the runs.
#[repr(C)]
pub(crate) struct Lane<T> {
    pub(super) a: *const T,
    pub(super) a_len: usize,
    pub(super) b: *const T,
    pub(super) b_len: usize,
    pub(super) out: *mut T,
}

// Not derived: `T` itself need not be `Copy`, the lane only points to it.
impl<T> Clone for Lane<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Lane<T> {}

// SAFETY: a lane is moved to another thread together with the right to read its runs and to write its room, which no
// other lane uses, by the invariants. It reads and writes elements, hence `T: Send`.
unsafe impl<T: Send> Send for Lane<T> {}

impl<T> Lane<T> {
    /// A lane that merges `a` and `b`, given as pointer and length, to `out`.
    ///
    /// # Safety
    ///
    /// The two invariants of the type hold for as long as the lane, or a lane split from it, is used.
    pub(crate) unsafe fn new(a: (*const T, usize), b: (*const T, usize), out: *mut T) -> Self {
        Lane { a: a.0, a_len: a.1, b: b.0, b_len: b.1, out }
    }

    /// An empty lane.
    pub(super) fn none() -> Self {
        Lane { a: std::ptr::dangling(), a_len: 0, b: std::ptr::dangling(), b_len: 0, out: std::ptr::dangling_mut() }
    }

    /// The number of elements still to be placed.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.a_len + self.b_len
    }

    /// How many elements can be placed for sure before one of the runs is used up.
    #[inline]
    pub(super) fn shorter(&self) -> usize {
        self.a_len.min(self.b_len)
    }

    pub(super) fn a(&self) -> &[T] {
        // SAFETY: invariant 1.
        unsafe { std::slice::from_raw_parts(self.a, self.a_len) }
    }

    pub(super) fn b(&self) -> &[T] {
        // SAFETY: invariant 1.
        unsafe { std::slice::from_raw_parts(self.b, self.b_len) }
    }

    /// Splits off the back. Returns `None` if too little is left.
    ///
    /// The longer run is halved and the place of its middle looked up in the other, so that both parts know where
    /// their results go (PaSTeL, section 4.2). Elements of `a` stay before equal ones of `b`. O(log n) comparisons. If
    /// `less` panics, nothing has changed. If it is inconsistent, each element is still in one of the parts.
    pub(super) fn split(&mut self, less: &impl Fn(&T, &T) -> bool) -> Option<Self> {
        if self.len() < 4 {
            return None;
        }
        let (i, j) = if self.a_len >= self.b_len {
            let i = self.a_len / 2;
            (i, self.b().partition_point(|y| less(y, &self.a()[i])))
        } else {
            let j = self.b_len / 2;
            (self.a().partition_point(|x| !less(&self.b()[j], x)), j)
        };
        let mut back = *self;
        back.pass(i, j);
        self.a_len = i;
        self.b_len = j;
        Some(back)
    }

    /// Notes that the first `i` elements of `a` and `j` of `b` have been placed, or belong to another lane.
    #[inline]
    pub(super) fn pass(&mut self, i: usize, j: usize) {
        debug_assert!(i <= self.a_len && j <= self.b_len);
        self.a = self.a.wrapping_add(i);
        self.a_len -= i;
        self.b = self.b.wrapping_add(j);
        self.b_len -= j;
        self.out = self.out.wrapping_add(i + j);
    }

    /// If the merge is a concatenation of the runs, returns two lanes that copy them.
    ///
    /// This takes at most two comparisons, and sorted or reversed input need not be merged.
    pub(crate) fn concatenation(&self, less: &impl Fn(&T, &T) -> bool) -> Option<[Self; 2]> {
        let (Some(a_last), Some(b_first)) = (self.a().last(), self.b().first()) else { return None };
        let order = if !less(b_first, a_last) {
            Ordering::Less
        } else if less(&self.b()[self.b_len - 1], &self.a()[0]) {
            Ordering::Greater
        } else {
            return None;
        };
        let (mut a, mut b) = (*self, *self);
        a.b_len = 0;
        b.a_len = 0;
        if order.is_lt() {
            b.out = self.out.wrapping_add(self.a_len);
        } else {
            a.out = self.out.wrapping_add(self.b_len);
        }
        Some([a, b])
    }
}
