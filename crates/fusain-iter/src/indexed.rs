//! The trait of chains that know where each element is.

use std::cmp::Ordering;

use crate::adaptor::*;
use crate::collect::{IntoParallelIterator, vec};
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::sink::search::{self, Which};
use crate::source::indexed::IndexedSource;

/// A chain whose elements are counted: it can be cut anywhere, zipped with another, and read from its back.
///
/// The names are those of rayon's trait. `collect` into a `Vec`, and what else keeps the order, write each element to its place at once.
///
/// ```
/// use fusain_iter::prelude::*;
///
/// let (a, b) = ([1, 2, 3], [10, 20, 30]);
/// let sums: Vec<i32> = a.par_iter().zip(&b).map(|(x, y)| x + y).rev().collect();
/// assert_eq!(sums, [33, 22, 11]);
/// ```
#[expect(clippy::len_without_is_empty, reason = "the names are rayon's")]
pub trait IndexedParallelIterator: ParallelIterator {
    /// The running side of the chain where it is cut by number.
    type Indexed<'s>: IndexedSource<Item = Self::Item>
    where
        Self: 's;

    /// Begins a run, as [`source`](ParallelIterator::source) does; one of the two is called, once.
    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s>;

    /// How many elements come out.
    fn len(&self) -> usize;

    // Adaptors.

    /// Pairs of the elements of this chain and of `other`, as far as both go. See [`Zip`].
    fn zip<Z: IntoParallelIterator<Iter: IndexedParallelIterator>>(self, other: Z) -> Zip<Self, Z::Iter> {
        Zip::new(self, other.into_par_iter())
    }

    /// As [`zip`](Self::zip) of chains that are equally long.
    ///
    /// # Panics
    ///
    /// If they are not.
    #[track_caller]
    fn zip_eq<Z: IntoParallelIterator<Iter: IndexedParallelIterator>>(self, other: Z) -> ZipEq<Self, Z::Iter> {
        let other = other.into_par_iter();
        assert_eq!(self.len(), other.len(), "iterators must have the same length");
        ZipEq::new(self, other)
    }

    /// Elements of this chain and of `other` in turn, then the rest of the longer one. See [`Interleave`].
    fn interleave<J>(self, other: J) -> Interleave<Self, J::Iter>
    where
        J: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
    {
        Interleave::new(self, other.into_par_iter())
    }

    /// Elements of this chain and of `other` in turn, until the one whose turn it is has none. See [`InterleaveShortest`].
    fn interleave_shortest<J>(self, other: J) -> InterleaveShortest<Self, J::Iter>
    where
        J: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
    {
        InterleaveShortest::new(self, other.into_par_iter())
    }

    /// Vectors of `size` elements, of which the last may be shorter. See [`Chunks`].
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn chunks(self, size: usize) -> Chunks<Self> {
        assert!(size != 0, "chunk_size must not be zero");
        Chunks::new(self, size)
    }

    /// What each `size` elements fold to. See [`FoldChunks`].
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

    /// What each `size` elements fold to, from a clone of `init`. See [`FoldChunksWith`].
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

    /// Each element with its index. See [`Enumerate`].
    fn enumerate(self) -> Enumerate<Self> {
        Enumerate::new(self)
    }

    /// Every `step`-th element, from the first one on. See [`StepBy`].
    ///
    /// # Panics
    ///
    /// If `step` is 0.
    #[track_caller]
    fn step_by(self, step: usize) -> StepBy<Self> {
        assert!(step != 0, "step must not be zero");
        StepBy::new(self, step)
    }

    /// All but the first `n` elements, which are not computed. See [`Skip`].
    fn skip(self, n: usize) -> Skip<Self> {
        Skip::new(self, n)
    }

    /// The first `n` elements; others are not computed. See [`Take`].
    fn take(self, n: usize) -> Take<Self> {
        Take::new(self, n)
    }

    /// The elements from the last to the first. See [`Rev`].
    fn rev(self) -> Rev<Self> {
        Rev::new(self)
    }

    /// `f` of every `N` neighbours. See [`MapWindows`].
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

    /// Has no unit of more than `max` elements. See [`MaxLen`].
    fn with_max_len(self, max: usize) -> MaxLen<Self> {
        MaxLen::new(self, max)
    }

    // Ends.

