//! Strings and vectors of bytes: sorted by their first bytes, kept side by side.
//!
//! A comparison of two strings follows two pointers to memory that is rarely in a near cache. So the first bytes of each string, its
//! length and its index are packed into a number, and the numbers are sorted instead. Only strings that are equal as far as these bytes
//! go are compared themselves. At the end each string is moved once. This is the key-prefix sort of AlphaSort (Nyberg, Barclay,
//! Cvetanovic, Gray & Lomet 1994, section 4).
//!
//! No code of the caller is run: the types are std's, and so is their order. Memory for each string: a key of 16 bytes, another one if keys
//! are merged, and a copy of the string itself (not of its bytes).

use std::cmp::Ordering;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::OneEach;
use super::run::{parallel, unstable};
use super::scatter::{each_home, each_part, each_piece};
use crate::element::primitive::is;
use crate::execution::executor::Executor;
use crate::memory::scratch::Scratch;
use crate::policy::{Plan, Team};
use crate::sort::insertion::sort_few;

/// Fewer strings than this are sorted as they are: making keys would take longer.
pub(super) const VERY_FEW: usize = 24;

/// Fewer keys than this are sorted by one worker.
const FEW: usize = 64;

/// Fewer strings than this whose keys do not tell them apart are compared directly.
const TIE: usize = 8;

/// How many times new keys may tell apart fewer than half of the strings, before the others are compared. Strings that part one by one, such as the ends of a long run of one letter,
/// would otherwise get new keys for every few of their bytes.
const POOR_ROUNDS: u32 = 4;

/// The number of bytes that are compared at once.
const BLOCK: usize = 64;

/// The number of bits of a key that hold the index of the string: enough for more strings than any memory holds.
const INDEX_BITS: u32 = 40;

/// The number of bytes of a string that are kept in its key: what the index and one byte for the length leave.
const PREFIX: usize = 10;

/// Elements whose `Ord` is that of their bytes.
pub(super) enum Strings<'v> {
    Str(&'v mut [&'v str]),
    String(&'v mut [String]),
    Slice(&'v mut [&'v [u8]]),
    Vec(&'v mut [Vec<u8>]),
}

impl<'v> Strings<'v> {
    /// `v` as a slice of its real type, or `None` if that is not one of these types.
    #[inline(always)]
    pub(super) fn of<T>(v: &'v mut [T]) -> Option<Self> {
        let (start, len) = (v.as_mut_ptr(), v.len());
        // The identities of `&str` and `&[u8]` do not tell the lifetime. It is at least that of the borrow, and references that are only
        // permuted may be treated as if they had that lifetime.
        if is::<T, &'static str>() {
            // SAFETY: `T` is `&str`; the slice is borrowed.
            Some(Strings::Str(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }))
        } else if is::<T, String>() {
            // SAFETY: `T` is `String`, as above.
            Some(Strings::String(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }))
        } else if is::<T, &'static [u8]>() {
            // SAFETY: `T` is `&[u8]`, as above.
            Some(Strings::Slice(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }))
        } else if is::<T, Vec<u8>>() {
            // SAFETY: `T` is `Vec<u8>`, as above.
            Some(Strings::Vec(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }))
        } else {
            None
        }
    }

    /// Sorts the strings, stably if `is_stable`.
    ///
    /// Compiled with this crate, and not again with every program.
    #[inline(never)]
    pub(super) fn sort(self, plan: Plan<'_>, is_stable: bool) {
        match self {
            Strings::Str(v) => sort(plan, v, is_stable),
            Strings::String(v) => sort(plan, v, is_stable),
            Strings::Slice(v) => sort(plan, v, is_stable),
            Strings::Vec(v) => sort(plan, v, is_stable),
        }
    }
}

/// The first bytes of a string, zeros where it has fewer, then its length, then its index; the first byte is the most significant.
#[derive(Clone, Copy)]
struct Key(u128);

impl Key {
    fn of(string: &[u8], index: usize) -> Self {
        let mut bytes = [0; size_of::<u128>()];
        let n = string.len().min(PREFIX);
        bytes[..n].copy_from_slice(&string[..n]);
        bytes[PREFIX] = string.len().min(PREFIX + 1) as u8;
        Key(u128::from_be_bytes(bytes) | index as u128)
    }

    fn index(self) -> usize {
        (self.0 & ((1 << INDEX_BITS) - 1)) as usize
    }

    /// All but the index. Strings that are not cut are ordered as these numbers are: if the bytes are the same, including zeros that were
    /// filled in, the shorter string is the beginning of the longer.
    fn front(self) -> u128 {
        self.0 >> INDEX_BITS
    }

    /// Whether the string is longer than what is kept of it.
    fn is_cut(self) -> bool {
        self.front() as u8 > PREFIX as u8
    }
}

