//! `flat_map`, `flatten` and their `_iter` forms: the elements of several chains or iterators as one chain.

use std::convert::identity;
use std::ops::ControlFlow;

use super::debug_without_closures;
use super::inner::Outer;
use crate::collect::IntoParallelIterator;
use crate::exact::Exact;
use crate::parallel::ParallelIterator;
use crate::push;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;

/// The elements of the chains that a function returns for each element.
///
/// An inner chain that has an end is shared, in a call of its own, if that seems to gain. Its elements are then computed in pieces of a millisecond or less, or of 16 elements for each
/// worker; each piece is collected and passed on before the next one. If it is rather what follows that takes long, and there are at most 2^20 elements, all of them are collected, and
/// all workers take part in what follows, too. Other inner chains cost little more than with [`FlatMapIter`].
///
/// A search or another chain that can end early begins with short pieces, so that few elements are computed in vain.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = (1..4).into_par_iter().flat_map(|n| 0..n).collect();
/// assert_eq!(v, [0, 0, 1, 0, 1, 2]);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct FlatMap<I, F> {
    base: I,
    f: F,
}

debug_without_closures!(FlatMap < I, F > { base });

impl<I, F> FlatMap<I, F> {
    pub(crate) fn new(base: I, f: F) -> Self {
        FlatMap { base, f }
    }
}

impl<I, F, P> ParallelIterator for FlatMap<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> P + Sync + Send,
    P: IntoParallelIterator,
{
    type Item = P::Item;
    type Source<'s>
        = FlatMapSource<'s, I::Source<'s>, F, P::Item>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        FlatMapSource { outer: Outer::new(&mut self.base, settings), f: &self.f }
    }
}

/// The source of a [`FlatMap`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FlatMapSource<'s, S, F, T> {
    outer: Outer<'s, S, T>,
    f: &'s F,
}

impl<S, F, P> Source for FlatMapSource<'_, S, F, P::Item>
where
    S: Source,
    F: Fn(S::Item) -> P + Sync,
    P: IntoParallelIterator,
{
    type Item = P::Item;

    const EXACT: Exact = S::EXACT.of_each(P::LENGTH_BOUND);

    #[inline(always)]
    fn left(&self) -> usize {
        self.outer.left()
    }

    #[inline(always)]
    fn exact(&self, _: Seal) -> Option<usize> {
        if const { Self::EXACT.is_never() } { None } else { self.outer.exact::<P>() }
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, each: impl FnMut(P::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        self.outer.run(grain, self.f, each)
    }

    fn split(&mut self) -> Option<Self> {
        Some(FlatMapSource { outer: self.outer.split()?, f: self.f })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(FlatMapSource { outer: self.outer.split_at(n)?, f: self.f })
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, step: impl FnMut(A, P::Item) -> A) -> A {
        self.outer.fold(grain, self.f, acc, step)
    }

    #[inline(always)]
    fn append(&mut self, grain: usize, vector: &mut Vec<P::Item>, _: Seal) {
        self.outer.append(grain, self.f, vector);
    }
}

/// The elements of the sequential iterators that a function returns for each element.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<char> = ["ab", "c"].par_iter().flat_map_iter(|s| s.chars()).collect();
/// assert_eq!(v, ['a', 'b', 'c']);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct FlatMapIter<I, F> {
    base: I,
    f: F,
}

debug_without_closures!(FlatMapIter < I, F > { base });

impl<I, F> FlatMapIter<I, F> {
    pub(crate) fn new(base: I, f: F) -> Self {
        FlatMapIter { base, f }
    }
}

impl<I, F, J> ParallelIterator for FlatMapIter<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> J + Sync + Send,
    J: IntoIterator<Item: Send>,
{
    type Item = J::Item;
    type Source<'s>
        = FlatMapIterSource<'s, I::Source<'s>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        FlatMapIterSource { base: self.base.source(settings), f: &self.f }
    }
}

/// The source of a [`FlatMapIter`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FlatMapIterSource<'s, S, F> {
    base: S,
    f: &'s F,
}

