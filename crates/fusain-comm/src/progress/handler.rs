//! Handlers: clients that pass incoming messages to a function.
//!
//! A matching probe takes a message out of the transport's queue, and a nonblocking receive receives it, so a long message arrives while
//! the loop goes on. The bytes being received are bounded: above the limit the handler takes out no further message, and the transport
//! holds the senders back.

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ops::RangeInclusive;
use std::time::Instant;

use super::client::{Client, Step};
use crate::{Communicator, FIRST_LIBRARY_TAG, Message, Request, Result, Source, Status, Tag, TagMatch};

/// A message for a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// The sender's rank.
    pub source: usize,
    /// The message's tag.
    pub tag: Tag,
    /// The message's content.
    pub bytes: Vec<u8>,
}

/// The maximum number of messages that one call takes out, so that other clients get their turn.
const AT_ONCE: usize = 64;

/// The client behind [`Handle::on_message`](super::Handle::on_message).
pub struct Handler<C: Communicator, F> {
    tags: RangeInclusive<Tag>,
    limit_bytes: usize,
    act: F,
    receiving: Receiving<C::Request>,
    /// Whether a message has come since the last probe that found none: another message may have come with it.
    expects_more: bool,
    comm: PhantomData<fn(&C)>,
}

/// Messages that were taken out and are being received.
struct Receiving<R> {
    /// In the order they were matched.
    messages: VecDeque<(Status, R)>,
    bytes: usize,
}

impl<R: Request> Receiving<R> {
    fn push(&mut self, status: Status, request: R) {
        self.bytes += status.bytes;
        self.messages.push_back((status, request));
    }

    /// Whether no further message may be taken out. One message is always accepted, whatever its length and the limit.
    fn is_full(&self, limit_bytes: usize) -> bool {
        let messages = self.messages.len();
        messages >= AT_ONCE || messages > 0 && self.bytes >= limit_bytes
    }

    /// Passes on what has arrived; a message waits for the earlier ones of its sender. Returns whether any message was passed on.
    fn deliver(&mut self, mut act: impl FnMut(Incoming) -> Result<()>) -> Result<bool> {
        let mut moved = false;
        let mut at = 0;
        while at < self.messages.len() {
            let Status { source, tag, bytes } = self.messages[at].0;
            let is_first_of_sender = self.messages.iter().take(at).all(|(earlier, _)| earlier.source != source);
            let done = if is_first_of_sender { self.messages[at].1.test()? } else { None };
            match done {
                None => at += 1,
                Some(done) => {
                    self.messages.remove(at);
                    self.bytes -= bytes;
                    moved = true;
                    act(Incoming { source, tag, bytes: done.buffer })?;
                }
            }
        }
        Ok(moved)
    }
}

impl<C: Communicator, F: FnMut(Incoming) -> Result<()>> Handler<C, F> {
    pub(super) fn new(tags: RangeInclusive<Tag>, limit_bytes: usize, act: F) -> Self {
        let receiving = Receiving { messages: VecDeque::new(), bytes: 0 };
        Self { tags, limit_bytes, act, receiving, expects_more: false, comm: PhantomData }
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
}

impl<C: Communicator, F: FnMut(Incoming) -> Result<()> + Send> Client<C> for Handler<C, F> {
    fn advance(&mut self, comm: &C, _now: Instant) -> Result<Step> {
        let mut moved = self.receiving.deliver(&mut self.act)?;
        for _ in 0..AT_ONCE {
            if self.receiving.is_full(self.limit_bytes) {
                break;
            }
            let Some(message) = self.probe(comm)? else {
                self.expects_more = false;
                break;
            };
            self.receiving.push(message.status(), message.irecv()?);
            moved = true;
            // If only one message was expected, stopping here saves a probe that would probably find nothing.
            if self.receiving.deliver(&mut self.act)? && !mem::replace(&mut self.expects_more, true) {
                break;
            }
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
            .field("receiving", &self.receiving.messages.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::{Cancelled, Completion, Error};

    /// A request that is done when the flag is set.
    #[derive(Debug)]
    struct Told(Arc<Mutex<bool>>);

    impl Request for Told {
        fn test(&mut self) -> Result<Option<Completion>> {
            let done = *self.0.lock().unwrap();
            let status = Status { source: 0, tag: 0, bytes: 0 };
            Ok(done.then_some(Completion { buffer: Vec::new(), status }))
        }

        fn wait(self) -> Result<Completion> {
            Err(Error::RequestDone)
        }

        fn cancel(self) -> Result<Cancelled> {
            Err(Error::RequestDone)
        }
    }

    #[test]
    fn a_message_waits_for_earlier_ones_of_its_sender_and_no_others() {
        let told: Vec<_> = (0..4).map(|_| Arc::new(Mutex::new(false))).collect();
        let mut receiving = Receiving { messages: VecDeque::new(), bytes: 0 };
        for (tag, source) in [5, 6, 5, 6].into_iter().enumerate() {
            let status = Status { source, tag: tag as Tag, bytes: 10 };
            receiving.push(status, Told(Arc::clone(&told[tag])));
        }
        let mut seen = Vec::new();
        let mut deliver = |complete: usize| {
            *told[complete].lock().unwrap() = true;
            receiving.deliver(|message| {
                seen.push(message.tag);
                Ok(())
            })
        };
        // The second message of rank 5 arrives before its first; the two messages of rank 6 arrive in order.
        assert_eq!([2, 1, 0, 3].map(|at| deliver(at).unwrap()), [false, true, true, true]);
        assert_eq!(seen, [1, 0, 2, 3]);
        assert_eq!((receiving.bytes, receiving.messages.len()), (0, 0));
    }
    #[test]
    fn one_message_is_let_in_whatever_the_limit() {
        let mut receiving = Receiving { messages: VecDeque::new(), bytes: 0 };
        assert!(!receiving.is_full(0));
        receiving.push(Status { source: 0, tag: 0, bytes: 0 }, Told(Arc::default()));
        assert!(receiving.is_full(0) && !receiving.is_full(1));
        receiving.push(Status { source: 0, tag: 0, bytes: 1 }, Told(Arc::default()));
        assert!(receiving.is_full(1));
    }
}
