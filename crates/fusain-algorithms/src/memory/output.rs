//! Memory for results: uninitialised slots that many workers fill.
//!
//! An [`Output`] is all of the memory (the *room*), a [`Window`] the part that one worker fills from the front. A window *publishes* what it has
//! filled. When a window is dropped, it drops the elements that it has not published. When the output is dropped before it was finished, it
//! drops the published ones. So after a panic anywhere, each element that was made is dropped exactly once.

use std::marker::PhantomData;
use std::mem::{MaybeUninit, needs_drop};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;

use crate::element::primitive::{is_primitive, may_be_primitive};
use crate::memory::bytes::{self, Way};
use crate::memory::huge_pages::expect_writes;
use crate::memory::nontemporal;

/// The whole room for results.
///
/// Invariants:
/// 1. `base` is valid for writes of `len` elements for `'o`, and no other code uses them meanwhile.
/// 2. Elements in `published` ranges are initialised, belong to the output, and no two ranges overlap.
/// 3. `count` is the number of elements published.
pub(crate) struct Output<'o, T> {
    base: *mut T,
    len: usize,
    is_far: bool,
    /// On its own cache line: workers write it now and then, and read the fields above all the time.
    count: CachePadded<AtomicUsize>,
    published: Mutex<Vec<Range<usize>>>,
    room: PhantomData<&'o mut [MaybeUninit<T>]>,
}

// SAFETY: what is shared is a count, a locked list and a pointer that only windows write through, each to its own
// slots. Elements made on one thread are dropped on another, hence `T: Send`.
unsafe impl<T: Send> Sync for Output<'_, T> {}

impl<'o, T> Output<'o, T> {
    pub(crate) fn new(room: &'o mut [MaybeUninit<T>]) -> Self {
        Output {
            base: room.as_mut_ptr().cast(),
            len: room.len(),
            is_far: false,
            count: CachePadded::default(),
            published: Mutex::new(Vec::new()),
            room: PhantomData,
        }
    }

    /// Sets whether results are written [around the caches](crate::memory::nontemporal).
    pub(crate) fn far(mut self, is_far: bool) -> Self {
        self.is_far = is_far;
        self
    }

    pub(crate) fn is_far(&self) -> bool {
        self.is_far
    }

    /// The one window over all of the room.
    ///
    /// # Safety
    ///
    /// This is called only once.
    pub(crate) unsafe fn window(&self) -> Window<'_, T> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.part(0..self.len) }
    }

    /// The window over a part of the room.
    ///
    /// # Safety
    ///
    /// Windows made by this and by [`window`](Output::window) do not overlap.
    pub(crate) unsafe fn part(&self, range: Range<usize>) -> Window<'_, T> {
        assert!(range.start <= range.end && range.end <= self.len, "the part lies within the room");
        Window {
            base: self.base,
            first: range.start,
            next: range.start,
            end: range.end,
            is_far: self.is_far,
            count: &self.count,
            published: &self.published,
        }
    }

    /// Moves `run` to the slots from `at`, where it is published.
    ///
    /// # Safety
    ///
    /// No other run or window has any of these slots.
    ///
    /// # Panics
    ///
    /// If the run does not fit into the room.
    pub(crate) unsafe fn place(&self, at: usize, run: &mut Vec<T>) {
        let left = self.len.checked_sub(at);
        assert!(left.is_some_and(|left| run.len() <= left), "the room must have a slot for every result");
        // SAFETY: guaranteed by the caller.
        let mut filled = unsafe { self.part(at..at + run.len()) };
        if const { may_be_primitive::<T>() } && self.is_far {
            bytes::copy(filled.slots(run.len()), run, Way::Around);
        } else {
            // SAFETY: the slots lie inside the room, invariant 1, and no other window has them; the run is separate memory.
            unsafe { std::ptr::copy_nonoverlapping(run.as_ptr(), self.slot(at), run.len()) };
        }
        // The elements have been moved. That is noted before anything can panic.
        filled.next = filled.end;
        // SAFETY: an empty vector has no elements to be initialised.
        unsafe { run.set_len(0) };
        filled.publish();
    }

    /// The number of slots in the room.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Slot `i`.
    #[inline(always)]
    pub(crate) fn slot(&self, i: usize) -> *mut T {
        debug_assert!(i <= self.len);
        self.base.wrapping_add(i)
    }

    /// Ends the filling. The room is initialised from now on, and belongs to the caller.
    ///
    /// # Panics
    ///
    /// If not every slot has been filled and published, which would be a defect of this crate.
    pub(crate) fn finish(self) -> &'o mut [T] {
        let len = self.len;
        let filled = self.finish_front();
        assert_eq!(filled.len(), len, "every slot is filled");
        filled
    }

    /// Ends the filling of a room of which only a front need be filled, without a gap. That front is initialised from now
    /// on, and belongs to the caller.
    pub(crate) fn finish_front(mut self) -> &'o mut [T] {
        // Relaxed: the end of the call that ran the algorithm orders every publication before this.
        let filled = self.count.load(Ordering::Relaxed);
        self.published.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()).clear();
        // SAFETY: this many slots were filled and published, and they are the first ones. The list is empty, so the output
        // does not drop them. The room was borrowed for 'o, invariant 1.
        unsafe { std::slice::from_raw_parts_mut(self.base, filled) }
    }
}

