//! Slices: their elements, and parts of them.

mod chunks;
mod divide;
mod elements;
mod parts;
mod windows;

pub use chunks::{Chunks, ChunksExact, ChunksExactMut, ChunksMut, RChunks, RChunksExact, RChunksExactMut, RChunksMut};
pub use divide::{ChunkBy, ChunkByMut, Split, SplitInclusive, SplitInclusiveMut, SplitMut};
pub use elements::{Iter, IterMut};
pub use windows::{ArrayWindows, Windows};

use std::cmp::Ordering;

use fusain_algorithms::par;

/// Chains over parts of a slice.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
///
/// let sums: Vec<i32> = [1, 2, 3, 4, 5].par_chunks(2).map(|c| c.iter().sum()).collect();
/// assert_eq!(sums, [3, 7, 5]);
/// ```
pub trait ParallelSlice<T: Sync> {
    /// The slice.
    fn as_parallel_slice(&self) -> &[T];

    /// Splits the slice at separators, which belong to no part.
    fn par_split<P: Fn(&T) -> bool + Sync + Send>(&self, separator: P) -> Split<'_, T, P> {
        Split::new(self.as_parallel_slice(), separator)
    }

    /// Splits the slice after separators: each is the last element of its part.
    fn par_split_inclusive<P: Fn(&T) -> bool + Sync + Send>(&self, separator: P) -> SplitInclusive<'_, T, P> {
        SplitInclusive::new(self.as_parallel_slice(), separator)
    }

    /// All windows of `size` neighbouring elements.
    ///
    /// If `size` is a constant, [`par_array_windows`](ParallelSlice::par_array_windows) is faster: the compiler knows the length of its windows.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn par_windows(&self, size: usize) -> Windows<'_, T> {
        assert!(size != 0, "window_size must not be zero");
        Windows::new(self.as_parallel_slice(), size)
    }

    /// All windows of `N` neighbouring elements, as arrays. `N` must not be 0, which the compiler checks.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// let smooth: Vec<f32> = [1.0, 2.0, 6.0, 1.0].par_array_windows().map(|[a, b, c]| (a + b + c) / 3.0).collect();
    /// assert_eq!(smooth, [3.0, 3.0]);
    /// ```
    fn par_array_windows<const N: usize>(&self) -> ArrayWindows<'_, T, N> {
        const { assert!(N != 0, "a window has an element") };
        ArrayWindows::new(self.as_parallel_slice())
    }

    /// Parts of `size` elements; the last may be shorter.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn par_chunks(&self, size: usize) -> Chunks<'_, T> {
        assert!(size != 0, "chunk_size must not be zero");
        Chunks::new(self.as_parallel_slice(), size)
    }

    /// Parts of exactly `size` elements; a remainder at the end is left out.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn par_chunks_exact(&self, size: usize) -> ChunksExact<'_, T> {
        assert!(size != 0, "chunk_size must not be zero");
        ChunksExact::new(self.as_parallel_slice(), size)
    }

    /// Parts of `size` elements, from the back; the one at the front may be shorter.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn par_rchunks(&self, size: usize) -> RChunks<'_, T> {
        assert!(size != 0, "chunk_size must not be zero");
        RChunks::new(self.as_parallel_slice(), size)
    }

    /// Parts of exactly `size` elements, from the back; a remainder at the front is left out.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn par_rchunks_exact(&self, size: usize) -> RChunksExact<'_, T> {
        assert!(size != 0, "chunk_size must not be zero");
        RChunksExact::new(self.as_parallel_slice(), size)
    }

    /// Splits the slice between neighbours for which `same` does not hold. `same` is called at most once for each pair.
    fn par_chunk_by<F: Fn(&T, &T) -> bool + Send + Sync>(&self, same: F) -> ChunkBy<'_, T, F> {
        ChunkBy::new(self.as_parallel_slice(), same)
    }
}

impl<T: Sync> ParallelSlice<T> for [T] {
    fn as_parallel_slice(&self) -> &[T] {
        self
    }
}

/// Chains over parts of a slice that may be changed, and sorts.
///
/// The sorts are those of [`ParSort`](fusain_algorithms::prelude::ParSort). They are here, too, for programs that import rayon's traits by name: use one of the two in a file.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
///
/// let mut v = [1, 2, 3, 4, 5];
/// v.par_chunks_mut(2).for_each(|c| c.reverse());
/// assert_eq!(v, [2, 1, 4, 3, 5]);
/// v.par_sort_unstable_by_key(|x| (x % 2, *x));
/// assert_eq!(v, [2, 4, 1, 3, 5]);
/// ```
pub trait ParallelSliceMut<T: Send> {
    /// The slice.
    fn as_parallel_slice_mut(&mut self) -> &mut [T];

