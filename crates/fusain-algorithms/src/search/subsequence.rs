//! A sequence inside another: `search`, `find_end`, `search_n`.
//!
//! Idea: a search among the indices where the sequence could begin. With numbers, the first and the last element of the sequence are
//! compared at many indices at once, and only where both match is the rest compared (Muła, "SIMD-friendly algorithms for substring searching",
//! 2016). Only the beginning of a long sequence is compared in this way; where it matches, all workers compare the rest. C++'s algorithms of the same names.
//! Work O(n m) at worst for m elements among n, O(n) if the beginning of the sequence is rare in the slice; no extra memory.

use std::marker::PhantomData;
use std::ops::Range;

use super::first_hit::{first_hit, first_pair_hit};
use super::stride::{first_in, last_in};
use crate::element::primitive::is_primitive;
use crate::policy::Par;

/// Types that name the call sites: each site has its own measured times.
struct First<T, U, F>(PhantomData<(T, U, F)>);
struct Last<T, U, F>(PhantomData<(T, U, F)>);
struct Run<T, U, F>(PhantomData<(T, U, F)>);
struct Rest<T, U, F>(PhantomData<(T, U, F)>);

/// At most this many elements of a sequence are compared by one worker: for numbers, calling other workers would take as long.
const LONG: usize = 1 << 12;

/// At most this many elements of a run are looked at by one worker. A unit may have to look at as many twice.
const LONG_RUN: usize = 1 << 10;

/// Whether `v` begins with `sequence`.
#[inline(always)]
fn begins<T, U>(v: &[T], sequence: &[U], numbers: bool, eq: impl Fn(&T, &U) -> bool) -> bool {
    first_in(&v[..sequence.len()], sequence, numbers, |x, y| !eq(x, y)).is_none()
}

/// The first place in `places` where `sequence`, which is not empty, begins in `v`.
#[inline(always)]
fn first_place<T, U>(v: &[T], sequence: &[U], mut places: Range<usize>, eq: impl Fn(&T, &U) -> bool) -> Option<usize> {
    let numbers = is_primitive::<T>() && is_primitive::<U>();
    let last = sequence.len() - 1;
    while !places.is_empty() {
        let (fronts, backs) = (&v[places.clone()], &v[places.start + last..places.end + last]);
        let alike = |x: &T, y: &T| eq(x, &sequence[0]) & (!numbers || eq(y, &sequence[last]));
        let place = places.start + first_in(fronts, backs, numbers, alike)?;
        if begins(&v[place..], sequence, numbers, &eq) {
            return Some(place);
        }
        places.start = place + 1;
    }
    None
}

/// The last place in `places` where `sequence`, which is not empty, begins in `v`.
#[inline(always)]
fn last_place<T, U>(v: &[T], sequence: &[U], mut places: Range<usize>, eq: impl Fn(&T, &U) -> bool) -> Option<usize> {
    let numbers = is_primitive::<T>() && is_primitive::<U>();
    let last = sequence.len() - 1;
    while !places.is_empty() {
        let (fronts, backs) = (&v[places.clone()], &v[places.start + last..places.end + last]);
        let alike = |x: &T, y: &T| eq(x, &sequence[0]) & (!numbers || eq(y, &sequence[last]));
        let place = places.start + last_in(fronts, backs, numbers, alike)?;
        if begins(&v[place..], sequence, numbers, &eq) {
            return Some(place);
        }
        places.end = place;
    }
    None
}

/// The first place in `places` where `len` elements follow for which `is` holds.
///
/// Looks at the elements from a place on from back to front: one for which `is` does not hold rules out all places up to it (C++ libraries do the same).
#[inline(always)]
fn first_run<T>(v: &[T], len: usize, places: Range<usize>, is: impl Fn(&T) -> bool) -> Option<usize> {
    let mut place = places.start;
    // How many elements from `place` on have been looked at.
    let mut known = 0;
    while place < places.end {
        let unknown = &v[place + known..place + len];
        let odd = |x: &T, _: &T| !is(x);
        match last_in(unknown, unknown, is_primitive::<T>(), odd) {
            Some(i) => {
                place += known + i + 1;
                known = unknown.len() - i - 1;
            }
            None => return Some(place),
        }
    }
    None
}

