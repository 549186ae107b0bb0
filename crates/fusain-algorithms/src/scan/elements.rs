//! Where a scan reads its elements and leaves its results.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

use crate::element::primitive::may_be_primitive;
use crate::memory::nontemporal;
use crate::memory::output::{Output, Window};

/// Elements that are scanned one after the other.
///
/// # Safety
///
/// When called for `i`, implementors use no element but element `i`, and no slot but that of its result.
pub(crate) unsafe trait Elements<T>: Sync {
    /// The same elements, for a loop.
    type View<'s>: Elements<T>
    where
        Self: 's;

    /// Whether results go to other memory than that of the elements, so that several workers may read an element at any time.
    const ARE_APART: bool;

    /// The same elements in a new value. The compiler knows that no write to an element changes this value, so a loop
    /// keeps its pointers in registers.
    fn view(&self) -> Self::View<'_>;

    /// Scans the elements in `range` by `scan`: at once, or part after part if [results go around the caches](crate::memory::nontemporal). `scan` gets elements, a range, and
    /// the sum before that range, and returns the sum after it.
    ///
    /// # Safety
    ///
    /// As for [`put`](Elements::put), which `scan` calls for each element of a range that it is given.
    #[inline(always)]
    unsafe fn in_parts<'s>(
        &'s self,
        range: Range<usize>,
        prefix: T,
        scan: impl Fn(&Self::View<'s>, Range<usize>, T) -> T,
    ) -> T {
        scan(&self.view(), range, prefix)
    }

    /// The number of elements.
    fn len(&self) -> usize;

    /// Element `i` as a value.
    ///
    /// # Safety
    ///
    /// `i` is below the length. Unless elements [are apart](Elements::ARE_APART), no other thread uses element `i` now, and [`put`](Elements::put) was not called for it.
    unsafe fn lift(&self, i: usize) -> T;

    /// `acc ⊕ element i`.
    ///
    /// # Safety
    ///
    /// As for [`lift`](Elements::lift).
    unsafe fn add(&self, acc: &T, i: usize) -> T;

    /// `a ⊕ b`, for sums.
    fn combine(&self, a: &T, b: &T) -> T;

    /// Writes the result for element `i`: `sum` is the sum up to and with it, `before` the sum up to and without it.
    ///
    /// # Safety
    ///
    /// As for [`lift`](Elements::lift). No other thread puts a result there, and the caller sees to it that the result is counted or dropped.
    unsafe fn put(&self, i: usize, before: T, sum: &T);

    /// The window to which the results in `range` belong, if they go to an output.
    ///
    /// # Safety
    ///
    /// This is called at most once for each element.
    unsafe fn window(&self, range: Range<usize>) -> Option<Window<'_, T>>;

    /// Writes the first result, which is the first element.
    ///
    /// # Safety
    ///
    /// As for [`put`](Elements::put), for element 0.
    unsafe fn put_first(&self, first: T);

    /// Puts the first result if there is no `init`. Returns the sum before the other elements, and their range. Returns `None` if there are no elements.
    ///
    /// # Safety
    ///
    /// This is called once, before anything else, and no other thread uses the elements.
    #[inline]
    unsafe fn start(&self, init: Option<T>) -> Option<(T, Range<usize>)>
    where
        T: Clone,
    {
        if self.len() == 0 {
            return None;
        }
        match init {
            Some(init) => Some((init, 0..self.len())),
            None => {
                // SAFETY: there is a first element, and no other thread uses it.
                let first = unsafe { self.lift(0) };
                // SAFETY: as above.
                unsafe { self.put_first(first.clone()) };
                Some((first, 1..self.len()))
            }
        }
    }
}

/// From a slice into new memory. `lift` makes a value of an element, and `add` adds an element to a sum.
pub(crate) struct Into<'a, 'o, S, T, M, A, F, const INCLUSIVE: bool> {
    from: &'a [S],
    to: &'a Output<'o, T>,
    room: *mut T,
    lift: M,
    add: A,
    op: F,
}

impl<'a, 'o, S, T, M, A, F, const INCLUSIVE: bool> Into<'a, 'o, S, T, M, A, F, INCLUSIVE> {
    #[inline]
    pub(crate) fn new(from: &'a [S], to: &'a Output<'o, T>, lift: M, add: A, op: F) -> Self {
        assert_eq!(from.len(), to.len());
        Into { from, to, room: to.slot(0), lift, add, op }
    }
}

// SAFETY: the pointer is that of `to`, which is `Sync` under these conditions.
unsafe impl<S: Sync, T: Send, M: Sync, A: Sync, F: Sync, const INCLUSIVE: bool> Sync
    for Into<'_, '_, S, T, M, A, F, INCLUSIVE>
{
}

