//! Parts of equal length of a slice: chunks from the front and from the back, windows.

use std::marker::PhantomData;
use std::slice;

use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::source::indexed::{IndexedSource, Pieces};

/// A slice that can be cut: shared, or not.
#[doc(hidden)]
pub trait Cut: Send + Default {
    fn len(&self) -> usize;

    /// The first `n` elements, and the others.
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

/// Which chunks, and std's iterator over them.
#[doc(hidden)]
pub trait Shape<S>: Send {
    type Chunk;
    type Chunks: DoubleEndedIterator<Item = Self::Chunk> + ExactSizeIterator;

    /// Whether chunks are counted from the back, so that the first one lies there.
    const FROM_BACK: bool;

    fn chunks(slice: S, size: usize) -> Self::Chunks;
}

/// The source of chunks.
#[doc(hidden)]
pub struct ChunksSource<S, K> {
    slice: S,
    size: usize,
    /// How many chunks that is: a division, made once.
    left: usize,
    shape: PhantomData<K>,
}

impl<S, K> std::fmt::Debug for ChunksSource<S, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChunksSource").field("size", &self.size).finish_non_exhaustive()
    }
}

/// As much of `slice` as whole chunks take, and the rest.
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

    /// Takes the slice of the first `n` chunks, leaving the others.
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
    type Item = K::Chunk;
    type Piece<'p>
        = K::Chunks
    where
        Self: 'p;

    const EXACT: Exact = Exact::Always;

    #[inline(always)]
    fn left(&self) -> usize {
        self.left
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> K::Chunks {
        K::chunks(self.take_front(n), self.size)
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> K::Chunks {
        let rest = self.left - n;
        let back = self.split_at(rest);
        K::chunks(back.slice, self.size)
    }

    #[inline(always)]
    fn split_at(&mut self, n: usize) -> Self {
        let n = n.min(self.left);
        let front = self.take_front(n);
        let slice = std::mem::replace(&mut self.slice, front);
        ChunksSource { slice, left: std::mem::replace(&mut self.left, n), ..*self }
    }
}

/// Eight types that differ in std's iterator.
macro_rules! chunks {
    ($($(#[$doc:meta])* $name:ident, $bound:ident, &$lifetime:lifetime $($mutable:ident)?, $method:ident, $exact:literal, $from_back:literal, $shape:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        #[must_use = "a chain does nothing before it is run"]
        pub struct $name<$lifetime, T> {
            slice: &$lifetime $($mutable)? [T],
            /// What exact chunks leave out.
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
            type Chunk = &$lifetime $($mutable)? [T];
            type Chunks = slice::$name<$lifetime, T>;
            const FROM_BACK: bool = $from_back;

            #[inline(always)]
            fn chunks(slice: &$lifetime $($mutable)? [T], size: usize) -> Self::Chunks {
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

/// A chain of shared slices can be cloned, whatever the elements.
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

/// What shared chunks leave out.
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

/// What chunks that may be changed leave out.
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

/// All windows of neighbouring elements. See [`par_windows`](super::ParallelSlice::par_windows).
#[derive(Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Windows<'d, T> {
    slice: &'d [T],
    size: usize,
}

impl<T> Clone for Windows<'_, T> {
    fn clone(&self) -> Self {
        Windows { slice: self.slice, size: self.size }
    }
}

impl<'d, T> Windows<'d, T> {
    pub(super) fn new(slice: &'d [T], size: usize) -> Self {
        Windows { slice, size }
    }
}

impl<'d, T: Sync> ParallelIterator for Windows<'d, T> {
    type Item = &'d [T];
    type Source<'s>
        = Pieces<WindowsSource<'d, T>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<'d, T: Sync> IndexedParallelIterator for Windows<'d, T> {
    type Indexed<'s>
        = WindowsSource<'d, T>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        WindowsSource { slice: self.slice, size: self.size }
    }

    fn len(&self) -> usize {
        windows_of(self.slice.len(), self.size)
    }
}

/// The source of [`Windows`].
#[doc(hidden)]
#[derive(Debug)]
pub struct WindowsSource<'d, T> {
    slice: &'d [T],
    size: usize,
}

impl<'d, T> WindowsSource<'d, T> {
    /// The elements of the first `n` windows.
    #[inline(always)]
    fn elements_of(&self, n: usize) -> &'d [T] {
        &self.slice[..if n == 0 { 0 } else { n + (self.size - 1) }]
    }
}

impl<'d, T: Sync> IndexedSource for WindowsSource<'d, T> {
    type Item = &'d [T];
    type Piece<'p>
        = slice::Windows<'d, T>
    where
        Self: 'p;

    const EXACT: Exact = Exact::Always;

    #[inline(always)]
    fn left(&self) -> usize {
        windows_of(self.slice.len(), self.size)
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        let front = self.elements_of(n);
        self.slice = &self.slice[n.min(self.slice.len())..];
        front.windows(self.size)
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        self.split_at(self.left() - n).slice.windows(self.size)
    }

    fn split_at(&mut self, n: usize) -> Self {
        let rest = &self.slice[n.min(self.slice.len())..];
        self.slice = self.elements_of(n);
        WindowsSource { slice: rest, size: self.size }
    }
}

/// All windows of neighbouring elements, as arrays. See [`par_array_windows`](super::ParallelSlice::par_array_windows).
#[derive(Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct ArrayWindows<'d, T, const N: usize>(Windows<'d, T>);

impl<T, const N: usize> Clone for ArrayWindows<'_, T, N> {
    fn clone(&self) -> Self {
        ArrayWindows(self.0.clone())
    }
}

impl<'d, T, const N: usize> ArrayWindows<'d, T, N> {
    pub(super) fn new(slice: &'d [T]) -> Self {
        ArrayWindows(Windows::new(slice, N))
    }
}

impl<'d, T: Sync, const N: usize> ParallelIterator for ArrayWindows<'d, T, N> {
    type Item = &'d [T; N];
    type Source<'s>
        = Pieces<ArrayWindowsSource<'d, T, N>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<'d, T: Sync, const N: usize> IndexedParallelIterator for ArrayWindows<'d, T, N> {
    type Indexed<'s>
        = ArrayWindowsSource<'d, T, N>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        ArrayWindowsSource(self.0.indexed(settings))
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// The source of [`ArrayWindows`].
#[doc(hidden)]
#[derive(Debug)]
pub struct ArrayWindowsSource<'d, T, const N: usize>(WindowsSource<'d, T>);

/// An [`ArrayWindowsSource`]'s piece.
type ArrayPiece<'d, T, const N: usize> = std::iter::Map<slice::Windows<'d, T>, fn(&'d [T]) -> &'d [T; N]>;

/// All windows of `N` elements, as arrays. (`slice::array_windows` is younger than the oldest compiler.)
#[inline(always)]
fn windows_of_array<T, const N: usize>(slice: &[T]) -> ArrayPiece<'_, T, N> {
    // Not checked: where it may panic, loops over windows are not compiled into vectors.
    #[inline(always)]
    fn as_array<T, const N: usize>(window: &[T]) -> &[T; N] {
        debug_assert_eq!(window.len(), N);
        // SAFETY: called below only, for windows of `N` elements.
        unsafe { &*window.as_ptr().cast() }
    }
    slice.windows(N).map(as_array)
}

impl<'d, T: Sync, const N: usize> IndexedSource for ArrayWindowsSource<'d, T, N> {
    type Item = &'d [T; N];
    type Piece<'p>
        = ArrayPiece<'d, T, N>
    where
        Self: 'p;

    const EXACT: Exact = Exact::Always;

    #[inline(always)]
    fn left(&self) -> usize {
        self.0.left()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        let front = self.0.elements_of(n);
        self.0.slice = &self.0.slice[n.min(self.0.slice.len())..];
        windows_of_array(front)
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        windows_of_array(self.0.split_at(self.0.left() - n).slice)
    }

    fn split_at(&mut self, n: usize) -> Self {
        ArrayWindowsSource(self.0.split_at(n))
    }
}

/// Windows of `size`, which is not 0, in `len` elements. Of elements without a size there may be `usize::MAX`.
fn windows_of(len: usize, size: usize) -> usize {
    len.checked_sub(size).map_or(0, |others| others + 1)
}