    /// Replaces what is in `target` by the elements, in the memory that it has if that is enough.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// let mut v = vec![7];
    /// (0..3).into_par_iter().collect_into_vec(&mut v);
    /// assert_eq!(v, [0, 1, 2]);
    /// ```
    fn collect_into_vec(self, target: &mut Vec<Self::Item>) {
        target.clear();
        vec::append(self, target);
    }

    /// Replaces what is in `left` and `right` by the sides of the elements.
    fn unzip_into_vecs<A: Send, B: Send>(self, left: &mut Vec<A>, right: &mut Vec<B>)
    where
        Self: IndexedParallelIterator<Item = (A, B)>,
    {
        let (a, b): (Vec<A>, Vec<B>) = self.unzip();
        (*left, *right) = (a, b);
    }

    /// What elements add up to by `op`, which is associative, each with all that are before it. In two sweeps over memory.
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
        let mut settings = Settings::default();
        let source = self.source(&mut settings);
        let mut all = vec::of_source(&settings, source);
        settings.policy.inclusive_scan_in_place(&mut all, |a, b| op(a, b));
        all
    }

    /// What the elements before each add up to by `op`, which is associative, and `init` in front of them all. In two sweeps over memory.
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
        let mut settings = Settings::default();
        let source = self.source(&mut settings);
        let mut all = vec::of_source(&settings, source);
        settings.policy.exclusive_scan_in_place(&mut all, init, |a, b| op(a, b));
        all
    }

    /// How the elements compare with those of `other`, as words in a dictionary.
    fn cmp<J>(self, other: J) -> Ordering
    where
        J: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
        Self::Item: Ord,
    {
        let other = other.into_par_iter();
        let lengths = self.len().cmp(&other.len());
        let unequal = |(a, b): (Self::Item, Self::Item)| Some(Ord::cmp(&a, &b)).filter(|order| order.is_ne());
        search::find(self.zip(other), Which::First, unequal).unwrap_or(lengths)
    }

    /// As [`cmp`](Self::cmp), where some elements cannot be compared.
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
        search::find(self.zip(other), Which::First, unequal).unwrap_or(Some(lengths))
    }

    /// Whether all elements are equal to those of `other`, and there are as many.
    fn eq<J>(self, other: J) -> bool
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialEq<J::Item>,
    {
        let other = other.into_par_iter();
        self.len() == other.len() && self.zip(other).all(|(a, b)| PartialEq::eq(&a, &b))
    }

    /// Whether not [`eq`](Self::eq).
    fn ne<J>(self, other: J) -> bool
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialEq<J::Item>,
    {
        !self.eq(other)
    }

    /// Whether [`partial_cmp`](Self::partial_cmp) says less.
    fn lt<J>(self, other: J) -> bool
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<J::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_lt)
    }

    /// Whether [`partial_cmp`](Self::partial_cmp) says less or equal.
    fn le<J>(self, other: J) -> bool
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<J::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_le)
    }

    /// Whether [`partial_cmp`](Self::partial_cmp) says greater.
    fn gt<J>(self, other: J) -> bool
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<J::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_gt)
    }

    /// Whether [`partial_cmp`](Self::partial_cmp) says greater or equal.
    fn ge<J>(self, other: J) -> bool
    where
        J: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<J::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_ge)
    }

    /// The index of some element that satisfies `predicate`.
    #[inline]
    fn position_any<P: Fn(Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Option<usize> {
        search::find(self.enumerate(), Which::Any, |(i, x)| predicate(x).then_some(i))
    }

    /// The index of the first element that satisfies `predicate`.
    #[inline]
    fn position_first<P: Fn(Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Option<usize> {
        search::find(self.enumerate(), Which::First, |(i, x)| predicate(x).then_some(i))
    }

    /// The index of the last element that satisfies `predicate`, looked for from the back.
    #[inline]
    fn position_last<P: Fn(Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Option<usize> {
        search::find_last(self.enumerate(), |(i, x)| predicate(x).then_some(i))
    }

    /// Say which one: [`position_any`](Self::position_any) or [`position_first`](Self::position_first).
    #[doc(hidden)]
    #[deprecated(note = "parallel `position` does not search in order: use `position_any`, or `position_first`")]
    fn position<P: Fn(Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Option<usize> {
        self.position_any(predicate)
    }
}
