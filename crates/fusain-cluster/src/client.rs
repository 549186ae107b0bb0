//! The cluster's client of the progress loop: it sends what waits, receives what has come, and calls the rank state at given times.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use fusain_comm::progress::{Client, Handle, Handler, Incoming, Step};
use fusain_comm::{Communicator, Request, Result, Tag};

use crate::rank_state::{FromRank, RankState, Tick};

/// The first tag of clusters. The tags of schedules, which may run on the same loop, begin above those of clusters and go up to those of
/// collectives.
const FIRST_TAG: Tag = 0x9f00;
const TAGS: u32 = 0x100;

/// The tag of the cluster that was connected as the `ordinal`th on its loop.
///
/// Clusters may follow one another on a loop. A rank that has left one cluster may send for the next one while other ranks have not left
/// yet.
fn tag(ordinal: u32) -> Tag {
    FIRST_TAG + (ordinal % TAGS) as Tag
}

/// Carries messages between the rank state and other ranks.
pub(crate) struct ProgressClient<C: Communicator> {
    state: Arc<RankState>,
    tag: Tag,
    incoming: Handler<C, Receive>,
    outgoing: Vec<FromRank>,
    /// Sends under way. The transport owns their vectors.
    sends: Vec<(u32, C::Request)>,
    _closes: ClosesState,
}

type Receive = Box<dyn FnMut(Incoming) -> Result<()> + Send>;

impl<C: Communicator> ProgressClient<C> {
    pub(crate) fn new(state: &Arc<RankState>, handle: &Handle<C>) -> Self {
        let tag = tag(handle.ordinal());
        let receiver = Arc::clone(state);
        let receive: Receive = Box::new(move |message| {
            receiver.receive(message.source, message.bytes);
            Ok(())
        });
        Self {
            state: Arc::clone(state),
            tag,
            incoming: handle.handler(tag..=tag, receive),
            outgoing: Vec::new(),
            sends: Vec::new(),
            _closes: ClosesState(Arc::clone(state)),
        }
    }

    /// Begins to send the messages that were taken from the rank state.
    fn send(&mut self, comm: &C) {
        for (to, bytes) in self.outgoing.drain(..) {
            match comm.isend(bytes, to as usize, self.tag) {
                Ok(request) => self.sends.push((to, request)),
                Err(error) => self.state.transport_failed(to, error),
            }
        }
    }

    /// Drops the sends that are complete.
    fn sweep(&mut self) {
        let mut at = 0;
        while let Some((to, send)) = self.sends.get_mut(at) {
            let to = *to;
            match send.test() {
                Ok(None) => at += 1,
                Ok(Some(_)) => drop(self.sends.swap_remove(at)),
                Err(error) => {
                    drop(self.sends.swap_remove(at));
                    self.state.transport_failed(to, error);
                }
            }
        }
    }
}

impl<C: Communicator> Client<C> for ProgressClient<C> {
    fn advance(&mut self, comm: &C, now: Instant) -> Result<Step> {
        // First sends what other ranks wait for, since checking for messages takes longer.
        let Tick { due, changed, is_last, is_lossy } = self.state.tick(now, &mut self.outgoing);
        let mut moved = changed || !self.outgoing.is_empty();
        self.send(comm);
        let received = self.incoming.advance(comm, now);
        if let Err(error) = &received {
            self.state.transport_broke(error.clone());
            // The others should not have to wait until heartbeats are missing.
            self.state.take_outgoing(&mut self.outgoing);
            self.send(comm);
        }
        if received? == Step::Moved {
            moved = true;
            // A message may have been answered at once.
            self.state.take_outgoing(&mut self.outgoing);
            self.send(comm);
        }
        self.sweep();
        if is_last && is_lossy {
            comm.note_loss();
        }
        if is_last && (is_lossy || self.sends.is_empty()) {
            return Ok(Step::Done);
        }
        Ok(if moved { Step::Moved } else { Step::IdleUntil(due) })
    }

    fn waits_for(&self) -> Vec<String> {
        vec!["messages of a cluster".to_owned()]
    }
}

impl<C: Communicator> fmt::Debug for ProgressClient<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgressClient").field("sends", &self.sends.len()).finish_non_exhaustive()
    }
}

/// Closes the rank state when it is dropped with the progress client, so that no thread waits for the client any more. That happens when
/// the client is done or the loop has ended.
struct ClosesState(Arc<RankState>);

impl Drop for ClosesState {
    fn drop(&mut self) {
        self.0.close();
    }
}
