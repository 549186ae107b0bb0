//! Some of the elements: copied, or kept in place.

mod compress;
mod judge;
mod kernel;
mod retain;
mod sift;
#[cfg(test)]
mod tests;

use std::mem::MaybeUninit;

use judge::Unlike;
pub(crate) use judge::{If, Said};
pub(crate) use kernel::{Answers, BLOCK, Part, ones, sift_bits};
pub(crate) use sift::Moving;
use sift::{into_room, into_rooms, vector, vectors};

use crate::policy::Par;

impl Par<'_> {
    /// The vector of the elements of `v` that satisfy `predicate`, in their order.
    ///
    /// C++'s `copy_if`; `remove_copy_if` is this with the opposite predicate, `remove_copy` is `filter(v, |x| x != value)`.
    /// O(n) work, one call of `predicate` an element; memory for the result and some tiles of 32 KiB a worker. The vector may have
    /// room for all of `v`: `shrink_to_fit` gives that back. A panic of `predicate` comes out of the call; clones made so far
    /// are dropped.
    ///
    /// ```
    /// assert_eq!(fusain_algorithms::par().filter(&[3, 1, 4, 1, 5], |x| *x > 2), [3, 4, 5]);
    /// ```
    #[doc(alias = "copy_if")]
    #[doc(alias = "remove_copy")]
    #[doc(alias = "remove_copy_if")]
    #[inline]
    pub fn filter<T: Clone + Send + Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> Vec<T> {
        vector(self, v, If(predicate))
    }

    /// Writes the elements of `v` that satisfy `predicate` to the front of `room`, and returns that part, initialised.
    ///
    /// As [`filter`](Par::filter) otherwise; what `room` held before is not dropped.
    ///
    /// # Panics
    ///
    /// If `room` is too short for them.
    ///
    /// ```
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 3];
    /// assert_eq!(fusain_algorithms::par().filter_into(&[1, 2, 3], &mut room, |x| *x != 2), [1, 3]);
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

    /// The vector of the elements of `v` without those that are equal to the one before.
    ///
    /// As [`dedup_copy_by`](Par::dedup_copy_by) otherwise.
    ///
    /// ```
    /// assert_eq!(fusain_algorithms::par().dedup_copy(&[1, 1, 2, 2, 1]), [1, 2, 1]);
    /// ```
    #[doc(alias = "unique_copy")]
    #[inline]
    pub fn dedup_copy<T: Clone + PartialEq + Send + Sync>(&self, v: &[T]) -> Vec<T> {
        vector(self, v, Unlike(T::eq))
    }

    /// The vector of the elements of `v` without those that are the `same` as the one before.
    ///
    /// C++'s `unique_copy`; `same` as in [`dedup_by`](Par::dedup_by), work, memory and panics as in [`filter`](Par::filter).
    ///
    /// ```
    /// assert_eq!(fusain_algorithms::par().dedup_copy_by(&[1, -1, 2], |x: &i32, y| x.abs() == y.abs()), [1, 2]);
    /// ```
    #[doc(alias = "unique_copy")]
    #[inline]
    pub fn dedup_copy_by<T: Clone + Send + Sync, F: Fn(&T, &T) -> bool + Sync>(&self, v: &[T], same: F) -> Vec<T> {
        vector(self, v, Unlike(same))
    }

    /// Writes the elements of `v` without those that are the `same` as the one before to the front of `room`, and returns
    /// that part, initialised.
    ///
    /// As [`dedup_copy_by`](Par::dedup_copy_by) otherwise; what `room` held before is not dropped.
    ///
    /// # Panics
    ///
    /// If `room` is too short for them.
    ///
    /// ```
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 3];
    /// assert_eq!(fusain_algorithms::par().dedup_copy_into_by(&[1, 1, 3], &mut room, i32::eq), [1, 3]);
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

    /// The elements of `v` that satisfy `predicate` in one vector and the others in another, both in their order.
    ///
    /// Work, memory and panics as in [`filter`](Par::filter).
    ///
    /// ```
    /// let (odd, even) = fusain_algorithms::par().partition_copy(&[3, 1, 4, 1, 5, 2], |x| x % 2 == 1);
    /// assert_eq!((odd, even), (vec![3, 1, 1, 5], vec![4, 2]));
    /// ```
    #[inline]
    pub fn partition_copy<T: Clone + Send + Sync, P: Fn(&T) -> bool + Sync>(
        &self,
        v: &[T],
        predicate: P,
    ) -> (Vec<T>, Vec<T>) {
        vectors(self, v, If(predicate))
    }

    /// Writes the elements of `v` that satisfy `predicate` to the front of one room and the others to that of another, and
    /// returns these parts, initialised.
    ///
    /// As [`partition_copy`](Par::partition_copy) otherwise; what the rooms held before is not dropped.
    ///
    /// # Panics
    ///
    /// If a room is too short.
    ///
    /// ```
    /// use std::mem::MaybeUninit;
    ///
    /// let mut rooms = [[const { MaybeUninit::uninit() }; 3]; 2];
    /// let [yes, no] = &mut rooms;
    /// let (small, large) = fusain_algorithms::par().partition_copy_into(&[7, 1, 8], yes, no, |x| *x < 5);
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
