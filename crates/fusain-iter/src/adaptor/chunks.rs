//! `chunks`, `fold_chunks`: a fixed number of elements becomes one.

use std::ops::ControlFlow;

use super::debug_without_closures;
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;
use crate::source::indexed::IndexedSource;

/// Vectors of a fixed number of elements; the last may be shorter.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<Vec<i32>> = (0..5).into_par_iter().chunks(2).collect();
/// assert_eq!(v, [vec![0, 1], vec![2, 3], vec![4]]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Chunks<I> {
    base: I,
    size: usize,
}

impl<I> Chunks<I> {
    pub(crate) fn new(base: I, size: usize) -> Self {
        Chunks { base, size }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Chunks<I> {
    type Item = Vec<I::Item>;
    type Source<'s>
        = ChunksSource<I::Indexed<'s>, ToVec>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        self.indexed(settings)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Chunks<I> {
    type Indexed<'s>
        = ChunksSource<I::Indexed<'s>, ToVec>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        ChunksSource { base: self.base.indexed(settings), size: self.size, one: ToVec }
    }

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.size)
    }
}

/// The results of folding a fixed number of elements each; the last may have fewer.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = (0..5).into_par_iter().fold_chunks(2, || 10, |a, b| a + b).collect();
/// assert_eq!(v, [11, 15, 14]);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct FoldChunks<I, N, F> {
    base: I,
    size: usize,
    identity: N,
    f: F,
}

debug_without_closures!(FoldChunks<I, N, F> { base, size });

impl<I, N, F> FoldChunks<I, N, F> {
    pub(crate) fn new(base: I, size: usize, identity: N, f: F) -> Self {
        FoldChunks { base, size, identity, f }
    }
}

impl<I, N, F, T> ParallelIterator for FoldChunks<I, N, F>
where
    I: IndexedParallelIterator,
    N: Fn() -> T + Send + Sync,
    F: Fn(T, I::Item) -> T + Send + Sync,
    T: Send,
{
    type Item = T;
    type Source<'s>
        = ChunksSource<I::Indexed<'s>, FoldFrom<'s, N, F>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        self.indexed(settings)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I, N, F, T> IndexedParallelIterator for FoldChunks<I, N, F>
where
    I: IndexedParallelIterator,
    N: Fn() -> T + Send + Sync,
    F: Fn(T, I::Item) -> T + Send + Sync,
    T: Send,
{
    type Indexed<'s>
        = ChunksSource<I::Indexed<'s>, FoldFrom<'s, N, F>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let one = FoldFrom { identity: &self.identity, f: &self.f };
        ChunksSource { base: self.base.indexed(settings), size: self.size, one }
    }

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.size)
    }
}

/// Like [`FoldChunks`]; each fold starts from a clone of a value.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = (0..5).into_par_iter().fold_chunks_with(2, 10, |a, b| a + b).collect();
/// assert_eq!(v, [11, 15, 14]);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct FoldChunksWith<I, T, F> {
    base: I,
    size: usize,
    init: T,
    f: F,
}

debug_without_closures!(FoldChunksWith<I, T, F> { base, size });

impl<I, T, F> FoldChunksWith<I, T, F> {
    pub(crate) fn new(base: I, size: usize, init: T, f: F) -> Self {
        FoldChunksWith { base, size, init, f }
    }
}

impl<I, T, F> ParallelIterator for FoldChunksWith<I, T, F>
where
    I: IndexedParallelIterator,
    T: Send + Clone,
    F: Fn(T, I::Item) -> T + Send + Sync,
{
    type Item = T;
    type Source<'s>
        = ChunksSource<I::Indexed<'s>, FoldWith<'s, T, F>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        self.indexed(settings)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I, T, F> IndexedParallelIterator for FoldChunksWith<I, T, F>
where
    I: IndexedParallelIterator,
    T: Send + Clone,
    F: Fn(T, I::Item) -> T + Send + Sync,
{
    type Indexed<'s>
        = ChunksSource<I::Indexed<'s>, FoldWith<'s, T, F>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let one = FoldWith { init: self.init.clone(), f: &self.f };
        ChunksSource { base: self.base.indexed(settings), size: self.size, one }
    }

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.size)
    }
}

/// How one result is made of the elements of a chunk. Each part has its own copy.
#[doc(hidden)]
pub trait Chunk<X>: Clone + Send {
    /// The result.
    type One;

    /// Makes the result of `elements`.
    fn one(&self, elements: impl Iterator<Item = X>) -> Self::One;

    /// Makes the result of elements that come in reverse order.
    fn one_reversed(&self, elements: impl Iterator<Item = X>) -> Self::One {
        let mut elements: Vec<X> = elements.collect();
        elements.reverse();
        self.one(elements.into_iter())
    }
}

/// Makes a vector.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct ToVec;

impl<X> Chunk<X> for ToVec {
    type One = Vec<X>;

    fn one(&self, elements: impl Iterator<Item = X>) -> Vec<X> {
        elements.collect()
    }
}

/// Folds, starting from the result of a function.
#[doc(hidden)]
#[derive(Debug)]
pub struct FoldFrom<'s, N, F> {
    identity: &'s N,
    f: &'s F,
}

