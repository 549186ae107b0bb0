//! The station's part of the progress loop: sends what waits, and tells the time.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use fusain_comm::progress::{Client, Step};
use fusain_comm::{Communicator, Request, Result, Tag};

use crate::error::Error;
use crate::station::Station;

/// The tags of clusters; below are those of schedules.
const FIRST_TAG: Tag = 0xbf00;
const TAGS: u32 = 0x100;

/// The tag of the cluster that was connected as the `ordinal`th on its loop.
///
/// Clusters may follow one another on a loop: a rank that has left the last one sends for the next while others have still to leave.
pub(crate) fn tag(ordinal: u32) -> Tag {
    FIRST_TAG + (ordinal % TAGS) as Tag
}

/// Sends what the station has for other ranks.
pub(crate) struct Courier<C: Communicator> {
    station: Arc<Station>,
    tag: Tag,
    outgoing: Vec<(u32, Vec<u8>)>,
    /// Under way. The vectors belong to the transport until then.
    sends: Vec<(u32, C::Request)>,
    _hangs_up: HangsUp,
}

impl<C: Communicator> Courier<C> {
    pub(crate) fn new(station: &Arc<Station>, tag: Tag) -> Self {
        let _hangs_up = HangsUp(Arc::clone(station));
        Self { station: Arc::clone(station), tag, outgoing: Vec::new(), sends: Vec::new(), _hangs_up }
    }
}

impl<C: Communicator> Client<C> for Courier<C> {
    fn advance(&mut self, comm: &C, now: Instant) -> Result<Step> {
        let (due, changed) = self.station.tick(now);
        let is_last = self.station.take_outgoing(&mut self.outgoing);
        let moved = changed || !self.outgoing.is_empty();
        for (to, bytes) in self.outgoing.drain(..) {
            match comm.isend(bytes, to as usize, self.tag) {
                Ok(request) => self.sends.push((to, request)),
                Err(error) => self.station.transport_failed(to, error),
            }
        }
        let mut at = 0;
        while let Some((to, send)) = self.sends.get_mut(at) {
            let to = *to;
            match send.test() {
                Ok(None) => at += 1,
                Ok(Some(_)) => drop(self.sends.swap_remove(at)),
                Err(error) => {
                    drop(self.sends.swap_remove(at));
                    self.station.transport_failed(to, error);
                }
            }
        }
        if is_last {
            let failure = self.station.failure();
            if matches!(failure, Some(Error::RankLost { .. })) {
                comm.note_loss();
            }
            // Who is still sent to after a failure may not be there.
            if failure.is_some() || self.sends.is_empty() {
                return Ok(Step::Done);
            }
        }
        Ok(if moved { Step::Moved } else { Step::IdleUntil(due) })
    }

    fn waits_for(&self) -> Vec<String> {
        vec!["messages of a cluster".to_owned()]
    }
}

impl<C: Communicator> fmt::Debug for Courier<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Courier").field("sends", &self.sends.len()).finish_non_exhaustive()
    }
}

/// Dropped with the courier, when it is done or the progress loop has ended: nobody shall wait for it any more.
struct HangsUp(Arc<Station>);

impl Drop for HangsUp {
    fn drop(&mut self) {
        self.0.close();
    }
}
