//! The trait of chains that know the position of each element.

use std::cmp::Ordering;

use crate::adaptor::*;
use crate::collect::{IntoParallelIterator, ParallelExtend};
use crate::parallel::{ParallelIterator, run};
use crate::settings::Settings;
use crate::sink::vector;
use crate::source::indexed::IndexedSource;

/// A parallel iterator with a known length. It can be split at any index, zipped with another, and reversed.
///
/// The methods have the names of rayon's trait. `collect` into a `Vec` writes each element to its final place.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
///
/// let (a, b) = ([1, 2, 3], [10, 20, 30]);
/// let sums: Vec<i32> = a.par_iter().zip(&b).map(|(x, y)| x + y).rev().collect();
/// assert_eq!(sums, [33, 22, 11]);
/// ```
#[expect(clippy::len_without_is_empty, reason = "the names are rayon's")]
pub trait IndexedParallelIterator: ParallelIterator {
    /// The chain while it runs, split by index.
    type Indexed<'s>: IndexedSource<Item = Self::Item>
    where
        Self: 's;

    /// Begins a run, like [`source`](ParallelIterator::source). Only one of the two may be called, and only once.
    ///
    /// Both give the same elements in the same order. The source that `source` returns must count single elements, too, so that [`left`](crate::iter::Source::left) is exact:
    /// otherwise the numbers of [`enumerate`](Self::enumerate) are wrong.
    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s>;

    /// The number of elements.
    ///
    /// # Panics
    ///
    /// If it overflows `usize`, which it can after `chain`, `interleave`, `interleave_shortest` or `intersperse`.
    fn len(&self) -> usize;

    // Adaptors.

    /// Pairs the elements with those of `other`, up to the shorter length. See [`Zip`].
    fn zip<Z: IntoParallelIterator<Iter: IndexedParallelIterator>>(self, other: Z) -> Zip<Self, Z::Iter> {
        Zip::new(self, other.into_par_iter())
    }

    /// Like [`zip`](Self::zip), for chains of equal length.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    #[track_caller]
    fn zip_eq<Z: IntoParallelIterator<Iter: IndexedParallelIterator>>(self, other: Z) -> ZipEq<Self, Z::Iter> {
        let other = other.into_par_iter();
        assert_eq!(self.len(), other.len(), "iterators must have the same length");
        ZipEq::new(self, other)
    }

    /// Alternates the elements with those of `other`; the rest of the longer chain follows. See [`Interleave`].
    fn interleave<J>(self, other: J) -> Interleave<Self, J::Iter>
    where
        J: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
    {
        Interleave::new(self, other.into_par_iter())
    }

    /// Alternates the elements with those of `other`, until the next one in turn is missing. See [`InterleaveShortest`].
    fn interleave_shortest<J>(self, other: J) -> InterleaveShortest<Self, J::Iter>
    where
        J: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
    {
        InterleaveShortest::new(self, other.into_par_iter())
    }

    /// Makes a vector of every `size` elements in a row; the last one may be shorter. See [`Chunks`].
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn chunks(self, size: usize) -> Chunks<Self> {
        assert!(size != 0, "chunk_size must not be zero");
        Chunks::new(self, size)
    }

    /// Folds every `size` elements in a row to one value. See [`FoldChunks`].
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn fold_chunks<T, N, F>(self, size: usize, identity: N, f: F) -> FoldChunks<Self, N, F>
    where
        N: Fn() -> T + Send + Sync,
        F: Fn(T, Self::Item) -> T + Send + Sync,
        T: Send,
    {
        assert!(size != 0, "chunk_size must not be zero");
        FoldChunks::new(self, size, identity, f)
    }

    /// Folds every `size` elements in a row to one value, starting from a clone of `init`. See [`FoldChunksWith`].
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn fold_chunks_with<T, F>(self, size: usize, init: T, f: F) -> FoldChunksWith<Self, T, F>
    where
        T: Send + Clone,
        F: Fn(T, Self::Item) -> T + Send + Sync,
    {
        assert!(size != 0, "chunk_size must not be zero");
        FoldChunksWith::new(self, size, init, f)
    }

    /// Pairs each element with its index. See [`Enumerate`].
    fn enumerate(self) -> Enumerate<Self> {
        Enumerate::new(self)
    }

    /// Keeps every `step`-th element, from the first one on. See [`StepBy`].
    ///
    /// # Panics
    ///
    /// If `step` is 0.
    #[track_caller]
    fn step_by(self, step: usize) -> StepBy<Self> {
        assert!(step != 0, "step must not be zero");
        StepBy::new(self, step)
    }

