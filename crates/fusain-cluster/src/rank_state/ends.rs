//! How it ends: by a failure that everybody hears of, or by good-byes.

use std::time::Instant;

use super::{Failure, LAST_WORDS, RankState, State, Traffic};
use crate::data::cells::Raised;
use crate::error::Error;
use crate::wire::packet::Header;

impl RankState {
    /// The first failure stays, and everybody is told: that is the last that this rank sends them.
    pub(super) fn fail(&self, state: &mut State, error: Error) {
        if state.failure.is_some() {
            return;
        }
        let (header, why) = match &error {
            Error::RankLost { rank, why } => (Header::Lost { rank: *rank as u32 }, why.clone()),
            Error::RankFailed { rank, why } => (Header::Failed { rank: *rank as u32 }, why.clone()),
            other => (Header::Failed { rank: self.me }, other.to_string()),
        };
        // Also the one that is lost, if it is: it may be there, and leave.
        for to in (0..self.size).filter(|&to| to != self.me) {
            state.send(to, &header, why.as_bytes().to_vec());
        }
        state.failure = Some(Failure::new(error));
        self.announce(state);
    }

    /// Another rank has ended: it sends nothing any more.
    pub(super) fn hear_end(&self, state: &mut State, from: u32, error: Error) {
        self.fail(state, error);
        if let Some(failure) = &mut state.failure {
            failure.ended.insert(from);
        }
    }

    /// Whether all others have ended or are gone, and nothing comes any more.
    pub(super) fn are_over(&self, failure: &Failure) -> bool {
        let is_over = |rank| rank == self.me || failure.ended.contains(&rank) || failure.gone.contains(&rank);
        (0..self.size).all(is_over)
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
        self.lock().failure = Some(Failure::new(error.clone()));
        error
    }

    /// Why there will be no result.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.lock().error().cloned()
    }

    /// Good-byes go up the tree, farewells down.
    ///
    /// A farewell is said when as many messages have been received as were sent. Those between any two ranks come in their order, but one of a third rank may come later than what
    /// it has led to: without the count a message might come to a rank that has left, and be taken for one of the next cluster on that communicator.
    pub(super) fn part(&self, state: &mut State) {
        let children = self.children().count();
        if !state.departure.wanted || state.departure.farewell || state.departure.byes.len() < children {
            return;
        }
        if state.departure.said.is_none() {
            let raised = self.tables.rest();
            self.tell_raised(state, &raised);
        }
        let all = state.departure.byes.values().fold(state.traffic, |all, below| Traffic {
            sent: all.sent.saturating_add(below.sent),
            received: all.received.saturating_add(below.received),
        });
        if state.departure.said.replace(all) == Some(all) {
            return;
        }
        let Traffic { sent, received } = all;
        match self.me {
            0 if sent == received => self.bid_farewell(state),
            0 => {}
            me => {
                let mine = (state.reports.gathered, me);
                let (gathered, rank) = state.departure.fewest.map_or(mine, |below| below.min(mine));
                state.send((me - 1) / 2, &Header::Bye { rank, gathered, sent, received }, Vec::new());
            }
        }
    }

    /// This rank may leave, and all below it.
    pub(super) fn bid_farewell(&self, state: &mut State) {
        state.departure.farewell = true;
        state.departure.patient_until = Some(Instant::now() + LAST_WORDS);
        self.children().for_each(|child| state.send(child, &Header::Farewell, Vec::new()));
        state.send((self.me + 1) % self.size, &Header::Leaving, Vec::new());
    }

    /// Tells above and below what cells of tables have been raised to.
    pub(super) fn tell_raised(&self, state: &mut State, raised: &[Raised]) {
        for (to, &(table, cell, value)) in self.neighbours().flat_map(|to| raised.iter().map(move |one| (to, one))) {
            state.send(to, &Header::Raise { table, cell, value }, Vec::new());
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