/// # Searching for sequences
///
/// Elements that follow each other are looked for.
impl Par<'_> {
    /// The first index at which `sequence` begins in `v`; 0 if `sequence` is empty.
    ///
    /// O(n m) comparisons at worst, for m elements among n; O(n) if the beginning of `sequence` is rare in `v`. Stops soon after the first hit.
    /// Elements behind it may be compared. A panic in a comparison propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().search(b"parallel pastel", b"pa"), Some(0));
    /// assert_eq!(fusain::par().search(b"parallel pastel", b"el"), Some(6));
    /// ```
    #[inline]
    pub fn search<T: PartialEq<U> + Sync, U: Sync>(&self, v: &[T], sequence: &[U]) -> Option<usize> {
        self.search_by(v, sequence, |x, y| x == y)
    }

    /// The first index at which `sequence` begins in `v`, where `eq` compares elements.
    ///
    /// Otherwise like [`search`](Par::search).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let same = |x: &u8, y: &u8| x.eq_ignore_ascii_case(y);
    /// assert_eq!(fusain::par().search_by(b"Fusain", b"USA", same), Some(1));
    /// ```
    #[doc(alias = "search")]
    #[inline]
    pub fn search_by<T: Sync, U: Sync, F>(&self, v: &[T], sequence: &[U], eq: F) -> Option<usize>
    where
        F: Fn(&T, &U) -> bool + Sync,
    {
        let last = v.len().checked_sub(sequence.len())?;
        if sequence.is_empty() {
            return Some(0);
        }
        let (beginning, rest) = sequence.split_at(sequence.len().min(LONG));
        let mut from = 0;
        while from <= last {
            let find = |range: Range<usize>| {
                first_place(v, beginning, from + range.start..from + range.end, &eq).map(|place| place - from)
            };
            let place = from + first_hit::<First<T, U, F>>(self, last + 1 - from, 1, find)?;
            if self.follows(&v[place + beginning.len()..], rest, &eq) {
                return Some(place);
            }
            from = place + 1;
        }
        None
    }

    /// The last index at which `sequence` begins in `v`; the length of `v` if `sequence` is empty.
    ///
    /// Otherwise like [`search`](Par::search); it searches from the back.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().find_end(b"parallel pastel", b"pa"), Some(9));
    /// ```
    #[inline]
    pub fn find_end<T: PartialEq<U> + Sync, U: Sync>(&self, v: &[T], sequence: &[U]) -> Option<usize> {
        self.find_end_by(v, sequence, |x, y| x == y)
    }

    /// The last index at which `sequence` begins in `v`, where `eq` compares elements.
    ///
    /// Otherwise like [`find_end`](Par::find_end).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let same = |x: &u8, y: &u8| x.eq_ignore_ascii_case(y);
    /// assert_eq!(fusain::par().find_end_by(b"Ember ember", b"EM", same), Some(6));
    /// ```
    #[doc(alias = "find_end")]
    #[inline]
    pub fn find_end_by<T: Sync, U: Sync, F>(&self, v: &[T], sequence: &[U], eq: F) -> Option<usize>
    where
        F: Fn(&T, &U) -> bool + Sync,
    {
        if sequence.is_empty() {
            return Some(v.len());
        }
        let mut places = v.len().checked_sub(sequence.len())? + 1;
        let (beginning, rest) = sequence.split_at(sequence.len().min(LONG));
        while places > 0 {
            // Places are counted from the back.
            let find = |range: Range<usize>| {
                last_place(v, beginning, places - range.end..places - range.start, &eq).map(|place| places - 1 - place)
            };
            let place = places - 1 - first_hit::<Last<T, U, F>>(self, places, 1, find)?;
            if self.follows(&v[place + beginning.len()..], rest, &eq) {
                return Some(place);
            }
            places = place;
        }
        None
    }

    /// Whether `v` begins with `rest`, the part of a long sequence that has not been compared yet.
    #[inline]
    fn follows<T, U, F>(&self, v: &[T], rest: &[U], eq: &F) -> bool
    where
        T: Sync,
        U: Sync,
        F: Fn(&T, &U) -> bool + Sync,
    {
        let numbers = is_primitive::<T>() && is_primitive::<U>();
        let pair = (&v[..rest.len()], rest);
        rest.is_empty() || first_pair_hit::<Rest<T, U, F>, _, _>(self, pair, true, numbers, |x, y| !eq(x, y)).is_none()
    }

    /// The first index in `v` at which `count` elements in a row equal `value`; 0 if `count` is 0.
    ///
    /// O(n) comparisons at most, O(n / min(count, 1024)) if `value` is rare in `v`. Stops soon after the first hit. A panic in a comparison propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().search_n(&[1, 0, 1, 1, 0], 2, &1), Some(2));
    /// ```
    #[inline]
    pub fn search_n<T: PartialEq<U> + Sync, U: Sync>(&self, v: &[T], count: usize, value: &U) -> Option<usize> {
        self.search_n_by(v, count, value, |x, y| x == y)
    }

    /// The first index in `v` at which `eq(x, value)` holds for `count` elements in a row.
    ///
    /// Otherwise like [`search_n`](Par::search_n).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let above = |x: &i32, y: &i32| x > y;
    /// assert_eq!(fusain::par().search_n_by(&[1, 7, 3, 8, 9], 2, &5, above), Some(3));
    /// ```
    #[doc(alias = "search_n")]
    #[inline]
    pub fn search_n_by<T: Sync, U: Sync, F>(&self, v: &[T], count: usize, value: &U, eq: F) -> Option<usize>
    where
        F: Fn(&T, &U) -> bool + Sync,
    {
        let last = v.len().checked_sub(count)?;
        if count == 0 {
            return Some(0);
        }
        let beginning = count.min(LONG_RUN);
        let mut from = 0;
        while from <= last {
            let find = |range: Range<usize>| {
                let places = from + range.start..from + range.end;
                first_run(v, beginning, places, |x| eq(x, value)).map(|place| place - from)
            };
            let place = from + first_hit::<Run<T, U, F>>(self, last + 1 - from, beginning, find)?;
            let rest = &v[place + beginning..place + count];
            let odd = |x: &T, _: &T| !eq(x, value);
            let numbers = is_primitive::<T>();
            match first_pair_hit::<(Rest<T, U, F>, T), _, _>(self, (rest, rest), false, numbers, odd) {
                Some(i) => from = place + beginning + i + 1,
                None => return Some(place),
            }
        }
        None
    }
}
