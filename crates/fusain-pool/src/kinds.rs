//! What a thread remembers of calls and jobs with closures of the same types.

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

/// Kinds of which something has been the case several times on end. Where two meet in one place the last one is remembered.
pub(crate) struct Streaks([Cell<(usize, u32)>; STREAKS]);

/// Two cache lines, since each visit of a pool makes these anew.
const STREAKS: usize = 8;

/// So many times count.
const SEVERAL: u32 = if cfg!(loom) { 1 } else { 4 };

impl Streaks {
    pub(crate) const fn new() -> Self {
        Self([const { Cell::new((0, 0)) }; STREAKS])
    }

    /// Kinds of jobs are named by the address of a function, which mostly is a multiple of 16.
    fn place(&self, kind: usize) -> &Cell<(usize, u32)> {
        &self.0[((kind >> 4) ^ (kind >> 7)) % STREAKS]
    }

    fn length(&self, kind: usize) -> u32 {
        let (last, length) = self.place(kind).get();
        if last == kind { length } else { 0 }
    }

    /// Whether it has been the case for several times on end.
    pub(crate) fn is_long(&self, kind: usize) -> bool {
        self.length(kind) >= SEVERAL
    }

    /// It has been the case, or not.
    pub(crate) fn note(&self, kind: usize, is_case: bool) {
        let length = if is_case { (self.length(kind) + 1).min(SEVERAL) } else { 0 };
        self.place(kind).set((kind, length));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_streak_is_long_after_several_times_and_ends_at_once() {
        let streaks = Streaks::new();
        let (one, other) = (0x1000, 0x1010);
        for _ in 1..SEVERAL {
            streaks.note(one, true);
            assert!(!streaks.is_long(one));
        }
        streaks.note(one, true);
        streaks.note(one, true);
        assert!(streaks.is_long(one) && !streaks.is_long(other));
        streaks.note(other, false);
        assert!(streaks.is_long(one));
        streaks.note(one, false);
        assert!(!streaks.is_long(one));
    }
}
