//! `inspect` and `update`: a function sees, or changes, each element, which is then passed on.

use std::iter;
use std::ops::ControlFlow;

use super::debug_without_closures;
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::memory::{Memory, Slot};
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;
use crate::source::indexed::IndexedSource;

/// Calls a function on a reference to every element, and passes the element on.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let sum: i32 = [1, 2, 3].into_par_iter().inspect(|x| assert!(*x > 0)).sum();
/// assert_eq!(sum, 6);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct Inspect<I, F> {
    base: I,
    f: F,
}

debug_without_closures!(Inspect < I, F > { base });

impl<I, F> Inspect<I, F> {
    pub(crate) fn new(base: I, f: F) -> Self {
        Inspect { base, f }
    }
}

impl<I, F> ParallelIterator for Inspect<I, F>
where
    I: ParallelIterator,
    F: Fn(&I::Item) + Sync + Send,
{
    type Item = I::Item;
    type Source<'s>
        = InspectSource<'s, I::Source<'s>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        InspectSource { base: self.base.source(settings), f: &self.f }
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.base.memory(seal)
    }
}

impl<I, F> IndexedParallelIterator for Inspect<I, F>
where
    I: IndexedParallelIterator,
    F: Fn(&I::Item) + Sync + Send,
{
    type Indexed<'s>
        = InspectSource<'s, I::Indexed<'s>, F>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        InspectSource { base: self.base.indexed(settings), f: &self.f }
    }

    fn len(&self) -> usize {
        self.base.len()
    }
}

/// The source of an [`Inspect`].
#[doc(hidden)]
#[derive(Debug)]
pub struct InspectSource<'s, S, F> {
    base: S,
    f: &'s F,
}

impl<S, F> Source for InspectSource<'_, S, F>
where
    S: Source,
    F: Fn(&S::Item) + Sync,
{
    type Item = S::Item;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(S::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let f = self.f;
        self.base.run(grain, |x| {
            f(&x);
            each(x)
        })
    }

    fn split(&mut self) -> Option<Self> {
        Some(InspectSource { base: self.base.split()?, f: self.f })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(InspectSource { base: self.base.split_at(n)?, f: self.f })
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, S::Item) -> A) -> A {
        let f = self.f;
        self.base.fold(grain, acc, |acc, x| {
            f(&x);
            step(acc, x)
        })
    }

    #[inline(always)]
    fn exact(&self, seal: Seal) -> Option<usize> {
        self.base.exact(seal)
    }

    #[inline(always)]
    fn bound(&self, seal: Seal) -> Option<usize> {
        self.base.bound(seal)
    }

    #[inline(always)]
    fn combine<A: Copy>(
        &mut self,
        grain: usize,
        zero: A,
        mut map: impl FnMut(S::Item) -> A,
        op: impl Fn(A, A) -> A,
        seal: Seal,
    ) -> A {
        let f = self.f;
        self.base.combine(
            grain,
            zero,
            |x| {
                f(&x);
                map(x)
            },
            op,
            seal,
        )
    }
}

impl<S, F> IndexedSource for InspectSource<'_, S, F>
where
    S: IndexedSource,
    F: Fn(&S::Item) + Sync,
{
    type Item = S::Item;
    type Piece<'p>
        = iter::Inspect<S::Piece<'p>, &'p F>
    where
        Self: 'p;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        self.base.front(n).inspect(self.f)
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        self.base.back(n).inspect(self.f)
    }

    fn split_at(&mut self, n: usize) -> Self {
        InspectSource { base: self.base.split_at(n), f: self.f }
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.base.swap_begun(&mut other.base, seal);
    }
}

/// Lets a function change every element, and passes the element on.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = [1, 2, 3].into_par_iter().update(|x| *x *= 2).collect();
/// assert_eq!(v, [2, 4, 6]);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct Update<I, F> {
    base: I,
    f: F,
}

debug_without_closures!(Update < I, F > { base });

impl<I, F> Update<I, F> {
    pub(crate) fn new(base: I, f: F) -> Self {
        Update { base, f }
    }
}

