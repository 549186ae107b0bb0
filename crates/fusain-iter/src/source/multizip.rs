//! Tuples of chains as chains of tuples, up to the shortest length.

use std::marker::PhantomData;

use super::indexed::{IndexedSource, Pieces};
use crate::adaptor::Zip;
use crate::collect::{IntoParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator};
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;

/// Tuples of the elements of several chains, up to the shortest length. `T` is the tuple of the chains.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<(i32, char, bool)> = (0..2, ['a', 'b'], [true, false]).into_par_iter().collect();
/// assert_eq!(v, [(0, 'a', true), (1, 'b', false)]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct MultiZip<T: Chains>(T::Zip);

/// A tuple of chains.
#[doc(hidden)]
pub trait Chains {
    /// The type of a [`zip`](IndexedParallelIterator::zip) of all chains.
    type Zip: IndexedParallelIterator;

    /// A flat tuple of the elements. The zip gives pairs of a pair and an element instead, nested down to the first two.
    type Tuple: Send;

    #[doc(hidden)]
    fn flat(nested: <Self::Zip as ParallelIterator>::Item) -> Self::Tuple;
}

impl<T: Chains> ParallelIterator for MultiZip<T> {
    type Item = T::Tuple;
    type Source<'s>
        = Pieces<MultiSource<<T::Zip as IndexedParallelIterator>::Indexed<'s>, T>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<T: Chains> IndexedParallelIterator for MultiZip<T> {
    type Indexed<'s>
        = MultiSource<<T::Zip as IndexedParallelIterator>::Indexed<'s>, T>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        MultiSource(self.0.indexed(settings), PhantomData)
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// The source of a [`MultiZip`].
#[doc(hidden)]
#[derive(Debug)]
pub struct MultiSource<S, T>(S, PhantomData<fn(T)>);

impl<T: Chains, S: IndexedSource<Item = <T::Zip as ParallelIterator>::Item>> IndexedSource for MultiSource<S, T> {
    type Item = T::Tuple;
    type Piece<'p>
        = MultiPiece<S::Piece<'p>, T>
    where
        Self: 'p;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.0.left()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        MultiPiece(self.0.front(n), PhantomData)
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        MultiPiece(self.0.back(n), PhantomData)
    }

    fn split_at(&mut self, n: usize) -> Self {
        MultiSource(self.0.split_at(n), PhantomData)
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.0.swap_begun(&mut other.0, seal);
    }
}

/// A piece of a [`MultiZip`].
#[doc(hidden)]
#[derive(Debug)]
pub struct MultiPiece<P, T>(P, PhantomData<fn(T)>);

impl<T: Chains, P: Iterator<Item = <T::Zip as ParallelIterator>::Item>> Iterator for MultiPiece<P, T> {
    type Item = T::Tuple;

    #[inline(always)]
    fn next(&mut self) -> Option<T::Tuple> {
        self.0.next().map(T::flat)
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    #[inline(always)]
    fn fold<B, F: FnMut(B, T::Tuple) -> B>(self, first: B, mut f: F) -> B {
        self.0.fold(first, |before, x| f(before, T::flat(x)))
    }
}

impl<T: Chains, P: DoubleEndedIterator<Item = <T::Zip as ParallelIterator>::Item>> DoubleEndedIterator
    for MultiPiece<P, T>
{
    #[inline(always)]
    fn next_back(&mut self) -> Option<T::Tuple> {
        self.0.next_back().map(T::flat)
    }
}

impl<T: Chains, P: ExactSizeIterator<Item = <T::Zip as ParallelIterator>::Item>> ExactSizeIterator
    for MultiPiece<P, T>
{
}

/// The type of a `zip` of all.
macro_rules! zipped {
    ($all:ty) => { $all };
    ($a:ty, $b:ty $(, $rest:ty)*) => { zipped!(Zip<$a, $b> $(, $rest)*) };
}

/// The `zip` of all.
macro_rules! zip {
    ($all:expr) => { $all };
    ($a:expr, $b:expr $(, $rest:expr)*) => { zip!(Zip::new($a, $b) $(, $rest)*) };
}

/// A pattern for the nested pairs that the `zip` gives.
macro_rules! nested {
    ($all:tt) => { $all };
    ($a:tt $b:tt $($rest:tt)*) => { nested!(($a, $b) $($rest)*) };
}

/// The implementations for tuples, which have nothing in common but their shape.
macro_rules! tuples {
    ($(($($t:ident $field:tt),+))*) => {$(
        #[expect(non_snake_case, reason = "elements are named as their types are")]
        impl<$($t: IndexedParallelIterator),+> Chains for ($($t,)+) {
            type Zip = zipped!($($t),+);
            type Tuple = ($($t::Item,)+);

            #[inline(always)]
            fn flat(nested!($($t)+): <Self::Zip as ParallelIterator>::Item) -> Self::Tuple {
                ($($t,)+)
            }
        }

        impl<$($t: IntoParallelIterator<Iter: IndexedParallelIterator>),+> IntoParallelIterator for ($($t,)+) {
            type Iter = MultiZip<($($t::Iter,)+)>;
            type Item = ($($t::Item,)+);

            fn into_par_iter(self) -> Self::Iter {
                MultiZip(zip!($(self.$field.into_par_iter()),+))
            }
        }

        // The bounds are on the elements, not on references to them: otherwise the search for a bound on `&C` of some unknown `C` would go through tuples of tuples for ever.
        impl<'a, $($t),+> IntoParallelIterator for &'a ($($t,)+)
        where
            $($t: IntoParallelRefIterator<'a, Iter: IndexedParallelIterator>),+
        {
            type Iter = <($($t::Iter,)+) as IntoParallelIterator>::Iter;
            type Item = <($($t::Iter,)+) as IntoParallelIterator>::Item;

            fn into_par_iter(self) -> Self::Iter {
                ($(self.$field.par_iter(),)+).into_par_iter()
            }
        }

        impl<'a, $($t),+> IntoParallelIterator for &'a mut ($($t,)+)
        where
            $($t: IntoParallelRefMutIterator<'a, Iter: IndexedParallelIterator>),+
        {
            type Iter = <($($t::Iter,)+) as IntoParallelIterator>::Iter;
            type Item = <($($t::Iter,)+) as IntoParallelIterator>::Item;

            fn into_par_iter(self) -> Self::Iter {
                ($(self.$field.par_iter_mut(),)+).into_par_iter()
            }
        }
    )*};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11)
}
