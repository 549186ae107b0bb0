//! What a thread remembers of calls with closures of the same types.

use std::any::type_name;
use std::cell::Cell;

/// Names the kind of calls that type `K` stands for: by the address of its name. Two types may have one, and one type several, so what is remembered is a guess.
#[inline(always)]
pub(crate) fn kind_of<K: ?Sized>() -> usize {
    type_name::<K>().as_ptr() as usize
}

/// Kinds that are remembered. Two that meet in one place take turns in it.
const KINDS: usize = 64;

/// A value for each of the last kinds.
pub(crate) struct Kinds<T>([Cell<Option<(usize, T)>>; KINDS]);

impl<T: Copy> Kinds<T> {
    pub(crate) const fn new() -> Self {
        Self([const { Cell::new(None) }; KINDS])
    }

    fn place(&self, kind: usize) -> &Cell<Option<(usize, T)>> {
        // Names lie at any address; two shifts mix enough of it.
        &self.0[(kind ^ (kind >> 6)) % KINDS]
    }

    pub(crate) fn get(&self, kind: usize) -> Option<T> {
        self.place(kind).get().filter(|(id, _)| *id == kind).map(|(_, value)| value)
    }

    pub(crate) fn set(&self, kind: usize, value: T) {
        self.place(kind).set(Some((kind, value)));
    }
}
