//! Errors of calls on communicators.

use std::fmt;
use std::sync::Arc;

/// The result of a call on a communicator.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call on a communicator failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A rank that the communicator does not have.
    #[error("rank {rank} does not exist in a communicator of {size} ranks")]
    RankOutOfRange {
        /// The rank asked for.
        rank: usize,
        /// How many ranks there are.
        size: usize,
    },
    /// The message is longer than the buffer given for it. Nothing has been copied to the buffer.
    #[error("a message of {received_bytes} bytes does not fit a receive buffer of {capacity_bytes} bytes")]
    Truncated {
        /// Length of the message. If the library only reports *that* it was too long, this is the capacity plus one.
        received_bytes: usize,
        /// Length of the buffer.
        capacity_bytes: usize,
    },
    /// The message is not a whole number of elements of the type asked for.
    #[error("a message of {bytes} bytes is not a whole number of elements of {element_bytes} bytes")]
    PartialElement {
        /// Length of the message.
        bytes: usize,
        /// Size of one element.
        element_bytes: usize,
    },
    /// The ranks of a collective call disagree about a length.
    #[error("a collective call was given {given} elements where its partners have {expected}")]
    LengthMismatch {
        /// What this rank gave.
        given: usize,
        /// What it should have given.
        expected: usize,
    },
    /// The number of elements that the other ranks announced does not fit in memory.
    #[error(
        "other ranks are said to have {elements} elements, which do not fit in memory; do all ranks make the same call?"
    )]
    NoMemory {
        /// The total number of elements.
        elements: u64,
    },
    /// Zero-sized elements were to be collected from other ranks.
    #[error("elements of no size cannot be collected from other ranks: a message does not tell how many they are")]
    ZeroSizedElement,
    /// A colour that MPI does not have.
    #[error("colour {color} is not below 2^31")]
    ColorOutOfRange {
        /// The colour.
        color: u32,
    },
    /// A message longer than MPI can count.
    #[error("a message of {bytes} bytes is too long for MPI, which counts up to 2^31 - 1")]
    TooLong {
        /// The message's length.
        bytes: usize,
    },
    /// The peer has finished: it will neither send nor receive any more.
    #[error("rank {rank} of the world has left; it neither sends nor receives any more")]
    PeerLeft {
        /// The peer's rank in the world.
        rank: usize,
    },
    /// The peer has panicked; nothing that depends on it can complete.
    #[error("rank {rank} of the world has panicked")]
    PeerPanicked {
        /// The peer's rank in the world.
        rank: usize,
    },
    /// Every rank waits, and no message is in flight.
    #[error("{0}")]
    Deadlock(Arc<DeadlockReport>),
    /// The request was already completed or cancelled.
    #[error("the request is no longer active: it was completed or cancelled before")]
    RequestDone,
    /// `wait_any` was given no request.
    #[error("there is no request to wait for")]
    NoRequest,
    /// The requests of one call belong to several ranks, or to several worlds of threads.
    #[error("the requests belong to several ranks; one call can test or wait for those of one rank")]
    MixedRequests,
    /// The MPI library was started for one thread, and this is another.
    #[error("MPI runs at thread level {level}; another thread has the right to call it")]
    WrongThread {
        /// The level that the library granted.
        level: &'static str,
    },
    /// MPI was started before, or has been finalised.
    #[error("MPI cannot be started: it is running already, or was finalised")]
    AlreadyInitialized,
    /// The progress loop was shut down before the operation was done, or before it was requested.
    #[error("the progress loop was shut down before the operation was done")]
    Abandoned,
    /// The client was cancelled by its ticket.
    #[error("the client was cancelled by its ticket")]
    Cancelled,
    /// A client of the progress loop panicked.
    #[error("a client of the progress loop panicked: {message}")]
    ClientPanicked {
        /// The panic's payload, if that was text.
        message: String,
    },
    /// The operating system did not start a thread.
    #[error("the operating system did not start a thread: {message}")]
    ThreadSpawn {
        /// The operating system's message.
        message: String,
    },
    /// An error that the MPI library reports.
    #[error("{call} failed with MPI error class {class}: {message}")]
    Mpi {
        /// The MPI function.
        call: &'static str,
        /// The error class (`MPI_ERR_...`) as a number.
        class: i32,
        /// The library's message.
        message: String,
    },
}

/// Which rank waited for what when a deadlock was found.
///
/// ```
/// use fusain_comm::{Communicator, Error, World};
///
/// // Both ranks receive before they send.
/// let results = World::threads(2).run(|comm| comm.recv_vec::<u8>(1 - comm.rank(), 7).map(drop));
/// let Err(Error::Deadlock(report)) = &results[0] else { panic!("a deadlock is found") };
/// assert_eq!(report.waits.len(), 2);
/// assert_eq!(report.waits[0].waits_for, ["a message from rank 1 with tag 7"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeadlockReport {
    /// One entry for each waiting thread, in the order of world ranks.
    pub waits: Vec<WaitReport>,
    /// World ranks that had finished when the deadlock was found.
    pub finished: Vec<usize>,
}

/// One waiting thread.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitReport {
    /// The thread's rank in the world.
    pub rank: usize,
    /// What the thread waits for, one entry for each message that would wake it: `a message from rank 3 with tag 7`.
    pub waits_for: Vec<String>,
}

impl fmt::Display for DeadlockReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "deadlock: every rank waits and nothing is in flight")?;
        for wait in &self.waits {
            write!(f, "; rank {} waits for {}", wait.rank, wait.waits_for.join(" or "))?;
        }
        if !self.finished.is_empty() {
            write!(f, "; finished: {:?}", self.finished)?;
        }
        Ok(())
    }
}
