//! Strings and vectors of bytes: sorted by their first bytes, kept side by side.
//!
//! A comparison of two strings follows two pointers to memory that is rarely in a near cache. So the first bytes of each string, its
//! length and its index are packed into a number, and the numbers are sorted instead. Only strings that are equal as far as these bytes
//! go are compared themselves. At the end each string is moved once. This is the key-prefix sort of AlphaSort (Nyberg, Barclay,
//! Cvetanovic, Gray & Lomet 1994, section 4).
//!
//! No code of the caller's is run: the types are std's, and so is their order. Memory for each string: a key of 16 bytes, another where keys
//! are merged, and a copy of the string itself (not of its bytes).

use std::mem::MaybeUninit;

use super::run::{LEAVES_PER_WORKER, parallel, unstable};
use crate::crew::Crew;
use crate::few::sort_few;
use crate::kind::is;
use crate::map::visit_mut;
use crate::policy::{Plan, Team};
use crate::scratch::Scratch;

/// Fewer strings than this are sorted as they are: making keys would take longer.
const VERY_FEW: usize = 24;

/// Fewer keys than this are sorted by one worker, and if they are equal, by the strings.
const FEW: usize = 64;

/// Bits of a key that hold the index of the string: for more strings than any memory.
const INDEX_BITS: u32 = 40;

/// Bytes of a string that are kept in its key: what the index and one byte for the length leave.
const PREFIX: usize = 10;

/// Strings that are equal for more bytes than this are compared as they are, by one worker. It bounds the depth of the recursion.
const DEEP: usize = 64 * PREFIX;

/// Elements whose `Ord` is that of their bytes.
pub(super) enum Strings<'v> {
    Str(&'v mut [&'v str]),
    String(&'v mut [String]),
    Slice(&'v mut [&'v [u8]]),
    Vec(&'v mut [Vec<u8>]),
}

impl<'v> Strings<'v> {
    /// `v` as what it is, or `None` where its elements are something else.
    #[inline(always)]
    pub(super) fn of<T>(v: &'v mut [T]) -> Option<Self> {
        let (start, len) = (v.as_mut_ptr(), v.len());
        // Of `&str` and `&[u8]` the identity does not tell the lifetime. It is at least that of the borrow, and what is only permuted
        // may be taken for references of that lifetime.
        if is::<T, &'static str>() {
            // SAFETY: `T` is `&str`; the slice is borrowed.
            Some(Strings::Str(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }))
        } else if is::<T, String>() {
            // SAFETY: `T` is `String`, and likewise.
            Some(Strings::String(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }))
        } else if is::<T, &'static [u8]>() {
            // SAFETY: `T` is `&[u8]`, and likewise.
            Some(Strings::Slice(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }))
        } else if is::<T, Vec<u8>>() {
            // SAFETY: `T` is `Vec<u8>`, and likewise.
            Some(Strings::Vec(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }))
        } else {
            None
        }
    }

    /// Sorts them, stable if asked to.
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

    /// All but the index. Of two strings without a cut, this orders as they do: where the bytes are the same, zeros that were filled in
    /// included, the shorter string is the beginning of the longer.
    fn front(self) -> u128 {
        self.0 >> INDEX_BITS
    }

    /// Whether the string is longer than what is kept of it.
    fn is_cut(self) -> bool {
        self.front() as u8 > PREFIX as u8
    }
}

