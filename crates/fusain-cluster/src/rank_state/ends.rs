//! How a cluster ends: by a failure that all ranks are told of, or when all of them are quiescent.

use std::time::Instant;

use super::{Failure, LEAVE_TIMEOUT, RankState, State, Traffic};
use crate::data::cells::Raised;
use crate::error::Error;
use crate::wire::packet::Header;

impl RankState {
    /// Notes the first failure and tells all ranks. That is the last message that this rank sends them.
    pub(super) fn fail(&self, state: &mut State, error: Error) {
        if state.failure.is_some() {
            return;
        }
        let (header, why) = match &error {
            Error::RankLost { rank, why } => (Header::Lost { rank: *rank as u32 }, why.clone()),
            Error::RankFailed { rank, why } => (Header::Failed { rank: *rank as u32 }, why.clone()),
            other => (Header::Failed { rank: self.me }, other.to_string()),
        };
        // The rank that is lost is told, too: it may still be there, and can then leave.
        for to in (0..self.size).filter(|&to| to != self.me) {
            state.send(to, &header, why.as_bytes().to_vec());
        }
        state.failure = Some(Failure::new(error));
        self.announce(state);
    }

    /// Another rank has ended, and sends nothing any more.
    pub(super) fn hear_end(&self, state: &mut State, from: u32, error: Error) {
        self.fail(state, error);
        if let Some(failure) = &mut state.failure {
            failure.ended.insert(from);
        }
    }

    /// Whether all other ranks have ended or are gone, so that no message comes any more.
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

    /// The rank state could not be connected, for this reason. It replaces the failure that the drop of the progress client caused.
    pub(crate) fn stays_shut(&self, error: Error) -> Error {
        self.lock().failure = Some(Failure::new(error.clone()));
        error
    }

    /// The error for which there will be no result, if there is one.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.lock().error().cloned()
    }

    /// Reports quiescence up the tree, and shuts down ranks down the tree.
    ///
    /// Rank 0 begins to shut down when as many messages have been received as were sent. Messages between two ranks keep their order, but a message of a third rank
    /// may come later than messages that it has caused. Without the count, a message might reach a rank that has left, and be taken for one of the next cluster
    /// on that communicator.
    pub(super) fn depart(&self, state: &mut State) {
        let children = self.children().count();
        if !state.departure.wanted || state.departure.may_leave || state.departure.quiescent.len() < children {
            return;
        }
        if state.departure.reported.is_none() {
            let raised = self.tables.rest();
            self.tell_raised(state, &raised);
        }
        let all = state.departure.quiescent.values().fold(state.traffic, |all, below| Traffic {
            sent: all.sent.saturating_add(below.sent),
            received: all.received.saturating_add(below.received),
        });
        if state.departure.reported.replace(all) == Some(all) {
            return;
        }
        let Traffic { sent, received } = all;
        match self.me {
            0 if sent == received => self.shut_down(state),
            0 => {}
            me => {
                let mine = (state.reports.gathered, me);
                let (gathered, rank) = state.departure.fewest.map_or(mine, |below| below.min(mine));
                state.send((me - 1) / 2, &Header::Quiescent { rank, gathered, sent, received }, Vec::new());
            }
        }
    }

    /// Tells this rank's children that they may leave, and lets this rank leave.
    pub(super) fn shut_down(&self, state: &mut State) {
        state.departure.may_leave = true;
        state.departure.deadline = Some(Instant::now() + LEAVE_TIMEOUT);
        self.children().for_each(|child| state.send(child, &Header::Shutdown, Vec::new()));
        state.send((self.me + 1) % self.size, &Header::Leaving, Vec::new());
    }

    /// Tells the neighbours in the tree the new values of cells.
    pub(super) fn tell_raised(&self, state: &mut State, raised: &[Raised]) {
        for (to, &(table, cell, value)) in self.neighbours().flat_map(|to| raised.iter().map(move |one| (to, one))) {
            state.send(to, &Header::Raise { table, cell, value }, Vec::new());
        }
    }

    /// Waits until no rank will send anything any more, or a failure is known, and the progress client has sent all remaining messages.
    pub(crate) fn leave(&self) {
        {
            let mut state = self.lock();
            state.departure.wanted = true;
            if !state.run.early.is_empty() {
                // The others have begun a run that this rank will not begin, and some of them wait for messages that it should pass on.
                self.fail(&mut state, Error::left(self.me as usize));
            }
            self.depart(&mut state);
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
