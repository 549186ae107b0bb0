//! What the loop works on, and one round of it.

use std::time::Instant;

use super::client::Step;
use super::outbound::Outbound;
use super::queue::{Command, CommandQueue};
use super::slot::Job;
use crate::{Communicator, Error, Result};

struct Running<C> {
    id: u64,
    /// Goes on until the end; not missed if it is not done by then.
    service: bool,
    job: Box<dyn Job<C>>,
}

/// Everything that is only touched by the thread that drives.
pub(super) struct Engine<C: Communicator> {
    pub(super) comm: C,
    outbound: Outbound<C::Request>,
    clients: Vec<Running<C>>,
    /// Kept for its memory.
    commands: Vec<Command<C>>,
    /// How often the loop had been notified when the queue was last emptied; whoever fills it notifies after that.
    emptied_at: Option<u64>,
    /// Somebody asked for the end.
    stopping: bool,
    /// What the clients that were given up waited for.
    pub(super) abandoned: Vec<Vec<String>>,
}

/// What one round has brought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) now: Instant,
    pub(super) moved: bool,
    /// Something that a thread may wait for has come about.
    pub(super) ended: bool,
    /// When a client wants to be called again in any case.
    pub(super) due: Option<Instant>,
    /// Somebody asked for the end, and everything that has to be sent is.
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

    /// How often the loop had been notified before the last turn.
    pub(super) fn emptied_at(&self) -> Option<u64> {
        self.emptied_at
    }

    /// Whether anything here waits for the transport.
    pub(super) fn has_work(&self) -> bool {
        !(self.clients.is_empty() && self.outbound.is_empty())
    }

    /// Once round: what was asked for, what goes out, every client. The loop has been notified `count` times before. Who drives tells the
    /// waiters if anything has ended.
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
                sent.unheard.into_iter().for_each(|error| queue.keep_unheard(error));
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
                    // The order of clients means nothing.
                    let running = self.clients.swap_remove(at);
                    running.job.end(result).into_iter().for_each(|error| queue.keep_unheard(error));
                }
            }
        }
        Turn { now, moved, ended, due, at_end: self.stopping && self.outbound.is_empty() }
    }

    /// Takes a client on, and does what it can do at once.
    pub(super) fn begin(&mut self, queue: &CommandQueue<C>, id: u64, service: bool, mut job: Box<dyn Job<C>>) {
        match result(job.advance(&self.comm, Instant::now())) {
            None => self.clients.push(Running { id, service, job }),
            Some(result) => job.end(result).into_iter().for_each(|error| queue.keep_unheard(error)),
        }
    }

    fn take_out(&mut self, id: u64) -> bool {
        let Some(at) = self.clients.iter().position(|running| running.id == id) else { return false };
        self.clients.swap_remove(at).job.end(Err(Error::Cancelled));
        true
    }

    /// What it waits for, for the report of a deadlock.
    pub(super) fn waits_for(&self) -> Vec<String> {
        let clients = self.clients.iter().flat_map(|running| running.job.waits_for());
        let messages = self.outbound.destinations().map(|to| format!("rank {to} to take a message"));
        clients.chain(messages).collect()
    }

    /// Ends everything: services have done their work, other clients fail with `error`.
    pub(super) fn end(&mut self, queue: &CommandQueue<C>, error: &Error) {
        queue.close(error);
        // Commands that came before it was closed.
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

/// How a client has ended, if it has.
fn result(step: Result<Step>) -> Option<Result<()>> {
    match step {
        Ok(Step::Idle | Step::IdleUntil(_) | Step::Moved) => None,
        Ok(Step::Done) => Some(Ok(())),
        Err(error) => Some(Err(error)),
    }
}
