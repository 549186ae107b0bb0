//! Requests and taken-out messages of the in-process world.

use std::mem;
use std::sync::Arc;

use super::mailbox::{Delivered, Envelope, Ticket, Wait};
use super::shared::Shared;
use crate::{Cancelled, Completion, Error, Message, Request, Result, Status};

/// A send or receive under way between threads.
#[derive(Debug)]
pub struct ThreadRequest {
    shared: Arc<Shared>,
    me: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    /// A send: the message was copied to its destination at once.
    Sent(Completion),
    Posted(Ticket),
    Spent,
}

impl ThreadRequest {
    pub(super) fn sent(shared: &Arc<Shared>, me: usize, completion: Completion) -> Self {
        Self { shared: Arc::clone(shared), me, state: State::Sent(completion) }
    }

    pub(super) fn posted(shared: &Arc<Shared>, me: usize, ticket: Ticket) -> Self {
        Self { shared: Arc::clone(shared), me, state: State::Posted(ticket) }
    }

    fn ticket(&self) -> Option<Ticket> {
        match self.state {
            State::Posted(ticket) => Some(ticket),
            _ => None,
        }
    }

    fn finish(&mut self, delivered: Delivered) -> Result<Completion> {
        self.state = State::Spent;
        self.shared.charge_receiver(self.me, delivered.timing);
        delivered.result
    }

    /// Waits for the first of several requests of one rank.
    pub(super) fn wait_any(requests: &mut Vec<Self>) -> Result<(usize, Completion)> {
        let Some(first) = requests.first() else { return Err(Error::NoRequest) };
        let (shared, me) = (Arc::clone(&first.shared), first.me);
        if let Some(at) = requests.iter().position(|request| !matches!(request.state, State::Posted(_))) {
            return requests.swap_remove(at).wait().map(|completion| (at, completion));
        }
        let tickets: Vec<_> = requests.iter().filter_map(Self::ticket).collect();
        let wait = Wait::Tickets(tickets.clone());
        let (at, delivered) = shared.wait(me, &wait, |inbox| {
            tickets.iter().enumerate().find_map(|(at, &ticket)| Some((at, inbox.collect(ticket)?)))
        })?;
        let completion = requests.swap_remove(at).finish(delivered)?;
        Ok((at, completion))
    }
}

impl Request for ThreadRequest {
    fn test(&mut self) -> Result<Option<Completion>> {
        match mem::replace(&mut self.state, State::Spent) {
            State::Sent(completion) => Ok(Some(completion)),
            State::Posted(ticket) => match self.shared.look(self.me, |inbox| inbox.collect(ticket)) {
                Some(delivered) => self.finish(delivered).map(Some),
                None => {
                    self.state = State::Posted(ticket);
                    Ok(None)
                }
            },
            State::Spent => Err(Error::RequestDone),
        }
    }

    fn wait(mut self) -> Result<Completion> {
        if let Some(completion) = self.test()? {
            return Ok(completion);
        }
        // test() has returned Err on a spent request and a completion on a send.
        let Some(ticket) = self.ticket() else { return Err(Error::RequestDone) };
        let wait = Wait::Tickets(vec![ticket]);
        let delivered = self.shared.wait(self.me, &wait, |inbox| inbox.collect(ticket))?;
        self.finish(delivered)
    }

    fn cancel(mut self) -> Result<Cancelled> {
        if let Some(ticket) = self.ticket()
            && let Some(buffer) = self.shared.look(self.me, |inbox| inbox.withdraw(ticket))
        {
            self.state = State::Spent;
            return Ok(Cancelled::Yes(buffer));
        }
        self.wait().map(Cancelled::TooLate)
    }
}

impl Drop for ThreadRequest {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket() {
            self.shared.look(self.me, |inbox| {
                // A message that it had met already is lost with it, as if it had been received.
                inbox.withdraw(ticket);
                inbox.collect(ticket);
            });
        }
    }
}

/// A message that a probe took out.
#[derive(Debug)]
pub struct ThreadMessage {
    pub(super) shared: Arc<Shared>,
    pub(super) me: usize,
    pub(super) envelope: Envelope,
}

impl Message for ThreadMessage {
    fn status(&self) -> Status {
        self.envelope.status()
    }

    fn recv(self) -> Result<(Vec<u8>, Status)> {
        let status = self.envelope.status();
        self.shared.charge_receiver(self.me, self.envelope.timing);
        Ok((self.envelope.payload, status))
    }
}
