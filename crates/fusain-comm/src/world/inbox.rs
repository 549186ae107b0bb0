//! One rank's inbox: landed messages, posted receives, and the threads that sleep on it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::events::Events;
use super::seats::SeatId;
use crate::shake::shake;
use crate::{Completion, Error, FIRST_COLLECTIVE_TAG, FIRST_LIBRARY_TAG, Result, Source, Status, Tag, TagMatch};

/// Identifies a posted receive in its inbox.
pub(super) type ReceiveId = u64;

/// The messages that a receive or probe accepts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    pub(super) context: u64,
    pub(super) source: Source,
    /// The source's rank in the world, for reports, and to notice that it has left.
    pub(super) world_source: Option<usize>,
    pub(super) tag: TagMatch,
}

impl Pattern {
    fn fits(&self, message: &Envelope) -> bool {
        self.context == message.context
            && self.tag.accepts(message.tag)
            && (self.source == Source::Any || self.source == Source::Rank(message.source))
    }

    pub(super) fn describe(&self) -> String {
        let source = match self.world_source {
            Some(rank) => format!("rank {rank}"),
            None => "any rank".to_owned(),
        };
        match self.tag {
            TagMatch::Any => format!("a message from {source} with any tag"),
            TagMatch::Is(tag) if tag >= FIRST_COLLECTIVE_TAG => {
                format!("{source} in {}", crate::collective::name_of(tag))
            }
            TagMatch::Is(tag) if tag >= FIRST_LIBRARY_TAG => {
                format!("a message from {source} with library tag {tag:#x}")
            }
            TagMatch::Is(tag) => format!("a message from {source} with tag {tag}"),
        }
    }
}

/// How a rank left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    Finished,
    Panicked,
}

/// A message on its way or landed.
#[derive(Debug)]
pub(super) struct Envelope {
    pub(super) context: u64,
    /// The sender's rank in the communicator.
    pub(super) source: usize,
    pub(super) tag: Tag,
    pub(super) payload: Vec<u8>,
    pub(super) timing: Timing,
}

/// What a modelled network says about a message; all zero without one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timing {
    /// When its last byte arrives, on the world's clock.
    pub(super) arrival_ns: u64,
    /// How long it keeps the receiver's link busy.
    pub(super) occupancy_ns: u64,
    /// The time for which taking the message occupies the receiver.
    pub(super) overhead_ns: u64,
}

impl Envelope {
    pub(super) fn status(&self) -> Status {
        Status { source: self.source, tag: self.tag, bytes: self.payload.len() }
    }
}

#[derive(Debug)]
struct Posted {
    receive: ReceiveId,
    pattern: Pattern,
    /// The buffer to copy to. A blocking receive posts none, and takes the message's own vector.
    buffer: Option<Vec<u8>>,
}

/// A receive that has been matched with its message.
#[derive(Debug)]
pub(super) struct Delivered {
    pub(super) result: Result<Completion>,
    pub(super) timing: Timing,
}

/// What a sleeping thread waits for.
#[derive(Clone, Debug)]
pub(super) enum Wait {
    Receives(Vec<ReceiveId>),
    Message(Pattern),
}

/// A thread that sleeps on an inbox.
#[derive(Debug)]
pub(super) struct Sleeper {
    pub(super) wait: Wait,
    /// The seat that does not count as awake; None if the thread has no seat.
    pub(super) seat: Option<SeatId>,
}

/// The maximum number of vectors that an inbox keeps, about the number of messages on their way to a rank, and their maximum length in
/// bytes.
const SPARE: (usize, usize) = (16, 1 << 20);

