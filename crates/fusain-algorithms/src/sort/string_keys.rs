//! Elements with a string for a key, sorted as [`strings`](super::strings) are: by the first bytes of their keys, kept side by side.
//!
//! The caller's function is called once for each element, before anything moves, and what it returned is kept. So it does not matter if it
//! panics, or would return something else the next time.

use std::mem::transmute_copy;

use super::scatter::each_part;
use super::strings::{Order, VERY_FEW};
use crate::element::primitive::is;
use crate::memory::scratch::Scratch;
use crate::policy::{Plan, Team};

/// Whether `len` elements with such keys are sorted here; if not, keys are compared.
#[inline(always)]
pub(super) fn is_for<T, K: ?Sized>(len: usize) -> bool {
    let is_string = is::<K, str>() || is::<K, String>() || is::<K, [u8]>() || is::<K, Vec<u8>>();
    is_string && size_of::<T>() > 0 && len >= VERY_FEW
}

/// The bytes of a key of one of those types. Keys are ordered as their bytes are.
#[inline(always)]
pub(super) fn bytes<K: ?Sized>(key: &K) -> &[u8] {
    if is::<K, str>() || is::<K, [u8]>() {
        // SAFETY: `K` is `str` or `[u8]`, and a reference to a `str` is one to its bytes.
        unsafe { transmute_copy::<&K, &[u8]>(&key) }
    } else if is::<K, String>() {
        // SAFETY: `K` is `String`.
        unsafe { transmute_copy::<&K, &String>(&key) }.as_bytes()
    } else {
        assert!(is::<K, Vec<u8>>(), "what is_for knows");
        // SAFETY: `K` is `Vec<u8>`.
        unsafe { transmute_copy::<&K, &Vec<u8>>(&key) }
    }
}

/// Sorts `v` by keys that borrow from its elements.
#[inline]
pub(super) fn by_lent<T, K, F>(plan: Plan<'_>, v: &mut [T], key: &F, is_stable: bool)
where
    T: Send + Sync,
    K: ?Sized,
    F: Fn(&T) -> &K + Sync,
{
    with(plan, |team| lent(team, v, &|element| bytes(key(element)), is_stable).apply(team, v));
}

/// Sorts pairs by their first members, which are strings, stably. The second ones need not be `Sync`, as they are not read.
#[inline]
pub(super) fn pairs<K, V>(plan: Plan<'_>, v: &mut [(K, V)])
where
    K: Send,
    V: Send,
{
    assert!(is_for::<(K, V), K>(v.len().max(VERY_FEW)), "their first members are strings");
    let pairs = std::ptr::from_mut(v) as *mut [Pair<K, V>];
    // SAFETY: the same slice, as a `Pair` is laid out as what is in it; and its first members are strings.
    by_lent(plan, unsafe { &mut *pairs }, &|pair: &Pair<K, V>| &pair.0.0, true);
}

/// A pair whose first member all threads may read.
///
/// Invariant: the first member is a string or a byte string. While a pair is shared, its second member is not used.
#[repr(transparent)]
struct Pair<K, V>((K, V));

// SAFETY: by the invariant, as strings are `Sync`.
unsafe impl<K: Send, V: Send> Sync for Pair<K, V> {}

/// The order of elements by strings that borrow from them.
fn lent<'v, T: Sync>(
    team: Option<&Team<'_>>,
    v: &'v [T],
    key: &(dyn Fn(&'v T) -> &'v [u8] + Sync),
    is_stable: bool,
) -> Order {
    let mut strings = Scratch::new(v.len());
    each_part(team, strings.room(), &|first, slots| {
        for (slot, element) in slots.iter_mut().zip(&v[first..]) {
            slot.write(key(element));
        }
    });
    // SAFETY: every slot has been written.
    order(team, unsafe { strings.filled() }, is_stable)
}

/// Sorts `v` by `strings`, one for each element, stably.
pub(super) fn by_strings<T: Send>(plan: Plan<'_>, v: &mut [T], strings: &[&[u8]]) {
    with(plan, |team| order(team, strings, true).apply(team, v));
}

fn with(plan: Plan<'_>, sort: impl FnOnce(Option<&Team<'_>>)) {
    match plan {
        Plan::Sequential(watch) => watch.time(|| sort(None)),
        Plan::Parallel(team) => sort(Some(&team)),
    }
}

/// Compiled with this crate, and not again with every program.
#[inline(never)]
fn order(team: Option<&Team<'_>>, strings: &[&[u8]], is_stable: bool) -> Order {
    Order::of(team, &|index| strings[index], strings.len(), is_stable)
}
