//! Chains of one element, or none.

use super::indexed::{IndexedSource, Pieces};
use crate::collect::IntoParallelIterator;
use crate::exact::{Exact, LengthBound};
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;

/// The element of an `Option` or a `Result`.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!(Some(7).into_par_iter().sum::<i32>(), 7);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct IntoIter<T>(Option<T>);

/// The element of an `Option` or a `Result`, by reference.
pub type Iter<'a, T> = IntoIter<&'a T>;

/// The element of an `Option` or a `Result`, by mutable reference.
pub type IterMut<'a, T> = IntoIter<&'a mut T>;

impl<T: Send> IntoParallelIterator for Option<T> {
    type Iter = IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }

    const LENGTH_BOUND: LengthBound = LengthBound::AtMostOne;

    #[inline(always)]
    fn fold_few<A>(self, acc: A, step: impl FnMut(A, Self::Item) -> A, _: Seal) -> A {
        self.into_iter().fold(acc, step)
    }
}

impl<'a, T: Sync> IntoParallelIterator for &'a Option<T> {
    type Iter = IntoIter<&'a T>;
    type Item = &'a T;

    fn into_par_iter(self) -> Self::Iter {
        IntoIter(self.as_ref())
    }

    const LENGTH_BOUND: LengthBound = LengthBound::AtMostOne;

    #[inline(always)]
    fn fold_few<A>(self, acc: A, step: impl FnMut(A, Self::Item) -> A, _: Seal) -> A {
        self.as_ref().into_iter().fold(acc, step)
    }
}

impl<'a, T: Send> IntoParallelIterator for &'a mut Option<T> {
    type Iter = IntoIter<&'a mut T>;
    type Item = &'a mut T;

    fn into_par_iter(self) -> Self::Iter {
        IntoIter(self.as_mut())
    }

    const LENGTH_BOUND: LengthBound = LengthBound::AtMostOne;

    #[inline(always)]
    fn fold_few<A>(self, acc: A, step: impl FnMut(A, Self::Item) -> A, _: Seal) -> A {
        self.as_mut().into_iter().fold(acc, step)
    }
}

impl<T: Send, E> IntoParallelIterator for Result<T, E> {
    type Iter = IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter(self.ok())
    }

    const LENGTH_BOUND: LengthBound = LengthBound::AtMostOne;

    #[inline(always)]
    fn fold_few<A>(self, acc: A, step: impl FnMut(A, Self::Item) -> A, _: Seal) -> A {
        self.ok().into_iter().fold(acc, step)
    }
}

impl<'a, T: Sync, E> IntoParallelIterator for &'a Result<T, E> {
    type Iter = IntoIter<&'a T>;
    type Item = &'a T;

    fn into_par_iter(self) -> Self::Iter {
        IntoIter(self.as_ref().ok())
    }

    const LENGTH_BOUND: LengthBound = LengthBound::AtMostOne;

    #[inline(always)]
    fn fold_few<A>(self, acc: A, step: impl FnMut(A, Self::Item) -> A, _: Seal) -> A {
        self.as_ref().ok().into_iter().fold(acc, step)
    }
}

impl<'a, T: Send, E> IntoParallelIterator for &'a mut Result<T, E> {
    type Iter = IntoIter<&'a mut T>;
    type Item = &'a mut T;

    fn into_par_iter(self) -> Self::Iter {
        IntoIter(self.as_mut().ok())
    }

    const LENGTH_BOUND: LengthBound = LengthBound::AtMostOne;

    #[inline(always)]
    fn fold_few<A>(self, acc: A, step: impl FnMut(A, Self::Item) -> A, _: Seal) -> A {
        self.as_mut().ok().into_iter().fold(acc, step)
    }
}

impl<T: Send> ParallelIterator for IntoIter<T> {
    type Item = T;
    type Source<'s>
        = Pieces<One<T>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<T: Send> IndexedParallelIterator for IntoIter<T> {
    type Indexed<'s>
        = One<T>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> One<T> {
        One(self.0.take())
    }

    fn len(&self) -> usize {
        usize::from(self.0.is_some())
    }
}

/// The source of one element.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct One<T>(Option<T>);

impl<T> Default for One<T> {
    /// The source of no element.
    fn default() -> Self {
        One(None)
    }
}

impl<T: Send> IndexedSource for One<T> {
    type Item = T;
    type Piece<'p>
        = std::option::IntoIter<T>
    where
        Self: 'p;

    const EXACT: Exact = Exact::Always;

    #[inline(always)]
    fn left(&self) -> usize {
        usize::from(self.0.is_some())
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        (if n > 0 { self.0.take() } else { None }).into_iter()
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        self.front(n)
    }

    fn split_at(&mut self, n: usize) -> Self {
        One(if n > 0 { None } else { self.0.take() })
    }
}