/// What is the same in all steps of a sort. It is compiled once for all kinds of strings: their own bytes are seldom looked at.
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
    fn sort<C: Crew>(&self, crew: Option<&C>, keys: &mut [Key], depth: usize) {
        self.sort_fronts(crew, keys);
        let depth = depth + PREFIX;
        let share = crew.map_or(self.len, |crew| self.len / crew.workers());
        let (long, mut short): (Vec<_>, Vec<_>) = ties(keys).into_iter().partition(|tie| tie.len() > share);
        long.into_iter().for_each(|tie| self.break_tie(crew, tie, depth));
        each(crew, &mut short, |_, tie| self.break_tie(None::<&C>, tie, depth));
    }

    /// Sorts keys by all but the index: sorts gain from elements that are equal.
    fn sort_fronts(&self, crew: Option<&impl Crew>, keys: &mut [Key]) {
        let alone = |keys: &mut [Key]| {
            if self.is_stable {
                keys.sort_by_key(|key| key.front())
            } else {
                keys.sort_unstable_by_key(|key| key.front())
            }
        };
        let is_less = |a: &Key, b: &Key| a.front() < b.front();
        match crew {
            Some(crew) if keys.len() >= FEW && self.is_stable => {
                parallel(crew, keys, LEAVES_PER_WORKER, is_less, alone)
            }
            Some(crew) if keys.len() >= FEW => unstable(crew, keys, is_less, alone),
            _ => alone(keys),
        }
    }

    /// Sorts keys of strings that are equal before `depth`.
    fn break_tie<C: Crew>(&self, crew: Option<&C>, tie: &mut [Key], depth: usize) {
        if tie.len() < FEW || depth > DEEP {
            return tie.sort_by(|a, b| self.rest(a.index(), depth).cmp(self.rest(b.index(), depth)));
        }
        each(crew, tie, |_, key| *key = Key::of(self.rest(key.index(), depth), key.index()));
        self.sort(crew, tie, depth);
    }
}

/// The runs of keys that do not tell which of their strings is less.
fn ties(mut keys: &mut [Key]) -> Vec<&mut [Key]> {
    let mut ties = Vec::new();
    let is_tie = |pair: &[Key]| pair[0].is_cut() && pair[0].front() == pair[1].front();
    while let Some(start) = keys.windows(2).position(is_tie) {
        let len = 1 + keys[start..].windows(2).take_while(|pair| is_tie(pair)).count();
        let (before, rest) = keys.split_at_mut(start + len);
        ties.push(&mut before[start..]);
        keys = rest;
    }
    ties
}

fn sort<B: AsRef<[u8]> + Send + Sync>(plan: Plan<'_>, v: &mut [B], is_stable: bool) {
    match plan {
        Plan::Sequential(watch) => watch.time(|| sort_with(None::<&Team<'_>>, v, is_stable)),
        Plan::Parallel(team) => sort_with(Some(&team), v, is_stable),
    }
}

fn sort_with<B: AsRef<[u8]> + Send + Sync>(crew: Option<&impl Crew>, v: &mut [B], is_stable: bool) {
    if v.len() >= VERY_FEW {
        return by_keys(crew, v, is_stable);
    }
    sort_few(v, |a, b| a.as_ref() < b.as_ref());
}

/// Sorts with `crew`, or on this thread.
pub(super) fn by_keys<B: AsRef<[u8]> + Send + Sync>(crew: Option<&impl Crew>, v: &mut [B], is_stable: bool) {
    assert!((v.len() as u64) < 1 << INDEX_BITS, "an index for each string");
    let mut keys = Scratch::<Key>::new(v.len());
    each(crew, keys.room(), |i, slot| {
        slot.write(Key::of(v[i].as_ref(), i));
    });
    // SAFETY: every slot has been written.
    let keys = unsafe { keys.filled() };
    Sort { strings: &|index| v[index].as_ref(), len: v.len(), is_stable }.sort(crew, keys, 0);
    let mut sorted = Scratch::<B>::new(v.len());
    each(crew, sorted.room(), |i, slot| {
        // SAFETY: an element is read as bits, which become one only below.
        *slot = unsafe { std::ptr::from_ref(&v[keys[i].index()]).cast::<MaybeUninit<B>>().read() };
    });
    // SAFETY: the keys have each index once, so `sorted` holds the bits of each element once, and never drops them.
    unsafe { std::ptr::copy_nonoverlapping(sorted.room().as_ptr().cast(), v.as_mut_ptr(), v.len()) };
}

/// Calls `f` on every element and its index, with `crew` or on this thread.
fn each<T: Send>(crew: Option<&impl Crew>, v: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    match crew {
        Some(crew) => visit_mut(crew, v, f),
        None => v.iter_mut().enumerate().for_each(|(i, x)| f(i, x)),
    }
}