/// What all steps of a sort share. It is compiled once for all types of strings, as their own bytes are seldom looked at.
struct Sort<'s> {
    strings: &'s (dyn Fn(usize) -> &'s [u8] + Sync),
    len: usize,
    is_stable: bool,
}

impl Sort<'_> {
    /// The bytes of a string from `depth` on.
    fn rest(&self, index: usize, depth: usize) -> &[u8] {
        &(self.strings)(index)[depth..]
    }

    /// Sorts keys that hold the bytes from `depth` on, of strings that are equal before it.
    ///
    /// Runs of keys that do not tell their strings apart get new keys and are sorted again. Long runs are sorted with `executor`, one after the other, and not by
    /// recursion, which could be as deep as strings are long. Each of the others is sorted on one thread.
    fn sort<C: Executor>(&self, executor: Option<&C>, keys: &mut [Key], depth: usize) {
        let share = executor.map_or(0, |executor| self.len / executor.workers());
        let mut open = vec![(0..keys.len(), depth, 0)];
        while let Some((part, depth, poor_rounds)) = open.pop() {
            let (start, keys) = (part.start, &mut keys[part]);
            self.sort_fronts(executor, keys);
            let (long, short): (Vec<_>, Vec<_>) = ties(keys).into_iter().partition(|tie| tie.len() > share);
            each_home(executor, &short, keys, &|_, tie| {
                if let Some(depth) = self.renew(None::<&C>, tie, depth + PREFIX, false) {
                    self.sort(None::<&C>, tie, depth);
                }
            });
            for tie in long {
                // If no string has been told from another, the next keys begin where they differ.
                let is_all = tie.len() == keys.len();
                let poor_rounds = poor_rounds + u32::from(!is_all && tie.len() > keys.len() / 2);
                if poor_rounds > POOR_ROUNDS {
                    self.compare(executor, &mut keys[tie], depth + PREFIX);
                } else if let Some(depth) = self.renew(executor, &mut keys[tie.clone()], depth + PREFIX, is_all) {
                    open.push((start + tie.start..start + tie.end, depth, poor_rounds));
                }
            }
        }
    }

    /// Makes new keys for strings that are equal before `depth`, and returns where the bytes in the keys begin. Returns `None` if it has sorted the strings.
    ///
    /// With `skip`, which is set if the last bytes have told no string from another, all bytes that the strings have in common are skipped.
    fn renew(&self, executor: Option<&impl Executor>, tie: &mut [Key], depth: usize, skip: bool) -> Option<usize> {
        let rest = |key: &Key| self.rest(key.index(), depth);
        // Usually the strings are equal.
        if tie.len() < FEW && tie.is_sorted_by_key(rest) {
            return None;
        }
        if tie.len() < TIE {
            sort_few(tie, |a, b| rest(a) < rest(b));
            return None;
        }
        let depth = if skip { depth + self.in_common(executor, tie, depth) } else { depth };
        each_piece(executor, tie, &|keys| {
            keys.iter_mut().for_each(|key| *key = Key::of(self.rest(key.index(), depth), key.index()));
        });
        Some(depth)
    }

    /// How many bytes from `depth` on all strings have in common.
    fn in_common(&self, executor: Option<&impl Executor>, tie: &mut [Key], depth: usize) -> usize {
        let first = self.rest(tie[0].index(), depth);
        let len = Mutex::new(first.len());
        each_piece(executor, tie, &|keys| {
            let of_all = |len, key: &Key| in_common(&first[..len], self.rest(key.index(), depth));
            let found = keys.iter().fold(first.len(), of_all);
            let mut len = len.lock().unwrap_or_else(PoisonError::into_inner);
            *len = found.min(*len);
        });
        len.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sorts keys by all but the index, as sorts gain from equal elements.
    fn sort_fronts(&self, executor: Option<&impl Executor>, keys: &mut [Key]) {
        self.sort_by(executor, keys, |a, b| a.front().cmp(&b.front()));
    }

    /// Sorts the keys of strings that are equal before `depth` by what follows there.
    fn compare(&self, executor: Option<&impl Executor>, keys: &mut [Key], depth: usize) {
        self.sort_by(executor, keys, |a, b| self.rest(a.index(), depth).cmp(self.rest(b.index(), depth)));
    }

    fn sort_by(
        &self,
        executor: Option<&impl Executor>,
        keys: &mut [Key],
        order: impl Fn(&Key, &Key) -> Ordering + Sync,
    ) {
        let alone =
            |keys: &mut [Key]| if self.is_stable { keys.sort_by(&order) } else { keys.sort_unstable_by(&order) };
        match executor {
            Some(executor) if keys.len() >= FEW && self.is_stable => {
                parallel(executor, keys, |a, b| order(a, b).is_lt(), alone)
            }
            Some(executor) if keys.len() >= FEW => unstable(executor, keys, &order, alone),
            _ => alone(keys),
        }
    }
}

