//! `chain`: one chain after another.

use std::iter;
use std::ops::ControlFlow;

use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;
use crate::source::indexed::{IndexedSource, both};

/// The elements of one chain, and then those of another.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((0..2).into_par_iter().chain(7..9).collect::<Vec<_>>(), [0, 1, 7, 8]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Chain<A, B> {
    a: A,
    b: B,
}

impl<A, B> Chain<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        Chain { a, b }
    }
}

impl<A, B> ParallelIterator for Chain<A, B>
where
    A: ParallelIterator,
    B: ParallelIterator<Item = A::Item>,
{
    type Item = A::Item;
    type Source<'s>
        = ChainSource<A::Source<'s>, B::Source<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        ChainSource { a: Some(self.a.source(settings)), b: Some(self.b.source(settings)) }
    }

    fn opt_len(&self) -> Option<usize> {
        self.a.opt_len()?.checked_add(self.b.opt_len()?)
    }
}

impl<A, B> IndexedParallelIterator for Chain<A, B>
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator<Item = A::Item>,
{
    type Indexed<'s>
        = ChainIndexed<A::Indexed<'s>, B::Indexed<'s>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let (a, b) = (self.a.indexed(settings), self.b.indexed(settings));
        // Panics if the chain is too long.
        both(a.left(), b.left());
        ChainIndexed { a, b }
    }

    fn len(&self) -> usize {
        both(self.a.len(), self.b.len())
    }
}

/// The source of a [`Chain`].
#[doc(hidden)]
#[derive(Debug)]
pub struct ChainSource<A, B> {
    a: Option<A>,
    b: Option<B>,
}

fn left_of<S: Source>(source: &Option<S>) -> usize {
    source.as_ref().map_or(0, S::left)
}

impl<A: Source, B: Source> ChainSource<A, B> {
    /// How many elements a unit takes from `b` if it lacks this many after its share of `a`.
    ///
    /// A unit does not end where `a` ends: in a deterministic run, units are counted from the front of the chain, whatever it is made of.
    #[inline(always)]
    fn of_b(&self, lacks: usize) -> usize {
        if left_of(&self.a) > 0 { 0 } else { lacks.min(left_of(&self.b)) }
    }
}

impl<A: Source, B: Source<Item = A::Item>> Source for ChainSource<A, B> {
    type Item = A::Item;

    const EXACT: Exact = Exact::Sometimes.and(A::EXACT).and(B::EXACT);

    #[inline(always)]
    fn left(&self) -> usize {
        left_of(&self.a).saturating_add(left_of(&self.b))
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(A::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let of_a = grain.min(left_of(&self.a));
        if of_a > 0
            && let Some(a) = &mut self.a
        {
            a.run(of_a, &mut each)?;
        }
        match (self.of_b(grain - of_a), &mut self.b) {
            (of_b @ 1.., Some(b)) => b.run(of_b, each),
            _ => ControlFlow::Continue(()),
        }
    }

    fn split(&mut self) -> Option<Self> {
        let (a, b) = (left_of(&self.a), left_of(&self.b));
        if a > b
            && let Some(back) = self.a.as_mut().and_then(A::split)
        {
            return Some(ChainSource { a: Some(back), b: self.b.take() });
        }
        if b > a
            && let Some(back) = self.b.as_mut().and_then(B::split)
        {
            return Some(ChainSource { a: None, b: Some(back) });
        }
        (a > 0 && b > 0).then(|| ChainSource { a: None, b: self.b.take() })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        let (a, b) = (left_of(&self.a), left_of(&self.b));
        if n < a {
            let back = self.a.as_mut()?.split_at(n)?;
            Some(ChainSource { a: Some(back), b: self.b.take() })
        } else if n - a >= b {
            // Another worker may have ended `a` since `n` was chosen. Then `b` may have fewer elements than that.
            None
        } else if n == a && a > 0 {
            // No worker has begun `b`.
            Some(ChainSource { a: None, b: self.b.take() })
        } else {
            let back = self.b.as_mut()?.split_at(n - a)?;
            Some(ChainSource { a: None, b: Some(back) })
        }
    }

    #[inline(always)]
    fn fold<T>(&mut self, grain: usize, mut acc: T, mut step: impl FnMut(T, A::Item) -> T) -> T {
        let of_a = grain.min(left_of(&self.a));
        if of_a > 0
            && let Some(a) = &mut self.a
        {
            acc = a.fold(of_a, acc, &mut step);
        }
        match (self.of_b(grain - of_a), &mut self.b) {
            (of_b @ 1.., Some(b)) => b.fold(of_b, acc, step),
            _ => acc,
        }
    }

    #[inline(always)]
    fn exact(&self, seal: Seal) -> Option<usize> {
        // `EXACT` says that this chain can never tell, and callers rely on it. A part that has only the source that can tell must not, either.
        if const { Self::EXACT.is_never() } {
            return None;
        }
        let a = self.a.as_ref().map_or(Some(0), |a| a.exact(seal))?;
        a.checked_add(self.b.as_ref().map_or(Some(0), |b| b.exact(seal))?)
    }
}

/// The source of a [`Chain`] that is split by index.
#[doc(hidden)]
#[derive(Debug)]
pub struct ChainIndexed<A, B> {
    a: A,
    b: B,
}

impl<A, B> ChainIndexed<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        ChainIndexed { a, b }
    }
}

impl<A: IndexedSource, B: IndexedSource<Item = A::Item>> IndexedSource for ChainIndexed<A, B> {
    type Item = A::Item;
    type Piece<'p>
        = ChainPiece<A::Piece<'p>, B::Piece<'p>>
    where
        Self: 'p;

    const EXACT: Exact = A::EXACT.and(B::EXACT);

    #[inline(always)]
    fn left(&self) -> usize {
        self.a.left() + self.b.left()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        let a = n.min(self.a.left());
        ChainPiece(self.a.front(a).chain(self.b.front(n - a)))
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        let b = n.min(self.b.left());
        ChainPiece(self.a.back(n - b).chain(self.b.back(b)))
    }

    fn split_at(&mut self, n: usize) -> Self {
        let a = n.min(self.a.left());
        ChainIndexed { a: self.a.split_at(a), b: self.b.split_at(n - a) }
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.a.swap_begun(&mut other.a, seal);
        self.b.swap_begun(&mut other.b, seal);
    }
}

/// Two pieces in a row that know their total length, which std's chain does not.
///
/// The length comes from the pieces, not from the source: a misused source may say that it has more elements than it gives. An adaptor that counts its results by this
/// length, as [`Chunks`](crate::iter::Chunks) does, would then make more than there is room for.
#[doc(hidden)]
#[derive(Debug)]
pub struct ChainPiece<A, B>(iter::Chain<A, B>);

impl<A: Iterator, B: Iterator<Item = A::Item>> Iterator for ChainPiece<A, B> {
    type Item = A::Item;

    #[inline(always)]
    fn next(&mut self) -> Option<A::Item> {
        self.0.next()
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    #[inline(always)]
    fn fold<T, F: FnMut(T, A::Item) -> T>(self, acc: T, step: F) -> T {
        self.0.fold(acc, step)
    }
}

impl<A: DoubleEndedIterator, B: DoubleEndedIterator<Item = A::Item>> DoubleEndedIterator for ChainPiece<A, B> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<A::Item> {
        self.0.next_back()
    }
}

impl<A: DoubleEndedIterator, B: DoubleEndedIterator<Item = A::Item>> ExactSizeIterator for ChainPiece<A, B> {}
