//! All windows of neighbouring elements of a slice.

use std::ops::ControlFlow;
use std::slice;

use super::parts::{Shape, fold_parts, try_parts};
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::indexed::{IndexedSource, Pieces};

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

    /// Like [`elements_of`](Self::elements_of), but takes these windows out and leaves the others.
    #[inline(always)]
    fn take_front(&mut self, n: usize) -> &'d [T] {
        let front = self.elements_of(n);
        self.slice = &self.slice[n.min(self.slice.len())..];
        front
    }
}

/// The shape of windows.
#[derive(Debug)]
struct OfWindows;

impl<'d, T: Sync> Shape<&'d [T]> for OfWindows {
    type Part = &'d [T];
    type Parts = slice::Windows<'d, T>;

    #[inline(always)]
    fn parts(slice: &'d [T], size: usize) -> Self::Parts {
        slice.windows(size)
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
        self.take_front(n).windows(self.size)
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

    #[inline(always)]
    fn fold_front<A>(&mut self, n: usize, acc: A, step: impl FnMut(A, &'d [T]) -> A, _: Seal) -> A {
        fold_parts::<_, OfWindows, _>(self.take_front(n), self.size, acc, step)
    }

    #[inline(always)]
    fn try_front(&mut self, n: usize, each: impl FnMut(&'d [T]) -> ControlFlow<()>, _: Seal) -> ControlFlow<()> {
        try_parts::<_, OfWindows>(self.take_front(n), self.size, each)
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

/// All windows of `N` elements, as arrays. (The oldest supported compiler has no `slice::array_windows`.)
#[inline(always)]
fn windows_of_array<T, const N: usize>(slice: &[T]) -> ArrayPiece<'_, T, N> {
    // Unchecked, since the compiler does not vectorise loops over windows that may panic.
    #[inline(always)]
    fn as_array<T, const N: usize>(window: &[T]) -> &[T; N] {
        debug_assert_eq!(window.len(), N);
        // SAFETY: it is called only below, for windows of `N` elements.
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
        windows_of_array(self.0.take_front(n))
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        windows_of_array(self.0.split_at(self.0.left() - n).slice)
    }

    fn split_at(&mut self, n: usize) -> Self {
        ArrayWindowsSource(self.0.split_at(n))
    }
}

/// The number of windows of `size`, which is not 0, in `len` elements. If elements have no size, there may be `usize::MAX`.
fn windows_of(len: usize, size: usize) -> usize {
    len.checked_sub(size).map_or(0, |others| others + 1)
}
