//! `enumerate`, `rev`, `skip`, `take`: adaptors about the positions of elements.

use std::iter;
use std::ops::ControlFlow;

use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::memory::{Memory, Slot};
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::sink::for_each;
use crate::source::Source;
use crate::source::indexed::{IndexedSource, Pieces};

/// Each element with its index.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<(usize, char)> = ['a', 'b'].into_par_iter().enumerate().collect();
/// assert_eq!(v, [(0, 'a'), (1, 'b')]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Enumerate<I>(I);

impl<I> Enumerate<I> {
    pub(crate) fn new(base: I) -> Self {
        Enumerate(base)
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Enumerate<I> {
    type Item = (usize, I::Item);
    type Source<'s>
        = EnumerateSource<I::Source<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        // Panics if the chain is too long.
        self.0.len();
        EnumerateSource { base: self.0.source(settings), at: 0 }
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.0.memory(seal)
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Enumerate<I> {
    type Indexed<'s>
        = EnumerateSource<I::Indexed<'s>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        EnumerateSource { base: self.0.indexed(settings), at: 0 }
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// The source of an [`Enumerate`].
#[doc(hidden)]
#[derive(Debug)]
pub struct EnumerateSource<S> {
    base: S,
    /// The index of the first element left.
    at: usize,
}

impl<S: Source> EnumerateSource<S> {
    /// The source of the elements of `base`, which has been split off behind this one.
    fn behind(&self, base: S) -> Self {
        EnumerateSource { at: self.at + self.base.left(), base }
    }

    /// Calls `run` with the base and the index of the next element. The index is a copy, to which there is no other reference, so it need not lie in memory.
    #[inline(always)]
    fn counted<R>(&mut self, run: impl FnOnce(&mut S, &mut usize) -> R) -> R {
        let mut at = self.at;
        let result = run(&mut self.base, &mut at);
        self.at = at;
        result
    }
}

/// Counts elements as they come. The pieces below zip indices and elements instead, and a zip has to check the ends of both, since either may be shorter.
impl<S: Source> Source for EnumerateSource<S> {
    type Item = (usize, S::Item);

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(Self::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        self.counted(|base, at| base.run(grain, |x| each((next(at), x))))
    }

    fn split(&mut self) -> Option<Self> {
        let base = self.base.split()?;
        Some(self.behind(base))
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        let base = self.base.split_at(n)?;
        Some(self.behind(base))
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, Self::Item) -> A) -> A {
        self.counted(|base, at| base.fold(grain, acc, |acc, x| step(acc, (next(at), x))))
    }

    #[inline(always)]
    fn search(
        &mut self,
        grain: usize,
        mut each: impl FnMut(Self::Item) -> ControlFlow<()>,
        seal: Seal,
    ) -> ControlFlow<()> {
        self.counted(|base, at| base.search(grain, |x| each((next(at), x)), seal))
    }

    #[inline(always)]
    fn exact(&self, seal: Seal) -> Option<usize> {
        self.base.exact(seal)
    }

    #[inline(always)]
    fn combine<A: Copy>(
        &mut self,
        grain: usize,
        zero: A,
        mut map: impl FnMut(Self::Item) -> A,
        op: impl Fn(A, A) -> A,
        seal: Seal,
    ) -> A {
        self.counted(|base, at| base.combine(grain, zero, |x| map((next(at), x)), op, seal))
    }
}

/// Returns the next index, and advances it.
#[inline(always)]
fn next(at: &mut usize) -> usize {
    let number = *at;
    *at = number.wrapping_add(1);
    number
}

impl<S: IndexedSource> IndexedSource for EnumerateSource<S> {
    type Item = (usize, S::Item);
    type Piece<'p>
        = Numbered<S::Piece<'p>>
    where
        Self: 'p;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        let at = self.at;
        self.at += n;
        (at..at + n).zip(self.base.front(n))
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        let at = self.at + self.base.left() - n;
        (at..at + n).zip(self.base.back(n))
    }

    fn split_at(&mut self, n: usize) -> Self {
        EnumerateSource { at: self.at + n, base: self.base.split_at(n) }
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.base.swap_begun(&mut other.base, seal);
    }
}

type Numbered<P> = iter::Zip<std::ops::Range<usize>, P>;

/// The elements from the last to the first.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((0..3).into_par_iter().rev().collect::<Vec<_>>(), [2, 1, 0]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Rev<I>(I);

impl<I> Rev<I> {
    pub(crate) fn new(base: I) -> Self {
        Rev(base)
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Rev<I> {
    type Item = I::Item;
    type Source<'s>
        = Pieces<RevSource<I::Indexed<'s>>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Rev<I> {
    type Indexed<'s>
        = RevSource<I::Indexed<'s>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        RevSource(self.0.indexed(settings))
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// The source of a [`Rev`].
#[doc(hidden)]
#[derive(Debug)]
pub struct RevSource<S>(S);

impl<S: IndexedSource> IndexedSource for RevSource<S> {
    type Item = S::Item;
    type Piece<'p>
        = iter::Rev<S::Piece<'p>>
    where
        Self: 'p;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.0.left()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        self.0.back(n).rev()
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        self.0.front(n).rev()
    }

    fn split_at(&mut self, n: usize) -> Self {
        // The back of this source is the front of the base, which is given away. State that has been begun stays here.
        let mut front = self.0.split_at(self.0.left() - n);
        self.0.swap_begun(&mut front, Seal);
        RevSource(std::mem::replace(&mut self.0, front))
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.0.swap_begun(&mut other.0, seal);
    }
}

/// The elements without the first `n`. Those are computed too, as in std, and dropped before the others are begun.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((0..5).into_par_iter().skip(3).collect::<Vec<_>>(), [3, 4]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Skip<I> {
    base: I,
    n: usize,
}

impl<I: IndexedParallelIterator> Skip<I> {
    pub(crate) fn new(base: I, n: usize) -> Self {
        Skip { n: n.min(base.len()), base }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Skip<I> {
    type Item = I::Item;
    type Source<'s>
        = Pieces<I::Indexed<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Skip<I> {
    type Indexed<'s>
        = I::Indexed<'s>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let mut source = self.base.indexed(settings);
        let rest = source.split_at(self.n.min(source.left()));
        for_each::each(settings, Pieces(source), drop);
        rest
    }

    fn len(&self) -> usize {
        self.base.len() - self.n
    }
}

/// The first `n` elements.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((0..5).into_par_iter().take(2).collect::<Vec<_>>(), [0, 1]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Take<I> {
    base: I,
    n: usize,
}

impl<I: IndexedParallelIterator> Take<I> {
    pub(crate) fn new(base: I, n: usize) -> Self {
        Take { n: n.min(base.len()), base }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Take<I> {
    type Item = I::Item;
    type Source<'s>
        = Pieces<I::Indexed<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.n)
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Take<I> {
    type Indexed<'s>
        = I::Indexed<'s>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let mut source = self.base.indexed(settings);
        drop(source.split_at(self.n.min(source.left())));
        source
    }

    fn len(&self) -> usize {
        self.n
    }
}
