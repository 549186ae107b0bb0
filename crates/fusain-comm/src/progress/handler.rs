//! Incoming messages, each to a function.
//!
//! A message is taken out of the transport's queue by a matching probe and received by a nonblocking receive, so a long one
//! arrives while the loop goes on. What is being received is bounded: above the limit no further message is taken out, and
//! the transport holds the senders back.

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::time::Instant;

use super::client::{Client, Step};
use crate::{Communicator, FIRST_LIBRARY_TAG, Message, Request, Result, Source, Tag, TagMatch};

/// A message for a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// The sender's rank.
    pub source: usize,
    /// Its tag.
    pub tag: Tag,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// How many messages one call takes out, so that other clients have their turn.
const AT_ONCE: usize = 64;

/// The client behind [`Handle::on_message`](super::Handle::on_message).
pub struct Handler<C: Communicator, F> {
    tags: RangeInclusive<Tag>,
    limit_bytes: usize,
    act: F,
    /// In the order they were matched.
    receiving: VecDeque<Receiving<C::Request>>,
    receiving_bytes: usize,
    comm: PhantomData<fn(&C)>,
}

struct Receiving<R> {
    source: usize,
    tag: Tag,
    bytes: usize,
    request: R,
}

impl<C: Communicator, F: FnMut(Incoming) -> Result<()>> Handler<C, F> {
    pub(super) fn new(tags: RangeInclusive<Tag>, limit_bytes: usize, act: F) -> Self {
        Self { tags, limit_bytes, act, receiving: VecDeque::new(), receiving_bytes: 0, comm: PhantomData }
    }

    /// Takes out the next message.
    fn probe(&self, comm: &C) -> Result<Option<C::Message>> {
        if self.tags == (0..=FIRST_LIBRARY_TAG - 1) {
            return comm.improbe(Source::Any, TagMatch::Any);
        }
        for tag in self.tags.clone() {
            if let Some(message) = comm.improbe(Source::Any, tag)? {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    /// Gives the function what has arrived; a message waits for the earlier ones of its sender.
    fn deliver(&mut self) -> Result<bool> {
        let mut moved = false;
        let mut at = 0;
        while let Some(next) = self.receiving.get_mut(at) {
            let source = next.source;
            let first_of_sender = self.receiving.iter().take(at).all(|earlier| earlier.source != source);
            let Some(next) = self.receiving.get_mut(at).filter(|_| first_of_sender) else {
                at += 1;
                continue;
            };
            let Some(done) = next.request.test()? else {
                at += 1;
                continue;
            };
            if let Some(Receiving { source, tag, bytes, .. }) = self.receiving.remove(at) {
                self.receiving_bytes -= bytes;
                (self.act)(Incoming { source, tag, bytes: done.buffer })?;
                moved = true;
            }
        }
        Ok(moved)
    }
}

impl<C: Communicator, F: FnMut(Incoming) -> Result<()> + Send> Client<C> for Handler<C, F> {
    fn advance(&mut self, comm: &C, _now: Instant) -> Result<Step> {
        let mut moved = false;
        for _ in 0..AT_ONCE {
            if !self.receiving.is_empty() {
                moved |= self.deliver()?;
                if self.receiving_bytes >= self.limit_bytes || self.receiving.len() >= AT_ONCE {
                    break;
                }
            }
            let Some(message) = self.probe(comm)? else { break };
            let status = message.status();
            let request = message.irecv()?;
            self.receiving_bytes += status.bytes;
            self.receiving.push_back(Receiving {
                source: status.source,
                tag: status.tag,
                bytes: status.bytes,
                request,
            });
            moved = true;
        }
        Ok(if moved { Step::Moved } else { Step::Idle })
    }

    fn waits_for(&self) -> Vec<String> {
        vec![format!("a message for the handler of tags {:#x} to {:#x}", self.tags.start(), self.tags.end())]
    }
}

impl<C: Communicator, F> fmt::Debug for Handler<C, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler")
            .field("tags", &self.tags)
            .field("receiving", &self.receiving.len())
            .finish_non_exhaustive()
    }
}
