//! What can go wrong between ranks that share work.

/// The result of a run over ranks.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a run over ranks failed. Every rank gets an error when one does, unless it has the result already; none gets a result that lacks a part. (At the
/// end of a run each rank reads the result; where it can not be read, that rank fails and rank 0 may not.)
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A rank is gone: it panicked, left, or gave no sign of life. The work it had is lost, so there is no result.
    #[error(
        "rank {rank} is lost ({why}), and with it a part of the work; see what it or its host says, then start again"
    )]
    RankLost {
        /// Its number in the cluster's communicator.
        rank: usize,
        /// What was seen of it.
        why: String,
    },
    /// A rank ends with an error of its own, which is all there is to mend.
    #[error("rank {rank} could not go on: {why}")]
    RankFailed {
        /// Its number in the cluster's communicator.
        rank: usize,
        /// Its error.
        why: String,
    },
    /// A message that makes no sense: damaged on its way, or from another version of the program. Or what it carries makes none here: ranks were given
    /// different input, called different runs, or a type can not be read back (see [`Distributed`](crate::Distributed)).
    #[error(
        "what came from rank {from} was refused: {why}; do all ranks run the same program on the same input, and can its types be read back?"
    )]
    Corrupt {
        /// Its sender. The result of a whole run comes from rank 0.
        from: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A state or a result can not be put into bytes.
    #[error("a state or result can not be put into bytes: {why}; its `Serialize` must not fail")]
    Encode {
        /// What the codec says, which does not hand on what a `Serialize` of your own has said.
        why: String,
    },
    /// The loop that the cluster was put on is driven by hand: nobody would answer other ranks while this one computes.
    #[error(
        "nobody drives the progress loop while ranks compute; make it with `Progress::spawn` or `run_funneled`, not `Progress::manual`, or use `Cluster::over`"
    )]
    NoDriver,
    /// The transport failed.
    #[error("the transport failed: {0}")]
    Transport(#[source] fusain_comm::Error),
}

impl From<fusain_comm::Error> for Error {
    /// A rank that the transport misses is lost.
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

/// What a worker leaves the run with when the run has failed; caught where the pool was called.
pub(crate) struct Ended(pub(crate) Error);