    /// Splits the slice at separators, which belong to no part.
    fn par_split_mut<P: Fn(&T) -> bool + Sync + Send>(&mut self, separator: P) -> SplitMut<'_, T, P> {
        SplitMut::new(self.as_parallel_slice_mut(), separator)
    }

    /// Splits the slice after separators: each is the last element of its part.
    fn par_split_inclusive_mut<P: Fn(&T) -> bool + Sync + Send>(
        &mut self,
        separator: P,
    ) -> SplitInclusiveMut<'_, T, P> {
        SplitInclusiveMut::new(self.as_parallel_slice_mut(), separator)
    }

    /// Parts of `size` elements; the last may be shorter.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
        assert!(size != 0, "chunk_size must not be zero");
        ChunksMut::new(self.as_parallel_slice_mut(), size)
    }

    /// Parts of exactly `size` elements; a remainder at the end is left out.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn par_chunks_exact_mut(&mut self, size: usize) -> ChunksExactMut<'_, T> {
        assert!(size != 0, "chunk_size must not be zero");
        ChunksExactMut::new(self.as_parallel_slice_mut(), size)
    }

    /// Parts of `size` elements, from the back; the one at the front may be shorter.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn par_rchunks_mut(&mut self, size: usize) -> RChunksMut<'_, T> {
        assert!(size != 0, "chunk_size must not be zero");
        RChunksMut::new(self.as_parallel_slice_mut(), size)
    }

    /// Parts of exactly `size` elements, from the back; a remainder at the front is left out.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    fn par_rchunks_exact_mut(&mut self, size: usize) -> RChunksExactMut<'_, T> {
        assert!(size != 0, "chunk_size must not be zero");
        RChunksExactMut::new(self.as_parallel_slice_mut(), size)
    }

    /// Splits the slice between neighbours for which `same` does not hold. `same` is called at most once for each pair.
    fn par_chunk_by_mut<F: Fn(&T, &T) -> bool + Send + Sync>(&mut self, same: F) -> ChunkByMut<'_, T, F> {
        ChunkByMut::new(self.as_parallel_slice_mut(), same)
    }

    /// Sorts the slice, stably.
    ///
    /// It makes O(n log n) comparisons and needs memory for n elements. It panics if a comparison panics, and may panic if the order of `T` is not a total order; the slice then
    /// still has every element once, in an unspecified order. See [`Par::sort`](fusain_algorithms::Par::sort).
    fn par_sort(&mut self)
    where
        T: Ord,
    {
        par().sort(self.as_parallel_slice_mut())
    }

    /// Sorts the slice by `compare`, stably.
    ///
    /// It costs as much as [`par_sort`](ParallelSliceMut::par_sort), and panics in the same cases. See [`Par::sort_by`](fusain_algorithms::Par::sort_by).
    fn par_sort_by<F: Fn(&T, &T) -> Ordering + Sync>(&mut self, compare: F) {
        par().sort_by(self.as_parallel_slice_mut(), compare)
    }

    /// Sorts the slice by key, stably.
    ///
    /// Each comparison computes two keys. Otherwise it costs as much as [`par_sort`](ParallelSliceMut::par_sort), and panics in the same cases, or if `key` panics. See
    /// [`Par::sort_by_key`](fusain_algorithms::Par::sort_by_key).
    fn par_sort_by_key<K: Ord, F: Fn(&T) -> K + Sync>(&mut self, key: F) {
        par().sort_by_key(self.as_parallel_slice_mut(), key)
    }

    /// Sorts the slice by key, stably, computing each key once.
    ///
    /// It makes n calls of `key` and O(n log n) comparisons of keys, and needs memory for O(n) keys and indices. It panics if `key` or a comparison panics; then no element has
    /// moved. See [`Par::sort_by_cached_key`](fusain_algorithms::Par::sort_by_cached_key).
    fn par_sort_by_cached_key<K: Ord + Send, F: Fn(&T) -> K + Sync>(&mut self, key: F) {
        par().sort_by_cached_key(self.as_parallel_slice_mut(), key)
    }

    /// Sorts the slice; equal elements may change their order.
    ///
    /// It makes O(n log n) comparisons, on up to four workers usually without extra memory, otherwise with memory for n elements. Integers are sorted by their bits, and strings as
    /// by [`par_sort`](ParallelSliceMut::par_sort), both with extra memory. It panics in the same cases as `par_sort`. See
    /// [`Par::sort_unstable`](fusain_algorithms::Par::sort_unstable).
    fn par_sort_unstable(&mut self)
    where
        T: Ord,
    {
        par().sort_unstable(self.as_parallel_slice_mut())
    }

    /// Sorts the slice by `compare`; equal elements may change their order.
    ///
    /// It costs as much as [`par_sort_unstable`](ParallelSliceMut::par_sort_unstable), and panics in the same cases. See
    /// [`Par::sort_unstable_by`](fusain_algorithms::Par::sort_unstable_by).
    fn par_sort_unstable_by<F: Fn(&T, &T) -> Ordering + Sync>(&mut self, compare: F) {
        par().sort_unstable_by(self.as_parallel_slice_mut(), compare)
    }

    /// Sorts the slice by key; equal elements may change their order.
    ///
    /// Each comparison computes two keys. Otherwise it costs as much as [`par_sort_unstable`](ParallelSliceMut::par_sort_unstable), and panics in the same cases, or if `key`
    /// panics. See [`Par::sort_unstable_by_key`](fusain_algorithms::Par::sort_unstable_by_key).
    fn par_sort_unstable_by_key<K: Ord, F: Fn(&T) -> K + Sync>(&mut self, key: F) {
        par().sort_unstable_by_key(self.as_parallel_slice_mut(), key)
    }
}

impl<T: Send> ParallelSliceMut<T> for [T] {
    fn as_parallel_slice_mut(&mut self) -> &mut [T] {
        self
    }
}