/// The number of bytes at the beginning that two strings have in common.
fn in_common(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let rest = a.iter().zip(b).skip(blocks * BLOCK);
    blocks * BLOCK + rest.take_while(|(a, b)| a == b).count()
}

/// The runs of keys that do not tell their strings apart.
fn ties(keys: &[Key]) -> Vec<Range<usize>> {
    let mut ties = Vec::new();
    let is_tie = |pair: &[Key]| pair[0].is_cut() && pair[0].front() == pair[1].front();
    let mut at = 0;
    while let Some(start) = keys[at..].windows(2).position(is_tie) {
        let start = at + start;
        at = start + 1 + keys[start..].windows(2).take_while(|pair| is_tie(pair)).count();
        ties.push(start..at);
    }
    ties
}

/// The order of strings: the keys of all of them, sorted.
pub(super) struct Order(Scratch<Key>);

impl Order {
    /// The order of `len` strings; `strings` returns the string at an index.
    pub(super) fn of<'s>(
        executor: Option<&impl Executor>,
        strings: &'s (dyn Fn(usize) -> &'s [u8] + Sync),
        len: usize,
        is_stable: bool,
    ) -> Self {
        assert!((len as u64) < 1 << INDEX_BITS, "an index for each string");
        let mut keys = Scratch::<Key>::new(len);
        each_part(executor, keys.room(), &|first, keys| {
            for (key, i) in keys.iter_mut().zip(first..) {
                key.write(Key::of(strings(i), i));
            }
        });
        // SAFETY: every slot has been written.
        Sort { strings, len, is_stable }.sort(executor, unsafe { keys.filled() }, 0);
        Self(keys)
    }

    /// Puts the elements of `v`, one for each string, into this order.
    pub(super) fn apply<T: Send>(mut self, executor: Option<&impl Executor>, v: &mut [T]) {
        // SAFETY: `of` has written all of them.
        let keys = unsafe { self.0.filled() };
        assert_eq!(v.len(), keys.len(), "a string for each element");
        let mut sorted = Scratch::<T>::new(v.len());
        let from = OneEach::of(v);
        each_part(executor, sorted.room(), &|first, slots| {
            for (slot, key) in slots.iter_mut().zip(&keys[first..]) {
                // SAFETY: a copy of an element, which is neither used nor dropped before it takes the place of an element.
                slot.write(unsafe { std::ptr::read(&raw const from[key.index()].0) });
            }
        });
        // SAFETY: every slot has been written.
        let sorted = unsafe { sorted.filled() };
        // SAFETY: each index occurs once in the keys, which have only been permuted, so these are all elements. The copies in the
        // scratch are not used afterwards; it drops nothing.
        unsafe { v.as_mut_ptr().copy_from_nonoverlapping(sorted.as_ptr(), v.len()) };
    }
}

fn sort<B: AsRef<[u8]> + Send + Sync>(plan: Plan<'_>, v: &mut [B], is_stable: bool) {
    match plan {
        Plan::Sequential(watch) => watch.time(|| sort_with(None::<&Team<'_>>, v, is_stable)),
        Plan::Parallel(team) => sort_with(Some(&team), v, is_stable),
    }
}

fn sort_with<B: AsRef<[u8]> + Send + Sync>(executor: Option<&impl Executor>, v: &mut [B], is_stable: bool) {
    if v.len() >= VERY_FEW {
        return by_keys(executor, v, is_stable);
    }
    sort_few(v, |a, b| a.as_ref() < b.as_ref());
}

/// Sorts with `executor`, or on this thread.
pub(super) fn by_keys<B: AsRef<[u8]> + Send + Sync>(executor: Option<&impl Executor>, v: &mut [B], is_stable: bool) {
    let order = Order::of(executor, &|index| v[index].as_ref(), v.len(), is_stable);
    let (start, len) = (v.as_mut_ptr(), v.len());
    const { assert!(align_of::<B>() == align_of::<usize>() && size_of::<B>().is_multiple_of(size_of::<usize>())) };
    // The code that moves strings is compiled for two sizes, not for four types.
    match size_of::<B>() / size_of::<usize>() {
        2 => {
            // SAFETY: such words may hold any bits. Two have the size of an element, and its alignment; the borrow is the same.
            let words = unsafe { std::slice::from_raw_parts_mut(start.cast::<MaybeUninit<[usize; 2]>>(), len) };
            order.apply(executor, words);
        }
        3 => {
            // SAFETY: as above, with three words.
            let words = unsafe { std::slice::from_raw_parts_mut(start.cast::<MaybeUninit<[usize; 3]>>(), len) };
            order.apply(executor, words);
        }
        words => unreachable!("no string has {words} words"),
    }
}