// SAFETY: element `i` is only read, and only slot `i` is written.
unsafe impl<'o, S, T, M, A, F, const INCLUSIVE: bool> Elements<T> for Into<'_, 'o, S, T, M, A, F, INCLUSIVE>
where
    S: Sync,
    T: Clone + Send + Sync,
    M: Fn(&S) -> T + Sync,
    A: Fn(&T, &S) -> T + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    type View<'s>
        = Into<'s, 'o, S, T, &'s M, &'s A, &'s F, INCLUSIVE>
    where
        Self: 's;

    const ARE_APART: bool = true;

    #[inline(always)]
    fn view(&self) -> Self::View<'_> {
        Into { from: self.from, to: self.to, room: self.room, lift: &self.lift, add: &self.add, op: &self.op }
    }

    #[inline(always)]
    unsafe fn in_parts<'s>(
        &'s self,
        range: Range<usize>,
        prefix: T,
        scan: impl Fn(&Self::View<'s>, Range<usize>, T) -> T,
    ) -> T {
        if !(const { may_be_primitive::<T>() } && self.to.is_far()) {
            return scan(&self.view(), range, prefix);
        }
        let (start, mut acc) = (range.start, prefix);
        // SAFETY: the slots lie in the room, and belong to the caller.
        let slots = unsafe { std::slice::from_raw_parts_mut(self.to.slot(start).cast(), range.len()) };
        let part = |at: usize, stage: &mut [MaybeUninit<T>]| {
            let range = start + at..start + at + stage.len();
            let view = Into { room: stage.as_mut_ptr().cast::<T>().wrapping_sub(range.start), ..self.view() };
            acc = scan(&view, range, acc.clone());
        };
        // SAFETY: a result is put in each slot.
        unsafe { nontemporal::fill(slots, part) };
        acc
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.from.len()
    }

    #[inline(always)]
    unsafe fn lift(&self, i: usize) -> T {
        // SAFETY: `i` is below the length.
        (self.lift)(unsafe { self.from.get_unchecked(i) })
    }

    #[inline(always)]
    unsafe fn add(&self, acc: &T, i: usize) -> T {
        // SAFETY: `i` is below the length.
        (self.add)(acc, unsafe { self.from.get_unchecked(i) })
    }

    #[inline(always)]
    fn combine(&self, a: &T, b: &T) -> T {
        (self.op)(a, b)
    }

    #[inline(always)]
    unsafe fn put(&self, i: usize, before: T, sum: &T) {
        let result = if INCLUSIVE {
            // This may panic, so it comes before the result lies in its slot: no window has counted the result yet.
            drop(before);
            sum.clone()
        } else {
            before
        };
        // SAFETY: the slot is inside the room and used by no other thread, or it is on a stage.
        unsafe { self.room.wrapping_add(i).write(result) };
    }

    unsafe fn window(&self, range: Range<usize>) -> Option<Window<'_, T>> {
        // SAFETY: guaranteed by the caller.
        Some(unsafe { self.to.part(range) })
    }

    unsafe fn put_first(&self, first: T) {
        // SAFETY: guaranteed by the caller.
        let mut window = unsafe { self.to.part(0..1) };
        window.fill(&[()], |()| first.clone());
        window.publish();
    }
}

/// In place.
///
/// Invariant: 1. `v` and `len` are a slice borrowed for `'a`, used through this only.
pub(crate) struct InPlace<'a, T, F, const INCLUSIVE: bool> {
    v: *mut T,
    len: usize,
    op: F,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: one worker at a time uses an element, see `Elements`. Another worker may read its results, hence `Send` and `Sync`.
unsafe impl<T: Send + Sync, F: Sync, const INCLUSIVE: bool> Sync for InPlace<'_, T, F, INCLUSIVE> {}

impl<'a, T, F, const INCLUSIVE: bool> InPlace<'a, T, F, INCLUSIVE> {
    #[inline]
    pub(crate) fn new(v: &'a mut [T], op: F) -> Self {
        InPlace { v: v.as_mut_ptr(), len: v.len(), op, slice: PhantomData }
    }
}

// SAFETY: element `i` is read and replaced.
unsafe impl<T, F, const INCLUSIVE: bool> Elements<T> for InPlace<'_, T, F, INCLUSIVE>
where
    T: Clone + Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    type View<'s>
        = InPlace<'s, T, &'s F, INCLUSIVE>
    where
        Self: 's;

    const ARE_APART: bool = false;

    #[inline(always)]
    fn view(&self) -> Self::View<'_> {
        InPlace { v: self.v, len: self.len, op: &self.op, slice: PhantomData }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    unsafe fn lift(&self, i: usize) -> T {
        // SAFETY: invariant 1, `i` is below the length.
        unsafe { &*self.v.wrapping_add(i) }.clone()
    }

    #[inline(always)]
    unsafe fn add(&self, acc: &T, i: usize) -> T {
        // SAFETY: invariant 1, `i` is below the length.
        (self.op)(acc, unsafe { &*self.v.wrapping_add(i) })
    }

    #[inline(always)]
    fn combine(&self, a: &T, b: &T) -> T {
        (self.op)(a, b)
    }

    #[inline(always)]
    unsafe fn put(&self, i: usize, before: T, sum: &T) {
        let result = if INCLUSIVE { sum.clone() } else { before };
        // SAFETY: invariant 1, `i` is below the length, and no other thread uses the element.
        unsafe { *self.v.wrapping_add(i) = result };
    }

    unsafe fn window(&self, _range: Range<usize>) -> Option<Window<'_, T>> {
        None
    }

    unsafe fn put_first(&self, _first: T) {}
}
