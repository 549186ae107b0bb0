//! The communicator of the in-process world.

use std::fmt;
use std::sync::Arc;

use super::event_count::EventCount;
use super::guests::seat_caller;
use super::inbox::{Pattern, Wait};
use super::request::{ThreadMessage, ThreadRequest};
use super::shared::{Enlisted, Shared};
use crate::{Communicator, Completion, Error, Host, Request, Result, Source, Status, Tag, TagMatch};

/// A communicator between the threads of one process.
pub struct ThreadComm {
    shared: Arc<Shared>,
    /// Distinguishes the messages of different communicators.
    context: u64,
    rank: usize,
    /// World ranks of the members.
    members: Arc<[usize]>,
}

impl ThreadComm {
    pub(super) fn world(shared: &Arc<Shared>, rank: usize) -> Self {
        let size = shared.ranks();
        Self::new(shared, 0, rank, (0..size).collect())
    }

    fn new(shared: &Arc<Shared>, context: u64, rank: usize, members: Arc<[usize]>) -> Self {
        shared.communicator_made();
        Self { shared: Arc::clone(shared), context, rank, members }
    }

    /// This rank's number in the world.
    pub fn world_rank(&self) -> usize {
        self.members[self.rank]
    }

    /// The number of communicators that all ranks of the world hold now. The world itself holds one for each rank that still runs; the others have not
    /// been dropped.
    pub fn live_communicators(&self) -> usize {
        self.shared.communicators()
    }

    /// The rank's time in nanoseconds: virtual time under a [`Clock::Virtual`](crate::Clock::Virtual) network, else the time since the world began.
    pub fn clock_ns(&self) -> u64 {
        self.shared.clock_ns(self.world_rank())
    }

    /// Lets time pass as if the rank computed: virtual time under a virtual clock, else real time.
    pub fn compute_ns(&self, duration_ns: u64) {
        self.shared.compute(self.world_rank(), duration_ns);
    }

    /// Sends without counting the calling thread for deadlock detection: it may be one that only drives a progress loop for another thread.
    fn put(&self, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.check_rank(to)?;
        let ends = (self.world_rank(), self.members[to]);
        self.shared.send(ends, (self.context, self.rank, tag), data)
    }

    fn pattern(&self, source: Source, tag: TagMatch) -> Result<Pattern> {
        self.check_source(source)?;
        let world_source = match source {
            Source::Any => None,
            Source::Rank(rank) => Some(self.members[rank]),
        };
        Ok(Pattern { context: self.context, source, world_source, tag })
    }
}

impl Host for ThreadComm {
    fn enlist(&self) -> Enlisted {
        Enlisted::with(&self.shared)
    }

    fn event_count(&self) -> EventCount {
        EventCount::with(&self.shared, self.world_rank(), true)
    }
}

