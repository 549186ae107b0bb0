//! A small table of a thread's classes, two-way set associative: a class may stand in either place of its pair.

use std::cell::Cell;
use std::ops::RangeInclusive;

use super::Kind;
use super::class::{Again, Class, Next};
use super::usual::Usual;
use crate::platform::moment;

/// The number of pairs. Of three classes in one pair, one is forgotten, and learned anew when it comes again.
const PAIRS: usize = 64;

/// A new class starts like one of its kind whose lengths differ by at most this many powers of two. The caches make a difference, but that is soon seen.
const NEAR: i32 = 8;

/// Of the sequential calls that are not timed, some are checked against a limit: so few that the checks take 1 % of the time of the longest calls of the class, ...
const GUARDED_PART: f32 = 0.01;

/// A check takes this many times as long as reading the cycle counter: it reads it twice, and each time the processor may wait for earlier instructions.
const LOOKS_PER_CHECK: f32 = 5.0;

/// ... but at least one in this many, a power of two: an element may have become a thousand times as heavy.
const GUARDED_EVERY: u16 = 32;

/// The limit is this many times the expected time, ...
const LIMIT: f32 = 2.0;

/// ... plus what cold caches can add after a rest: this many times the expected time, within bounds.
const COLD: f32 = 20.0;
const COLD_NS: RangeInclusive<f32> = 5_000.0..=30_000.0;

thread_local! {
    static KNOWN: Known = const {
        Known {
            lights: [const { Pair::new() }; PAIRS],
            classes: [const { [const { Class::new() }; 2] }; PAIRS],
            turn: Cell::new(0),
        }
    };
}

struct Known {
    lights: [Pair; PAIRS],
    classes: [[Class; 2]; PAIRS],
    /// Which place of a full pair is reused next.
    turn: Cell<u8>,
}

/// All that a call that is not weighed has to read. One cache line, because after a rest a call waits for each line that it reads.
#[repr(align(64))]
struct Pair {
    keys: [Cell<Key>; 2],
    /// Calls that run in sequence until one is weighed.
    alone: [Cell<u16>; 2],
    /// The limit of one of these, in ticks; 0: none.
    limits: [Cell<u32>; 2],
    /// Which of them are checked against the limit: those for which no bit of the mask is set in the number of calls left.
    masks: [Cell<u16>; 2],
    usual: [Cell<Usual>; 2],
    /// Calls that are shared until one is weighed, and how they are shared.
    shared: [Cell<u16>; 2],
    again: [Cell<Again>; 2],
}

const _: () = assert!(size_of::<Pair>() == 64, "one cache line");

impl Pair {
    const fn new() -> Self {
        Self {
            keys: [const { Cell::new(Key::NONE) }; 2],
            alone: [const { Cell::new(0) }; 2],
            limits: [const { Cell::new(0) }; 2],
            masks: [const { Cell::new(0) }; 2],
            usual: [const { Cell::new(Usual::NONE) }; 2],
            shared: [const { Cell::new(0) }; 2],
            again: [const { Cell::new(Again::NONE) }; 2],
        }
    }
}

/// Which sequential calls that are not weighed are checked, and against what limit.
pub(super) struct Guard {
    /// One call in this many is checked, a power of two.
    pub(super) every: u16,
    /// A call that takes longer is noted.
    pub(super) limit_ns: f32,
}

impl Guard {
    /// For calls that should take at most `longest_ns`, where reading the counter takes `look_ns`.
    pub(super) fn of(longest_ns: f32, look_ns: f32) -> Self {
        let every =
            (LOOKS_PER_CHECK * look_ns / (GUARDED_PART * longest_ns)).ceil().min(f32::from(GUARDED_EVERY)) as u16;
        let cold_ns = (COLD * longest_ns).clamp(*COLD_NS.start(), *COLD_NS.end());
        Self { every: every.next_power_of_two(), limit_ns: LIMIT * longest_ns + cold_ns }
    }
}

/// What identifies a class: a kind, and the power of two of its calls' lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(usize);

impl Key {
    /// The key of no class.
    pub(super) const NONE: Self = Self(0);

    /// The class of calls of `kind` with `work` elements.
    #[inline(always)]
    pub(super) fn of(kind: Kind, work: usize) -> Self {
        Self(kind.id << 6 | (usize::BITS - work.leading_zeros()) as usize)
    }

    pub(super) fn to_word(self) -> usize {
        self.0
    }

    pub(super) fn from_word(word: usize) -> Self {
        Self(word)
    }

