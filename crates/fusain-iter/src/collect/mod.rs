//! Collections from chains, and chains from collections: the traits.

mod both;
mod collections;
mod outcomes;
mod strings;
mod vec;

use std::ops::RangeBounds;

use crate::exact::LengthBound;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;

/// Converts a value into a parallel iterator, as `IntoIterator` does for sequential ones.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
/// assert_eq!(vec![1, 2].into_par_iter().sum::<i32>(), 3);
/// ```
pub trait IntoParallelIterator {
    /// The chain.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// The type of the elements.
    type Item: Send;

    /// Converts it into a parallel iterator.
    fn into_par_iter(self) -> Self::Iter;

    /// What the type tells about the number of elements.
    #[doc(hidden)]
    const LENGTH_BOUND: LengthBound = LengthBound::Unbounded;

    /// Folds the elements on this thread; for types whose [`LENGTH_BOUND`](Self::LENGTH_BOUND) says that there are few.
    #[doc(hidden)]
    #[inline(always)]
    fn fold_few<A>(self, acc: A, step: impl FnMut(A, Self::Item) -> A, _: Seal) -> A
    where
        Self: Sized,
    {
        let _ = (acc, step);
        unreachable!("a type that says that there are few folds them")
    }
}

impl<I: ParallelIterator> IntoParallelIterator for I {
    type Iter = I;
    type Item = I::Item;

    fn into_par_iter(self) -> I {
        self
    }
}

/// Adds `par_iter` to every type whose references are [`IntoParallelIterator`].
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
/// assert_eq!([1, 2].par_iter().max(), Some(&2));
/// ```
pub trait IntoParallelRefIterator<'data> {
    /// The chain.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// The type of the elements.
    type Item: Send + 'data;

    /// A parallel iterator of references.
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

/// Adds `par_iter_mut` to every type whose mutable references are [`IntoParallelIterator`].
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
/// let mut v = [1, 2];
/// v.par_iter_mut().for_each(|x| *x += 1);
/// assert_eq!(v, [2, 3]);
/// ```
pub trait IntoParallelRefMutIterator<'data> {
    /// The chain.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// The type of the elements.
    type Item: Send + 'data;

    /// A parallel iterator of mutable references.
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

/// Collections that a parallel iterator can empty, taking the elements by value.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
/// let mut set = std::collections::HashSet::from([1, 2]);
/// assert_eq!(set.par_drain().sum::<i32>(), 3);
/// assert!(set.is_empty());
/// ```
pub trait ParallelDrainFull {
    /// The chain.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// The type of the elements.
    type Item: Send;

    /// A parallel iterator of all elements, by value. The collection is empty afterwards.
    fn par_drain(self) -> Self::Iter;
}

/// Collections from which a parallel iterator can take a range of elements, by value.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
/// let mut v = vec![1, 2, 3];
/// assert_eq!(v.par_drain(..2).sum::<i32>(), 3);
/// assert_eq!(v, [3]);
/// ```
pub trait ParallelDrainRange<Idx = usize> {
    /// The chain.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// The type of the elements.
    type Item: Send;

    /// A parallel iterator of the elements in `range`, by value. They are removed from the collection when the iterator is dropped.
    ///
    /// # Panics
    ///
    /// If the range does not lie in the collection.
    fn par_drain<R: RangeBounds<Idx>>(self, range: R) -> Self::Iter;
}

/// Collections that can be made of the elements of a parallel iterator; see [`collect`](ParallelIterator::collect).
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
/// let set = std::collections::BTreeSet::from_par_iter([3, 1, 3]);
/// assert_eq!(set.len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be made of a parallel iterator over elements of type `{T}`",
    note = "if the elements are references, call `.copied()` or `.cloned()` first"
)]
pub trait FromParallelIterator<T: Send> {
    /// Makes the collection of the elements of `chain`.
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self;
}

/// Collections to which the elements of a parallel iterator can be added.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
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

/// The elements of `chain`, added to a collection that has none.
pub(crate) fn extended<C: Default + ParallelExtend<T>, T: Send>(chain: impl IntoParallelIterator<Item = T>) -> C {
    let mut collection = C::default();
    collection.par_extend(chain);
    collection
}
