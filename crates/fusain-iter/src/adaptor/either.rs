//! An `Either` of two chains is a chain.

use std::ops::ControlFlow;

use either::Either;

use crate::collect::{IntoParallelIterator, ParallelExtend};
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;
use crate::source::indexed::IndexedSource;

/// One source or another.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum EitherSource<A, B> {
    A(A),
    B(B),
}

/// Evaluates `$result` for whichever source it is.
macro_rules! either {
    ($either:expr, $source:ident => $result:expr) => {
        match $either {
            EitherSource::A($source) => $result,
            EitherSource::B($source) => $result,
        }
    };
}

impl<A, B> ParallelIterator for Either<A, B>
where
    A: ParallelIterator,
    B: ParallelIterator<Item = A::Item>,
{
    type Item = A::Item;
    type Source<'s>
        = EitherSource<A::Source<'s>, B::Source<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        match self {
            Either::Left(a) => EitherSource::A(a.source(settings)),
            Either::Right(b) => EitherSource::B(b.source(settings)),
        }
    }

    fn opt_len(&self) -> Option<usize> {
        either::for_both!(self, chain => chain.opt_len())
    }
}

impl<A, B> IndexedParallelIterator for Either<A, B>
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator<Item = A::Item>,
{
    type Indexed<'s>
        = EitherSource<A::Indexed<'s>, B::Indexed<'s>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        match self {
            Either::Left(a) => EitherSource::A(a.indexed(settings)),
            Either::Right(b) => EitherSource::B(b.indexed(settings)),
        }
    }

    fn len(&self) -> usize {
        either::for_both!(self, chain => chain.len())
    }
}

impl<A: Source, B: Source<Item = A::Item>> Source for EitherSource<A, B> {
    type Item = A::Item;

    const EXACT: Exact = A::EXACT.or(B::EXACT);

    #[inline(always)]
    fn left(&self) -> usize {
        either!(self, source => source.left())
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, each: impl FnMut(A::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        either!(self, source => source.run(grain, each))
    }

    fn split(&mut self) -> Option<Self> {
        Some(match self {
            EitherSource::A(a) => EitherSource::A(a.split()?),
            EitherSource::B(b) => EitherSource::B(b.split()?),
        })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(match self {
            EitherSource::A(a) => EitherSource::A(a.split_at(n)?),
            EitherSource::B(b) => EitherSource::B(b.split_at(n)?),
        })
    }

    #[inline(always)]
    fn fold<T>(&mut self, grain: usize, acc: T, step: impl FnMut(T, A::Item) -> T) -> T {
        either!(self, source => source.fold(grain, acc, step))
    }

    #[inline(always)]
    fn exact(&self, seal: Seal) -> Option<usize> {
        either!(self, source => source.exact(seal))
    }
}

impl<A: IndexedSource, B: IndexedSource<Item = A::Item>> IndexedSource for EitherSource<A, B> {
    type Item = A::Item;
    type Piece<'p>
        = Either<A::Piece<'p>, B::Piece<'p>>
    where
        Self: 'p;

    const EXACT: Exact = A::EXACT.and(B::EXACT);

    #[inline(always)]
    fn left(&self) -> usize {
        either!(self, source => source.left())
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        match self {
            EitherSource::A(a) => Either::Left(a.front(n)),
            EitherSource::B(b) => Either::Right(b.front(n)),
        }
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        match self {
            EitherSource::A(a) => Either::Left(a.back(n)),
            EitherSource::B(b) => Either::Right(b.back(n)),
        }
    }

    fn split_at(&mut self, n: usize) -> Self {
        match self {
            EitherSource::A(a) => EitherSource::A(a.split_at(n)),
            EitherSource::B(b) => EitherSource::B(b.split_at(n)),
        }
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        match (self, other) {
            (EitherSource::A(a), EitherSource::A(b)) => a.swap_begun(b, seal),
            (EitherSource::B(a), EitherSource::B(b)) => a.swap_begun(b, seal),
            _ => {}
        }
    }
}

impl<T: Send, A: ParallelExtend<T>, B: ParallelExtend<T>> ParallelExtend<T> for Either<A, B> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, chain: I) {
        match self {
            Either::Left(a) => a.par_extend(chain),
            Either::Right(b) => b.par_extend(chain),
        }
    }
}