    #[inline(always)]
    fn pair(self) -> usize {
        // Fibonacci hashing, since the ids of kinds are addresses that lie close together.
        let hash = (self.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        hash as usize % PAIRS
    }
}

/// A call that runs in sequence without being weighed.
pub(super) struct Unweighed {
    /// Its limit, in ticks; 0: none.
    pub(super) ticks: u32,
    pub(super) usual: Usual,
}

/// Whether a call of the class `key` runs in sequence without being weighed; if so, its limit and what is usual.
#[inline(always)]
pub(super) fn unweighed(key: Key) -> Option<Unweighed> {
    KNOWN.with(|known| {
        let pair = &known.lights[key.pair()];
        let place = usize::from(pair.keys[0].get() != key);
        if pair.keys[place].get() != key {
            return None;
        }
        let left = pair.alone[place].get();
        pair.alone[place].set(left.saturating_sub(1));
        let is_checked = left & pair.masks[place].get() == 0;
        let ticks = if is_checked { pair.limits[place].get() } else { 0 };
        (left != 0).then(|| Unweighed { ticks, usual: pair.usual[place].get() })
    })
}

/// How a call of the class `key` is shared without being weighed, if it is.
pub(super) fn shared_again(key: Key) -> Option<Again> {
    KNOWN.with(|known| {
        let (pair, place) = (&known.lights[key.pair()], known.find(key)?);
        let left = pair.shared[place].get().checked_sub(1)?;
        pair.shared[place].set(left);
        pair.alone[place].set(0);
        Some(pair.again[place].get())
    })
}

/// Runs `f` with the class `key`, if it is known.
pub(super) fn with_known(key: Key, f: impl FnOnce(&Class)) {
    KNOWN.with(|known| {
        if let Some(place) = known.find(key) {
            known.with(key, place, f);
        }
    });
}

/// Runs `f` with the class of calls of `kind` with `work` elements, and whether it is new.
pub(super) fn with_class<R>(kind: Kind, work: usize, f: impl FnOnce(&Class, bool) -> R) -> R {
    let key = Key::of(kind, work);
    KNOWN.with(|known| match known.find(key) {
        Some(place) => known.with(key, place, |class| f(class, false)),
        None => known.with(key, known.begin(key, kind, work), |class| f(class, true)),
    })
}

impl Known {
    fn find(&self, key: Key) -> Option<usize> {
        self.lights[key.pair()].keys.iter().position(|other| other.get() == key)
    }

    fn with<R>(&self, key: Key, place: usize, f: impl FnOnce(&Class) -> R) -> R {
        let class = &self.classes[key.pair()][place];
        let result = f(class);
        if let Some(next) = class.take_next() {
            let pair = &self.lights[key.pair()];
            let (alone, longest_ns, shared, again) = match next {
                Next::Weighed => (0, 0.0, 0, Again::NONE),
                Next::Alone { calls, longest_ns } => (calls, longest_ns, 0, Again::NONE),
                Next::Shared { calls, again } => (0, 0.0, calls, again),
            };
            pair.alone[place].set(alone);
            let guard = Guard::of(longest_ns, moment::look_ns());
            pair.limits[place].set(moment::ticks_in(guard.limit_ns));
            pair.masks[place].set(guard.every - 1);
            pair.usual[place].set(class.usual());
            pair.shared[place].set(shared);
            pair.again[place].set(again);
        }
        result
    }

    #[cold]
    fn begin(&self, key: Key, kind: Kind, work: usize) -> usize {
        let place = self.find_free(key);
        let class = &self.classes[key.pair()][place];
        let like = (1..=NEAR).flat_map(|log2| [-log2, log2]).find_map(|log2| {
            let its_work = if log2 < 0 { work >> -log2 } else { work.checked_shl(log2 as u32)? };
            let its_key = Key::of(kind, its_work);
            let like = &self.classes[its_key.pair()][self.find(its_key)?];
            (its_work > 0 && like.cost().is_some()).then_some((like, its_work))
        });
        class.begin(kind, work, like);
        self.lights[key.pair()].keys[place].set(key);
        place
    }

    /// A place in the pair of `key`: a free one, or else one of the two in turn, whose class is forgotten.
    fn find_free(&self, key: Key) -> usize {
        let keys = &self.lights[key.pair()].keys;
        keys.iter().position(|other| other.get() == Key::NONE).unwrap_or_else(|| {
            let turn = self.turn.get();
            self.turn.set(turn ^ 1);
            keys[usize::from(turn)].set(Key::NONE);
            usize::from(turn)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_kinds_that_take_turns_are_both_remembered() {
        // Enough that some pairs have three of them, but most have fewer.
        let kinds: Vec<Kind> = (1..=60).map(|id| Kind { id: 1_000 + 37 * id, prior_ns: 0.0 }).collect();
        let mut new = 0;
        for _ in 0..10 {
            for kind in &kinds {
                with_class(*kind, 100, |_, is_new| new += usize::from(is_new));
            }
        }
        assert!((60..150).contains(&new), "{new}");
    }

    #[test]
    fn a_new_class_is_like_another_length_of_its_kind() {
        let kind = Kind { id: 77, prior_ns: 0.0 };
        with_class(kind, 1_000, |class, _| class.took_alone(1_000, 1_000, 5_000.0));
        with_class(kind, 30_000, |class, is_new| {
            assert!(is_new);
            assert_eq!(class.cost(), Some(5.0));
        });
        with_class(Kind { id: 78, prior_ns: 0.0 }, 1_000, |class, _| assert_eq!(class.cost(), None));
    }
}
