//! Collections from chains, and chains from collections: the traits.

pub(crate) mod both;
mod collections;
mod outcomes;
mod strings;
pub(crate) mod vec;

use std::ops::RangeBounds;

use crate::parallel::ParallelIterator;

/// What can be made a chain, by value.
///
/// ```
/// use fusain_iter::prelude::*;
/// assert_eq!(vec![1, 2].into_par_iter().sum::<i32>(), 3);
/// ```
pub trait IntoParallelIterator {
    /// The chain.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// Its elements.
    type Item: Send;

    /// Makes a chain of it.
    fn into_par_iter(self) -> Self::Iter;
}

impl<I: ParallelIterator> IntoParallelIterator for I {
    type Iter = I;
    type Item = I::Item;

    fn into_par_iter(self) -> I {
        self
    }
}

/// What can be looked at by a chain: whatever a reference to can be made one.
///
/// ```
/// use fusain_iter::prelude::*;
/// assert_eq!([1, 2].par_iter().max(), Some(&2));
/// ```
pub trait IntoParallelRefIterator<'data> {
    /// The chain.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// Its elements.
    type Item: Send + 'data;

    /// A chain of references.
    fn par_iter(&'data self) -> Self::Iter;
}

impl<'data, I: 'data + ?Sized> IntoParallelRefIterator<'data> for I
where
    &'data I: IntoParallelIterator,
{
    type Iter = <&'data I as IntoParallelIterator>::Iter;
    type Item = <&'data I as IntoParallelIterator>::Item;

    fn par_iter(&'data self) -> Self::Iter {
        self.into_par_iter()
    }
}

/// What can be changed by a chain: whatever an exclusive reference to can be made one.
///
/// ```
/// use fusain_iter::prelude::*;
/// let mut v = [1, 2];
/// v.par_iter_mut().for_each(|x| *x += 1);
/// assert_eq!(v, [2, 3]);
/// ```
pub trait IntoParallelRefMutIterator<'data> {
    /// The chain.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// Its elements.
    type Item: Send + 'data;

    /// A chain of exclusive references.
    fn par_iter_mut(&'data mut self) -> Self::Iter;
}

impl<'data, I: 'data + ?Sized> IntoParallelRefMutIterator<'data> for I
where
    &'data mut I: IntoParallelIterator,
{
    type Iter = <&'data mut I as IntoParallelIterator>::Iter;
    type Item = <&'data mut I as IntoParallelIterator>::Item;

    fn par_iter_mut(&'data mut self) -> Self::Iter {
        self.into_par_iter()
    }
}

/// What can be emptied by a chain, which gives its elements by value.
///
/// ```
/// use fusain_iter::prelude::*;
/// let mut set = std::collections::HashSet::from([1, 2]);
/// assert_eq!(set.par_drain().sum::<i32>(), 3);
/// assert!(set.is_empty());
/// ```
pub trait ParallelDrainFull {
    /// The chain.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// Its elements.
    type Item: Send;

    /// A chain of all elements, which are gone from the collection.
    fn par_drain(self) -> Self::Iter;
}

/// What a chain can take a part out of, which gives its elements by value.
///
/// ```
/// use fusain_iter::prelude::*;
/// let mut v = vec![1, 2, 3];
/// assert_eq!(v.par_drain(..2).sum::<i32>(), 3);
/// assert_eq!(v, [3]);
/// ```
pub trait ParallelDrainRange<Idx = usize> {
    /// The chain.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// Its elements.
    type Item: Send;

    /// A chain of the elements in `range`, which are gone from the collection when the chain is.
    ///
    /// # Panics
    ///
    /// If the range does not lie in the collection.
    fn par_drain<R: RangeBounds<Idx>>(self, range: R) -> Self::Iter;
}

/// What can be made of a chain's elements: see [`collect`](ParallelIterator::collect).
///
/// ```
/// use fusain_iter::prelude::*;
/// let set = std::collections::BTreeSet::from_par_iter([3, 1, 3]);
/// assert_eq!(set.len(), 2);
/// ```
pub trait FromParallelIterator<T: Send> {
    /// Makes it of the elements of `chain`.
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self;
}

/// What can be made larger by a chain's elements.
///
/// ```
/// use fusain_iter::prelude::*;
/// let mut v = vec![1];
/// v.par_extend([2, 3]);
/// assert_eq!(v, [1, 2, 3]);
/// ```
pub trait ParallelExtend<T: Send> {
    /// Adds the elements of `chain`.
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, chain: I);

    /// Adds elements that lie in a vector.
    #[doc(hidden)]
    fn extend_by(&mut self, elements: Vec<T>) {
        self.par_extend(elements);
    }
}
