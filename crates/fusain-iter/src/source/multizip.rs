//! Tuples of chains: tuples of their elements, up to the shortest length.

use super::indexed::{IndexedSource, Pieces};
use crate::collect::IntoParallelIterator;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;

/// Tuples of the elements of several chains, up to the shortest length.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<(i32, char, bool)> = (0..2, ['a', 'b'], [true, false]).into_par_iter().collect();
/// assert_eq!(v, [(0, 'a', true), (1, 'b', false)]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct MultiZip<T>(T);

/// The source of a [`MultiZip`]: all are equally long.
#[doc(hidden)]
#[derive(Debug)]
pub struct MultiSource<T>(T);

/// A piece of a [`MultiZip`].
#[doc(hidden)]
#[derive(Debug)]
pub struct MultiPiece<T>(T);

/// Tuples have nothing in common but their shape.
macro_rules! tuples {
    ($(($($t:ident $field:tt),+))*) => {$(
        impl<$($t: IntoParallelIterator<Iter: IndexedParallelIterator>),+> IntoParallelIterator for ($($t,)+) {
            type Iter = MultiZip<($($t::Iter,)+)>;
            type Item = ($($t::Item,)+);

            fn into_par_iter(self) -> Self::Iter {
                MultiZip(($(self.$field.into_par_iter(),)+))
            }
        }

        impl<'a, $($t),+> IntoParallelIterator for &'a ($($t,)+)
        where
            $(&'a $t: IntoParallelIterator<Iter: IndexedParallelIterator>),+
        {
            type Iter = MultiZip<($(<&'a $t as IntoParallelIterator>::Iter,)+)>;
            type Item = ($(<&'a $t as IntoParallelIterator>::Item,)+);

            fn into_par_iter(self) -> Self::Iter {
                MultiZip(($(self.$field.into_par_iter(),)+))
            }
        }

        impl<'a, $($t),+> IntoParallelIterator for &'a mut ($($t,)+)
        where
            $(&'a mut $t: IntoParallelIterator<Iter: IndexedParallelIterator>),+
        {
            type Iter = MultiZip<($(<&'a mut $t as IntoParallelIterator>::Iter,)+)>;
            type Item = ($(<&'a mut $t as IntoParallelIterator>::Item,)+);

            fn into_par_iter(self) -> Self::Iter {
                MultiZip(($(self.$field.into_par_iter(),)+))
            }
        }

        impl<$($t: IndexedParallelIterator),+> ParallelIterator for MultiZip<($($t,)+)> {
            type Item = ($($t::Item,)+);
            type Source<'s> = Pieces<MultiSource<($($t::Indexed<'s>,)+)>> where Self: 's;

            fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
                Pieces(self.indexed(settings))
            }

            fn opt_len(&self) -> Option<usize> {
                Some(self.len())
            }
        }

        impl<$($t: IndexedParallelIterator),+> IndexedParallelIterator for MultiZip<($($t,)+)> {
            type Indexed<'s> = MultiSource<($($t::Indexed<'s>,)+)> where Self: 's;

            fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
                let mut sources = ($(self.0.$field.indexed(settings),)+);
                let n = usize::MAX$(.min(sources.$field.left()))+;
                $(drop(sources.$field.split_at(n));)+
                MultiSource(sources)
            }

            fn len(&self) -> usize {
                usize::MAX$(.min(self.0.$field.len()))+
            }
        }

        impl<$($t: IndexedSource),+> IndexedSource for MultiSource<($($t,)+)> {
            type Item = ($($t::Item,)+);
            type Piece<'p> = MultiPiece<($($t::Piece<'p>,)+)> where Self: 'p;

            #[inline(always)]
            fn left(&self) -> usize {
                self.0.0.left()
            }

            #[inline(always)]
            fn front(&mut self, n: usize) -> Self::Piece<'_> {
                MultiPiece(($(self.0.$field.front(n),)+))
            }

            #[inline(always)]
            fn back(&mut self, n: usize) -> Self::Piece<'_> {
                MultiPiece(($(self.0.$field.back(n),)+))
            }

            fn split_at(&mut self, n: usize) -> Self {
                MultiSource(($(self.0.$field.split_at(n),)+))
            }

            #[inline(always)]
            fn is_exact(&self, seal: Seal) -> bool {
                $(self.0.$field.is_exact(seal))&&+
            }

            fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
                $(self.0.$field.swap_begun(&mut other.0.$field, seal);)+
            }
        }

        impl<$($t: ExactSizeIterator),+> Iterator for MultiPiece<($($t,)+)> {
            type Item = ($($t::Item,)+);

            #[inline(always)]
            fn next(&mut self) -> Option<Self::Item> {
                Some(($(self.0.$field.next()?,)+))
            }

            #[inline(always)]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.0.size_hint()
            }
        }

        impl<$($t: ExactSizeIterator + DoubleEndedIterator),+> DoubleEndedIterator for MultiPiece<($($t,)+)> {
            #[inline(always)]
            fn next_back(&mut self) -> Option<Self::Item> {
                Some(($(self.0.$field.next_back()?,)+))
            }
        }

        impl<$($t: ExactSizeIterator),+> ExactSizeIterator for MultiPiece<($($t,)+)> {}
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
