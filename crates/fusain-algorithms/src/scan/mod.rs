//! Prefix sums, for any associative operation.

mod elements;
mod near;
#[cfg(test)]
mod tests;
mod tile;
mod tiled;

use std::mem::MaybeUninit;

use crate::element::primitive::is_float;
use crate::memory::output::{Output, Window, collect, fill_alone};
use crate::policy::{Par, Plan};
use elements::{Elements, InPlace, Into};
use tiled::scan;

/// The number of floats from which on it pays to add them up in groups, which takes some preparation.
const GROUPED: usize = 512;

/// # Scanning
///
/// Prefix sums, by any associative operation. The *inclusive* sum at an index contains the element there, the *exclusive* one ends before it.
impl Par<'_> {
    /// Returns all inclusive prefix sums: `v[0]`, `v[0] ⊕ v[1]`, `v[0] ⊕ v[1] ⊕ v[2]`, ..., where ⊕ is `op`.
    ///
    /// `op` must be associative. It need not be commutative: operands keep their order. O(n) work: at most two calls of `op` for each element, or nearly three if
    /// the elements are floats. No memory but the result and a sum for each block: of 128 elements or more, or of fewer if elements take long or it is not known yet how long.
    /// The last digits of sums of floats depend on how the call groups them; [`deterministic`](Par::deterministic) does not change that. If `op` panics, the results made
    /// so far are dropped and the panic propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().inclusive_scan(&[1, 2, 3], |a, b| a + b), [1, 3, 6]);
    /// ```
    #[doc(alias = "prefix_sum")]
    #[doc(alias = "cumsum")]
    #[doc(alias = "partial_sum")]
    #[inline]
    pub fn inclusive_scan<T, F>(&self, v: &[T], op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        collect(v.len(), |room| self.in_fresh_memory().inclusive_scan_into(v, room, op))
    }

    /// Returns all exclusive prefix sums: `init`, `init ⊕ v[0]`, `init ⊕ v[0] ⊕ v[1]`, ..., as many as `v` has elements.
    ///
    /// Otherwise like [`inclusive_scan`](Par::inclusive_scan).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().exclusive_scan(&[1, 2, 3], 10, |a, b| a + b), [10, 11, 13]);
    /// ```
    #[doc(alias = "prefix_sum")]
    #[inline]
    pub fn exclusive_scan<T, F>(&self, v: &[T], init: T, op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        collect(v.len(), |room| self.in_fresh_memory().exclusive_scan_into(v, room, init, op))
    }

    /// Like [`inclusive_scan`](Par::inclusive_scan), but writes into `room` and returns it, initialised.
    ///
    /// # Panics
    ///
    /// If `room` and `v` differ in length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 3];
    /// assert_eq!(fusain::par().inclusive_scan_into(&[1, 2, 3], &mut room, |a, b| a + b), [1, 3, 6]);
    /// ```
    #[inline]
    pub fn inclusive_scan_into<'r, T, F>(&self, v: &[T], room: &'r mut [MaybeUninit<T>], op: F) -> &'r mut [T]
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        into::<_, _, true>(self, v, room, None, T::clone, &op, &op)
    }

    /// Like [`exclusive_scan`](Par::exclusive_scan), but writes into `room` and returns it, initialised.
    ///
    /// # Panics
    ///
    /// If `room` and `v` differ in length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 2];
    /// assert_eq!(fusain::par().exclusive_scan_into(&[1, 2], &mut room, 5, |a, b| a + b), [5, 6]);
    /// ```
    #[inline]
    pub fn exclusive_scan_into<'r, T, F>(&self, v: &[T], room: &'r mut [MaybeUninit<T>], init: T, op: F) -> &'r mut [T]
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        into::<_, _, false>(self, v, room, Some(init), T::clone, &op, &op)
    }

    /// Like [`inclusive_scan`](Par::inclusive_scan), of `map(x)` for every element `x`.
    ///
    /// `map` is called at most twice for each element.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let lengths = fusain::par().transform_inclusive_scan(&["a", "bc"], |s| s.len(), |a, b| a + b);
    /// assert_eq!(lengths, [1, 3]);
    /// ```
    #[inline]
    pub fn transform_inclusive_scan<S, T, M, F>(&self, v: &[S], map: M, op: F) -> Vec<T>
    where
        S: Sync,
        T: Clone + Send + Sync,
        M: Fn(&S) -> T + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        collect(v.len(), |room| self.in_fresh_memory().transform_inclusive_scan_into(v, room, map, op))
    }

    /// Like [`transform_inclusive_scan`](Par::transform_inclusive_scan), but writes into `room` and returns it, initialised.
    ///
    /// # Panics
    ///
    /// If `room` and `v` differ in length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 2];
    /// let lengths = fusain::par().transform_inclusive_scan_into(&["a", "bc"], &mut room, |s| s.len(), |a, b| a + b);
    /// assert_eq!(lengths, [1, 3]);
    /// ```
    #[inline]
    pub fn transform_inclusive_scan_into<'r, S, T, M, F>(
        &self,
        v: &[S],
        room: &'r mut [MaybeUninit<T>],
        map: M,
        op: F,
    ) -> &'r mut [T]
    where
        S: Sync,
        T: Clone + Send + Sync,
        M: Fn(&S) -> T + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        let add = add_mapped(&map, &op);
        into::<_, _, true>(self, v, room, None, &map, add, &op)
    }

    /// Like [`exclusive_scan`](Par::exclusive_scan), of `map(x)` for every element `x`.
    ///
    /// `map` is called at most twice for each element.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let starts = fusain::par().transform_exclusive_scan(&["a", "bc"], 0, |s| s.len(), |a, b| a + b);
    /// assert_eq!(starts, [0, 1]);
    /// ```
    #[inline]
    pub fn transform_exclusive_scan<S, T, M, F>(&self, v: &[S], init: T, map: M, op: F) -> Vec<T>
    where
        S: Sync,
        T: Clone + Send + Sync,
        M: Fn(&S) -> T + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        collect(v.len(), |room| self.in_fresh_memory().transform_exclusive_scan_into(v, room, init, map, op))
    }

    /// Like [`transform_exclusive_scan`](Par::transform_exclusive_scan), but writes into `room` and returns it, initialised.
    ///
    /// What `room` held before is not dropped.
    ///
    /// # Panics
    ///
    /// If `room` and `v` differ in length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 2];
    /// let starts = fusain::par().transform_exclusive_scan_into(&["a", "bc"], &mut room, 0, |s| s.len(), |a, b| a + b);
    /// assert_eq!(starts, [0, 1]);
    /// ```
    #[inline]
    pub fn transform_exclusive_scan_into<'r, S, T, M, F>(
        &self,
        v: &[S],
        room: &'r mut [MaybeUninit<T>],
        init: T,
        map: M,
        op: F,
    ) -> &'r mut [T]
    where
        S: Sync,
        T: Clone + Send + Sync,
        M: Fn(&S) -> T + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        let add = add_mapped(&map, &op);
        into::<_, _, false>(self, v, room, Some(init), &map, add, &op)
    }

    /// Replaces `v[i]` by `v[0] ⊕ ... ⊕ v[i]`.
    ///
    /// Otherwise like [`inclusive_scan`](Par::inclusive_scan). If `op` or a `drop` panics, some elements are replaced and some are not, but
    /// none is lost.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3];
    /// fusain::par().inclusive_scan_in_place(&mut v, |a, b| a + b);
    /// assert_eq!(v, [1, 3, 6]);
    /// ```
    #[doc(alias = "partial_sum")]
    #[inline]
    pub fn inclusive_scan_in_place<T, F>(&self, v: &mut [T], op: F)
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        match self.plan_tiles::<(InPlace<'_, T, F, true>, F)>(v.len()) {
            Plan::Sequential(watch) => watch.time(|| sequential(&InPlace::<_, _, true>::new(v, op), None)),
            Plan::Parallel(team) => scan(team, &InPlace::<_, _, true>::new(v, op), None),
        }
    }

    /// Replaces `v[i]` by `init ⊕ v[0] ⊕ ... ⊕ v[i - 1]`.
    ///
    /// Otherwise like [`exclusive_scan`](Par::exclusive_scan). If `op` or a `drop` panics, some elements are replaced and some are not, but
    /// none is lost.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3];
    /// fusain::par().exclusive_scan_in_place(&mut v, 0, |a, b| a + b);
    /// assert_eq!(v, [0, 1, 3]);
    /// ```
    #[inline]
    pub fn exclusive_scan_in_place<T, F>(&self, v: &mut [T], init: T, op: F)
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        match self.plan_tiles::<(InPlace<'_, T, F, false>, F)>(v.len()) {
            Plan::Sequential(watch) => watch.time(|| sequential(&InPlace::<_, _, false>::new(v, op), Some(init))),
            Plan::Parallel(team) => scan(team, &InPlace::<_, _, false>::new(v, op), Some(init)),
        }
    }
}

