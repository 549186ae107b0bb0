//! `interleave`: elements of two chains in turn.

use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::indexed::{IndexedSource, Pieces, both};

/// Elements of two chains in turn, then the rest of the longer one.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = [1, 2].into_par_iter().interleave([10, 20, 30, 40]).collect();
/// assert_eq!(v, [1, 10, 2, 20, 30, 40]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Interleave<A, B> {
    a: A,
    b: B,
}

impl<A, B> Interleave<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        Interleave { a, b }
    }
}

impl<A, B> ParallelIterator for Interleave<A, B>
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator<Item = A::Item>,
{
    type Item = A::Item;
    type Source<'s>
        = Pieces<InterleaveSource<A::Indexed<'s>, B::Indexed<'s>>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<A, B> IndexedParallelIterator for Interleave<A, B>
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator<Item = A::Item>,
{
    type Indexed<'s>
        = InterleaveSource<A::Indexed<'s>, B::Indexed<'s>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let (a, b) = (self.a.indexed(settings), self.b.indexed(settings));
        // Panics if the chain is too long.
        both(a.left(), b.left());
        InterleaveSource { a, b, b_next: false }
    }

    fn len(&self) -> usize {
        both(self.a.len(), self.b.len())
    }
}

/// Elements of two chains in turn, until the chain whose turn it is has none left.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = [1, 2].into_par_iter().interleave_shortest([10, 20, 30, 40]).collect();
/// assert_eq!(v, [1, 10, 2, 20]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct InterleaveShortest<A, B> {
    a: A,
    b: B,
}

impl<A, B> InterleaveShortest<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        InterleaveShortest { a, b }
    }
}

impl<A, B> ParallelIterator for InterleaveShortest<A, B>
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator<Item = A::Item>,
{
    type Item = A::Item;
    type Source<'s>
        = Pieces<InterleaveSource<A::Indexed<'s>, B::Indexed<'s>>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<A, B> IndexedParallelIterator for InterleaveShortest<A, B>
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator<Item = A::Item>,
{
    type Indexed<'s>
        = InterleaveSource<A::Indexed<'s>, B::Indexed<'s>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let mut a = self.a.indexed(settings);
        let mut b = self.b.indexed(settings);
        let (a_len, b_len) = shortest(a.left(), b.left());
        drop(a.split_at(a_len));
        drop(b.split_at(b_len));
        InterleaveSource { a, b, b_next: false }
    }

    fn len(&self) -> usize {
        let (a, b) = shortest(self.a.len(), self.b.len());
        a + b
    }
}

/// How many elements of each of two chains, of lengths `a` and `b`, come out before the next one in turn is missing.
///
/// # Panics
/// If their sum overflows `usize`.
fn shortest(a: usize, b: usize) -> (usize, usize) {
    let (a, b) = if a <= b { (a, a) } else { (b + 1, b) };
    both(a, b);
    (a, b)
}

/// The source of an [`Interleave`].
#[doc(hidden)]
#[derive(Debug)]
pub struct InterleaveSource<A, B> {
    a: A,
    b: B,
    /// Whether the next element comes from `b`, if that has any left.
    b_next: bool,
}

/// How many of the next `n` elements come from each of two sources that take turns, if these have `a` and `b` elements left.
fn share(n: usize, a: usize, b: usize, b_next: bool) -> (usize, usize) {
    let (of_a, of_b) = if b_next { (n / 2, n.div_ceil(2)) } else { (n.div_ceil(2), n / 2) };
    if of_a > a {
        (a, n - a)
    } else if of_b > b {
        (n - b, b)
    } else {
        (of_a, of_b)
    }
}

impl<A: IndexedSource, B: IndexedSource<Item = A::Item>> IndexedSource for InterleaveSource<A, B> {
    type Item = A::Item;
    type Piece<'p>
        = InterleavePiece<A::Piece<'p>, B::Piece<'p>>
    where
        Self: 'p;

    const EXACT: Exact = A::EXACT.and(B::EXACT);

    #[inline(always)]
    fn left(&self) -> usize {
        self.a.left() + self.b.left()
    }

    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        let (a, b) = share(n, self.a.left(), self.b.left(), self.b_next);
        let b_next = self.b_next;
        self.b_next ^= n % 2 == 1;
        InterleavePiece { a: self.a.front(a), b: self.b.front(b), b_next }
    }

    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        let (a, b) = (self.a.left(), self.b.left());
        let front = a + b - n;
        let (front_a, front_b) = share(front, a, b, self.b_next);
        let b_next = self.b_next ^ (front % 2 == 1);
        // A misused source may have wrong lengths. Still no more than `n` elements may come, since there is room for no more.
        let back_a = (a - front_a).min(n);
        InterleavePiece { a: self.a.back(back_a), b: self.b.back((b - front_b).min(n - back_a)), b_next }
    }

    fn split_at(&mut self, n: usize) -> Self {
        let (a, b) = share(n, self.a.left(), self.b.left(), self.b_next);
        InterleaveSource { a: self.a.split_at(a), b: self.b.split_at(b), b_next: self.b_next ^ (n % 2 == 1) }
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.a.swap_begun(&mut other.a, seal);
        self.b.swap_begun(&mut other.b, seal);
    }
}

/// A piece of an [`Interleave`].
#[doc(hidden)]
#[derive(Debug)]
pub struct InterleavePiece<A, B> {
    a: A,
    b: B,
    b_next: bool,
}

impl<A: ExactSizeIterator, B: ExactSizeIterator<Item = A::Item>> Iterator for InterleavePiece<A, B> {
    type Item = A::Item;

    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        self.b_next = !self.b_next;
        if self.b_next { self.a.next().or_else(|| self.b.next()) } else { self.b.next().or_else(|| self.a.next()) }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.a.len() + self.b.len();
        (left, Some(left))
    }

    #[inline(always)]
    fn fold<R, F: FnMut(R, A::Item) -> R>(self, mut acc: R, mut step: F) -> R {
        let InterleavePiece { mut a, mut b, b_next } = self;
        if b_next {
            acc = b.next().into_iter().fold(acc, &mut step);
        }
        for _ in 0..a.len().min(b.len()) {
            acc = a.next().into_iter().fold(acc, &mut step);
            acc = b.next().into_iter().fold(acc, &mut step);
        }
        let acc = a.fold(acc, &mut step);
        b.fold(acc, step)
    }
}

impl<A, B> DoubleEndedIterator for InterleavePiece<A, B>
where
    A: ExactSizeIterator + DoubleEndedIterator,
    B: ExactSizeIterator<Item = A::Item> + DoubleEndedIterator,
{
    #[inline]
    fn next_back(&mut self) -> Option<A::Item> {
        let (a, b) = (self.a.len(), self.b.len());
        let last = (a + b).checked_sub(1)?;
        // The last element comes from `a` if the elements before it do not use up `a`.
        if share(last, a, b, self.b_next).0 < a { self.a.next_back() } else { self.b.next_back() }
    }
}

impl<A: ExactSizeIterator, B: ExactSizeIterator<Item = A::Item>> ExactSizeIterator for InterleavePiece<A, B> {}
