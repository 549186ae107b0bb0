//! How it ends: by a failure that everybody hears of, or by good-byes.

use super::{RankState, State};
use crate::error::Error;
use crate::packet::Header;

impl RankState {
    /// The first failure stays, and everybody is told.
    pub(super) fn fail(&self, state: &mut State, error: Error) {
        if state.failure.is_some() {
            return;
        }
        let (header, about, why) = match &error {
            Error::RankLost { rank, why } => (Header::Lost { rank: *rank as u32 }, *rank as u32, why.clone()),
            Error::RankFailed { rank, why } => (Header::Failed { rank: *rank as u32 }, *rank as u32, why.clone()),
            other => (Header::Failed { rank: self.me }, self.me, other.to_string()),
        };
        for to in (0..self.size).filter(|&to| to != self.me && to != about) {
            state.send(to, &header, why.as_bytes().to_vec());
        }
        state.failure = Some(error);
        self.announce(state);
    }

    /// This rank gives up, and tells the others.
    pub(crate) fn give_up(&self, why: &str) {
        self.fail(&mut self.lock(), Error::RankLost { rank: self.me as usize, why: why.to_owned() });
        self.notify();
        self.wake();
    }

    /// This rank ends with an error of its own.
    pub(crate) fn fail_with(&self, error: Error) -> Error {
        self.fail(&mut self.lock(), error);
        self.notify();
        self.wake();
        self.failure().unwrap_or(Error::Encode { why: String::new() })
    }

    /// It could not be connected, for this reason; that the progress client was dropped is none.
    pub(crate) fn stays_shut(&self, error: Error) -> Error {
        self.lock().failure = Some(error.clone());
        error
    }

    /// Why there will be no result.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.lock().failure.clone()
    }

    /// Good-byes go up the tree, farewells down.
    pub(super) fn part(&self, state: &mut State) {
        let children = [2 * self.me + 1, 2 * self.me + 2].into_iter().filter(|&child| child < self.size);
        if state.departure.wanted
            && !state.departure.farewell
            && state.departure.byes == children.clone().count() as u32
        {
            // Once only.
            state.departure.byes = u32::MAX;
            match self.me {
                0 => state.departure.farewell = true,
                me => {
                    let mine = (state.reports.gathered, me);
                    let (gathered, rank) = state.departure.fewest.map_or(mine, |below| below.min(mine));
                    state.send((me - 1) / 2, &Header::Bye { rank, gathered }, Vec::new());
                }
            }
        }
        if state.departure.farewell {
            children.for_each(|child| state.send(child, &Header::Farewell, Vec::new()));
        }
    }

    /// Waits until no rank will send anything any more, or a failure is known, and the progress client has sent what was left.
    pub(crate) fn leave(&self) {
        {
            let mut state = self.lock();
            state.departure.wanted = true;
            if !state.run.early.is_empty() {
                // The others have begun a run that this rank will not, and some wait for what it should pass on.
                self.fail(&mut state, Error::left(self.me as usize));
            }
            self.part(&mut state);
        }
        loop {
            let seen = self.changes();
            if self.lock().departure.closed {
                return;
            }
            self.await_change(seen);
        }
    }
}
