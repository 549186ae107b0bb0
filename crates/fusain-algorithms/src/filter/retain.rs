//! `retain`, `dedup`: a vector keeps some of its elements, in place.
//!
//! Idea: a search finds the first element that goes; what lies before it is not touched. Behind it [runs](crate::tiles::compact) are moved out of their
//! tiles and put back at their places, which lie in or before those tiles: all elements there have been moved out already.
//! C++'s `std::remove_if` and `std::unique`, each with `erase`.
//! Work O(n), span O(tile + n/tile), memory for the runs that are being moved. Elements that own something need one byte
//! each in addition, since all of them are tested before the first is moved.

use super::block::Part;
use super::kernel::sift_bits;
use super::predicate::{If, Predicate, Said, Unlike};
use super::sift::Moving;
use crate::element::primitive::is_light;
use crate::execution::first_panic::FirstPanic;
use crate::memory::output::Output;
use crate::policy::{Par, Plan, Team};
use crate::tiles::compact::{Joined, join, tile_len};

/// Fewer elements than this are filtered without a search for the first one that goes.
const SHORT: usize = 256;

/// The shortest tile of a predicate that looks back: the first element of each tile is tested beforehand, on this thread.
const TILE_MIN: usize = 16;

/// # Filtering in place
///
/// A vector keeps some of its elements.
impl Par<'_> {
    /// Keeps the elements of `v` that satisfy `predicate`, in order, and drops the others.
    ///
    /// C++'s `remove_if` is this with the opposite predicate.
    ///
    /// O(n) work; one call of `predicate` for most elements, two for some. Memory for a few blocks of 32 KiB or 256 elements for each worker (if one block takes far longer than the
    /// others, for all elements behind it), and one byte for each element where elements need dropping. If `predicate` panics, `v` holds some of its elements, each once. If elements need no
    /// dropping, these may be only the elements before the first removed one. If the `drop` of a
    /// removed element panics, the panic propagates, and every element has either been dropped or is in `v`, once. As with [`Vec::retain`],
    /// `v` may then still hold elements that should have been removed.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = vec![3, 1, 4, 1, 5];
    /// fusain::par().retain(&mut v, |x| *x != 1);
    /// assert_eq!(v, [3, 4, 5]);
    /// ```
    #[doc(alias = "remove")]
    #[doc(alias = "remove_if")]
    #[doc(alias = "erase_if")]
    #[inline]
    pub fn retain<T: Send + Sync, P: Fn(&T) -> bool + Sync>(&self, v: &mut Vec<T>, predicate: P) {
        let front = match is_light::<T>() && v.len() >= SHORT {
            true => self.position_not(v, &predicate).unwrap_or(v.len()),
            false => 0,
        };
        match self.plan_tiles::<(P, Vec<T>)>(v.len() - front) {
            Plan::Sequential(watch) if const { is_light::<T>() } => watch.time(|| alone(v, front, &If(predicate))),
            Plan::Sequential(watch) => watch.time(|| v.retain(predicate)),
            Plan::Parallel(team) if const { is_light::<T>() } => sift(self, &team, v, front, If(predicate)),
            Plan::Parallel(team) => {
                let stays = self.map(v, predicate);
                sift(self, &team, v, 0, Said(&stays));
            }
        }
    }

    /// Removes each element of `v` that is equal to the element before it.
    ///
    /// This is C++'s `unique`. Otherwise like [`dedup_by`](Par::dedup_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = vec![1, 1, 2, 2, 1];
    /// fusain::par().dedup(&mut v);
    /// assert_eq!(v, [1, 2, 1]);
    /// ```
    #[doc(alias = "unique")]
    #[inline]
    pub fn dedup<T: PartialEq + Send + Sync>(&self, v: &mut Vec<T>) {
        self.dedup_by(v, T::eq);
    }

    /// Removes each element of `v` for which `same(x, previous)` holds.
    ///
    /// The first of several such elements stays. `same` must be an equivalence relation. `previous` may be the element just before `x` in `v`; in std it is the last
    /// element that was kept.
    ///
    /// O(n) work; one call of `same` for most elements, two for some. Memory and panics are those of [`retain`](Par::retain).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = vec!["a", "A", "b"];
    /// fusain::par().dedup_by(&mut v, |x, y| x.eq_ignore_ascii_case(y));
    /// assert_eq!(v, ["a", "b"]);
    /// ```
    #[doc(alias = "unique")]
    #[inline]
    pub fn dedup_by<T: Send + Sync, F: Fn(&T, &T) -> bool + Sync>(&self, v: &mut Vec<T>, same: F) {
        // The elements before the first pair of same elements stay.
        let front = match is_light::<T>() && v.len() >= SHORT {
            true => self.adjacent_find_by(v, |x, y| same(y, x)).unwrap_or(v.len()),
            false => 0,
        };
        match self.plan_tiles::<(F, Vec<T>)>(v.len() - front) {
            Plan::Sequential(watch) if const { is_light::<T>() } => watch.time(|| alone(v, front, &Unlike(same))),
            Plan::Sequential(watch) => watch.time(|| v.dedup_by(|x, y| same(x, y))),
            Plan::Parallel(team) if const { is_light::<T>() } => {
                // The first element of each tile is tested beforehand, by one worker.
                sift(self, &team, v, front, Unlike(same));
            }
            Plan::Parallel(team) => {
                let mut stays = vec![true; v.len()];
                self.for_each_mut_indexed(&mut stays, |i, stays| *stays = i == 0 || !same(&v[i], &v[i - 1]));
                sift(self, &team, v, 0, Said(&stays));
            }
        }
    }

    /// Removes each element of `v` that has the same key as the element before it.
    ///
    /// Each comparison computes two keys. Otherwise like [`dedup_by`](Par::dedup_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = vec![10, 11, 20, 30, 31];
    /// fusain::par().dedup_by_key(&mut v, |x| *x / 10);
    /// assert_eq!(v, [10, 20, 30]);
    /// ```
    #[doc(alias = "unique")]
    #[inline]
    pub fn dedup_by_key<T, K, F>(&self, v: &mut Vec<T>, key: F)
    where
        T: Send + Sync,
        K: PartialEq,
        F: Fn(&T) -> K + Sync,
    {
        self.dedup_by(v, |x, y| key(x) == key(y));
    }
}

