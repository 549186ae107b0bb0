//! Events that workers report to the rank state, between two units or in the middle of one.

use std::collections::hash_map::Entry;
use std::thread;
use std::time::Duration;

use super::{Data, DataKey, RankState, State};
use crate::error::Result;
use crate::protocol;
use crate::wire::codec;
use crate::wire::packet::Header;

impl RankState {
    /// Whether the calling worker should split something off now. If so, returns the cost that its part has to be worth, and the worker must call
    /// [`offer`](Self::offer) next. An error ends the run.
    pub(crate) fn takes_offer(&self) -> Result<Option<Duration>> {
        let mut state = self.lock();
        if let Some(error) = state.error() {
            return Err(error.clone());
        }
        let me = thread::current().id();
        let complete = state.run.offer.comes_again(&me);
        let goes = complete.is_some();
        if let Some(parts) = complete {
            self.hand_over(&mut state, parts);
        }
        let takes = state.run.offer.is_open() && state.run.protocol.as_ref().is_some_and(protocol::Rank::is_asked);
        if takes {
            state.run.offer.begin(me);
        }
        self.announce(&state);
        let worth = state.thief.cost() / state.run.workers.max(1) as u32;
        drop(state);
        if goes {
            self.wake();
        }
        Ok(takes.then_some(worth))
    }

    /// A worker has done a unit that its pool does not count.
    pub(crate) fn has_measured(&self) {
        self.lock().log.measured();
    }

    /// A worker gives the parts that it has split off, if any.
    pub(crate) fn offer(&self, parts: Vec<Vec<u8>>) {
        {
            let mut state = self.lock();
            let workers = state.run.workers;
            let Some(parts) = state.run.offer.add(parts, workers) else { return };
            self.hand_over(&mut state, parts);
        }
        self.wake();
    }

    /// Gives the parts that the workers have offered to the rank that has asked.
    pub(super) fn hand_over(&self, state: &mut State, parts: Vec<Vec<u8>>) {
        let payload = (!parts.is_empty()).then(|| codec::join(parts));
        self.tell(state, |_, rank, out| rank.offer(payload, out));
    }

    /// Requests a value, unless another thread has, and waits for it. `None`: another thread has fetched it; look in the store again.
    pub(crate) fn await_data(&self, key: DataKey) -> Result<Option<Vec<u8>>> {
        let (store, rank, number) = key;
        let mut asks = true;
        loop {
            let seen = self.changes();
            let mut guard = self.lock();
            let state = &mut *guard;
            if state.departure.closed || state.departure.reported.is_some() || self.poller().is_none() {
                // No client is left to send the request or to receive the answer.
                return Err(state.error().cloned().unwrap_or(fusain_comm::Error::Abandoned.into()));
            }
            if std::mem::take(&mut asks)
                && let Entry::Vacant(entry) = state.data.entry(key)
            {
                entry.insert(Data::Asked);
                state.send(rank, &Header::Fetch { store, key: number }, Vec::new());
            }
            if let Some(error) = state.error() {
                return Err(error.clone());
            }
            match state.data.get_mut(&key) {
                None | Some(Data::Kept) => return Ok(None),
                Some(Data::Asked | Data::Taken) => {}
                Some(data) => {
                    if let Data::Here(bytes) = std::mem::replace(data, Data::Taken) {
                        return Ok(Some(bytes));
                    }
                }
            }
            drop(guard);
            self.await_change(seen);
        }
    }

    /// The value is in the store now.
    pub(crate) fn has_data(&self, key: DataKey) {
        // The entry is kept: a thread that looked in the store just before the value was there would otherwise request it again.
        self.lock().data.insert(key, Data::Kept);
        self.notify();
        self.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use fusain_comm::World;
    use fusain_comm::progress::{Progress, Settings};

    use super::*;
    use crate::victims::Victims;

    /// The late thread looked in the store right before another thread put the value there.
    #[test]
    fn who_comes_late_for_a_value_does_not_ask_again() {
        World::threads(2).run(|comm| {
            let state = RankState::new(0, 2);
            let progress = Progress::manual(comm, Settings::default());
            state.open(Victims::default(), Duration::from_secs(10), None, progress.handle().poller());
            state.has_data((0, 1, 7));
            thread::scope(|scope| {
                let late = scope.spawn(|| state.await_data((0, 1, 7)));
                let begun = Instant::now();
                while !late.is_finished() && begun.elapsed() < Duration::from_secs(10) {
                    thread::sleep(Duration::from_millis(1));
                }
                // Releases the thread that waits for a value which no rank sends.
                state.give_up("the test is over");
                assert_eq!(late.join().unwrap(), Ok(None));
            });
        });
    }
}