impl<T> Drop for Output<'_, T> {
    fn drop(&mut self) {
        let published = self.published.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        for range in published.drain(..) {
            let part = std::ptr::slice_from_raw_parts_mut(self.base.wrapping_add(range.start), range.len());
            // SAFETY: by invariant 2 these are initialised and ours; draining the list drops them once.
            unsafe { part.drop_in_place() };
        }
    }
}

/// The part of an output that one worker fills from the front.
///
/// Invariants:
/// 1. The slots `first..end` belong to this window alone.
/// 2. Of them `first..next` are initialised, the others are not.
pub(crate) struct Window<'w, T> {
    base: *mut T,
    first: usize,
    next: usize,
    end: usize,
    is_far: bool,
    count: &'w AtomicUsize,
    published: &'w Mutex<Vec<Range<usize>>>,
}

// SAFETY: a window owns its slots and the elements in them, so moving it moves elements: `T: Send`.
unsafe impl<T: Send> Send for Window<'_, T> {}

impl<T> Window<'_, T> {
    /// Fills the next slots with `make` of each element of `from`, as far as there is room.
    #[inline(always)]
    pub(crate) fn fill<'f, S>(&mut self, from: &'f [S], mut make: impl FnMut(&'f S) -> T) {
        let from = &from[..from.len().min(self.len())];
        if needs_drop::<T>() {
            return self.fill_by(from.len(), |i| make(&from[i]));
        }
        // SAFETY: each slot is written.
        unsafe {
            self.fill_parts(from.len(), |at, slots| {
                let from = &from[at..][..slots.len()];
                slots.iter_mut().zip(from).for_each(|(slot, x)| _ = slot.write(make(x)));
            });
        }
    }

    /// Fills the next slots with clones of the elements of `from`, as far as there is room.
    #[inline(always)]
    pub(crate) fn fill_clones(&mut self, from: &[T])
    where
        T: Clone,
    {
        if is_primitive::<T>() {
            let n = from.len().min(self.len());
            // A copy of a primitive is a clone.
            let way = if self.is_far { Way::Around } else { Way::Through };
            bytes::copy(self.slots(n), &from[..n], way);
            self.next += n;
        } else {
            self.fill(from, T::clone);
        }
    }

    /// Fills the next slots with clones of the elements of `from`, back to front.
    ///
    /// # Panics
    ///
    /// If there is not room for all.
    #[inline(always)]
    pub(crate) fn fill_reversed(&mut self, from: &[T])
    where
        T: Clone,
    {
        let n = from.len();
        assert!(n <= self.len(), "there is room");
        if needs_drop::<T>() {
            self.fill_by(n, |i| from[n - 1 - i].clone());
        } else {
            // The compiler knows that two slices do not overlap, and vectorises the loop.
            self.slots(n).iter_mut().zip(from.iter().rev()).for_each(|(slot, x)| {
                slot.write(x.clone());
            });
            self.next += n;
        }
    }

    /// Like [`Output::far`], for what is filled from now on.
    #[inline(always)]
    pub(crate) fn set_far(&mut self, is_far: bool) {
        self.is_far = is_far;
    }

    /// Fills the next `n` slots, or as many as there are, with `make` of 0, 1, 2, ...
    #[inline(always)]
    pub(crate) fn fill_by(&mut self, n: usize, mut make: impl FnMut(usize) -> T) {
        let n = n.min(self.len());
        if needs_drop::<T>() {
            // The slots lie inside the room, by invariant 1.
            let to = self.base.wrapping_add(self.next);
            for i in 0..n {
                let made = make(i);
                // SAFETY: slot `next + i` is inside `next..end`: ours and not initialised, invariants 1 and 2.
                unsafe { to.wrapping_add(i).write(made) };
                // One by one, so that a panic in `make` finds every element made so far.
                self.next += 1;
            }
        } else {
            // SAFETY: each slot is written.
            unsafe {
                self.fill_parts(n, |at, slots| {
                    slots.iter_mut().zip(at..).for_each(|(slot, i)| _ = slot.write(make(i)));
                });
            }
        }
    }

    /// Fills the next `n` slots, at once or part after part: `make` is called with the index where a part begins, and with its slots.
    ///
    /// # Safety
    ///
    /// `make` writes all slots it is given, and elements need no dropping.
    #[inline(always)]
    pub(crate) unsafe fn fill_parts(&mut self, n: usize, mut make: impl FnMut(usize, &mut [MaybeUninit<T>])) {
        let (is_far, slots) = (self.is_far, self.slots(n));
        if const { may_be_primitive::<T>() } && is_far {
            // SAFETY: guaranteed by the caller.
            unsafe { nontemporal::fill(slots, make) };
        } else {
            make(0, slots);
        }
        self.next += n;
    }

    /// Notes that all but the last `left` slots have been filled from outside.
    ///
    /// # Safety
    ///
    /// They have been. If elements need no dropping, it suffices that as many slots have been filled, no matter which.
    pub(crate) unsafe fn set_left(&mut self, left: usize) {
        debug_assert!(left <= self.end - self.next);
        self.next = self.end - left;
    }

    /// The next `n` empty slots.
    fn slots(&mut self, n: usize) -> &mut [MaybeUninit<T>] {
        assert!(n <= self.len(), "there is room");
        // SAFETY: they lie inside of the room and are ours, invariant 1.
        unsafe { std::slice::from_raw_parts_mut(self.base.wrapping_add(self.next).cast(), n) }
    }

    /// The number of empty slots.
    pub(crate) fn len(&self) -> usize {
        self.end - self.next
    }

    /// The first slot of the window.
    pub(crate) fn base(&self) -> *mut T {
        self.base.wrapping_add(self.first)
    }

    /// Splits off the last `n` slots, which must be empty.
    pub(crate) fn split_off_back(&mut self, n: usize) -> Self {
        assert!(n <= self.end - self.next, "only empty slots are given away");
        let at = self.end - n;
        let back = Window { base: self.base, first: at, next: at, end: self.end, ..*self };
        self.end = at;
        back
    }

    /// Hands the elements that have been filled to the output.
    pub(crate) fn publish(&mut self) {
        if self.first == self.next {
            return;
        }
        if needs_drop::<T>() {
            let mut published = self.published.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            published.push(self.first..self.next);
        }
        // Relaxed: the count is read after the call that ran the algorithm has returned, which orders it.
        self.count.fetch_add(self.next - self.first, Ordering::Relaxed);
        self.first = self.next;
    }
}

