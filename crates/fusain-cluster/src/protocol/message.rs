//! What ranks say to each other about work.

use serde::{Deserialize, Serialize};

/// Names a task that was given away, at its giver.
pub type TaskId = u64;

/// A message of the protocol; `P` is what a state or a result looks like on its way (bytes, or nothing in a model).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Message<P> {
    /// `thief` wants work. Who has none may pass it on, `hops` more times.
    Request {
        /// Who gets the answer.
        thief: u32,
        /// How many more times it may be passed on.
        hops: u8,
        /// Whether the thief wants something later if there is nothing now.
        stays: bool,
    },
    /// There is none here.
    Refusal,
    /// A part of the work. `asked` unless it comes to one who had been refused, and stayed.
    Task {
        /// Comes back with the result.
        id: TaskId,
        /// Whether this answers a request.
        asked: bool,
        /// The state.
        payload: P,
    },
    /// What came of it, and of all that was split off it: the acknowledgement of the task.
    Result {
        /// Of the task.
        id: TaskId,
        /// What was found.
        payload: P,
    },
    /// Everything is done; this came of it.
    Stop {
        /// What was found in all.
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
