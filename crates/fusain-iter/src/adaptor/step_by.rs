//! `step_by`: some elements, evenly spaced.

use std::iter;

use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::indexed::{IndexedSource, Pieces};

/// Every n-th element, from the first one on. The elements between are computed too, as in std.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((0..7).into_par_iter().step_by(3).collect::<Vec<_>>(), [0, 3, 6]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct StepBy<I> {
    base: I,
    step: usize,
}

impl<I> StepBy<I> {
    pub(crate) fn new(base: I, step: usize) -> Self {
        StepBy { base, step }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for StepBy<I> {
    type Item = I::Item;
    type Source<'s>
        = Pieces<StepBySource<I::Indexed<'s>>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for StepBy<I> {
    type Indexed<'s>
        = StepBySource<I::Indexed<'s>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        StepBySource { base: self.base.indexed(settings), step: self.step }
    }

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.step)
    }
}

/// The source of a [`StepBy`]: it begins with an element that is given.
#[doc(hidden)]
#[derive(Debug)]
pub struct StepBySource<S> {
    base: S,
    step: usize,
}

impl<S: IndexedSource> StepBySource<S> {
    /// The number of elements of the base that the first `n` elements come from.
    fn base_of(&self, n: usize) -> usize {
        n.saturating_mul(self.step).min(self.base.left())
    }
}

impl<S: IndexedSource> IndexedSource for StepBySource<S> {
    type Item = S::Item;
    type Piece<'p>
        = iter::StepBy<S::Piece<'p>>
    where
        Self: 'p;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left().div_ceil(self.step)
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        let n = self.base_of(n);
        self.base.front(n).step_by(self.step)
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        let n = self.base.left() - self.base_of(self.left() - n);
        self.base.back(n).step_by(self.step)
    }

    fn split_at(&mut self, n: usize) -> Self {
        let n = self.base_of(n);
        StepBySource { base: self.base.split_at(n), step: self.step }
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.base.swap_begun(&mut other.base, seal);
    }
}
