//! `flat_map`, `flatten` and their `_iter` forms: the elements of several chains or iterators as one chain.

use std::ops::ControlFlow;

use fusain_algorithms::Par;

use super::debug_without_closures;
use crate::collect::IntoParallelIterator;
use crate::drive::is_worth_sharing;
use crate::flag::Flag;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::sink::vector;
use crate::source::Source;

/// The elements of the chains that a function returns for each element.
///
/// An inner chain is shared in a call of its own if that seems to gain and it has at most 2^20 elements. Its elements are then collected, and passed on. Other inner
/// chains cost no more than with [`FlatMapIter`].
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
        = FlatMapSource<'s, I::Source<'s>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let inner = Inner::of(settings);
        FlatMapSource { base: self.base.source(settings), f: &self.f, inner }
    }
}

/// The source of a [`FlatMap`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FlatMapSource<'s, S, F> {
    base: S,
    f: &'s F,
    inner: Inner<'s>,
}

impl<S, F, P> Source for FlatMapSource<'_, S, F>
where
    S: Source,
    F: Fn(S::Item) -> P + Sync,
    P: IntoParallelIterator,
{
    type Item = P::Item;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(P::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let (f, inner) = (self.f, self.inner);
        self.base.run(grain, |x| inner.feed(f(x), &mut each))
    }

    fn split(&mut self) -> Option<Self> {
        Some(FlatMapSource { base: self.base.split()?, ..*self })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(FlatMapSource { base: self.base.split_at(n)?, ..*self })
    }
}

/// At most so many elements of a shared inner chain are collected. A longer chain is not shared.
const KEPT_MAX: usize = 1 << 20;

/// So many elements of an inner chain are run without a look whether the whole is over.
const LOOK: usize = 1 << 12;

/// How inner chains are run.
#[derive(Clone, Copy, Debug)]
struct Inner<'s> {
    policy: Par<'s>,
    over: Option<&'s Flag>,
}

impl<'s> Inner<'s> {
    fn of(settings: &Settings<'s>) -> Self {
        Inner { policy: settings.policy, over: settings.over }
    }

    /// Gives the elements of `inner` to `each`.
    fn feed<P: IntoParallelIterator>(
        self,
        inner: P,
        mut each: impl FnMut(P::Item) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut chain = inner.into_par_iter();
        let mut settings = Settings { policy: self.policy, over: self.over, ..Settings::default() };
        let mut source = chain.source(&mut settings);
        if source.left() > 1 && source.left() <= KEPT_MAX && is_worth_sharing(&settings, &source) {
            return vector::collect(&settings, source).into_iter().try_for_each(each);
        }
        let unit = if self.over.is_some() { LOOK } else { usize::MAX };
        while source.left() > 0 {
            source.run(source.left().min(unit), &mut each)?;
            if self.over.is_some_and(Flag::is_up) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
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
        = FlattenSource<'s, I::Source<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let inner = Inner::of(settings);
        FlattenSource { base: self.0.source(settings), inner }
    }
}

/// The source of a [`Flatten`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FlattenSource<'s, S> {
    base: S,
    inner: Inner<'s>,
}

impl<S: Source<Item: IntoParallelIterator>> Source for FlattenSource<'_, S> {
    type Item = <S::Item as IntoParallelIterator>::Item;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(Self::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let settings = self.inner;
        self.base.run(grain, |inner| settings.feed(inner, &mut each))
    }

    fn split(&mut self) -> Option<Self> {
        Some(FlattenSource { base: self.base.split()?, ..*self })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(FlattenSource { base: self.base.split_at(n)?, ..*self })
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_chain_ends_when_all_is_over() {
        let over = Flag::default();
        let mut seen = 0;
        let inner = Inner { policy: fusain_algorithms::par(), over: Some(&over) };
        let flow = inner.feed(0..u64::MAX, |_| {
            seen += 1;
            if seen == 10 {
                over.raise();
            }
            ControlFlow::Continue(())
        });
        assert!(flow.is_break());
        assert_eq!(seen, LOOK);
    }
}
