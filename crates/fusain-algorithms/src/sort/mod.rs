//! Sorting, stable and not.

mod counts;
mod divide;
mod halves;
pub(crate) mod insertion;
mod near;
mod numbers;
mod quick;
mod radix;
mod run;
mod scatter;
mod string_keys;
mod strings;
#[cfg(test)]
mod tests;
mod tree;
mod words;

use std::cmp::Ordering;

use crate::element::bit_order;
use crate::policy::{Par, Plan};
use numbers::{Words, numbers};
use run::{parallel, unstable};
use strings::Strings;

/// Sorts pairs by their first members, stably.
#[inline]
pub(crate) fn pairs<K: Ord + Send, V: Send>(policy: &Par<'_>, v: &mut [(K, V)]) {
    if string_keys::is_for::<(K, V), K>(v.len()) {
        return string_keys::pairs(policy.plan_sort::<(K, V)>(v.len()), v);
    }
    policy.sort_by(v, |a, b| a.0.cmp(&b.0));
}

/// An element that only one call of a closure uses at a time, so it need not be `Sync`.
#[repr(transparent)]
struct OneEach<T>(T);

// SAFETY: code that shares such elements uses each in one call only. It is as if the element were sent to the thread of that call, and back.
unsafe impl<T: Send> Sync for OneEach<T> {}

impl<T> OneEach<T> {
    /// For code that calls a closure once for each element, as [`Par::map`] does. The reference is mutable, so that no other code uses the elements.
    fn of(v: &mut [T]) -> &[OneEach<T>] {
        // SAFETY: the layout is the same, and the borrow is as long.
        unsafe { &*(std::ptr::from_mut(v) as *const [OneEach<T>]) }
    }
}