impl<I, F> ParallelIterator for Update<I, F>
where
    I: ParallelIterator,
    F: Fn(&mut I::Item) + Sync + Send,
{
    type Item = I::Item;
    type Source<'s>
        = UpdateSource<'s, I::Source<'s>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        UpdateSource { base: self.base.source(settings), f: &self.f }
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.base.memory(seal)
    }
}

impl<I, F> IndexedParallelIterator for Update<I, F>
where
    I: IndexedParallelIterator,
    F: Fn(&mut I::Item) + Sync + Send,
{
    type Indexed<'s>
        = UpdateSource<'s, I::Indexed<'s>, F>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        UpdateSource { base: self.base.indexed(settings), f: &self.f }
    }

    fn len(&self) -> usize {
        self.base.len()
    }
}

/// The source of an [`Update`].
#[doc(hidden)]
#[derive(Debug)]
pub struct UpdateSource<'s, S, F> {
    base: S,
    f: &'s F,
}

impl<S, F> Source for UpdateSource<'_, S, F>
where
    S: Source,
    F: Fn(&mut S::Item) + Sync,
{
    type Item = S::Item;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(S::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let f = self.f;
        self.base.run(grain, |mut x| {
            f(&mut x);
            each(x)
        })
    }

    fn split(&mut self) -> Option<Self> {
        Some(UpdateSource { base: self.base.split()?, f: self.f })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(UpdateSource { base: self.base.split_at(n)?, f: self.f })
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, S::Item) -> A) -> A {
        let f = self.f;
        self.base.fold(grain, acc, |acc, mut x| {
            f(&mut x);
            step(acc, x)
        })
    }

    #[inline(always)]
    fn exact(&self, seal: Seal) -> Option<usize> {
        self.base.exact(seal)
    }

    #[inline(always)]
    fn bound(&self, seal: Seal) -> Option<usize> {
        self.base.bound(seal)
    }

    #[inline(always)]
    fn combine<A: Copy>(
        &mut self,
        grain: usize,
        zero: A,
        mut map: impl FnMut(S::Item) -> A,
        op: impl Fn(A, A) -> A,
        seal: Seal,
    ) -> A {
        let f = self.f;
        self.base.combine(
            grain,
            zero,
            |mut x| {
                f(&mut x);
                map(x)
            },
            op,
            seal,
        )
    }
}

impl<S, F> IndexedSource for UpdateSource<'_, S, F>
where
    S: IndexedSource,
    F: Fn(&mut S::Item) + Sync,
{
    type Item = S::Item;
    type Piece<'p>
        = UpdatePiece<S::Piece<'p>, &'p F>
    where
        Self: 'p;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        UpdatePiece { piece: self.base.front(n), f: self.f }
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        UpdatePiece { piece: self.base.back(n), f: self.f }
    }

    fn split_at(&mut self, n: usize) -> Self {
        UpdateSource { base: self.base.split_at(n), f: self.f }
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.base.swap_begun(&mut other.base, seal);
    }
}

/// A piece of an [`Update`].
#[doc(hidden)]
#[derive(Debug)]
pub struct UpdatePiece<P, F> {
    piece: P,
    f: F,
}

impl<P: Iterator, F: Fn(&mut P::Item)> Iterator for UpdatePiece<P, F> {
    type Item = P::Item;

    #[inline(always)]
    fn next(&mut self) -> Option<P::Item> {
        self.piece.next().map(|mut x| {
            (self.f)(&mut x);
            x
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.piece.size_hint()
    }

    #[inline(always)]
    fn fold<A, G: FnMut(A, P::Item) -> A>(self, acc: A, mut step: G) -> A {
        let f = self.f;
        self.piece.fold(acc, |acc, mut x| {
            f(&mut x);
            step(acc, x)
        })
    }
}

impl<P: DoubleEndedIterator, F: Fn(&mut P::Item)> DoubleEndedIterator for UpdatePiece<P, F> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<P::Item> {
        self.piece.next_back().map(|mut x| {
            (self.f)(&mut x);
            x
        })
    }
}

impl<P: ExactSizeIterator, F: Fn(&mut P::Item)> ExactSizeIterator for UpdatePiece<P, F> {}
