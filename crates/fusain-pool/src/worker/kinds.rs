//! What a thread remembers of calls and jobs with closures of the same types.

use std::any::type_name;
use std::cell::Cell;

/// Names the kind of calls that type `K` stands for, by the address of the type's name. Two types may share an address, and one type may have several, so what is
/// remembered of a kind is a guess.
#[inline(always)]
pub(crate) fn kind_of<K: ?Sized>() -> usize {
    type_name::<K>().as_ptr() as usize
}

/// A table of `N` places, with a value for each of the last kinds. Of two kinds that have the same place, the later one replaces the other.
pub(crate) struct Kinds<T, const N: usize = 64>([Cell<Option<(usize, T)>>; N]);

impl<T: Copy, const N: usize> Kinds<T, N> {
    pub(crate) const fn new() -> Self {
        Self([const { Cell::new(None) }; N])
    }

    fn place(&self, kind: usize) -> &Cell<Option<(usize, T)>> {
        // Names lie at any address, functions usually at multiples of 16; these shifts mix both well enough.
        &self.0[(kind ^ (kind >> 4) ^ (kind >> 7)) % N]
    }

    pub(crate) fn get(&self, kind: usize) -> Option<T> {
        self.place(kind).get().filter(|(id, _)| *id == kind).map(|(_, value)| value)
    }

    pub(crate) fn set(&self, kind: usize, value: T) {
        self.place(kind).set(Some((kind, value)));
    }
}

/// The number of consecutive occurrences of an event, per kind, for a few kinds. Each new [`Handle`](crate::worker::handle::Handle) begins with none.
pub(crate) struct Streaks(Kinds<u32, 8>);

/// From this number of consecutive occurrences on it is a streak.
const SEVERAL: u32 = if cfg!(loom) { 1 } else { 4 };

impl Streaks {
    pub(crate) const fn new() -> Self {
        Self(Kinds::new())
    }

    fn length(&self, kind: usize) -> u32 {
        self.0.get(kind).unwrap_or(0)
    }

    /// Whether the event has occurred at least [`SEVERAL`] times in a row.
    pub(crate) fn has_streak(&self, kind: usize) -> bool {
        self.length(kind) >= SEVERAL
    }

    /// Notes that the event has occurred, or that it has not, which ends the streak.
    pub(crate) fn note(&self, kind: usize, is_case: bool) {
        self.0.set(kind, if is_case { (self.length(kind) + 1).min(SEVERAL) } else { 0 });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_streak_takes_several_times_and_ends_at_once() {
        let streaks = Streaks::new();
        let (one, other) = (0x1000, 0x1010);
        for _ in 1..SEVERAL {
            streaks.note(one, true);
            assert!(!streaks.has_streak(one));
        }
        streaks.note(one, true);
        streaks.note(one, true);
        assert!(streaks.has_streak(one) && !streaks.has_streak(other));
        streaks.note(other, false);
        assert!(streaks.has_streak(one));
        streaks.note(one, false);
        assert!(!streaks.has_streak(one));
    }
}