/// Adds what `map` makes of an element to a sum.
#[inline(always)]
fn add_mapped<S, T>(map: impl Fn(&S) -> T, op: impl Fn(&T, &T) -> T) -> impl Fn(&T, &S) -> T {
    move |acc, x| {
        let mapped = map(x);
        let sum = op(acc, &mapped);
        // Not at the end of the closure: if this panicked there, the closure's result would be lost.
        drop(mapped);
        sum
    }
}

/// Scans `v` into `room`. Without an `init` the first element takes its place.
#[inline]
fn into<'r, S, T, const INCLUSIVE: bool>(
    policy: &Par<'_>,
    v: &[S],
    room: &'r mut [MaybeUninit<T>],
    init: Option<T>,
    lift: impl Fn(&S) -> T + Sync,
    add: impl Fn(&T, &S) -> T + Sync,
    op: impl Fn(&T, &T) -> T + Sync,
) -> &'r mut [T]
where
    S: Sync,
    T: Clone + Send + Sync,
{
    assert_eq!(v.len(), room.len(), "the room must have a slot for every element");
    match plan_into(policy, v.len(), &add) {
        Plan::Sequential(watch) if is_float::<T>() && v.len() >= GROUPED => watch.time(|| {
            let output = Output::new(room);
            sequential(&Into::<_, _, _, _, _, INCLUSIVE>::new(v, &output, lift, add, op), init);
            output.finish()
        }),
        Plan::Sequential(watch) => {
            watch.time(|| fill_alone(room, |window| sequential_into::<_, _, INCLUSIVE>(v, window, init, lift, add)))
        }
        Plan::Parallel(team) => {
            let output = Output::new(room).far(policy.is_far::<T>(v.len()));
            scan(team, &Into::<_, _, _, _, _, INCLUSIVE>::new(v, &output, lift, add, op), init);
            output.finish()
        }
    }
}

