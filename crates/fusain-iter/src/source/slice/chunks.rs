//! Parts of a slice that are equally long: chunks from the front and from the back.

use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::slice;

use super::parts::{Shape, fold_parts, try_parts};
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::indexed::{IndexedSource, Pieces};

/// A slice that can be cut, shared or mutable.
#[doc(hidden)]
pub trait Cut: Send + Default {
    fn len(&self) -> usize;

    /// Cuts the slice into the first `n` elements and the others.
    fn cut(self, n: usize) -> (Self, Self);
}

impl<T: Sync> Cut for &[T] {
    #[inline(always)]
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    #[inline(always)]
    fn cut(self, n: usize) -> (Self, Self) {
        self.split_at(n)
    }
}

impl<T: Send> Cut for &mut [T] {
    #[inline(always)]
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    #[inline(always)]
    fn cut(self, n: usize) -> (Self, Self) {
        self.split_at_mut(n)
    }
}

/// The source of chunks.
#[doc(hidden)]
pub struct ChunksSource<S, K> {
    slice: S,
    size: usize,
    /// The number of chunks left. It is stored, since it takes a division.
    left: usize,
    shape: PhantomData<K>,
}

impl<S, K> std::fmt::Debug for ChunksSource<S, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChunksSource").field("size", &self.size).finish_non_exhaustive()
    }
}

/// The part of `slice` that whole chunks take, and the rest.
fn whole<S: Cut>(slice: S, size: usize, from_back: bool) -> (S, S) {
    let rest = slice.len() % size;
    if from_back {
        let (rest, whole) = slice.cut(rest);
        (whole, rest)
    } else {
        let whole = slice.len() - rest;
        slice.cut(whole)
    }
}

impl<S: Cut, K: Shape<S>> ChunksSource<S, K> {
    #[inline(always)]
    fn new(slice: S, size: usize) -> Self {
        let left = slice.len().div_ceil(size);
        ChunksSource { slice, size, left, shape: PhantomData }
    }

    /// Takes the elements of the first `n` chunks as a slice, and leaves the others.
    #[inline(always)]
    fn take_front(&mut self, n: usize) -> S {
        self.left = self.left.saturating_sub(n);
        let slice = std::mem::take(&mut self.slice);
        let elements = n.saturating_mul(self.size).min(slice.len());
        if K::FROM_BACK {
            let at = slice.len() - elements;
            let (rest, front) = slice.cut(at);
            self.slice = rest;
            front
        } else {
            let (front, rest) = slice.cut(elements);
            self.slice = rest;
            front
        }
    }
}

impl<S: Cut, K: Shape<S>> IndexedSource for ChunksSource<S, K> {
    type Item = K::Part;
    type Piece<'p>
        = K::Parts
    where
        Self: 'p;

    const EXACT: Exact = Exact::Always;