#[derive(Debug, Default)]
pub(super) struct Inbox {
    landed: VecDeque<Envelope>,
    posted: VecDeque<Posted>,
    delivered: HashMap<ReceiveId, Delivered>,
    flying: BinaryHeap<Reverse<Flying>>,
    next_receive: ReceiveId,
    next_flight: u64,
    /// Vectors for messages that are held back, see [`SPARE`].
    spare: Vec<Vec<u8>>,
    /// Set when the rank has left: no thread takes messages from this inbox any more.
    pub(super) closed: Option<Leave>,
    /// Threads that sleep without a time limit, with what they wait for.
    pub(super) sleepers: Vec<Sleeper>,
    /// The event counts that every arrival notifies.
    pub(super) events: Vec<Arc<Events>>,
    /// A rank has left, or a deadlock was found, so a receive may never complete.
    pub(super) troubled: bool,
    /// The number of threads that sleep with a time limit and still count as awake.
    pub(super) dozing: usize,
    /// Changes whenever the sleepers are woken.
    pub(super) generation: u64,
    /// The rank's virtual clock, and the times when its links become free.
    pub(super) clock_ns: u64,
    pub(super) send_link_free_ns: u64,
    pub(super) receive_link_free_ns: u64,
}

#[derive(Debug, Default)]
pub(super) struct Endpoint {
    inbox: Mutex<Inbox>,
    signal: Condvar,
}

impl Endpoint {
    pub(super) fn lock(&self) -> MutexGuard<'_, Inbox> {
        shake();
        // No panic can occur between two changes of an inbox that belong together.
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn sleep<'a>(&self, inbox: MutexGuard<'a, Inbox>) -> MutexGuard<'a, Inbox> {
        let generation = inbox.generation;
        self.signal.wait_while(inbox, |inbox| inbox.generation == generation).unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn doze<'a>(&self, mut inbox: MutexGuard<'a, Inbox>, until: Instant) -> MutexGuard<'a, Inbox> {
        inbox.dozing += 1;
        let limit = until.saturating_duration_since(Instant::now());
        let (mut inbox, _) = self.signal.wait_timeout(inbox, limit).unwrap_or_else(PoisonError::into_inner);
        inbox.dozing -= 1;
        inbox
    }

    pub(super) fn wake_all(&self) {
        self.signal.notify_all();
    }
}

impl Inbox {
    /// Gives a message to the oldest posted receive that it matches, or adds it to the landed messages. Returns whether a sleeper waits for
    /// it.
    pub(super) fn deliver(&mut self, header: Header, payload: Cow<'_, [u8]>) -> bool {
        let Header { context, source, tag, timing } = header;
        let status = Status { source, tag, bytes: payload.len() };
        let probe = Envelope { context, source, tag, payload: Vec::new(), timing };
        match self.posted.iter().position(|posted| posted.pattern.fits(&probe)) {
            Some(at) => {
                let Posted { receive, buffer, .. } = self.posted.remove(at).expect("position() found it");
                let result = self.fill(buffer, payload, status);
                self.delivered.insert(receive, Delivered { result, timing });
                let wanted = |wait: &Wait| matches!(wait, Wait::Receives(receives) if receives.contains(&receive));
                self.sleepers.iter().any(|sleeper| wanted(&sleeper.wait))
            }
            None => {
                let wanted = |wait: &Wait| matches!(wait, Wait::Message(pattern) if pattern.fits(&probe));
                let wake = self.sleepers.iter().any(|sleeper| wanted(&sleeper.wait));
                self.landed.push_back(Envelope { payload: payload.into_owned(), ..probe });
                wake
            }
        }
    }

    /// Adds a message that will land at `at`.
    pub(super) fn launch(&mut self, at: Instant, message: Envelope) {
        let order = self.next_flight;
        self.next_flight += 1;
        self.flying.push(Reverse(Flying { at, order, message }));
    }

    /// Lands the messages that have arrived by `now`; returns whether there were any.
    pub(super) fn land(&mut self, now: Instant) -> bool {
        let mut landed = false;
        while self.flying.peek().is_some_and(|Reverse(flying)| flying.at <= now) {
            let Some(Reverse(Flying { message, .. })) = self.flying.pop() else { break };
            let Envelope { context, source, tag, payload, timing } = message;
            self.deliver(Header { context, source, tag, timing }, Cow::Owned(payload));
            landed = true;
        }
        landed
    }

