//! Events that the progress loop reports to the rank state, on the thread that drives the loop.

use std::sync::PoisonError;
use std::time::Instant;

use super::{ARRIVAL, Data, FromRank, GRACE, HEARTBEAT, RankState, State, Traffic};
use crate::error::Error;
use crate::log::Status;
use crate::protocol::{self, Message};
use crate::wire::packet::{self, Header};

/// The outcome of a tick.
pub(crate) struct Tick {
    /// The time of the next tick at the latest.
    pub(crate) due: Instant,
    /// Whether a thread may wait for something that has changed.
    pub(crate) changed: bool,
    /// Whether the messages taken are the last ones that this rank sends.
    pub(crate) is_last: bool,
    /// Whether some ranks may be lost.
    pub(crate) is_lossy: bool,
}

/// The reason in a payload, with unreadable bytes replaced.
fn text(payload: &[u8]) -> String {
    String::from_utf8_lossy(payload).into_owned()
}

impl RankState {
    /// A packet of another rank has come.
    pub(crate) fn receive(&self, from: usize, bytes: Vec<u8>) {
        match packet::open(bytes) {
            Ok(messages) => {
                let now = Instant::now();
                messages.into_iter().for_each(|(header, payload)| self.message(now, from, header, payload));
            }
            Err(why) => self.fail(&mut self.lock(), Error::Corrupt { from, why }),
        }
        self.notify();
    }

    fn message(&self, now: Instant, from: usize, header: Header, payload: Vec<u8>) {
        // Before the lock is taken, since encoding a value may take long.
        let answer = match header {
            Header::Fetch { store, key } => self.stores.encode(store, key),
            _ => None,
        };
        let mut state = self.lock();
        let state = &mut *state;
        if self.is_before(from as u32) {
            state.health.heard = Some(now);
        }
        state.traffic.received += u64::from(header.is_counted());
        match header {
            Header::Heartbeat => {}
            Header::Leaving => state.health.was_last = true,
            Header::Lost { rank } => {
                self.hear_end(state, from as u32, Error::RankLost { rank: rank as usize, why: text(&payload) });
            }
            Header::Failed { rank } => {
                self.hear_end(state, from as u32, Error::RankFailed { rank: rank as usize, why: text(&payload) });
            }
            Header::Quiescent { rank, gathered, sent, received } => {
                let departure = &mut state.departure;
                departure.quiescent.insert(from as u32, Traffic { sent, received });
                let fewest = (gathered, rank);
                departure.fewest = Some(departure.fewest.map_or(fewest, |before| before.min(fewest)));
            }
            Header::Shutdown => self.shut_down(state),
            Header::Fetch { store, key } => match answer {
                Some(Ok(value)) => {
                    state.send(from as u32, &Header::Data { store, key }, value);
                }
                Some(Err(error)) => self.fail(state, error),
                None => self.fail(state, Error::Corrupt { from, why: "it asks for what is not there".to_owned() }),
            },
            Header::Data { store, key } => {
                if let Some(data @ Data::Asked) = state.data.get_mut(&(store, from as u32, key)) {
                    *data = Data::Here(payload);
                }
            }
            Header::Report { number } => {
                state.reports.of_ranks.insert((number, from as u32), payload);
            }
            Header::Status { ranks, idle, tasks, units } => {
                state.reports.below.insert(from as u32, Status { ranks, idle, tasks, units });
            }
            Header::Raise { table, cell, value } => self.tables.hear(table, cell, value),
            Header::Work { run, message } => {
                let message = message.map(|()| payload);
                if run == state.run.number && state.run.protocol.is_some() {
                    self.work_message(state, now, from as u32, message);
                } else if run > state.run.number && state.departure.wanted {
                    // The others have begun a run that this rank will not begin.
                    self.fail(state, Error::left(self.me as usize));
                } else if run > state.run.number && state.reports.is_missed_by(from as u32) {
                    // The rank has begun a run instead of reporting.
                    self.fail(state, Error::left(from));
                } else if run > state.run.number {
                    match message {
                        // This rank has not begun that run yet, so it has no work.
                        Message::Request { thief, stays: false, .. } if thief < self.size => {
                            state.send(thief, &Header::Work { run, message: Message::Refusal }, Vec::new());
                        }
                        message => state.run.early.push((from as u32, run, message)),
                    }
                }
                // Other messages belong to a run that is over, and are dropped.
            }
        }
        // The message may be the last one that was missing, or one more to count.
        self.depart(state);
    }

