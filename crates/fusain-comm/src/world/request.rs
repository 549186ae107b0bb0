//! Requests of the in-process world, and messages that a probe took out.

use std::iter;
use std::mem;
use std::sync::Arc;

use super::guests::seat_caller;
use super::inbox::{Delivered, Envelope, ReceiveId, Wait};
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
    /// A send, whose message was copied to its destination at once, or a receive of a message that a probe took out.
    Done(Completion),
    Posted(ReceiveId),
    Spent,
}

impl ThreadRequest {
    pub(super) fn done(shared: &Arc<Shared>, me: usize, completion: Completion) -> Self {
        Self { shared: Arc::clone(shared), me, state: State::Done(completion) }
    }

    pub(super) fn posted(shared: &Arc<Shared>, me: usize, receive: ReceiveId) -> Self {
        Self { shared: Arc::clone(shared), me, state: State::Posted(receive) }
    }

    fn receive(&self) -> Option<ReceiveId> {
        match self.state {
            State::Posted(receive) => Some(receive),
            _ => None,
        }
    }

    fn finish(&mut self, delivered: Delivered) -> Result<Completion> {
        self.state = State::Spent;
        self.shared.charge_receiver(self.me, delivered.timing);
        delivered.result
    }

    /// Withdraws the receive. If a message has matched it already, that message is lost, as if it had been received.
    fn withdraw(&mut self) {
        if let Some(receive) = self.receive() {
            self.shared.look(self.me, |inbox| {
                inbox.withdraw(receive);
                inbox.collect(receive);
            });
        }
        self.state = State::Spent;
    }

    /// Checks that all requests belong to one rank: a receive is known only in its own rank's inbox, and a wait sleeps on one inbox.
    fn check_same_rank(&self, others: &[Self]) -> Result<()> {
        let same = |other: &Self| other.me == self.me && Arc::ptr_eq(&other.shared, &self.shared);
        if others.iter().all(same) { Ok(()) } else { Err(Error::MixedRequests) }
    }

    /// Tests several requests of one rank once.
    pub(super) fn test_any(requests: &mut Vec<Self>) -> Result<Option<(usize, Completion)>> {
        let Some(first) = requests.first() else { return Ok(None) };
        first.check_same_rank(requests)?;
        if let Some(at) = requests.iter().position(|request| !matches!(request.state, State::Posted(_))) {
            let completion = requests.swap_remove(at).test()?;
            return Ok(completion.map(|completion| (at, completion)));
        }
        // All requests are posted receives, so a receive has its request's index.
        let found = first.shared.look_for(first.me, requests.iter().filter_map(Self::receive))?;
        let Some((at, delivered)) = found else { return Ok(None) };
        let completion = requests.swap_remove(at).finish(delivered)?;
        Ok(Some((at, completion)))
    }

    /// Waits for the first of several requests of one rank.
    pub(super) fn wait_any(requests: &mut Vec<Self>) -> Result<(usize, Completion)> {
        let Some(first) = requests.first() else { return Err(Error::NoRequest) };
        first.check_same_rank(requests)?;
        let (shared, me) = (Arc::clone(&first.shared), first.me);
        if let Some(at) = requests.iter().position(|request| !matches!(request.state, State::Posted(_))) {
            return requests.swap_remove(at).wait().map(|completion| (at, completion));
        }
        let receives: Vec<_> = requests.iter().filter_map(Self::receive).collect();
        let wait = Wait::Receives(receives.clone());
        seat_caller(&shared);
        let (at, delivered) = shared.wait(me, &wait, |inbox| {
            receives.iter().enumerate().find_map(|(at, &receive)| Some((at, inbox.collect(receive)?)))
        })?;
        let completion = requests.swap_remove(at).finish(delivered)?;
        Ok((at, completion))
    }
}

impl Request for ThreadRequest {
    fn test(&mut self) -> Result<Option<Completion>> {
        match mem::replace(&mut self.state, State::Spent) {
            State::Done(completion) => Ok(Some(completion)),
            State::Posted(receive) => {
                self.state = State::Posted(receive);
                match self.shared.look_for(self.me, iter::once(receive)) {
                    Ok(Some((_, delivered))) => self.finish(delivered).map(Some),
                    Ok(None) => Ok(None),
                    Err(error) => {
                        self.withdraw();
                        Err(error)
                    }
                }
            }
            State::Spent => Err(Error::RequestDone),
        }
    }

    fn wait(mut self) -> Result<Completion> {
        if let Some(completion) = self.test()? {
            return Ok(completion);
        }
        // test() has returned Err on a spent request and a completion on a send.
        let Some(receive) = self.receive() else { return Err(Error::RequestDone) };
        let wait = Wait::Receives(vec![receive]);
        seat_caller(&self.shared);
        let delivered = self.shared.wait(self.me, &wait, |inbox| inbox.collect(receive))?;
        self.finish(delivered)
    }

    fn cancel(mut self) -> Result<Cancelled> {
        if let Some(receive) = self.receive()
            && let Some(buffer) = self.shared.look(self.me, |inbox| inbox.withdraw(receive))
        {
            self.state = State::Spent;
            return Ok(Cancelled::Yes(buffer));
        }
        self.wait().map(Cancelled::TooLate)
    }
}

impl Drop for ThreadRequest {
    fn drop(&mut self) {
        self.withdraw();
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
    type Request = ThreadRequest;

    fn status(&self) -> Status {
        self.envelope.status()
    }

    fn recv(self) -> Result<(Vec<u8>, Status)> {
        let status = self.envelope.status();
        self.shared.charge_receiver(self.me, self.envelope.timing);
        Ok((self.envelope.payload, status))
    }

    fn irecv(self) -> Result<ThreadRequest> {
        let (shared, me) = (Arc::clone(&self.shared), self.me);
        let (buffer, status) = self.recv()?;
        Ok(ThreadRequest::done(&shared, me, Completion { buffer, status }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};

    use crate::{Communicator, Error, Request, World};

    #[test]
    fn requests_of_two_ranks_are_refused_together() {
        let (give, take) = mpsc::channel();
        let take = Mutex::new(take);
        World::threads(2).run(|comm| {
            let other = 1 - comm.rank();
            let own = comm.irecv(vec![0], other, 1).unwrap();
            if comm.rank() == 0 {
                give.send(own).unwrap();
                return comm.recv_vec::<u8>(1, 2).map(drop).unwrap();
            }
            let theirs = take.lock().unwrap().recv().unwrap();
            // Both requests have the same number in their inboxes.
            comm.send(&[9_u8], 0, 1).unwrap();
            let mut both = vec![own, theirs];
            assert_eq!(comm.test_any(&mut both), Err(Error::MixedRequests));
            assert_eq!(comm.wait_any(&mut both), Err(Error::MixedRequests));
            assert_eq!(both.pop().unwrap().wait().unwrap().buffer, [9]);
            comm.send(&[1_u8], 0, 2).unwrap();
        });
    }
}