    #[inline(always)]
    fn left(&self) -> usize {
        self.left
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> K::Parts {
        K::parts(self.take_front(n), self.size)
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> K::Parts {
        let rest = self.left - n;
        let back = self.split_at(rest);
        K::parts(back.slice, self.size)
    }

    #[inline(always)]
    fn fold_front<A>(&mut self, n: usize, acc: A, step: impl FnMut(A, K::Part) -> A, _: Seal) -> A {
        fold_parts::<_, K, _>(self.take_front(n), self.size, acc, step)
    }

    #[inline(always)]
    fn try_front(&mut self, n: usize, each: impl FnMut(K::Part) -> ControlFlow<()>, _: Seal) -> ControlFlow<()> {
        try_parts::<_, K>(self.take_front(n), self.size, each)
    }

    #[inline(always)]
    fn split_at(&mut self, n: usize) -> Self {
        let n = n.min(self.left);
        let front = self.take_front(n);
        let slice = std::mem::replace(&mut self.slice, front);
        ChunksSource { slice, left: std::mem::replace(&mut self.left, n), ..*self }
    }
}

/// Eight chain types, which differ in std's iterator over their chunks.
macro_rules! chunks {
    ($($(#[$doc:meta])* $name:ident, $bound:ident, &$lifetime:lifetime $($mutable:ident)?, $method:ident, $exact:literal, $from_back:literal, $shape:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        #[must_use = "a chain does nothing before it is run"]
        pub struct $name<$lifetime, T> {
            slice: &$lifetime $($mutable)? [T],
            /// The elements that exact chunks leave out.
            #[allow(dead_code, reason = "of exact chunks only")]
            rest: &$lifetime $($mutable)? [T],
            size: usize,
        }

        impl<$lifetime, T: $bound> $name<$lifetime, T> {
            pub(super) fn new(slice: &$lifetime $($mutable)? [T], size: usize) -> Self {
                let (slice, rest) = if $exact { whole(slice, size, $from_back) } else { (slice, Default::default()) };
                $name { slice, rest, size }
            }
        }

        /// The shape of these chunks.
        #[doc(hidden)]
        #[derive(Debug)]
        pub struct $shape;

        impl<$lifetime, T: $bound> Shape<&$lifetime $($mutable)? [T]> for $shape {
            type Part = &$lifetime $($mutable)? [T];
            type Parts = slice::$name<$lifetime, T>;
            const FROM_BACK: bool = $from_back;

            #[inline(always)]
            fn parts(slice: &$lifetime $($mutable)? [T], size: usize) -> Self::Parts {
                slice.$method(size)
            }
        }

        impl<$lifetime, T: $bound> ParallelIterator for $name<$lifetime, T> {
            type Item = &$lifetime $($mutable)? [T];
            type Source<'s> = Pieces<ChunksSource<&$lifetime $($mutable)? [T], $shape>> where Self: 's;

            fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
                Pieces(self.indexed(settings))
            }

            fn opt_len(&self) -> Option<usize> {
                Some(self.len())
            }
        }

        impl<$lifetime, T: $bound> IndexedParallelIterator for $name<$lifetime, T> {
            type Indexed<'s> = ChunksSource<&$lifetime $($mutable)? [T], $shape> where Self: 's;

            fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Indexed<'s> {
                ChunksSource::new(std::mem::take(&mut self.slice), self.size)
            }

            fn len(&self) -> usize {
                self.slice.len().div_ceil(self.size)
            }
        }
    )*};
}

chunks! {
    /// Parts of equal length; the last may be shorter. See [`par_chunks`](super::ParallelSlice::par_chunks).
    Chunks, Sync, &'d, chunks, false, false, OfChunks;
    /// Parts of exactly equal length. See [`par_chunks_exact`](super::ParallelSlice::par_chunks_exact).
    ChunksExact, Sync, &'d, chunks_exact, true, false, OfChunksExact;
    /// Parts of equal length, counted from the back; the one at the front may be shorter. See [`par_rchunks`](super::ParallelSlice::par_rchunks).
    RChunks, Sync, &'d, rchunks, false, true, OfRChunks;
    /// Parts of exactly equal length, from the back. See [`par_rchunks_exact`](super::ParallelSlice::par_rchunks_exact).
    RChunksExact, Sync, &'d, rchunks_exact, true, true, OfRChunksExact;
    /// Parts of equal length; the last may be shorter. They may be changed. See [`par_chunks_mut`](super::ParallelSliceMut::par_chunks_mut).
    ChunksMut, Send, &'d mut, chunks_mut, false, false, OfChunksMut;
    /// Parts of exactly equal length that may be changed. See [`par_chunks_exact_mut`](super::ParallelSliceMut::par_chunks_exact_mut).
    ChunksExactMut, Send, &'d mut, chunks_exact_mut, true, false, OfChunksExactMut;
    /// Parts of equal length, counted from the back; the one at the front may be shorter. They may be changed. See [`par_rchunks_mut`](super::ParallelSliceMut::par_rchunks_mut).
    RChunksMut, Send, &'d mut, rchunks_mut, false, true, OfRChunksMut;
    /// Parts of exactly equal length, from the back, that may be changed. See [`par_rchunks_exact_mut`](super::ParallelSliceMut::par_rchunks_exact_mut).
    RChunksExactMut, Send, &'d mut, rchunks_exact_mut, true, true, OfRChunksExactMut;
}

/// A chain of chunks of a shared slice can be cloned, whatever its elements are.
macro_rules! clone {
    ($($name:ident),*) => {$(
        impl<T> Clone for $name<'_, T> {
            fn clone(&self) -> Self {
                $name { slice: self.slice, rest: self.rest, size: self.size }
            }
        }
    )*};
}

clone!(Chunks, ChunksExact, RChunks, RChunksExact);

/// Access to the elements that chunks of a shared slice leave out.
macro_rules! remainder {
    ($($name:ident),*) => {$(
        impl<'d, T> $name<'d, T> {
            /// The elements that are left out, since they are fewer than a chunk.
            pub fn remainder(&self) -> &'d [T] {
                self.rest
            }
        }
    )*};
}

remainder!(ChunksExact, RChunksExact);

/// Access to the elements that mutable chunks leave out.
macro_rules! remainder_mut {
    ($($name:ident),*) => {$(
        impl<'d, T> $name<'d, T> {
            /// The elements that are left out, since they are fewer than a chunk.
            pub fn remainder(&mut self) -> &mut [T] {
                self.rest
            }

            /// Like [`remainder`](Self::remainder), but consumes the chain.
            pub fn into_remainder(self) -> &'d mut [T] {
                self.rest
            }

            /// Like [`remainder`](Self::remainder), but returns the elements only once.
            pub fn take_remainder(&mut self) -> &'d mut [T] {
                std::mem::take(&mut self.rest)
            }
        }
    )*};
}

remainder_mut!(ChunksExactMut, RChunksExactMut);
