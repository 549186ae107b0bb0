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
/// Implementors touch nothing but element `i` and its place when called for `i`.
pub(crate) unsafe trait Elements<T>: Sync {
    /// The same elements, for a loop.
    type View<'s>: Elements<T>
    where
        Self: 's;

    /// Whether results are put elsewhere, so that several workers may read an element at any time.
    const ARE_APART: bool;

    /// The same elements in a value of its own, which no write to an element can be suspected to change: so a loop
    /// keeps its pointers in registers.
    fn view(&self) -> Self::View<'_>;

    /// Scans the elements in `range` by `scan`, at once, or part after part where [results go around the caches](crate::memory::nontemporal): it is given elements, a range, and what comes
    /// before that, and returns what comes after.
    ///
    /// # Safety
    ///
    /// As [`put`](Elements::put), which `scan` calls for each element of a range that it is given.
    #[inline(always)]
    unsafe fn in_parts<'s>(
        &'s self,
        range: Range<usize>,
        prefix: T,
        scan: impl Fn(&Self::View<'s>, Range<usize>, T) -> T,
    ) -> T {
        scan(&self.view(), range, prefix)
    }

    /// How many there are.
    fn len(&self) -> usize;

    /// Element `i` as a value.
    ///
    /// # Safety
    ///
    /// `i` is below the length. Unless elements [are apart](Elements::ARE_APART), nobody else touches it now, and [`put`](Elements::put) was not called for it.
    unsafe fn lift(&self, i: usize) -> T;

    /// `acc ⊕ element i`.
    ///
    /// # Safety
    ///
    /// As [`lift`](Elements::lift).
    unsafe fn add(&self, acc: &T, i: usize) -> T;

    /// `a ⊕ b`, for sums.
    fn combine(&self, a: &T, b: &T) -> T;

    /// Writes the result for element `i`: `sum` is the sum up to and with it, `before` the sum up to and without it.
    ///
    /// # Safety
    ///
    /// As [`lift`](Elements::lift), nobody else puts anything there, and the caller answers for the result that now lies at `i`.
    unsafe fn put(&self, i: usize, before: T, sum: &T);

    /// The window that answers for results in `range`, if any has to.
    ///
    /// # Safety
    ///
    /// At most once for each element.
    unsafe fn window(&self, range: Range<usize>) -> Option<Window<'_, T>>;

    /// Writes the first result, which is the first element.
    ///
    /// # Safety
    ///
    /// As [`put`](Elements::put) for element 0.
    unsafe fn put_first(&self, first: T);

    /// Does the first element if there is no `init`; returns what comes before the others, and which these are.
    ///
    /// # Safety
    ///
    /// Called once, before anything else, and nobody else touches the elements.
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
                // SAFETY: there is a first element, and nobody else touches it.
                let first = unsafe { self.lift(0) };
                // SAFETY: likewise.
                unsafe { self.put_first(first.clone()) };
                Some((first, 1..self.len()))
            }
        }
    }
}

/// From a slice into new room; `lift` makes a value of an element, `add` adds one to a sum.
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

// SAFETY: element `i` is only read, and written is slot `i`.
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
        // SAFETY: the slots lie in the room, and are the caller's.
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
            // Now, as nobody knows of the result yet should this panic when it lies in its slot.
            drop(before);
            sum.clone()
        } else {
            before
        };
        // SAFETY: the slot is inside the room, and nobody else's, or its place on a stage.
        unsafe { self.room.wrapping_add(i).write(result) };
    }

    unsafe fn window(&self, range: Range<usize>) -> Option<Window<'_, T>> {
        // SAFETY: the caller's.
        Some(unsafe { self.to.part(range) })
    }

    unsafe fn put_first(&self, first: T) {
        // SAFETY: the caller's.
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

// SAFETY: workers share out the elements, see `Elements`; results of one are read by another, hence `Send` and `Sync`.
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
        // SAFETY: invariant 1, `i` is below the length, and nobody else touches the element.
        unsafe { *self.v.wrapping_add(i) = result };
    }

    unsafe fn window(&self, _range: Range<usize>) -> Option<Window<'_, T>> {
        None
    }

    unsafe fn put_first(&self, _first: T) {}
}