    pub(super) fn work_message(&self, state: &mut State, now: Instant, from: u32, mut message: Message<Vec<u8>>) {
        let (refused, fed) = (message == Message::Refusal, matches!(message, Message::Task { .. }));
        state.log.report.refusals += u64::from(refused);
        state.log.report.tasks_taken += u64::from(fed);
        let outcome = match &mut message {
            // No rank below this one in the tree needs the result.
            Message::Stop { payload } if 2 * self.me + 1 >= self.size => Some(std::mem::take(payload)),
            Message::Stop { payload } => Some(payload.clone()),
            _ => None,
        };
        let told = self.tell(state, |thief, rank, out| thief.receive(now, from, message, rank, out));
        if let Some(Err(fault)) = told {
            return self.fail(state, Error::Corrupt { from: from as usize, why: fault.to_string() });
        }
        if outcome.is_some() {
            state.run.outcome = outcome;
        }
    }

    /// Time has passed. Takes the messages that wait to be sent.
    pub(crate) fn tick(&self, now: Instant, into: &mut Vec<FromRank>) -> Tick {
        let mut state = self.lock();
        let had_failed = state.failure.is_some();
        self.tell(&mut state, |thief, rank, out| thief.tick(now, rank, out));
        if let Some((_, error)) = state.health.suspect.take_if(|(at, _)| *at <= now) {
            self.fail(&mut state, error);
        }
        let mut status = None;
        if state.health.heartbeat_at.is_none_or(|at| at <= now) && state.failure.is_none() && !state.departure.may_leave
        {
            let due = state.health.heartbeat_at.replace(now + HEARTBEAT).unwrap_or(now);
            let late = now.saturating_duration_since(due);
            if self.settings.get().is_some_and(|settings| late > settings.heartbeat_timeout / 2) {
                state.health.sleep(late);
            }
            status = self.heartbeat(&mut state, now);
        }
        let due = state.health.heartbeat_at.unwrap_or(now + HEARTBEAT);
        let due = state.thief.due().map_or(due, |at| at.min(due));
        let due = state.health.suspect.as_ref().map_or(due, |(at, _)| due.min(*at));
        // A rank that has reported quiescence sends nothing more but heartbeats.
        let tells = state.departure.reported.is_none() && state.failure.is_none();
        let (raised, tells_at) = if tells { self.tables.changes(now) } else { Default::default() };
        self.tell_raised(&mut state, &raised);
        let changed = state.failure.is_some() && !had_failed;
        state.take_outgoing(into);
        let (is_last, is_lossy) = self.may_close(&state, now);
        // After a failure there are no heartbeats, and before this rank wants to leave it waits for no other.
        let due = match &state.failure {
            Some(failure) if state.departure.wanted => failure.deadline,
            Some(_) => now + HEARTBEAT,
            None => state.departure.deadline.map_or(due, |at| at.min(due)),
        };
        drop(state);
        if changed {
            self.notify();
        }
        if let Some((status, watch)) = status.zip(self.settings.get().and_then(|settings| settings.watch.as_ref())) {
            (watch.lock().unwrap_or_else(PoisonError::into_inner))(status);
        }
        Tick { due: tells_at.map_or(due, |at| at.min(due)), changed, is_last, is_lossy }
    }

    /// Whether this rank waits for nothing any more and may close, and whether it then leaves without a rank that may be lost.
    fn may_close(&self, state: &State, now: Instant) -> (bool, bool) {
        let departure = &state.departure;
        if !departure.wanted {
            return (false, false);
        }
        match &state.failure {
            None => {
                let is_late = departure.deadline.is_some_and(|at| now >= at);
                (departure.may_leave && (state.health.was_last || is_late), false)
            }
            Some(failure) => {
                let is_late = now >= failure.deadline;
                let is_lost = matches!(failure.error, Error::RankLost { .. }) || !failure.gone.is_empty();
                (is_late || self.are_over(failure), is_late || is_lost)
            }
        }
    }

    /// Sends a heartbeat, and checks that the rank before this one has sent one. Returns the status on rank 0; sends it up the tree on other ranks.
    fn heartbeat(&self, state: &mut State, now: Instant) -> Option<Status> {
        let settings = self.settings.get()?;
        state.send((self.me + 1) % self.size, &Header::Heartbeat, Vec::new());
        let begun = *state.health.begun.get_or_insert(now);
        let (since, timeout, hint) = match state.health.heard {
            Some(heard) => (heard, settings.heartbeat_timeout, ""),
            None => (
                begun,
                settings.heartbeat_timeout.saturating_mul(ARRIVAL),
                "at all, if it may begin later raise `heartbeat_timeout`: ",
            ),
        };
        if !state.health.was_last && now.saturating_duration_since(since) > timeout {
            let why = format!("no heartbeat {hint}for {:.1} s", timeout.as_secs_f64());
            let rank = ((self.me + self.size - 1) % self.size) as usize;
            self.fail(state, Error::RankLost { rank, why });
        }
        settings.watch.as_ref().filter(|_| state.departure.reported.is_none())?;
        let is_idle = state.run.protocol.as_ref().is_none_or(protocol::Rank::is_idle);
        let (tasks, units) = (state.log.report.tasks_taken, state.log.units());
        let mine = Status { ranks: 1, idle: u32::from(is_idle), tasks, units };
        let status = state.reports.below.values().fold(mine, |sum, status| sum.with(status));
        if self.me == 0 {
            return Some(status);
        }
        let Status { ranks, idle, tasks, units } = status;
        state.send((self.me - 1) / 2, &Header::Status { ranks, idle, tasks, units }, Vec::new());
        None
    }

