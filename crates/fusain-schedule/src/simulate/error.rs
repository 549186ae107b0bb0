//! Errors of the simulation.

use std::fmt;

use crate::goal::{self, Operation};

/// Why a schedule cannot be simulated to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text of the schedule is wrong.
    #[error(transparent)]
    Text(#[from] goal::Error),
    /// A schedule could not be built.
    #[error("rank {rank}: {error}")]
    Build {
        /// The rank.
        rank: u32,
        /// The error.
        error: crate::Error,
    },
    /// A message to or from a rank that does not exist.
    #[error("{site} names a rank that does not exist: there are {ranks} ranks")]
    NoSuchRank {
        /// Where the operation is.
        site: Site,
        /// The number of ranks.
        ranks: u32,
    },
    /// A dependency of or on an operation that does not exist.
    #[error("rank {rank} has a dependency of operation {operation}, but only {operations} operations")]
    NoSuchOperation {
        /// The rank.
        rank: u32,
        /// The operation's number.
        operation: u32,
        /// The number of operations of the rank.
        operations: usize,
    },
    /// Too many of something.
    #[error("the schedule is too large: at most {max} {what}")]
    TooLarge {
        /// The kind of thing of which there are too many.
        what: &'static str,
        /// The maximum number.
        max: u64,
    },
    /// A message that is longer than its receive.
    #[error("{send} matches {recv}, which is too short for it")]
    Truncated {
        /// The send.
        send: Site,
        /// The receive.
        recv: Site,
    },
    /// Nothing can happen any more, but some operations have not ended.
    #[error(transparent)]
    Stuck(#[from] Stuck),
}

/// One operation of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Site {
    /// The rank.
    pub rank: u32,
    /// The operation's number, from 0. (It is shown as the number of a statement, from 1.)
    pub number: u32,
    /// The operation.
    pub operation: Operation,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}, statement {} (`{}`)", self.rank, u64::from(self.number) + 1, self.operation)
    }
}

/// Nothing can happen any more, but some operations have not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stuck {
    /// The first operations, by rank, that did not end for a reason of their own, at most [`Stuck::SITES_MAX`]. Operations that only wait
    /// for these are left out. If there are no such operations, these are operations that wait for each other.
    pub sites: Vec<(Site, Cause)>,
    /// The number of such operations.
    pub causes: u64,
    /// The number of operations that never started.
    pub never_started: u64,
}

/// Why an operation did not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A receive that no message has matched.
    NoMessage,
    /// A send whose message no receive has matched.
    NoReceive,
    /// An operation that waits for itself, directly or not.
    Cycle,
}

impl Stuck {
    /// The maximum number of operations that are named.
    pub const SITES_MAX: usize = 8;
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the schedule is stuck")?;
        for (site, cause) in &self.sites {
            let cause = match cause {
                Cause::NoMessage => "no message has come",
                Cause::NoReceive => "the message is never received",
                Cause::Cycle => "it waits for itself, or for what does",
            };
            write!(f, "\n  {site}: {cause}")?;
        }
        let more = self.causes - self.sites.len() as u64;
        if more > 0 {
            write!(f, "\n  and {more} more")?;
        }
        if self.never_started > 0 {
            write!(f, "\n  never started: {}", self.never_started)?;
        }
        Ok(())
    }
}

impl std::error::Error for Stuck {}