    pub(super) fn next_landing(&self) -> Option<Instant> {
        self.flying.peek().map(|Reverse(flying)| flying.at)
    }

    /// Posts a receive, or completes it at once with the oldest landed message that fits.
    pub(super) fn post(&mut self, pattern: Pattern, buffer: Option<Vec<u8>>) -> ReceiveId {
        let receive = self.next_receive;
        self.next_receive += 1;
        match self.take(&pattern) {
            Some(message) => {
                let (status, timing) = (message.status(), message.timing);
                let result = self.fill(buffer, Cow::Owned(message.payload), status);
                self.delivered.insert(receive, Delivered { result, timing });
            }
            None => self.posted.push_back(Posted { receive, pattern, buffer }),
        }
        receive
    }

    /// Puts a message into the buffer of its receive, if the receive has one.
    fn fill(&mut self, buffer: Option<Vec<u8>>, payload: Cow<'_, [u8]>, status: Status) -> Result<Completion> {
        let Some(mut buffer) = buffer else { return Ok(Completion { buffer: payload.into_owned(), status }) };
        let (received_bytes, capacity_bytes) = (payload.len(), buffer.len());
        match (payload, buffer.get_mut(..received_bytes)) {
            // A vector of the right length replaces the buffer, and the buffer is kept for a later message.
            (Cow::Owned(payload), Some(_)) if received_bytes == capacity_bytes => {
                if self.spare.len() < SPARE.0 && (1..=SPARE.1).contains(&buffer.capacity()) {
                    self.spare.push(buffer);
                }
                Ok(Completion { buffer: payload, status })
            }
            (payload, Some(front)) => {
                front.copy_from_slice(&payload);
                Ok(Completion { buffer, status })
            }
            (_, None) => Err(Error::Truncated { received_bytes, capacity_bytes }),
        }
    }

    /// Copies a message, into a vector that an earlier message has left if there is one.
    pub(super) fn copy(&mut self, payload: &[u8]) -> Vec<u8> {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(payload);
        copy
    }

    /// Fails if this rank has left, so that no rank can send to it any more.
    pub(super) fn check_open(&self, me: usize) -> Result<()> {
        if self.closed.is_some() { Err(Error::PeerLeft { rank: me }) } else { Ok(()) }
    }

    pub(super) fn collect(&mut self, receive: ReceiveId) -> Option<Delivered> {
        self.delivered.remove(&receive)
    }

    /// Takes a posted receive back; returns `None` if a message has matched it.
    pub(super) fn withdraw(&mut self, receive: ReceiveId) -> Option<Vec<u8>> {
        let at = self.posted.iter().position(|posted| posted.receive == receive)?;
        self.posted.remove(at).map(|posted| posted.buffer.unwrap_or_default())
    }

    pub(super) fn take(&mut self, pattern: &Pattern) -> Option<Envelope> {
        let at = self.landed.iter().position(|message| pattern.fits(message))?;
        self.landed.remove(at)
    }

    pub(super) fn peek(&self, pattern: &Pattern) -> Option<Status> {
        self.landed.iter().find(|message| pattern.fits(message)).map(Envelope::status)
    }

    /// The patterns that a thread in this wait accepts.
    pub(super) fn patterns(&self, wait: &Wait) -> Vec<Pattern> {
        match wait {
            Wait::Message(pattern) => vec![*pattern],
            Wait::Receives(receives) => self
                .posted
                .iter()
                .filter(|posted| receives.contains(&posted.receive))
                .map(|posted| posted.pattern)
                .collect(),
        }
    }
}

/// A message without its content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) context: u64,
    pub(super) source: usize,
    pub(super) tag: Tag,
    pub(super) timing: Timing,
}

/// A message in the heap, ordered by its arrival, then by when it was sent.
#[derive(Debug)]
struct Flying {
    at: Instant,
    order: u64,
    message: Envelope,
}

impl PartialEq for Flying {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.order) == (other.at, other.order)
    }
}

impl Eq for Flying {}

impl PartialOrd for Flying {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Flying {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}
