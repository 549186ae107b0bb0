//! Requests of MPI, and messages that a probe took out.

use std::sync::Arc;

use super::raw::{RawMessage, Transfer};
use super::{Orphan, Session};
use crate::{Cancelled, Completion, Error, Message, Request, Result, Status};

/// A send or receive under way in MPI.
#[derive(Debug)]
pub struct MpiRequest {
    session: Arc<Session>,
    /// None once it is spent.
    transfer: Option<Transfer>,
}

impl MpiRequest {
    pub(super) fn new(session: &Arc<Session>, transfer: Transfer) -> Self {
        Self { session: Arc::clone(session), transfer: Some(transfer) }
    }

    /// The transfer, unless the request is spent or has failed together with another one.
    fn transfer(&mut self) -> Result<&mut Transfer> {
        self.transfer.as_mut().filter(|transfer| !transfer.is_over()).ok_or(Error::RequestDone)
    }

    fn take(&mut self) -> Result<Transfer> {
        self.transfer.take().filter(|transfer| !transfer.is_over()).ok_or(Error::RequestDone)
    }

    pub(super) fn test_any(requests: &mut Vec<Self>) -> Result<Option<(usize, Completion)>> {
        let found = match &mut requests[..] {
            [] => return Ok(None),
            [only] => only.test()?.map(|completion| (0, Ok(completion))),
            [first, ..] => {
                first.session.enter()?;
                Transfer::test_any(&mut transfers(requests)?)?
            }
        };
        let Some((index, result)) = found else { return Ok(None) };
        let mut request = requests.swap_remove(index);
        request.transfer = None;
        result.map(|completion| Some((index, completion)))
    }

    pub(super) fn wait_any(requests: &mut Vec<Self>) -> Result<(usize, Completion)> {
        requests.first().ok_or(Error::NoRequest)?.session.enter()?;
        let (index, result) = Transfer::wait_any(&mut transfers(requests)?)?;
        let mut request = requests.swap_remove(index);
        request.transfer = None;
        result.map(|completion| (index, completion))
    }
}

fn transfers(requests: &mut [MpiRequest]) -> Result<Vec<&mut Transfer>> {
    requests.iter_mut().map(MpiRequest::transfer).collect()
}

impl Request for MpiRequest {
    fn test(&mut self) -> Result<Option<Completion>> {
        self.session.enter()?;
        let result = self.transfer()?.test();
        if !matches!(result, Ok(None)) {
            self.transfer = None;
        }
        result
    }

    fn wait(mut self) -> Result<Completion> {
        self.session.enter()?;
        self.take()?.wait()
    }

    fn cancel(mut self) -> Result<Cancelled> {
        self.session.enter()?;
        let mut transfer = self.take()?;
        // Open MPI does not cancel sends, and MPI 4 deprecates it.
        if transfer.is_send() { transfer.wait().map(Cancelled::TooLate) } else { transfer.cancel() }
    }
}

impl Drop for MpiRequest {
    fn drop(&mut self) {
        let Ok(mut transfer) = self.take() else { return };
        if transfer.is_send() {
            self.session.park(transfer);
        } else if self.session.may_enter() {
            // No caller is left to whom a failure could be reported.
            drop(transfer.cancel());
        } else {
            self.session.orphan(Orphan::Receive(transfer));
        }
    }
}

/// A message that a probe took out.
#[derive(Debug)]
pub struct MpiMessage {
    session: Arc<Session>,
    message: Option<RawMessage>,
    status: Status,
}

impl MpiMessage {
    pub(super) fn new(session: &Arc<Session>, message: RawMessage) -> Self {
        Self { session: Arc::clone(session), status: message.status, message: Some(message) }
    }
}

impl Message for MpiMessage {
    type Request = MpiRequest;

    fn status(&self) -> Status {
        self.status
    }

    fn recv(mut self) -> Result<(Vec<u8>, Status)> {
        self.session.enter()?;
        let mut message = self.message.take().ok_or(Error::RequestDone)?;
        Ok((message.recv()?, self.status))
    }

    fn irecv(mut self) -> Result<MpiRequest> {
        self.session.enter()?;
        let mut message = self.message.take().ok_or(Error::RequestDone)?;
        Ok(MpiRequest::new(&self.session, message.irecv()?))
    }
}

impl Drop for MpiMessage {
    fn drop(&mut self) {
        // MPI requires that the message be received, and only this handle can receive it.
        match self.message.take() {
            Some(mut message) if self.session.may_enter() => drop(message.recv()),
            Some(message) => self.session.orphan(Orphan::Message(message)),
            None => {}
        }
    }
}