    /// Takes the messages that have come to wait since the last tick.
    pub(crate) fn take_outgoing(&self, into: &mut Vec<FromRank>) {
        self.lock().take_outgoing(into);
    }

    /// A message to `to` was not delivered. `to` may have left because another rank was lost, and its message that says so may still be under
    /// way.
    pub(crate) fn transport_failed(&self, to: u32, error: fusain_comm::Error) {
        let mut state = self.lock();
        if state.departure.may_leave {
            return;
        }
        let error = match error {
            fusain_comm::Error::PeerLeft { .. } => Error::left(to as usize),
            other => other.into(),
        };
        if let Some(failure) = &mut state.failure {
            failure.gone.insert(to);
        }
        state.health.suspect.get_or_insert((Instant::now() + GRACE, error));
    }

    /// This rank can receive nothing any more.
    pub(crate) fn transport_broke(&self, error: fusain_comm::Error) {
        let mut state = self.lock();
        if !state.departure.may_leave {
            self.fail(&mut state, error.into());
        }
        drop(state);
        self.notify();
    }

    /// The progress loop has ended.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.departure.closed = true;
        if !state.departure.may_leave {
            self.fail(&mut state, Error::Transport(fusain_comm::Error::Abandoned));
        }
        self.notify();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fusain_comm::progress::{Progress, Settings};
    use fusain_comm::{Communicator, World};

    use super::*;
    use crate::victims::Victims;
    use crate::wire::packet::Packet;

    /// The number of ticks in one timeout.
    const LOOKS: u32 = 4;

    /// The number of ticks after which a rank gives the other one up. It hears nothing from it, or one heartbeat. Its process is stopped for
    /// `stopped` ticks at first.
    fn gives_up_after(heard: bool, stopped: u32) -> u32 {
        let ends = World::threads(2).run(|comm| {
            let state = RankState::new(comm.rank(), 2);
            let progress = Progress::manual(comm, Settings::default());
            let timeout = Duration::from_secs(10);
            state.open(Victims::default(), timeout, None, progress.handle().poller());
            let begun = Instant::now();
            if heard {
                state.receive(1 - state.me as usize, Packet::new(&Header::Heartbeat, Vec::new()).seal());
            }
            let look = timeout / LOOKS;
            state.tick(begun, &mut Vec::new());
            let after = (stopped..).find(|&looks| {
                // In the middle between two heartbeats, since a message takes some time.
                state.tick(begun + looks * look + look / 2, &mut Vec::new());
                state.failure().is_some()
            });
            let other = 1 - state.me as usize;
            assert!(matches!(state.failure(), Some(Error::RankLost { rank, .. }) if rank == other));
            after
        });
        assert_eq!(ends[0], ends[1]);
        ends[0].unwrap()
    }

    #[test]
    fn a_rank_is_waited_for_and_longer_for_the_first_time() {
        assert_eq!(gives_up_after(true, 0), LOOKS);
        assert_eq!(gives_up_after(false, 0), ARRIVAL * LOOKS);
    }

    #[test]
    fn what_a_rank_has_slept_through_does_not_count() {
        // A hundred timeouts, of which the time of one heartbeat counts.
        let after = gives_up_after(true, 100 * LOOKS);
        assert!((101 * LOOKS - 1..=101 * LOOKS + 1).contains(&after), "{after}");
    }
    #[test]
    fn a_timeout_without_end_is_no_overflow() {
        World::threads(2).run(|comm| {
            let state = RankState::new(comm.rank(), 2);
            let progress = Progress::manual(comm, Settings::default());
            state.open(Victims::default(), Duration::MAX, None, progress.handle().poller());
            let begun = Instant::now();
            for days in 0..3 {
                state.tick(begun + days * Duration::from_secs(86_400), &mut Vec::new());
            }
            assert!(state.failure().is_none());
        });
    }
}