impl Communicator for ThreadComm {
    type Request = ThreadRequest;
    type Message = ThreadMessage;

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.members.len()
    }

    fn isend(&self, data: Vec<u8>, to: usize, tag: Tag) -> Result<ThreadRequest> {
        self.put(&data, to, tag)?;
        let status = Status { source: self.rank, tag, bytes: data.len() };
        Ok(ThreadRequest::done(&self.shared, self.world_rank(), Completion { buffer: data, status }))
    }

    fn send_at_once(&self, data: &[u8], to: usize, tag: Tag) -> Result<bool> {
        self.put(data, to, tag).map(|()| true)
    }

    fn irecv(&self, buffer: Vec<u8>, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<ThreadRequest> {
        let pattern = self.pattern(from.into(), tag.into())?;
        let me = self.world_rank();
        let ticket = self.shared.look(me, |inbox| inbox.post(pattern, Some(buffer)));
        Ok(ThreadRequest::posted(&self.shared, me, ticket))
    }

    fn improbe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Option<ThreadMessage>> {
        let pattern = self.pattern(from.into(), tag.into())?;
        let me = self.world_rank();
        let envelope = self.shared.look(me, |inbox| inbox.take(&pattern));
        Ok(envelope.map(|envelope| ThreadMessage { shared: Arc::clone(&self.shared), me, envelope }))
    }

    fn iprobe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Option<Status>> {
        let pattern = self.pattern(from.into(), tag.into())?;
        Ok(self.shared.look(self.world_rank(), |inbox| inbox.peek(&pattern)))
    }

    fn mprobe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<ThreadMessage> {
        let pattern = self.pattern(from.into(), tag.into())?;
        let me = self.world_rank();
        seat_caller(&self.shared);
        let envelope = self.shared.wait(me, &Wait::Message(pattern), |inbox| inbox.take(&pattern))?;
        Ok(ThreadMessage { shared: Arc::clone(&self.shared), me, envelope })
    }

    fn probe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Status> {
        let pattern = self.pattern(from.into(), tag.into())?;
        seat_caller(&self.shared);
        self.shared.wait(self.world_rank(), &Wait::Message(pattern), |inbox| inbox.peek(&pattern))
    }

    fn send_bytes(&self, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        seat_caller(&self.shared);
        self.put(data, to, tag)
    }

    fn recv_bytes(&self, buffer: &mut [u8], from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Status> {
        let pattern = self.pattern(from.into(), tag.into())?;
        let me = self.world_rank();
        // Posted even if it has to wait, since a receive that another thread posts later must not be served first.
        let ticket = self.shared.look(me, |inbox| inbox.post(pattern, None));
        let completion = ThreadRequest::posted(&self.shared, me, ticket).wait()?;
        let (received_bytes, capacity_bytes) = (completion.status.bytes, buffer.len());
        match buffer.get_mut(..received_bytes) {
            Some(front) => front.copy_from_slice(&completion.buffer),
            None => return Err(Error::Truncated { received_bytes, capacity_bytes }),
        }
        Ok(completion.status)
    }

    fn test_any(&self, requests: &mut Vec<ThreadRequest>) -> Result<Option<(usize, Completion)>> {
        ThreadRequest::test_any(requests)
    }

    fn wait_any(&self, requests: &mut Vec<ThreadRequest>) -> Result<(usize, Completion)> {
        ThreadRequest::wait_any(requests)
    }

    fn split(&self, color: Option<u32>, key: i32) -> Result<Option<Self>> {
        const NONE: i32 = -1;
        let mine = [color.map(crate::message::color).transpose()?.unwrap_or(NONE), key];
        let mut table = vec![[NONE, 0]; self.size()];
        let mut first_context = [0u64];
        if let Some(rows) = self.gather(&[mine], 0)? {
            // Each row has one element if all ranks make the same call.
            for (row, slot) in rows.iter().zip(&mut table) {
                *slot = *row.first().ok_or(Error::LengthMismatch { given: 0, expected: 1 })?;
            }
            first_context[0] = self.shared.new_contexts(self.size() as u64);
        }
        self.broadcast(&mut first_context, 0)?;
        self.broadcast(&mut table, 0)?;
        if table[self.rank] != mine {
            // The table does not hold what this rank gave, so rank 0 makes a different call.
            return Err(Error::LengthMismatch { given: 1, expected: 0 });
        }
        if color.is_none() {
            return Ok(None);
        }
        // A colour's context is numbered by its first member. So `size` contexts suffice. (If rank 0 makes a different call, the first number may be
        // anything.)
        let mut ranks: Vec<usize> = (0..self.size()).filter(|&rank| table[rank][0] == mine[0]).collect();
        let context = first_context[0].wrapping_add(ranks[0] as u64);
        ranks.sort_by_key(|&rank| table[rank][1]);
        let rank = ranks.iter().position(|&rank| rank == self.rank).expect("a rank has its own colour");
        let members = ranks.iter().map(|&rank| self.members[rank]).collect();
        Ok(Some(Self::new(&self.shared, context, rank, members)))
    }

    fn duplicate(&self) -> Result<Self> {
        let mut context = [0u64];
        if self.rank == 0 {
            context[0] = self.shared.new_contexts(1);
        }
        self.broadcast(&mut context, 0)?;
        Ok(Self::new(&self.shared, context[0], self.rank, Arc::clone(&self.members)))
    }
}

impl Drop for ThreadComm {
    fn drop(&mut self) {
        self.shared.communicator_dropped();
    }
}

impl fmt::Debug for ThreadComm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadComm")
            .field("context", &self.context)
            .field("rank", &self.rank)
            .field("size", &self.members.len())
            .finish_non_exhaustive()
    }
}
