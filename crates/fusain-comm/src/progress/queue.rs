//! The queue of commands from threads to the loop.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::outbound::{Outgoing, Room};
use super::slot::Job;
use crate::shake::shake;
use crate::{Error, Result};

/// A command from a thread to the loop.
pub(super) enum Command<C> {
    Send(Outgoing),
    Run { id: u64, service: bool, job: Box<dyn Job<C>> },
    Cancel(u64),
}

struct State<C> {
    commands: Vec<Command<C>>,
    room: Room,
    next_id: u64,
    /// The number of ordinals given out so far.
    ordinals: u32,
    /// Whether a thread has asked the loop to end.
    stopping: bool,
    /// The loop has ended, or is about to: no new command is accepted.
    closed: Option<Error>,
    /// Errors of clients and messages whose tickets were dropped.
    unreported: Vec<Error>,
}

/// The maximum number of errors without a ticket that are kept for the end.
const UNREPORTED_MAX: usize = 64;

/// Commands that wait, and the room for messages, behind one lock. No user code runs under that lock.
pub(super) struct CommandQueue<C> {
    state: Mutex<State<C>>,
}

impl<C> CommandQueue<C> {
    pub(super) fn new() -> Self {
        let state = State {
            commands: Vec::new(),
            room: Room::default(),
            next_id: 0,
            ordinals: 0,
            stopping: false,
            closed: None,
            unreported: Vec::new(),
        };
        Self { state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State<C>> {
        shake();
        // No panic can occur between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns 0, 1, 2, ... in successive calls.
    pub(super) fn ordinal(&self) -> u32 {
        let mut state = self.lock();
        let ordinal = state.ordinals;
        state.ordinals = ordinal.wrapping_add(1);
        ordinal
    }

    /// Adds a job.
    pub(super) fn run(&self, service: bool, job: Box<dyn Job<C>>) -> Result<u64> {
        let mut state = self.lock();
        let id = state.new_id()?;
        state.commands.push(Command::Run { id, service, job });
        Ok(id)
    }

    /// Returns the id of a job that the submitting thread begins itself.
    pub(super) fn begin(&self) -> Result<u64> {
        self.lock().new_id()
    }

    /// Adds a message if there is room for it; returns None if there is not.
    pub(super) fn send(&self, message: &mut Option<Outgoing>, limit: usize) -> Option<Result<u64>> {
        let mut state = self.lock();
        if let Some(error) = &state.closed {
            return Some(Err(error.clone()));
        }
        let (to, bytes) = message.as_ref().map_or((0, 0), |message| (message.to, message.data.len()));
        if !state.room.take(to, bytes, limit) {
            return None;
        }
        let id = state.new_id();
        state.commands.extend(message.take().map(Command::Send));
        Some(id)
    }

    pub(super) fn cancel(&self, id: u64) {
        self.lock().commands.push(Command::Cancel(id));
    }

    pub(super) fn stop(&self) {
        self.lock().stopping = true;
    }

    /// Moves the commands into `commands`; returns whether the loop was asked to end.
    pub(super) fn take(&self, commands: &mut Vec<Command<C>>) -> bool {
        let mut state = self.lock();
        commands.append(&mut state.commands);
        state.stopping
    }

    pub(super) fn give_back_room(&self, to: usize, bytes: usize) {
        self.lock().room.give_back(to, bytes);
    }

    pub(super) fn close(&self, error: &Error) {
        self.lock().closed.get_or_insert_with(|| error.clone());
    }

    pub(super) fn end(&self) -> Option<Error> {
        self.lock().closed.clone()
    }

    /// Keeps the error of a client or message whose ticket was dropped. Errors that the end of the loop causes are reported elsewhere.
    pub(super) fn keep_unreported(&self, error: Error) {
        let mut state = self.lock();
        if state.closed.is_none() && state.unreported.len() < UNREPORTED_MAX {
            state.unreported.push(error);
        }
    }

    pub(super) fn take_unreported(&self) -> Vec<Error> {
        std::mem::take(&mut self.lock().unreported)
    }
}

impl<C> State<C> {
    /// Returns a new id, or the reason if no new command is accepted.
    fn new_id(&mut self) -> Result<u64> {
        if let Some(error) = &self.closed {
            return Err(error.clone());
        }
        let id = self.next_id;
        self.next_id += 1;
        Ok(id)
    }
}
