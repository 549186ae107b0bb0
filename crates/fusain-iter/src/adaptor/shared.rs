//! An inner chain that is shared by all workers. Its elements are computed piece by piece. Each piece is passed on at once, or held, so that it can be split again.

use std::collections::VecDeque;
use std::collections::vec_deque::Drain;

use fusain_algorithms::internals::Team;

use crate::flag::Flag;
use crate::settings::Settings;
use crate::sink::vector;
use crate::source::Source;

/// Elements of inner chains, in front of those of the base.
pub(super) struct Held<T> {
    pub(super) elements: VecDeque<T>,
    /// The maximum number of held elements in a unit. The grain counts elements of the base, which may take less time.
    pub(super) unit: usize,
}

impl<T> Held<T> {
    pub(super) fn nothing() -> Self {
        Held { elements: VecDeque::new(), unit: usize::MAX }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }

    /// Takes the elements of a unit of length `grain`.
    #[inline]
    pub(super) fn take(&mut self, grain: usize) -> Drain<'_, T> {
        self.elements.drain(..grain.min(self.unit).min(self.elements.len()))
    }
}

/// The maximum number of elements of an inner chain that may be held.
const HELD_MAX: usize = 1 << 20;

/// Lets `team` compute the elements of an inner chain, piece by piece, and folds them into `acc`. If it is rather what is done with the elements that takes long, puts them
/// into `held`, if that is given. `ends` says of a folded piece whether the chain is over; `None` if it never is.
///
/// The elements of a piece are in memory until they are folded, and are computed in vain if the chain ends before them. So pieces are short: see [`Pieces`].
#[cold]
#[inline(never)]
pub(super) fn shared<S: Source<Item: Send>, A>(
    team: Team<'_>,
    settings: Settings<'_>,
    source: S,
    mut held: Option<&mut Held<S::Item>>,
    mut acc: A,
    mut step: impl FnMut(A, S::Item) -> A,
    ends: Option<fn(&A) -> bool>,
) -> A {
    held = held.filter(|_| source.left() <= HELD_MAX);
    let mut pieces = Pieces::of(source, ends.is_some());
    let mut are_held = false;
    while let Some(piece) = pieces.next(&team, are_held) {
        let elements = vector::shared(&team, &settings, piece).into_iter().flatten();
        // Once some are held, those behind them are, too: they must not come out first.
        are_held = are_held || (held.is_some() && uses_are_long(&team, ends.is_some()));
        match &mut held {
            Some(held) if are_held => {
                held.elements.extend(elements);
                held.unit = team.elements_in(UNIT_NS).map_or(usize::MAX, |in_that| in_that.max(1));
            }
            _ => acc = elements.fold(acc, &mut step),
        }
        if ends.is_some_and(|ends| ends(&acc)) || settings.over.is_some_and(Flag::is_up) {
            team.leaves_rest();
            return acc;
        }
    }
    if are_held {
        team.leaves_rest();
    }
    // Else the team times the call until it is dropped. Passing the elements on belongs to that, as it does in calls that are not shared.
    acc
}

/// Whether an element takes long, and enough of that time is spent on what is done with it: then that has to be shared, and not only the computing of the elements. If the chain
/// `may_end`, more of the time has to be, since all that is held may have been computed in vain.
fn uses_are_long(team: &Team<'_>, may_end: bool) -> bool {
    // If it is not known yet, they may be long.
    let is_long = team.elements_in(LONG_NS).is_none_or(|in_that| in_that <= 1);
    let part = if may_end { 0.25 } else { 0.75 };
    let is_computed_soon = |ns: f32| team.elements_in(ns / part).map_or(ns < LONG_NS, |in_that| in_that == 0);
    is_long && team.unit_element_ns().is_some_and(is_computed_soon)
}

/// An inner chain, cut into pieces that are shared one after the other.
///
/// If the chain may end, a piece is at most about twice as long as all before it, so that what is computed in vain is in proportion to what had to be.
struct Pieces<S> {
    /// What is left, the front last.
    rest: Vec<S>,
    may_end: bool,
    /// The maximum length of the last piece.
    len: usize,
}

impl<S: Source> Pieces<S> {
    fn of(source: S, may_end: bool) -> Self {
        Pieces { rest: vec![source], may_end, len: 0 }
    }

    /// The next piece: `whole`, or as long as is good.
    fn next(&mut self, team: &Team<'_>, whole: bool) -> Option<S> {
        let mut front = self.rest.pop()?;
        if !whole {
            self.len = self.len_after(team);
            // Bounded, as a source might not become shorter.
            for _ in 0..usize::BITS {
                let back = if front.left() > self.len { front.split() } else { None };
                let Some(back) = back else { break };
                self.rest.push(back);
            }
        }
        Some(front)
    }

    /// The maximum length of the next piece.
    fn len_after(&self, team: &Team<'_>) -> usize {
        let (double, workers) = (self.len.saturating_mul(2), team.workers());
        let Some(ns) = team.unit_element_ns() else { return double.max(workers) };
        let in_time = |all_ns: f32| ((all_ns / ns) as usize).saturating_mul(workers);
        let most = in_time(PIECE_NS).max(PIECE_EACH * workers);
        let len = if self.may_end { double.clamp(in_time(UNIT_NS).max(workers).min(most), most) } else { most };
        // Those of the last piece may have been far lighter than the elements behind them.
        if self.len == 0 { len } else { len.min(self.len.saturating_mul(GROWTH)) }
    }
}

/// Elements are held if each takes longer than about half of this time, together with what is done with it.
const LONG_NS: f32 = 1_000.0;

/// The time that a unit of held elements should take, and that the first piece of a chain that may end should take on each worker.
const UNIT_NS: f32 = 10_000.0;

/// The maximum time that a piece of an inner chain should take, on all workers: far longer than it takes to begin a call.
const PIECE_NS: f32 = 1_000_000.0;

/// A piece is at most this many times as long as the one before it.
const GROWTH: usize = 8;

/// A piece may have this many elements for each worker, however long they take: at its end, workers wait for the last element.
const PIECE_EACH: usize = 16;
