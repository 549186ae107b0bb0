//! What workers tell the station, between two units or in the middle of one.

use std::collections::hash_map::Entry;
use std::thread;
use std::time::Duration;

use super::{Data, DataKey, State, Station};
use crate::codec;
use crate::error::Result;
use crate::letter::Head;
use crate::protocol;

impl Station {
    /// Whether the worker that asks this shall split something off now: then what its part has to be worth, and it [`offer`](Self::offer)s. An error ends
    /// the run.
    pub(crate) fn takes_offer(&self) -> Result<Option<Duration>> {
        let mut state = self.lock();
        if let Some(error) = &state.failure {
            return Err(error.clone());
        }
        let me = thread::current().id();
        let mut goes = false;
        if state.parcel.givers.contains(&me) {
            // Since it gave, everybody else had the time of a unit.
            state.parcel.is_closed = true;
            goes = self.hand_over(&mut state);
        }
        let takes = !state.parcel.is_closed && state.protocol.as_ref().is_some_and(protocol::Rank::is_asked);
        if takes {
            state.parcel.givers.push(me);
            state.parcel.splitting += 1;
        }
        self.announce(&state);
        let worth = state.thief.cost() / state.workers.max(1) as u32;
        drop(state);
        if goes {
            self.wake();
        }
        Ok(takes.then_some(worth))
    }

    /// What a worker has split off, if anything.
    pub(crate) fn offer(&self, parts: Vec<Vec<u8>>) {
        {
            let mut state = self.lock();
            let workers = state.workers;
            let parcel = &mut state.parcel;
            parcel.splitting -= 1;
            parcel.parts.extend(parts);
            parcel.is_closed |= parcel.givers.len() >= workers;
            if !self.hand_over(&mut state) {
                return;
            }
        }
        self.wake();
    }

    /// Gives the parcel to who has asked, if it is closed and nobody is about to add to it. Says whether it did.
    pub(super) fn hand_over(&self, state: &mut State) -> bool {
        let goes = state.parcel.is_closed && state.parcel.splitting == 0;
        if goes {
            let parts = std::mem::take(&mut state.parcel).parts;
            let payload = (!parts.is_empty()).then(|| codec::join(parts));
            self.tell(state, |_, rank, out| rank.offer(payload, out));
        }
        goes
    }

    /// Asks for a value, unless somebody has, and waits for it. `None`: another thread has got it; look again.
    pub(crate) fn await_data(&self, key: DataKey) -> Result<Option<Vec<u8>>> {
        let (store, rank, number) = key;
        let mut asks = true;
        loop {
            let seen = self.changes();
            let mut guard = self.lock();
            let state = &mut *guard;
            if std::mem::take(&mut asks)
                && let Entry::Vacant(entry) = state.data.entry(key)
            {
                entry.insert(Data::Asked);
                state.send(rank, &Head::Fetch { store, key: number }, Vec::new());
            }
            if let Some(error) = &state.failure {
                return Err(error.clone());
            }
            match state.data.get_mut(&key) {
                None => return Ok(None),
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

    /// The value is where everybody finds it.
    pub(crate) fn has_data(&self, key: DataKey) {
        self.lock().data.remove(&key);
        self.notify();
        self.wake();
    }
}
