//! `map`: a function of every element.

use std::iter;
use std::ops::ControlFlow;

use super::debug_without_closures;
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::memory::{Memory, Slot};
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::indexed::IndexedSource;
use crate::source::{ROW, Source};

/// The results of a function for every element.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = [1, 2, 3].par_iter().map(|x| x * 2).collect();
/// assert_eq!(v, [2, 4, 6]);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct Map<I, F> {
    base: I,
    f: F,
}

debug_without_closures!(Map < I, F > { base });

impl<I, F> Map<I, F> {
    pub(crate) fn new(base: I, f: F) -> Self {
        Map { base, f }
    }
}

impl<I, F, R> ParallelIterator for Map<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> R + Sync + Send,
    R: Send,
{
    type Item = R;
    type Source<'s>
        = MapSource<'s, I::Source<'s>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        MapSource { base: self.base.source(settings), f: &self.f }
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.base.memory(seal)
    }
}

impl<I, F, R> IndexedParallelIterator for Map<I, F>
where
    I: IndexedParallelIterator,
    F: Fn(I::Item) -> R + Sync + Send,
    R: Send,
{
    type Indexed<'s>
        = MapSource<'s, I::Indexed<'s>, F>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        MapSource { base: self.base.indexed(settings), f: &self.f }
    }

    fn len(&self) -> usize {
        self.base.len()
    }
}

/// The source of a [`Map`].
#[doc(hidden)]
#[derive(Debug)]
pub struct MapSource<'s, S, F> {
    base: S,
    f: &'s F,
}

impl<S, F, R> Source for MapSource<'_, S, F>
where
    S: Source,
    F: Fn(S::Item) -> R + Sync,
{
    type Item = R;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(R) -> ControlFlow<()>) -> ControlFlow<()> {
        let f = self.f;
        self.base.run(grain, |x| each(f(x)))
    }

    fn split(&mut self) -> Option<Self> {
        Some(MapSource { base: self.base.split()?, f: self.f })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(MapSource { base: self.base.split_at(n)?, f: self.f })
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, R) -> A) -> A {
        let f = self.f;
        self.base.fold(grain, acc, |acc, x| step(acc, f(x)))
    }

    #[inline(always)]
    fn search(&mut self, grain: usize, mut each: impl FnMut(R) -> ControlFlow<()>, seal: Seal) -> ControlFlow<()> {
        let f = self.f;
        self.base.search(grain, |x| each(f(x)), seal)
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
    fn row<U>(&mut self, mut map: impl FnMut(R) -> U, seal: Seal) -> Option<[U; ROW]> {
        let f = self.f;
        self.base.row(|x| map(f(x)), seal)
    }

    #[inline(always)]
    fn combine<A: Copy>(
        &mut self,
        grain: usize,
        zero: A,
        mut map: impl FnMut(R) -> A,
        op: impl Fn(A, A) -> A,
        seal: Seal,
    ) -> A {
        let f = self.f;
        self.base.combine(grain, zero, |x| map(f(x)), op, seal)
    }
}

impl<S, F, R> IndexedSource for MapSource<'_, S, F>
where
    S: IndexedSource,
    F: Fn(S::Item) -> R + Sync,
{
    type Item = R;
    type Piece<'p>
        = iter::Map<S::Piece<'p>, &'p F>
    where
        Self: 'p;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        self.base.front(n).map(self.f)
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        self.base.back(n).map(self.f)
    }

    fn split_at(&mut self, n: usize) -> Self {
        MapSource { base: self.base.split_at(n), f: self.f }
    }

    #[inline(always)]
    fn row<U>(&mut self, mut map: impl FnMut(R) -> U, seal: Seal) -> Option<[U; ROW]> {
        let f = self.f;
        self.base.row(|x| map(f(x)), seal)
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.base.swap_begun(&mut other.base, seal);
    }
}
