//! Messages between ranks about work.

use serde::{Deserialize, Serialize};

/// Identifies a task that was given away, among those of its giver.
pub type TaskId = u64;

/// A message of the protocol; `P` is the form of a state or a result in a message (bytes, or nothing in a model).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Message<P> {
    /// `thief` wants work. A rank that has none may pass the request on, `hops` more times.
    Request {
        /// The rank that gets the answer.
        thief: u32,
        /// The number of times that the request may still be passed on.
        hops: u8,
        /// Whether the thief wants work later if there is none now.
        stays: bool,
    },
    /// The sender has no work.
    Refusal,
    /// A part of the work.
    Task {
        /// Identifies the task; the result carries it back.
        id: TaskId,
        /// Whether this answers a request. False for a thief that was refused and stayed.
        asked: bool,
        /// The state.
        payload: P,
    },
    /// The result of a task and of everything split off it: the acknowledgement of the task.
    Result {
        /// The task's id.
        id: TaskId,
        /// The result.
        payload: P,
    },
    /// All work is done.
    Stop {
        /// The result of the run.
        payload: P,
    },
}

impl<P> Message<P> {
    /// The same message with another payload.
    pub fn map<Q>(self, f: impl FnOnce(P) -> Q) -> Message<Q> {
        match self {
            Self::Request { thief, hops, stays } => Message::Request { thief, hops, stays },
            Self::Refusal => Message::Refusal,
            Self::Task { id, asked, payload } => Message::Task { id, asked, payload: f(payload) },
            Self::Result { id, payload } => Message::Result { id, payload: f(payload) },
            Self::Stop { payload } => Message::Stop { payload: f(payload) },
        }
    }
}