    /// Skips the first `n` elements, which are computed nevertheless. See [`Skip`].
    fn skip(self, n: usize) -> Skip<Self> {
        Skip::new(self, n)
    }

    /// Keeps the first `n` elements; the others are not computed. See [`Take`].
    fn take(self, n: usize) -> Take<Self> {
        Take::new(self, n)
    }

    /// Reverses the order of the elements. See [`Rev`].
    fn rev(self) -> Rev<Self> {
        Rev::new(self)
    }

    /// Calls `f` on all windows of `N` neighbouring elements; they overlap. `N` must not be 0, which the compiler checks. See [`MapWindows`].
    fn map_windows<F, R, const N: usize>(self, f: F) -> MapWindows<Self, F, N>
    where
        F: Fn(&[Self::Item; N]) -> R + Sync + Send,
        Self::Item: Clone,
        R: Send,
    {
        const { assert!(N != 0, "a window has an element") };
        MapWindows::new(self, f)
    }

    /// The indices of the elements that satisfy `predicate`. See [`Positions`].
    fn positions<P: Fn(Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Positions<Self, P> {
        Positions::new(self, predicate)
    }

    /// Splits off no part of fewer than `min` elements. See [`MinLen`].
    fn with_min_len(self, min: usize) -> MinLen<Self> {
        MinLen::new(self, min)
    }

    /// Makes no unit of work longer than `max` elements. See [`MaxLen`].
    fn with_max_len(self, max: usize) -> MaxLen<Self> {
        MaxLen::new(self, max)
    }

    // Methods that run the chain.

    /// Replaces the contents of `target` by the elements. The vector's memory is reused if it is large enough.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// let mut v = vec![7];
    /// (0..3).into_par_iter().collect_into_vec(&mut v);
    /// assert_eq!(v, [0, 1, 2]);
    /// ```
    fn collect_into_vec(self, target: &mut Vec<Self::Item>) {
        target.clear();
        target.par_extend(self);
    }

    /// Replaces the contents of `left` by the first members of the elements, which are pairs, and those of `right` by the second members. The vectors' memory is reused if
    /// it is large enough.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// let (mut a, mut b) = (vec![0], Vec::new());
    /// [(1, 2), (3, 4)].into_par_iter().unzip_into_vecs(&mut a, &mut b);
    /// assert_eq!((a, b), (vec![1, 3], vec![2, 4]));
    /// ```
    fn unzip_into_vecs<A: Send, B: Send>(mut self, left: &mut Vec<A>, right: &mut Vec<B>)
    where
        Self: IndexedParallelIterator<Item = (A, B)>,
    {
        left.clear();
        right.clear();
        run(&mut self, |settings, source| vector::append_both(settings, source, left, right));
    }

    /// Returns all inclusive prefix sums by `op`, which must be associative: at each index, the sum up to that element and including it.
    ///
    /// The elements are collected first, and the vector is then scanned in place: O(n) calls of `op`, and beside the result only memory for a sum of each block:
    /// of 128 elements or more, or of fewer if elements take long or it is not known yet how long.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert_eq!([1, 2, 3].into_par_iter().inclusive_scan(|a, b| a + b), [1, 3, 6]);
    /// ```
    fn inclusive_scan<F>(mut self, op: F) -> Vec<Self::Item>
    where
        Self::Item: Clone + Sync,
        F: Fn(&Self::Item, &Self::Item) -> Self::Item + Sync,
    {
        run(&mut self, |settings, source| {
            let mut all = vector::collect(settings, source);
            settings.policy.inclusive_scan_in_place(&mut all, |a, b| op(a, b));
            all
        })
    }

    /// Returns all exclusive prefix sums by `op`, which must be associative, starting from `init`: at each index, the sum up to that element but without it.
    /// Otherwise like [`inclusive_scan`](Self::inclusive_scan).
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert_eq!([1, 2, 3].into_par_iter().exclusive_scan(0, |a, b| a + b), [0, 1, 3]);
    /// ```
    fn exclusive_scan<F>(mut self, init: Self::Item, op: F) -> Vec<Self::Item>
    where
        Self::Item: Clone + Sync,
        F: Fn(&Self::Item, &Self::Item) -> Self::Item + Sync,
    {
        run(&mut self, |settings, source| {
            let mut all = vector::collect(settings, source);
            settings.policy.exclusive_scan_in_place(&mut all, init, |a, b| op(a, b));
            all
        })
    }

    /// Compares the elements with those of `other`, lexicographically.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert!([1, 2].par_iter().cmp(&[1, 3]).is_lt());
    /// ```
    fn cmp<J>(self, other: J) -> Ordering
    where
        J: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
        Self::Item: Ord,
    {
        let other = other.into_par_iter();
        let lengths = self.len().cmp(&other.len());
        let unequal = |(a, b): (Self::Item, Self::Item)| Some(Ord::cmp(&a, &b)).filter(|order| order.is_ne());
        self.zip(other).find_map_first(unequal).unwrap_or(lengths)
    }

    /// Like [`cmp`](Self::cmp), for elements with a partial order.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert_eq!([f64::NAN].par_iter().partial_cmp(&[1.0]), None);
    /// ```
    fn partial_cmp<J>(self, other: J) -> Option<Ordering>
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<J::Item>,
    {
        let other = other.into_par_iter();
        let lengths = self.len().cmp(&other.len());
        let unequal = |(a, b): (Self::Item, J::Item)| {
            Some(PartialOrd::partial_cmp(&a, &b)).filter(|order| *order != Some(Ordering::Equal))
        };
        self.zip(other).find_map_first(unequal).unwrap_or(Some(lengths))
    }

    /// Whether both chains have equally many elements, and these are equal pair by pair.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert!([1, 2].par_iter().eq(&[1, 2]));
    /// ```
    fn eq<J>(self, other: J) -> bool
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialEq<J::Item>,
    {
        let other = other.into_par_iter();
        self.len() == other.len() && self.zip(other).all(|(a, b)| PartialEq::eq(&a, &b))
    }

    /// Whether the chains differ: the opposite of [`eq`](Self::eq).
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert!([1, 2].par_iter().ne(&[1, 2, 3]));
    /// ```
    fn ne<J>(self, other: J) -> bool
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialEq<J::Item>,
    {
        !self.eq(other)
    }

    /// Whether the elements are less than those of `other`, by [`partial_cmp`](Self::partial_cmp).
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert!([1, 2].par_iter().lt(&[1, 3]));
    /// ```
    fn lt<J>(self, other: J) -> bool
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<J::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_lt)
    }

    /// Whether the elements are less than or equal to those of `other`, by [`partial_cmp`](Self::partial_cmp).
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert!([1, 2].par_iter().le(&[1, 2]));
    /// ```
    fn le<J>(self, other: J) -> bool
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<J::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_le)
    }

    /// Whether the elements are greater than those of `other`, by [`partial_cmp`](Self::partial_cmp).
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert!([1, 4].par_iter().gt(&[1, 3]));
    /// ```
    fn gt<J>(self, other: J) -> bool
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<J::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_gt)
    }

    /// Whether the elements are greater than or equal to those of `other`, by [`partial_cmp`](Self::partial_cmp).
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert!([1, 3].par_iter().ge(&[1, 3]));
    /// ```
    fn ge<J>(self, other: J) -> bool
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<J::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_ge)
    }

    /// The index of any element that satisfies `predicate`.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert_eq!([3, 1, 4].par_iter().position_any(|x| *x == 4), Some(2));
    /// ```
    #[inline]
    fn position_any<P: Fn(Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Option<usize> {
        self.enumerate().find_map_any(|(i, x)| predicate(x).then_some(i))
    }

    /// The index of the first element that satisfies `predicate`.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert_eq!([3, 1, 4, 1].par_iter().position_first(|x| *x == 1), Some(1));
    /// ```
    #[inline]
    fn position_first<P: Fn(Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Option<usize> {
        self.enumerate().find_map_first(|(i, x)| predicate(x).then_some(i))
    }

    /// The index of the last element that satisfies `predicate`. It searches from the back.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert_eq!([3, 1, 4, 1].par_iter().position_last(|x| *x == 1), Some(3));
    /// ```
    #[inline]
    fn position_last<P: Fn(Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Option<usize> {
        let last = self.len().wrapping_sub(1);
        self.rev().position_first(predicate).map(|from_back| last.wrapping_sub(from_back))
    }

    /// Use [`position_any`](Self::position_any) or [`position_first`](Self::position_first).
    #[doc(hidden)]
    #[deprecated(note = "parallel `position` does not search in order: use `position_any`, or `position_first`")]
    fn position<P: Fn(Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Option<usize> {
        self.position_any(predicate)
    }
}