impl<T> Drop for Window<'_, T> {
    fn drop(&mut self) {
        let part = std::ptr::slice_from_raw_parts_mut(self.base.wrapping_add(self.first), self.next - self.first);
        self.first = self.next;
        // SAFETY: by invariants 1 and 2 these are initialised and ours, and were not published.
        unsafe { part.drop_in_place() };
    }
}

/// Fills `room` on this thread alone: `fill` leaves no slot of the window empty.
///
/// It works like an [`Output`] with one window, without the atomic operations, whose cost matters in short calls.
#[inline]
pub(crate) fn fill_alone<T>(room: &mut [MaybeUninit<T>], fill: impl FnOnce(&mut Window<'_, T>)) -> &mut [T] {
    let output = Output::new(room);
    // SAFETY: called once.
    let mut window = unsafe { output.window() };
    fill(&mut window);
    assert_eq!(window.len(), 0, "every slot is filled");
    // The elements are the caller's from now on.
    std::mem::forget(window);
    // SAFETY: all slots are initialised, invariant 2 of the window. Neither it nor the output, to which none was published, drops them. They are
    // borrowed for as long as the result, invariant 1 of the output.
    unsafe { std::slice::from_raw_parts_mut(output.slot(0), output.len()) }
}

/// Makes a vector of `len` elements by filling its room with `fill`, which returns the room, filled.
pub(crate) fn collect<T>(len: usize, fill: impl FnOnce(&mut [MaybeUninit<T>]) -> &mut [T]) -> Vec<T> {
    let made = collect_front(len, fill);
    assert_eq!(made.len(), len, "the whole room comes back");
    made
}

/// Makes a vector of at most `len` elements by filling the front of its room with `fill`, which returns that front.
pub(crate) fn collect_front<T>(len: usize, fill: impl FnOnce(&mut [MaybeUninit<T>]) -> &mut [T]) -> Vec<T> {
    let mut made = Vec::with_capacity(len);
    let room = &mut made.spare_capacity_mut()[..len];
    expect_writes(room);
    let base = room.as_mut_ptr().cast::<T>();
    let filled = fill(room);
    assert!(std::ptr::eq(filled.as_ptr(), base) && filled.len() <= len, "the room itself comes back");
    let filled = filled.len();
    // SAFETY: the first `filled` elements were just seen as a slice of initialised elements.
    unsafe { made.set_len(filled) };
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the room must have a slot for every result")]
    fn a_run_without_results_does_not_fit_behind_the_room() {
        let mut room = [MaybeUninit::<u8>::uninit(); 2];
        // SAFETY: no other run or window has any slot.
        unsafe { Output::new(&mut room).place(3, &mut Vec::new()) };
    }
}