impl<N, F> Clone for FoldFrom<'_, N, F> {
    fn clone(&self) -> Self {
        FoldFrom { identity: self.identity, f: self.f }
    }
}

impl<X, N: Fn() -> T + Sync, F: Fn(T, X) -> T + Sync, T> Chunk<X> for FoldFrom<'_, N, F> {
    type One = T;

    fn one(&self, elements: impl Iterator<Item = X>) -> T {
        elements.fold((self.identity)(), self.f)
    }
}

/// Folds, starting from a clone of a value.
#[doc(hidden)]
#[derive(Debug)]
pub struct FoldWith<'s, T, F> {
    init: T,
    f: &'s F,
}

impl<T: Clone, F> Clone for FoldWith<'_, T, F> {
    fn clone(&self) -> Self {
        FoldWith { init: self.init.clone(), f: self.f }
    }
}

impl<X, T: Clone + Send, F: Fn(T, X) -> T + Sync> Chunk<X> for FoldWith<'_, T, F> {
    type One = T;

    fn one(&self, elements: impl Iterator<Item = X>) -> T {
        elements.fold(self.init.clone(), self.f)
    }
}

/// The source of [`Chunks`], [`FoldChunks`] and [`FoldChunksWith`].
#[doc(hidden)]
#[derive(Debug)]
pub struct ChunksSource<S, C> {
    base: S,
    size: usize,
    one: C,
}

impl<S: IndexedSource, C: Chunk<S::Item>> ChunksSource<S, C> {
    /// The number of elements of the base in the first `n` chunks.
    fn base_of(&self, n: usize) -> usize {
        n.saturating_mul(self.size).min(self.base.left())
    }

    /// Makes the next chunk. `None` if there are no elements: a misused source may have fewer than it says.
    #[inline(always)]
    fn next(&mut self) -> Option<C::One> {
        let elements = self.base.front(self.size.min(self.base.left()));
        (elements.len() > 0).then(|| self.one.one(elements))
    }
}

/// Each chunk is read from a piece of its own, whose loop the compiler vectorises. It does not do that for the chunks of a longer piece, which adaptors of two chains read.
impl<S: IndexedSource, C: Chunk<S::Item>> Source for ChunksSource<S, C> {
    type Item = C::One;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        IndexedSource::left(self)
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, each: impl FnMut(C::One) -> ControlFlow<()>) -> ControlFlow<()> {
        (0..grain).filter_map(|_| self.next()).try_for_each(each)
    }

    fn split(&mut self) -> Option<Self> {
        let left = IndexedSource::left(self);
        (left > 1).then(|| IndexedSource::split_at(self, left.div_ceil(2)))
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        (n < IndexedSource::left(self)).then(|| IndexedSource::split_at(self, n))
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, step: impl FnMut(A, C::One) -> A) -> A {
        (0..grain).filter_map(|_| self.next()).fold(acc, step)
    }

    #[inline(always)]
    fn exact(&self, _: Seal) -> Option<usize> {
        S::EXACT.is_always().then(|| IndexedSource::left(self))
    }
}

impl<S: IndexedSource, C: Chunk<S::Item>> IndexedSource for ChunksSource<S, C> {
    type Item = C::One;
    type Piece<'p>
        = ChunksPiece<'p, S::Piece<'p>, C>
    where
        Self: 'p;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left().div_ceil(self.size)
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        let n = self.base_of(n);
        ChunksPiece { elements: self.base.front(n), size: self.size, one: &self.one }
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        let n = self.base.left() - self.base_of(IndexedSource::left(self) - n);
        ChunksPiece { elements: self.base.back(n), size: self.size, one: &self.one }
    }

    fn split_at(&mut self, n: usize) -> Self {
        let n = self.base_of(n);
        ChunksSource { base: self.base.split_at(n), size: self.size, one: self.one.clone() }
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.base.swap_begun(&mut other.base, seal);
    }
}

/// A piece of [`Chunks`], [`FoldChunks`] and [`FoldChunksWith`].
#[doc(hidden)]
#[derive(Debug)]
pub struct ChunksPiece<'p, P, C> {
    elements: P,
    size: usize,
    one: &'p C,
}

impl<P: ExactSizeIterator, C: Chunk<P::Item>> Iterator for ChunksPiece<'_, P, C> {
    type Item = C::One;

    fn next(&mut self) -> Option<C::One> {
        (self.elements.len() > 0).then(|| self.one.one(self.elements.by_ref().take(self.size)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.elements.len().div_ceil(self.size);
        (left, Some(left))
    }
}

impl<P: ExactSizeIterator + DoubleEndedIterator, C: Chunk<P::Item>> DoubleEndedIterator for ChunksPiece<'_, P, C> {
    fn next_back(&mut self) -> Option<C::One> {
        let last = match self.elements.len() {
            0 => return None,
            len if len.is_multiple_of(self.size) => self.size,
            len => len % self.size,
        };
        Some(self.one.one_reversed(self.elements.by_ref().rev().take(last)))
    }
}

impl<P: ExactSizeIterator, C: Chunk<P::Item>> ExactSizeIterator for ChunksPiece<'_, P, C> {}
