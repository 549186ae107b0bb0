//! `positions`: where a predicate holds.

use std::ops::ControlFlow;

use super::debug_without_closures;
use super::order::{Enumerate, EnumerateSource};
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::source::Source;

/// The indices of the elements that satisfy a predicate.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<usize> = [3, 1, 4, 1].par_iter().positions(|x| *x == 1).collect();
/// assert_eq!(v, [1, 3]);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct Positions<I, P> {
    base: Enumerate<I>,
    predicate: P,
}

debug_without_closures!(Positions < I, P > { base });

impl<I: IndexedParallelIterator, P> Positions<I, P> {
    pub(crate) fn new(base: I, predicate: P) -> Self {
        Positions { base: base.enumerate(), predicate }
    }
}

impl<I, P> ParallelIterator for Positions<I, P>
where
    I: IndexedParallelIterator,
    P: Fn(I::Item) -> bool + Sync + Send,
{
    type Item = usize;
    type Source<'s>
        = PositionsSource<'s, EnumerateSource<I::Source<'s>>, P>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        PositionsSource { base: self.base.source(settings), predicate: &self.predicate }
    }
}

/// The source of [`Positions`].
#[doc(hidden)]
#[derive(Debug)]
pub struct PositionsSource<'s, S, P> {
    base: S,
    predicate: &'s P,
}

impl<S, P, T> Source for PositionsSource<'_, S, P>
where
    S: Source<Item = (usize, T)>,
    P: Fn(T) -> bool + Sync,
{
    type Item = usize;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
        let predicate = self.predicate;
        self.base.run(grain, |(i, x)| if predicate(x) { each(i) } else { ControlFlow::Continue(()) })
    }

    fn split(&mut self) -> Option<Self> {
        Some(PositionsSource { base: self.base.split()?, predicate: self.predicate })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(PositionsSource { base: self.base.split_at(n)?, predicate: self.predicate })
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, usize) -> A) -> A {
        let predicate = self.predicate;
        self.base.fold(grain, acc, |acc, (i, x)| if predicate(x) { step(acc, i) } else { acc })
    }
}