impl<S, F, J> Source for FlatMapIterSource<'_, S, F>
where
    S: Source,
    F: Fn(S::Item) -> J + Sync,
    J: IntoIterator,
{
    type Item = J::Item;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(J::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let f = self.f;
        self.base.run(grain, |x| f(x).into_iter().try_for_each(&mut each))
    }

    fn split(&mut self) -> Option<Self> {
        Some(FlatMapIterSource { base: self.base.split()?, f: self.f })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(FlatMapIterSource { base: self.base.split_at(n)?, f: self.f })
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, J::Item) -> A) -> A {
        let f = self.f;
        self.base.fold(grain, acc, |acc, x| f(x).into_iter().fold(acc, &mut step))
    }

    #[inline(always)]
    fn append(&mut self, grain: usize, vector: &mut Vec<J::Item>, _: Seal) {
        let f = self.f;
        self.base.fold(grain, (), |(), x| push::extend(vector, f(x)));
    }
}

/// The elements of chains that are elements themselves. Like [`FlatMap`] otherwise.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = vec![vec![1], vec![2, 3]].into_par_iter().flatten().collect();
/// assert_eq!(v, [1, 2, 3]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Flatten<I>(I);

impl<I> Flatten<I> {
    pub(crate) fn new(base: I) -> Self {
        Flatten(base)
    }
}

impl<I: ParallelIterator<Item: IntoParallelIterator>> ParallelIterator for Flatten<I> {
    type Item = <I::Item as IntoParallelIterator>::Item;
    type Source<'s>
        = FlattenSource<'s, I::Source<'s>, Self::Item>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        FlattenSource(Outer::new(&mut self.0, settings))
    }
}

/// The source of a [`Flatten`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FlattenSource<'s, S, T>(Outer<'s, S, T>);

impl<S, P> Source for FlattenSource<'_, S, P::Item>
where
    S: Source<Item = P>,
    P: IntoParallelIterator,
{
    type Item = P::Item;

    const EXACT: Exact = S::EXACT.of_each(P::LENGTH_BOUND);

    #[inline(always)]
    fn left(&self) -> usize {
        self.0.left()
    }

    #[inline(always)]
    fn exact(&self, _: Seal) -> Option<usize> {
        if const { Self::EXACT.is_never() } { None } else { self.0.exact::<P>() }
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, each: impl FnMut(Self::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        self.0.run(grain, identity, each)
    }

    fn split(&mut self) -> Option<Self> {
        self.0.split().map(FlattenSource)
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        self.0.split_at(n).map(FlattenSource)
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, step: impl FnMut(A, Self::Item) -> A) -> A {
        self.0.fold(grain, identity, acc, step)
    }

    #[inline(always)]
    fn append(&mut self, grain: usize, vector: &mut Vec<Self::Item>, _: Seal) {
        self.0.append(grain, identity, vector);
    }
}

/// The elements of sequential iterators that are elements themselves. Like [`FlatMapIter`] otherwise.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = vec![vec![1], vec![2, 3]].into_par_iter().flatten_iter().collect();
/// assert_eq!(v, [1, 2, 3]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct FlattenIter<I>(I);

impl<I> FlattenIter<I> {
    pub(crate) fn new(base: I) -> Self {
        FlattenIter(base)
    }
}

impl<I: ParallelIterator<Item: IntoIterator<Item: Send>>> ParallelIterator for FlattenIter<I> {
    type Item = <I::Item as IntoIterator>::Item;
    type Source<'s>
        = FlattenIterSource<I::Source<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        FlattenIterSource(self.0.source(settings))
    }
}

/// The source of a [`FlattenIter`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FlattenIterSource<S>(S);

impl<S: Source<Item: IntoIterator>> Source for FlattenIterSource<S> {
    type Item = <S::Item as IntoIterator>::Item;

    #[inline(always)]
    fn left(&self) -> usize {
        self.0.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(Self::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        self.0.run(grain, |inner| inner.into_iter().try_for_each(&mut each))
    }

    fn split(&mut self) -> Option<Self> {
        self.0.split().map(FlattenIterSource)
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        self.0.split_at(n).map(FlattenIterSource)
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, Self::Item) -> A) -> A {
        self.0.fold(grain, acc, |acc, inner| inner.into_iter().fold(acc, &mut step))
    }

    #[inline(always)]
    fn append(&mut self, grain: usize, vector: &mut Vec<Self::Item>, _: Seal) {
        self.0.fold(grain, (), |(), inner| push::extend(vector, inner));
    }
}