/// Filters the elements from `from` on, which are light. If the predicate panics, none of them is kept.
///
/// If the predicate looks back, the element at `from` stays without being tested.
fn alone<T, P: Predicate<T>>(v: &mut Vec<T>, from: usize, predicate: &P) {
    assert!(is_light::<T>(), "elements own nothing");
    let len = v.len();
    assert!(from <= len, "the front lies within the vector");
    // SAFETY: the elements before `from` are there. The others own nothing, so none has to be dropped if the predicate panics.
    unsafe { v.set_len(from) };
    let home = v.as_mut_ptr().wrapping_add(from);
    let first = (P::LOOKS_BACK && len > from).then_some(true);
    let part = Part { v: home.cast_const(), range: 0..len - from, first, predicate };
    // SAFETY: the elements are there, and those that stay go to their own memory.
    let stay = unsafe { sift_bits::<_, _, 1>(&part, home, home) };
    // SAFETY: that many elements have been put in front.
    unsafe { v.set_len(from + stay) };
}

/// Like [`alone`], on `team`. Either elements are light, or the predicate neither looks back nor panics.
#[inline(never)]
fn sift<T: Send, P: Predicate<T>>(policy: &Par<'_>, team: &Team<'_>, v: &mut Vec<T>, from: usize, predicate: P) {
    let len = v.len();
    assert!(from <= len, "the front lies within the vector");
    let is_far = policy.is_far::<T>(len - from);
    let tile = tile_len::<T>(len - from, Some(team), is_far);
    let tile = if P::LOOKS_BACK { tile.max(TILE_MIN) } else { tile };
    // SAFETY: the elements before `from` are there. After a panic some of the others are neither moved nor dropped. Light
    // elements need not be dropped, and other elements come with a predicate that does not panic.
    unsafe { v.set_len(from) };
    let home = Output::new(&mut v.spare_capacity_mut()[..len - from]).far(is_far);
    let panics = FirstPanic::new();
    // SAFETY: the elements are there, and the vector no longer owns them.
    let moving = unsafe { Moving::new(&home, predicate, tile, &panics) };
    // SAFETY: a run is no longer than its tile, and the output is used for this alone.
    let joined = unsafe { Joined::<_, 1>::new(moving, [&home]) };
    join(team, &joined);
    drop(joined);
    let stay = home.finish_front().len();
    // SAFETY: that many elements have been put in front.
    unsafe { v.set_len(from + stay) };
    panics.resume();
}
