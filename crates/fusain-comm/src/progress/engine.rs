//! The data that the loop works on, and one round of the loop.

use std::time::Instant;

use super::client::Step;
use super::outbound::Outbound;
use super::queue::{Command, CommandQueue};
use super::slot::Job;
use crate::{Communicator, Error, Result};

struct Running<C> {
    id: u64,
    /// The client runs until shutdown, so that it is not abandoned if it is unfinished then.
    service: bool,
    job: Box<dyn Job<C>>,
}

/// Everything that only the driver touches.
pub(super) struct Engine<C: Communicator> {
    pub(super) comm: C,
    outbound: Outbound<C::Request>,
    clients: Vec<Running<C>>,
    /// Kept so that its memory is reused.
    commands: Vec<Command<C>>,
    /// The count of `work` when the queue was last emptied. A thread that fills the queue notifies after that.
    emptied_at: Option<u64>,
    /// A thread has asked the loop to end.
    stopping: bool,
    /// What the abandoned clients waited for.
    pub(super) abandoned: Vec<Vec<String>>,
}

/// The outcome of one round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) now: Instant,
    pub(super) moved: bool,
    /// Something that a thread may wait for has ended.
    pub(super) ended: bool,
    /// The earliest time at which a client wants to be called in any case.
    pub(super) due: Option<Instant>,
    /// A thread has asked the loop to end, and all messages have been sent.
    pub(super) at_end: bool,
}

impl<C: Communicator> Engine<C> {
    pub(super) fn new(comm: C) -> Self {
        Self {
            comm,
            outbound: Outbound::new(),
            clients: Vec::new(),
            commands: Vec::new(),
            emptied_at: None,
            stopping: false,
            abandoned: Vec::new(),
        }
    }

    /// The count of `work` before the last round.
    pub(super) fn emptied_at(&self) -> Option<u64> {
        self.emptied_at
    }

    /// Whether anything here waits for the transport.
    pub(super) fn has_work(&self) -> bool {
        !(self.clients.is_empty() && self.outbound.is_empty())
    }

    /// Runs one round: takes the commands, advances the messages to send, and calls every client. `count` is the count of `work` before the
    /// round. If anything has ended, the driver must notify the waiters.
    pub(super) fn turn(&mut self, queue: &CommandQueue<C>, count: u64) -> Turn {
        if self.emptied_at != Some(count) {
            self.stopping = queue.take(&mut self.commands);
            self.emptied_at = Some(count);
        }
        let mut moved = !self.commands.is_empty();
        let mut ended = false;
        let mut commands = std::mem::take(&mut self.commands);
        for command in commands.drain(..) {
            match command {
                Command::Send(message) => self.outbound.push(message),
                Command::Run { id, service, job } => self.clients.push(Running { id, service, job }),
                Command::Cancel(id) => ended |= self.take_out(id),
            }
        }
        self.commands = commands;
        if !self.outbound.is_empty() {
            moved |= self.outbound.advance(&self.comm, |sent| {
                ended = true;
                queue.give_back_room(sent.to, sent.bytes);
                sent.unreported.into_iter().for_each(|error| queue.keep_unreported(error));
            });
        }
        let now = Instant::now();
        let mut due: Option<Instant> = None;
        let mut at = 0;
        while let Some(running) = self.clients.get_mut(at) {
            let step = running.job.advance(&self.comm, now);
            moved |= !matches!(step, Ok(Step::Idle | Step::IdleUntil(_)));
            if let Ok(Step::IdleUntil(time)) = step {
                due = Some(due.map_or(time, |due| due.min(time)));
            }
            match result(step) {
                None => at += 1,
                Some(result) => {
                    ended = true;
                    // The order of the clients does not matter.
                    let running = self.clients.swap_remove(at);
                    running.job.end(result).into_iter().for_each(|error| queue.keep_unreported(error));
                }
            }
        }
        Turn { now, moved, ended, due, at_end: self.stopping && self.outbound.is_empty() }
    }

    /// Adds a client after calling it once.
    pub(super) fn begin(&mut self, queue: &CommandQueue<C>, id: u64, service: bool, mut job: Box<dyn Job<C>>) {
        match result(job.advance(&self.comm, Instant::now())) {
            None => self.clients.push(Running { id, service, job }),
            Some(result) => job.end(result).into_iter().for_each(|error| queue.keep_unreported(error)),
        }
    }

    fn take_out(&mut self, id: u64) -> bool {
        let Some(at) = self.clients.iter().position(|running| running.id == id) else { return false };
        self.clients.swap_remove(at).job.end(Err(Error::Cancelled));
        true
    }

    /// What the clients and messages wait for, for the report of a deadlock.
    pub(super) fn waits_for(&self) -> Vec<String> {
        let clients = self.clients.iter().flat_map(|running| running.job.waits_for());
        let messages = self.outbound.destinations().map(|to| format!("rank {to} to take a message"));
        clients.chain(messages).collect()
    }

    /// Ends everything: services succeed if the end is a shutdown; all other clients fail with `error`.
    pub(super) fn end(&mut self, queue: &CommandQueue<C>, error: &Error) {
        queue.close(error);
        // Takes the commands that came before the queue was closed.
        queue.take(&mut self.commands);
        for command in std::mem::take(&mut self.commands) {
            match command {
                Command::Send(message) => self.outbound.push(message),
                Command::Run { id, service, job } => self.clients.push(Running { id, service, job }),
                Command::Cancel(id) => drop(self.take_out(id)),
            }
        }
        self.outbound.fail(error);
        let orderly = *error == Error::Abandoned;
        for Running { service, job, .. } in self.clients.drain(..) {
            if service && orderly {
                job.end(Ok(()));
            } else {
                self.abandoned.push(job.waits_for());
                job.end(Err(error.clone()));
            }
        }
    }
}

/// The result of a client that has ended.
fn result(step: Result<Step>) -> Option<Result<()>> {
    match step {
        Ok(Step::Idle | Step::IdleUntil(_) | Step::Moved) => None,
        Ok(Step::Done) => Some(Ok(())),
        Err(error) => Some(Err(error)),
    }
}
