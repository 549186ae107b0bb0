//! `cloned` and `copied`: values instead of references.

use std::iter;
use std::ops::ControlFlow;

use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;
use crate::source::indexed::IndexedSource;

/// Clones of elements that are references.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<String> = ["a".to_string()].par_iter().cloned().collect();
/// assert_eq!(v, ["a"]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Cloned<I>(I);

/// Copies of elements that are references.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!([1, 2].par_iter().copied().sum::<i32>(), 3);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Copied<I>(I);

impl<I> Cloned<I> {
    pub(crate) fn new(base: I) -> Self {
        Cloned(base)
    }
}

impl<I> Copied<I> {
    pub(crate) fn new(base: I) -> Self {
        Copied(base)
    }
}

impl<'a, I, T> ParallelIterator for Cloned<I>
where
    I: ParallelIterator<Item = &'a T>,
    T: Clone + Send + 'a,
{
    type Item = T;
    type Source<'s>
        = CloneSource<I::Source<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        CloneSource(self.0.source(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        self.0.opt_len()
    }
}

impl<'a, I, T> IndexedParallelIterator for Cloned<I>
where
    I: IndexedParallelIterator<Item = &'a T>,
    T: Clone + Send + 'a,
{
    type Indexed<'s>
        = CloneSource<I::Indexed<'s>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        CloneSource(self.0.indexed(settings))
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

impl<'a, I, T> ParallelIterator for Copied<I>
where
    I: ParallelIterator<Item = &'a T>,
    T: Copy + Send + 'a,
{
    type Item = T;
    type Source<'s>
        = CloneSource<I::Source<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        CloneSource(self.0.source(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        self.0.opt_len()
    }
}

impl<'a, I, T> IndexedParallelIterator for Copied<I>
where
    I: IndexedParallelIterator<Item = &'a T>,
    T: Copy + Send + 'a,
{
    type Indexed<'s>
        = CloneSource<I::Indexed<'s>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        CloneSource(self.0.indexed(settings))
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// The source of [`Cloned`] and [`Copied`].
#[doc(hidden)]
#[derive(Debug)]
pub struct CloneSource<S>(S);

impl<'a, S: Source<Item = &'a T>, T: Clone + 'a> Source for CloneSource<S> {
    type Item = T;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.0.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(T) -> ControlFlow<()>) -> ControlFlow<()> {
        self.0.run(grain, |x| each(x.clone()))
    }

    fn split(&mut self) -> Option<Self> {
        self.0.split().map(CloneSource)
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        self.0.split_at(n).map(CloneSource)
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, T) -> A) -> A {
        self.0.fold(grain, acc, |acc, x| step(acc, x.clone()))
    }

    #[inline(always)]
    fn exact(&self, seal: Seal) -> Option<usize> {
        self.0.exact(seal)
    }

    #[inline(always)]
    fn combine<A: Copy>(
        &mut self,
        grain: usize,
        zero: A,
        mut map: impl FnMut(T) -> A,
        op: impl Fn(A, A) -> A,
        seal: Seal,
    ) -> A {
        self.0.combine(grain, zero, |x| map(x.clone()), op, seal)
    }
}

impl<'a, S: IndexedSource<Item = &'a T>, T: Clone + 'a> IndexedSource for CloneSource<S> {
    type Item = T;
    type Piece<'p>
        = iter::Cloned<S::Piece<'p>>
    where
        Self: 'p;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.0.left()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        self.0.front(n).cloned()
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        self.0.back(n).cloned()
    }

    fn split_at(&mut self, n: usize) -> Self {
        CloneSource(self.0.split_at(n))
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.0.swap_begun(&mut other.0, seal);
    }
}