/// # Sorting
///
/// Stable and unstable, with the names of std.
impl Par<'_> {
    /// Sorts `v` stably.
    ///
    /// O(n log n) comparisons, memory for n elements, and for strings and byte strings up to 40 bytes more for each, which keep their first
    /// bytes at hand. Numbers are sorted as by [`sort_unstable`](Par::sort_unstable). If the order of `T` is not a total order, `v` has all elements
    /// afterwards, in an unspecified order, or the call panics, as with [`slice::sort`]. If it panics, `v` still holds every element once.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [3, 1, 2];
    /// fusain::par().sort(&mut v);
    /// assert_eq!(v, [1, 2, 3]);
    /// ```
    #[doc(alias = "stable_sort")]
    #[inline]
    pub fn sort<T: Ord + Send>(&self, v: &mut [T]) {
        let plan = self.plan_sort::<[T]>(v.len());
        if let Some(strings) = Strings::of(v) {
            return strings.sort(plan, true);
        }
        match (plan, bit_order::by_ord::<T>()) {
            // Equal integers cannot be told apart, so any sort of them is stable.
            (plan, Some(bit_order)) => numbers(plan, Words::of(v), bit_order),
            (Plan::Sequential(watch), None) => watch.time(|| v.sort()),
            (Plan::Parallel(team), None) => parallel(&team, v, T::lt, <[T]>::sort),
        }
    }

    /// Sorts `v` by `compare`, stably.
    ///
    /// Otherwise like [`sort`](Par::sort).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [0.5, -1.5, 1.0];
    /// fusain::par().sort_by(&mut v, f64::total_cmp);
    /// assert_eq!(v, [-1.5, 0.5, 1.0]);
    /// ```
    #[doc(alias = "stable_sort")]
    #[inline]
    pub fn sort_by<T: Send, F: Fn(&T, &T) -> Ordering + Sync>(&self, v: &mut [T], compare: F) {
        let alone = |v: &mut [T]| v.sort_by(|a, b| compare(a, b));
        match (self.plan_sort::<(T, F)>(v.len()), bit_order::by_function::<T, _>(&compare)) {
            // Floats that `total_cmp` calls equal are the same bits.
            (plan, Some(bit_order)) => numbers(plan, Words::of(v), bit_order),
            (Plan::Sequential(watch), None) => watch.time(|| alone(v)),
            (Plan::Parallel(team), None) => {
                parallel(&team, v, |a, b| compare(a, b).is_lt(), alone);
            }
        }
    }

    /// Sorts `v` by key, stably.
    ///
    /// Each comparison computes two keys; [`sort_by_cached_key`](Par::sort_by_cached_key) computes each key once. Otherwise like
    /// [`sort`](Par::sort).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v: [i32; 3] = [-3, 1, 2];
    /// fusain::par().sort_by_key(&mut v, |x| x.abs());
    /// assert_eq!(v, [1, 2, -3]);
    /// ```
    #[doc(alias = "stable_sort")]
    #[inline]
    pub fn sort_by_key<T: Send, K: Ord, F: Fn(&T) -> K + Sync>(&self, v: &mut [T], key: F) {
        let alone = |v: &mut [T]| v.sort_by_key(|x| key(x));
        match self.plan_sort::<(T, K, F)>(v.len()) {
            Plan::Sequential(watch) => watch.time(|| alone(v)),
            Plan::Parallel(team) => parallel(&team, v, |a, b| key(a) < key(b), alone),
        }
    }

    /// Sorts `v` by a key that is part of each element, stably.
    ///
    /// std has no such call: keys that [`sort_by_key`](Par::sort_by_key) gets cannot borrow from the element, so a `String` would have to be
    /// cloned. For keys that are `str`, `String`, `[u8]` or `Vec<u8>` this is also much faster than comparing them in a closure: their
    /// first bytes are kept at hand, in up to 48 bytes for each element. Elements are moved through memory for n of them. `key` is called once for
    /// each, and if it panics, `v` is as it was. With other keys, and with fewer than 24 elements, it does what [`sort_by`](Par::sort_by) does.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut people = [("Tycho".to_string(), 54), ("Ada".to_string(), 36)];
    /// fusain::par().sort_by_borrowed_key(&mut people, |person| &person.0);
    /// assert_eq!(people[0].0, "Ada");
    /// ```
    #[inline]
    pub fn sort_by_borrowed_key<T, K, F>(&self, v: &mut [T], key: F)
    where
        T: Send + Sync,
        K: Ord + ?Sized,
        F: Fn(&T) -> &K + Sync,
    {
        if string_keys::is_for::<T, K>(v.len()) {
            let plan = self.plan_sort::<(T, F, K)>(v.len());
            return string_keys::by_lent(plan, v, &key, true);
        }
        self.sort_by(v, |a, b| key(a).cmp(key(b)))
    }

    /// Sorts `v` by key, stably, computing each key once.
    ///
    /// Use it where keys are expensive. O(n log n) comparisons of keys. Memory for 2 n keys and n indices, with more than four workers for 2 n
    /// of both. If keys are strings or byte strings: memory for n keys, up to 48 bytes more for each, and n elements. No element moves before all
    /// keys have been computed and sorted, so a panic in `key` leaves `v` as it was.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [10, 9, 100];
    /// fusain::par().sort_by_cached_key(&mut v, |x| x.to_string());
    /// assert_eq!(v, [10, 100, 9]);
    /// ```
    #[inline]
    pub fn sort_by_cached_key<T, K, F>(&self, v: &mut [T], key: F)
    where
        T: Send,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        let keys = self.map(OneEach::of(v), |x| key(&x.0));
        if string_keys::is_for::<T, K>(v.len()) {
            let strings: Vec<&[u8]> = keys.iter().map(string_keys::bytes).collect();
            return string_keys::by_strings(self.plan_sort::<(T, [K])>(v.len()), v, &strings);
        }
        let mut order: Vec<(K, usize)> = keys.into_iter().zip(0..).collect();
        self.sort_unstable(&mut order);
        // The element that belongs at `i` may have been swapped away: following the swaps made so far finds it, as in std.
        for i in 0..v.len() {
            let mut from = order[i].1;
            while from < i {
                from = order[from].1;
            }
            order[i].1 = from;
            v.swap(i, from);
        }
    }

    /// Sorts `v`; equal elements may change their order.
    ///
    /// | elements | how | extra memory |
    /// |---|---|---|
    /// | integers of up to 16 bits, if there are many | by counting them | the counts |
    /// | integers of up to 64 bits, floats with `total_cmp` | by their bits, usually in three passes | for n elements; if several workers sort up to 16,384, for 2 n in each |
    /// | strings, byte strings | as by [`sort`](Par::sort) | as for [`sort`](Par::sort) |
    /// | all others | O(n log n) comparisons | none with up to four workers, for n elements with more; for up to 512 elements whose comparisons take long, for n |
    ///
    /// [`sort`](Par::sort) and [`sort_by`](Par::sort_by) do the same with numbers. Otherwise like [`sort`](Par::sort).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [3, 1, 2];
    /// fusain::par().sort_unstable(&mut v);
    /// assert_eq!(v, [1, 2, 3]);
    /// ```
    #[inline]
    pub fn sort_unstable<T: Ord + Send>(&self, v: &mut [T]) {
        let plan = self.plan_sort::<(T, [T])>(v.len());
        if let Some(strings) = Strings::of(v) {
            return strings.sort(plan, false);
        }
        match (plan, bit_order::by_ord::<T>()) {
            (plan, Some(bit_order)) => numbers(plan, Words::of(v), bit_order),
            (Plan::Sequential(watch), None) => watch.time(|| v.sort_unstable()),
            (Plan::Parallel(team), None) => unstable(&team, v, T::cmp, <[T]>::sort_unstable),
        }
    }

    /// Sorts `v` by `compare`; equal elements may change their order.
    ///
    /// Otherwise like [`sort_unstable`](Par::sort_unstable).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [0.5, -1.5, 1.0];
    /// fusain::par().sort_unstable_by(&mut v, f64::total_cmp);
    /// assert_eq!(v, [-1.5, 0.5, 1.0]);
    /// ```
    #[inline]
    pub fn sort_unstable_by<T: Send, F: Fn(&T, &T) -> Ordering + Sync>(&self, v: &mut [T], compare: F) {
        let alone = |v: &mut [T]| v.sort_unstable_by(|a, b| compare(a, b));
        match (self.plan_sort::<(F, [T])>(v.len()), bit_order::by_function::<T, _>(&compare)) {
            (plan, Some(bit_order)) => numbers(plan, Words::of(v), bit_order),
            (Plan::Sequential(watch), None) => watch.time(|| alone(v)),
            (Plan::Parallel(team), None) => unstable(&team, v, |a, b| compare(a, b), alone),
        }
    }

    /// Sorts `v` by key; equal elements may change their order.
    ///
    /// Each comparison computes two keys; [`sort_by_cached_key`](Par::sort_by_cached_key) computes each key once. Otherwise like
    /// [`sort_unstable`](Par::sort_unstable).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v: [i32; 3] = [-3, 1, 2];
    /// fusain::par().sort_unstable_by_key(&mut v, |x| x.abs());
    /// assert_eq!(v, [1, 2, -3]);
    /// ```
    #[inline]
    pub fn sort_unstable_by_key<T: Send, K: Ord, F: Fn(&T) -> K + Sync>(&self, v: &mut [T], key: F) {
        let alone = |v: &mut [T]| v.sort_unstable_by_key(|x| key(x));
        match self.plan_sort::<(K, F, [T])>(v.len()) {
            Plan::Sequential(watch) => watch.time(|| alone(v)),
            Plan::Parallel(team) => unstable(&team, v, |a, b| key(a).cmp(&key(b)), alone),
        }
    }

    /// Sorts `v` by a key that is part of each element; equal elements may change their order.
    ///
    /// Keys that are strings or byte strings are sorted as by [`sort_by_borrowed_key`](Par::sort_by_borrowed_key), others as by
    /// [`sort_unstable_by`](Par::sort_unstable_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut files = ["src/lib.rs", "README.md"].map(|path| (path.to_string(), 0));
    /// fusain::par().sort_unstable_by_borrowed_key(&mut files, |file| file.0.as_str());
    /// assert_eq!(files[0].0, "README.md");
    /// ```
    #[inline]
    pub fn sort_unstable_by_borrowed_key<T, K, F>(&self, v: &mut [T], key: F)
    where
        T: Send + Sync,
        K: Ord + ?Sized,
        F: Fn(&T) -> &K + Sync,
    {
        if string_keys::is_for::<T, K>(v.len()) {
            let plan = self.plan_sort::<(F, K)>(v.len());
            return string_keys::by_lent(plan, v, &key, false);
        }
        self.sort_unstable_by(v, |a, b| key(a).cmp(key(b)))
    }
}
