//! Calls a function on every element in order, one at a time, while other workers compute the elements.
//!
//! Idea: the part at the front has the turn, and passes its elements on as they come. The other parts keep theirs. When the part with the turn ends, it passes on the elements
//! that ended parts behind it have kept, and gives the turn to the first part that still runs.

use std::mem::take;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::places::{Places, ROOT};
use crate::drive::{Sink, drive};
use crate::settings::Settings;
use crate::source::Source;

/// The state of a part.
#[derive(Default)]
enum State<T> {
    #[default]
    Runs,
    /// It runs, and all parts before it have ended.
    HasTurn,
    /// It has ended, and has kept these elements.
    Ended(Vec<T>),
}

struct InOrder<T, F> {
    /// Only the part that has the turn calls it, so no worker waits for the lock.
    f: Mutex<F>,
    places: Places<State<T>>,
}

struct Found<T> {
    place: usize,
    has_turn: bool,
    kept: Vec<T>,
}

impl<T: Send, F: FnMut(T)> InOrder<T, F> {
    fn call(&self, kept: Vec<T>) {
        if !kept.is_empty() {
            let mut f = self.f.lock().unwrap_or_else(PoisonError::into_inner);
            kept.into_iter().for_each(&mut *f);
        }
    }

    /// Gives the turn to the first part behind `place` that still runs, after passing on the elements of the ended parts before that.
    fn pass_on(&self, mut place: usize) {
        // A part that has ended is not split any more, so the order behind it does not change.
        while let Some(next) = self.places.next(place) {
            let ended = self.places.look_at(next, |state| match take(state) {
                State::Ended(kept) => Some(kept),
                State::Runs | State::HasTurn => {
                    *state = State::HasTurn;
                    None
                }
            });
            let Some(kept) = ended else { return };
            self.call(kept);
            place = next;
        }
    }
}

impl<S: Source<Item: Send>, F: FnMut(S::Item) + Send> Sink<S> for InOrder<S::Item, F> {
    type Found = Found<S::Item>;

    // Other workers must learn of the end of a part as soon as possible.
    const WAITS: bool = false;

    fn unit(&self, found: &mut Self::Found, source: &mut S, grain: usize) -> ControlFlow<()> {
        found.has_turn = found.has_turn || self.places.look_at(found.place, |state| matches!(state, State::HasTurn));
        if found.has_turn {
            self.call(take(&mut found.kept));
            let mut f = self.f.lock().unwrap_or_else(PoisonError::into_inner);
            source.fold(grain, (), |(), x| f(x));
        } else {
            source.fold(grain, (), |(), x| found.kept.push(x));
        }
        ControlFlow::Continue(())
    }

    fn split(&self, found: &mut Self::Found, _rest: &S) -> Self::Found {
        let place = self.places.insert_behind(found.place, State::Runs);
        Found { place, has_turn: false, kept: Vec::new() }
    }

    fn finish(&self, Found { place, mut kept, has_turn }: Self::Found) {
        // The part may have got the turn since its last unit.
        let has_turn = self.places.look_at(place, |state| {
            let has_turn = has_turn || matches!(state, State::HasTurn);
            if !has_turn {
                *state = State::Ended(take(&mut kept));
            }
            has_turn
        });
        if has_turn {
            self.call(kept);
            self.pass_on(place);
        }
    }
}

/// Calls `f` on every element of `source`, in order.
#[inline(always)]
pub(crate) fn each_in_order<S: Source<Item: Send>>(settings: &Settings<'_>, source: S, f: impl FnMut(S::Item) + Send) {
    let sink = InOrder { f: Mutex::new(f), places: Places::new() };
    if let Some(found) = drive(settings, source, &sink, Found { place: ROOT, has_turn: true, kept: Vec::new() }) {
        sink.call(found.kept);
    }
}
