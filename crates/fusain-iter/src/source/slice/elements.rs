//! The elements of a slice.

use std::slice;

use crate::collect::IntoParallelIterator;
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::source::indexed::{IndexedSource, Pieces};

/// References to the elements of a slice.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!([1, 2, 3].par_iter().max(), Some(&3));
/// ```
#[derive(Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Iter<'d, T>(&'d [T]);

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter(self.0)
    }
}

/// References to the elements of a slice, which may be changed through them.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let mut v = [1, 2, 3];
/// v.par_iter_mut().for_each(|x| *x += 1);
/// assert_eq!(v, [2, 3, 4]);
/// ```
#[derive(Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct IterMut<'d, T>(&'d mut [T]);

impl<'d, T: Sync> IntoParallelIterator for &'d [T] {
    type Iter = Iter<'d, T>;
    type Item = &'d T;

    fn into_par_iter(self) -> Iter<'d, T> {
        Iter(self)
    }
}

impl<'d, T: Send> IntoParallelIterator for &'d mut [T] {
    type Iter = IterMut<'d, T>;
    type Item = &'d mut T;

    fn into_par_iter(self) -> IterMut<'d, T> {
        IterMut(self)
    }
}

impl<'d, T: Sync> IntoParallelIterator for &'d Vec<T> {
    type Iter = Iter<'d, T>;
    type Item = &'d T;

    fn into_par_iter(self) -> Iter<'d, T> {
        Iter(self)
    }
}

impl<'d, T: Send> IntoParallelIterator for &'d mut Vec<T> {
    type Iter = IterMut<'d, T>;
    type Item = &'d mut T;

    fn into_par_iter(self) -> IterMut<'d, T> {
        IterMut(self)
    }
}

impl<'d, T: Sync> IntoParallelIterator for &'d Box<[T]> {
    type Iter = Iter<'d, T>;
    type Item = &'d T;

    fn into_par_iter(self) -> Iter<'d, T> {
        Iter(self)
    }
}

impl<'d, T: Send> IntoParallelIterator for &'d mut Box<[T]> {
    type Iter = IterMut<'d, T>;
    type Item = &'d mut T;

    fn into_par_iter(self) -> IterMut<'d, T> {
        IterMut(self)
    }
}

impl<T: Send> IntoParallelIterator for Box<[T]> {
    type Iter = crate::source::vec::IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> Self::Iter {
        self.into_vec().into_par_iter()
    }
}

impl<'d, T: Sync, const N: usize> IntoParallelIterator for &'d [T; N] {
    type Iter = Iter<'d, T>;
    type Item = &'d T;

    fn into_par_iter(self) -> Iter<'d, T> {
        Iter(self)
    }
}

impl<'d, T: Send, const N: usize> IntoParallelIterator for &'d mut [T; N] {
    type Iter = IterMut<'d, T>;
    type Item = &'d mut T;

    fn into_par_iter(self) -> IterMut<'d, T> {
        IterMut(self)
    }
}

impl<'d, T: Sync> ParallelIterator for Iter<'d, T> {
    type Item = &'d T;
    type Source<'s>
        = Pieces<slice::Iter<'d, T>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.0.iter())
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

impl<'d, T: Sync> IndexedParallelIterator for Iter<'d, T> {
    type Indexed<'s>
        = slice::Iter<'d, T>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        self.0.iter()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

impl<'d, T: Send> ParallelIterator for IterMut<'d, T> {
    type Item = &'d mut T;
    type Source<'s>
        = Pieces<slice::IterMut<'d, T>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

impl<'d, T: Send> IndexedParallelIterator for IterMut<'d, T> {
    type Indexed<'s>
        = slice::IterMut<'d, T>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        std::mem::take(&mut self.0).iter_mut()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

impl<'d, T: Sync> IndexedSource for slice::Iter<'d, T> {
    type Item = &'d T;
    type Piece<'p>
        = slice::Iter<'d, T>
    where
        Self: 'p;

    const EXACT: Exact = Exact::Always;

    #[inline(always)]
    fn left(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        let (front, rest) = self.as_slice().split_at(n);
        *self = rest.iter();
        front.iter()
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        let left = self.len();
        self.split_at(left - n)
    }

    #[inline(always)]
    fn split_at(&mut self, n: usize) -> Self {
        let (front, rest) = self.as_slice().split_at(n);
        *self = front.iter();
        rest.iter()
    }
}

impl<'d, T: Send> IndexedSource for slice::IterMut<'d, T> {
    type Item = &'d mut T;
    type Piece<'p>
        = slice::IterMut<'d, T>
    where
        Self: 'p;

    const EXACT: Exact = Exact::Always;

    #[inline(always)]
    fn left(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        let (front, rest) = std::mem::take(self).into_slice().split_at_mut(n);
        *self = rest.iter_mut();
        front.iter_mut()
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        let left = self.len();
        self.split_at(left - n)
    }

    #[inline(always)]
    fn split_at(&mut self, n: usize) -> Self {
        let (front, rest) = std::mem::take(self).into_slice().split_at_mut(n);
        *self = front.iter_mut();
        rest.iter_mut()
    }
}
