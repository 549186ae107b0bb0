//! `zip` and `zip_eq`: pairs.

use std::iter;

use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::memory::{Memory, Slot};
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::indexed::{IndexedSource, Pieces};

/// Pairs of the elements of two chains, up to the shorter length.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let mut a = [1, 2, 3];
/// a.par_iter_mut().zip(&[10, 20]).for_each(|(a, b)| *a += b);
/// assert_eq!(a, [11, 22, 3]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Zip<A, B> {
    a: A,
    b: B,
}

impl<A, B> Zip<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        Zip { a, b }
    }
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> ParallelIterator for Zip<A, B> {
    type Item = (A::Item, B::Item);
    type Source<'s>
        = Pieces<ZipSource<A::Indexed<'s>, B::Indexed<'s>>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }

    const SLOT: Slot = A::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.a.memory(seal)
    }
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> IndexedParallelIterator for Zip<A, B> {
    type Indexed<'s>
        = ZipSource<A::Indexed<'s>, B::Indexed<'s>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let mut a = self.a.indexed(settings);
        let mut b = self.b.indexed(settings);
        let n = a.left().min(b.left());
        if a.left() > n {
            drop(a.split_at(n));
        }
        if b.left() > n {
            drop(b.split_at(n));
        }
        ZipSource { a, b }
    }

    fn len(&self) -> usize {
        self.a.len().min(self.b.len())
    }
}

/// The source of a [`Zip`]: both sources are equally long.
#[doc(hidden)]
#[derive(Debug)]
pub struct ZipSource<A, B> {
    a: A,
    b: B,
}

impl<A: IndexedSource, B: IndexedSource> IndexedSource for ZipSource<A, B> {
    type Item = (A::Item, B::Item);
    type Piece<'p>
        = iter::Zip<A::Piece<'p>, B::Piece<'p>>
    where
        Self: 'p;

    const EXACT: Exact = A::EXACT.and(B::EXACT);

    #[inline(always)]
    fn left(&self) -> usize {
        self.a.left()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        self.a.front(n).zip(self.b.front(n))
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        self.a.back(n).zip(self.b.back(n))
    }

    fn split_at(&mut self, n: usize) -> Self {
        ZipSource { a: self.a.split_at(n), b: self.b.split_at(n) }
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.a.swap_begun(&mut other.a, seal);
        self.b.swap_begun(&mut other.b, seal);
    }
}

/// Like [`Zip`], for two chains of equal length.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<(i32, char)> = [1, 2].into_par_iter().zip_eq(['a', 'b']).collect();
/// assert_eq!(v, [(1, 'a'), (2, 'b')]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct ZipEq<A, B>(Zip<A, B>);

impl<A, B> ZipEq<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        ZipEq(Zip::new(a, b))
    }
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> ParallelIterator for ZipEq<A, B> {
    type Item = (A::Item, B::Item);
    type Source<'s>
        = Pieces<ZipSource<A::Indexed<'s>, B::Indexed<'s>>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        self.0.source(settings)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }

    const SLOT: Slot = A::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.0.memory(seal)
    }
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> IndexedParallelIterator for ZipEq<A, B> {
    type Indexed<'s>
        = ZipSource<A::Indexed<'s>, B::Indexed<'s>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        self.0.indexed(settings)
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}
