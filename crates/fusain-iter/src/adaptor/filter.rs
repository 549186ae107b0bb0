//! `filter` and `filter_map`: some of the elements.

use std::ops::ControlFlow;

use super::debug_without_closures;
use crate::memory::{Memory, Slot};
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;

/// The elements that satisfy a predicate.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = (0..10).into_par_iter().filter(|x| x % 3 == 0).collect();
/// assert_eq!(v, [0, 3, 6, 9]);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct Filter<I, P> {
    base: I,
    predicate: P,
}

debug_without_closures!(Filter < I, P > { base });

impl<I, P> Filter<I, P> {
    pub(crate) fn new(base: I, predicate: P) -> Self {
        Filter { base, predicate }
    }
}

impl<I, P> ParallelIterator for Filter<I, P>
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync + Send,
{
    type Item = I::Item;
    type Source<'s>
        = FilterSource<'s, I::Source<'s>, P>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        FilterSource { base: self.base.source(settings), predicate: &self.predicate }
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.base.memory(seal)
    }
}

/// The source of a [`Filter`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FilterSource<'s, S, P> {
    base: S,
    predicate: &'s P,
}

impl<S, P> Source for FilterSource<'_, S, P>
where
    S: Source,
    P: Fn(&S::Item) -> bool + Sync,
{
    type Item = S::Item;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(S::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let predicate = self.predicate;
        self.base.run(grain, |x| if predicate(&x) { each(x) } else { ControlFlow::Continue(()) })
    }

    fn split(&mut self) -> Option<Self> {
        Some(FilterSource { base: self.base.split()?, predicate: self.predicate })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(FilterSource { base: self.base.split_at(n)?, predicate: self.predicate })
    }

    #[inline(always)]
    fn bound(&self, seal: Seal) -> Option<usize> {
        self.base.bound(seal)
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, S::Item) -> A) -> A {
        let predicate = self.predicate;
        self.base.fold(grain, acc, |acc, x| if predicate(&x) { step(acc, x) } else { acc })
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
        // An element that is filtered out is added as zero, which costs less than a branch.
        let predicate = self.predicate;
        self.base.combine(grain, zero, |x| if predicate(&x) { map(x) } else { zero }, op, seal)
    }
}

/// The values that a function returns as `Some`.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = ["1", "x", "3"].par_iter().filter_map(|s| s.parse().ok()).collect();
/// assert_eq!(v, [1, 3]);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct FilterMap<I, F> {
    base: I,
    f: F,
}

debug_without_closures!(FilterMap < I, F > { base });

impl<I, F> FilterMap<I, F> {
    pub(crate) fn new(base: I, f: F) -> Self {
        FilterMap { base, f }
    }
}

impl<I, F, R> ParallelIterator for FilterMap<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> Option<R> + Sync + Send,
    R: Send,
{
    type Item = R;
    type Source<'s>
        = FilterMapSource<'s, I::Source<'s>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        FilterMapSource { base: self.base.source(settings), f: &self.f }
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.base.memory(seal)
    }
}

/// The source of a [`FilterMap`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FilterMapSource<'s, S, F> {
    base: S,
    f: &'s F,
}

impl<S, F, R> Source for FilterMapSource<'_, S, F>
where
    S: Source,
    F: Fn(S::Item) -> Option<R> + Sync,
{
    type Item = R;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(R) -> ControlFlow<()>) -> ControlFlow<()> {
        let f = self.f;
        self.base.run(grain, |x| f(x).map_or(ControlFlow::Continue(()), &mut each))
    }

    fn split(&mut self) -> Option<Self> {
        Some(FilterMapSource { base: self.base.split()?, f: self.f })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(FilterMapSource { base: self.base.split_at(n)?, f: self.f })
    }

    #[inline(always)]
    fn bound(&self, seal: Seal) -> Option<usize> {
        self.base.bound(seal)
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, R) -> A) -> A {
        let f = self.f;
        self.base.fold(grain, acc, |acc, x| match f(x) {
            Some(x) => step(acc, x),
            None => acc,
        })
    }
}
