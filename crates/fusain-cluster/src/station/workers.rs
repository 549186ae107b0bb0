//! What workers tell the station, between two units or in the middle of one.

use std::collections::hash_map::Entry;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Data, DataKey, Station};
use crate::codec::{self, Head};
use crate::error::Result;
use crate::protocol;

impl Station {
    /// Whether a worker shall come to the counter. One relaxed load of a word that hardly ever changes.
    #[inline(always)]
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Whether the worker that asks this is the one to split something off now: then what a message costs, and it [`offer`](Self::offer)s. An error ends
    /// the run.
    pub(crate) fn takes_offer(&self) -> Result<Option<Duration>> {
        let mut state = self.lock();
        if let Some(error) = &state.failure {
            return Err(error.clone());
        }
        let takes = !state.offering && state.protocol.as_ref().is_some_and(protocol::Rank::is_asked);
        state.offering |= takes;
        self.announce(&state);
        Ok(takes.then_some(state.thief.cost()))
    }

    /// What was split off, if anything.
    pub(crate) fn offer(&self, payload: Option<Vec<u8>>) {
        {
            let mut state = self.lock();
            state.offering = false;
            self.tell(&mut state, |_, rank, out| rank.offer(payload, out));
        }
        self.wake();
    }

    /// Asks for a value, unless somebody has, and waits for it. `None`: another thread has got it; look again.
    pub(crate) fn await_data(&self, key: DataKey) -> Result<Option<Vec<u8>>> {
        let mut state = self.lock();
        let (store, rank, number) = key;
        if let Entry::Vacant(entry) = state.data.entry(key) {
            entry.insert(Data::Asked);
            state.outgoing.push((rank, codec::pack(&Head::Fetch { store, key: number }, &[])));
            self.wake();
        }
        loop {
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
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The value is where everybody finds it.
    pub(crate) fn has_data(&self, key: DataKey) {
        self.lock().data.remove(&key);
        self.bell.notify_all();
    }
}
