//! Errors of runs over ranks.

/// The result of a run over ranks.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a run over ranks failed. If one rank fails, all ranks get an error, except those that already have the result. No rank gets an
/// incomplete result. (At the end of a run each rank decodes the result. If a rank cannot, it fails while rank 0 may succeed.)
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A rank is lost: it panicked, left, or sent no heartbeat. Its work is lost, too, so there is no result.
    #[error(
        "rank {rank} is lost ({why}), and with it a part of the work; see what it or its host says, then start again"
    )]
    RankLost {
        /// The rank's number in the cluster's communicator.
        rank: usize,
        /// What other ranks know about the reason.
        why: String,
    },
    /// Another rank ended with an error, which is the cause.
    #[error("rank {rank} could not go on: {why}")]
    RankFailed {
        /// The rank's number in the cluster's communicator.
        rank: usize,
        /// The rank's error.
        why: String,
    },
    /// A message cannot be decoded or is not valid. It was damaged, or came from another version of the program; or the ranks have
    /// different inputs or called different runs; or a type cannot be decoded (see [`Distributed`](crate::Distributed)).
    #[error(
        "a message from rank {from} was refused: {why}; do all ranks run the same program on the same input, and can its types be decoded?"
    )]
    Corrupt {
        /// The message's sender. The result of a whole run comes from rank 0.
        from: usize,
        /// What is wrong with the message.
        why: String,
    },
    /// A state or a result cannot be encoded as bytes.
    #[error("a state or result cannot be encoded as bytes: {why}; its `Serialize` must not fail")]
    Encode {
        /// The codec's error. It does not include the message of your own `Serialize`.
        why: String,
    },
    /// The cluster's progress loop is manual, so other ranks would get no answer while this one computes.
    #[error(
        "no thread drives the progress loop while ranks compute; make it with `Progress::spawn` or `run_funneled`, not `Progress::manual`, or use `Cluster::over`"
    )]
    NoDriver,
    /// The transport failed.
    #[error("the transport failed: {0}")]
    Transport(#[source] fusain_comm::Error),
}

impl From<fusain_comm::Error> for Error {
    /// A rank that the transport reports as gone is lost.
    fn from(error: fusain_comm::Error) -> Self {
        match error {
            fusain_comm::Error::PeerPanicked { rank } => Self::panicked(rank),
            fusain_comm::Error::PeerLeft { rank } => Self::left(rank),
            other => Self::Transport(other),
        }
    }
}

impl Error {
    pub(crate) fn panicked(rank: usize) -> Self {
        Self::RankLost { rank, why: "it panicked".to_owned() }
    }

    pub(crate) fn left(rank: usize) -> Self {
        Self::RankLost { rank, why: "it left".to_owned() }
    }
}

/// The payload with which a callback unwinds out of a failed run; caught by the function that began the run.
pub(crate) struct Ended(pub(crate) Error);