/// Scans `v` into new memory on one worker. Without an `init` the first element takes its place.
#[inline]
fn sequential_into<S, T: Clone, const INCLUSIVE: bool>(
    v: &[S],
    window: &mut Window<'_, T>,
    init: Option<T>,
    lift: impl Fn(&S) -> T,
    add: impl Fn(&T, &S) -> T,
) {
    let (mut acc, rest) = match (init, v) {
        (Some(init), _) => (init, v),
        (None, []) => return,
        (None, [first, rest @ ..]) => {
            let first = lift(first);
            window.fill_by(1, |_| first.clone());
            (first, rest)
        }
    };
    window.fill(rest, |x| {
        let sum = add(&acc, x);
        if INCLUSIVE {
            acc = sum;
            acc.clone()
        } else {
            std::mem::replace(&mut acc, sum)
        }
    });
}

/// The plan of a scan; the type of `add` names the call site.
#[inline]
fn plan_into<'p, A>(policy: &Par<'p>, len: usize, _add: &A) -> Plan<'p> {
    policy.plan_tiles::<(Output<'_, ()>, A)>(len)
}

/// Scans all elements on one worker, as one tile.
#[inline]
fn sequential<T: Clone, E: Elements<T>>(elements: &E, init: Option<T>) {
    // SAFETY: all elements are ours, and this is the first thing done with them.
    if let Some((prefix, rest)) = unsafe { elements.start(init) } {
        // SAFETY: as above.
        unsafe { tile::scan(elements, rest.clone(), prefix) };
        // SAFETY: just scanned.
        unsafe { tile::count(elements, rest) };
    }
}
