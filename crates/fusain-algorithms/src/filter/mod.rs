//! Some of the elements: copied, or kept in place.

mod block;
mod compress;
mod kernel;
mod near;
mod predicate;
mod retain;
mod sift;
#[cfg(test)]
mod tests;

use std::mem::MaybeUninit;

pub(crate) use block::{Answers, BLOCK, Part, ones};
pub(crate) use kernel::sift_bits;
use predicate::Unlike;
pub(crate) use predicate::{If, Said};
pub(crate) use sift::Moving;
use sift::{into_room, into_rooms, vector, vectors};

use crate::policy::Par;

/// # Filtering
///
/// Some of the elements go into new vectors.
impl Par<'_> {
    /// Returns clones of the elements of `v` that satisfy `predicate`, in order.
    ///
    /// This is C++'s `copy_if`. C++'s `remove_copy_if` is the same with the opposite predicate.
    ///
    /// O(n) work, one call of `predicate` for each element. Memory for the result, and for a few blocks of 32 KiB or 256 elements for each worker; if one block
    /// takes far longer than the others, for all elements behind it. Up to 8 MiB of numbers
    /// need no blocks, but one bit for each number with AVX-512, and memory for as many numbers without it. The vector may have a capacity as large as `v`;
    /// `shrink_to_fit` releases what it does not need. If `predicate` panics, the clones made so far are dropped and the panic propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().filter(&[3, 1, 4, 1, 5], |x| *x > 2), [3, 4, 5]);
    /// ```
    #[doc(alias = "pack")]
    #[doc(alias = "copy_if")]
    #[doc(alias = "remove_copy")]
    #[doc(alias = "remove_copy_if")]
    #[inline]
    pub fn filter<T: Clone + Send + Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> Vec<T> {
        vector(self, v, If(predicate))
    }

    /// Writes the elements of `v` that satisfy `predicate` to the front of `room` and returns that part, initialised.
    ///
    /// Otherwise like [`filter`](Par::filter); what `room` held before is not dropped.
    ///
    /// # Panics
    ///
    /// If `room` is too short for them.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 3];
    /// assert_eq!(fusain::par().filter_into(&[1, 2, 3], &mut room, |x| *x != 2), [1, 3]);
    /// ```
    #[doc(alias = "copy_if")]
    #[inline]
    pub fn filter_into<'r, T: Clone + Send + Sync, P: Fn(&T) -> bool + Sync>(
        &self,
        v: &[T],
        room: &'r mut [MaybeUninit<T>],
        predicate: P,
    ) -> &'r mut [T] {
        into_room(self, v, room, If(predicate))
    }

    /// Returns clones of the elements of `v`, leaving out each that is equal to the element before it.
    ///
    /// Otherwise like [`dedup_copy_by`](Par::dedup_copy_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().dedup_copy(&[1, 1, 2, 2, 1]), [1, 2, 1]);
    /// ```
    #[doc(alias = "unique_copy")]
    #[inline]
    pub fn dedup_copy<T: Clone + PartialEq + Send + Sync>(&self, v: &[T]) -> Vec<T> {
        vector(self, v, Unlike(T::eq))
    }

    /// Returns clones of the elements of `v`, leaving out each for which `same(x, previous)` holds.
    ///
    /// This is C++'s `unique_copy`. [`dedup_by`](Par::dedup_by) says what `same` must be. Work, memory and panics are those of
    /// [`filter`](Par::filter).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().dedup_copy_by(&[1, -1, 2], |x: &i32, y| x.abs() == y.abs()), [1, 2]);
    /// ```
    #[doc(alias = "unique_copy")]
    #[inline]
    pub fn dedup_copy_by<T: Clone + Send + Sync, F: Fn(&T, &T) -> bool + Sync>(&self, v: &[T], same: F) -> Vec<T> {
        vector(self, v, Unlike(same))
    }

    /// Like [`dedup_copy_by`](Par::dedup_copy_by), but writes to the front of `room` and returns that part, initialised.
    ///
    /// What `room` held before is not dropped.
    ///
    /// # Panics
    ///
    /// If `room` is too short for them.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 3];
    /// assert_eq!(fusain::par().dedup_copy_into_by(&[1, 1, 3], &mut room, i32::eq), [1, 3]);
    /// ```
    #[doc(alias = "unique_copy")]
    #[inline]
    pub fn dedup_copy_into_by<'r, T: Clone + Send + Sync, F: Fn(&T, &T) -> bool + Sync>(
        &self,
        v: &[T],
        room: &'r mut [MaybeUninit<T>],
        same: F,
    ) -> &'r mut [T] {
        into_room(self, v, room, Unlike(same))
    }

    /// Returns two vectors of clones: the elements of `v` that satisfy `predicate`, and the others. Both are in order.
    ///
    /// Work, memory and panics are those of [`filter`](Par::filter).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let (odd, even) = fusain::par().partition_copy(&[3, 1, 4, 1, 5, 2], |x| x % 2 == 1);
    /// assert_eq!((odd, even), (vec![3, 1, 1, 5], vec![4, 2]));
    /// ```
    #[doc(alias = "partition")]
    #[inline]
    pub fn partition_copy<T: Clone + Send + Sync, P: Fn(&T) -> bool + Sync>(
        &self,
        v: &[T],
        predicate: P,
    ) -> (Vec<T>, Vec<T>) {
        vectors(self, v, If(predicate))
    }

    /// Like [`partition_copy`](Par::partition_copy), but writes to the fronts of two slices and returns the parts that were written,
    /// initialised.
    ///
    /// What the slices held before is not dropped.
    ///
    /// # Panics
    ///
    /// If one of them is too short.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut rooms = [[const { MaybeUninit::uninit() }; 3]; 2];
    /// let [yes, no] = &mut rooms;
    /// let (small, large) = fusain::par().partition_copy_into(&[7, 1, 8], yes, no, |x| *x < 5);
    /// assert_eq!((&*small, &*large), (&[1][..], &[7, 8][..]));
    /// ```
    #[inline]
    pub fn partition_copy_into<'r, T: Clone + Send + Sync, P: Fn(&T) -> bool + Sync>(
        &self,
        v: &[T],
        yes: &'r mut [MaybeUninit<T>],
        no: &'r mut [MaybeUninit<T>],
        predicate: P,
    ) -> (&'r mut [T], &'r mut [T]) {
        into_rooms(self, v, yes, no, If(predicate))
    }
}
