//! Why a schedule cannot be simulated to its end.

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
        /// How many ranks there are.
        ranks: u32,
    },
    /// A dependency of or on an operation that does not exist.
    #[error("rank {rank} has a dependency of operation {operation}, but only {operations} operations")]
    NoSuchOperation {
        /// The rank.
        rank: u32,
        /// Its number.
        operation: u32,
        /// How many there are.
        operations: usize,
    },
    /// Too many of something.
    #[error("the schedule is too large: at most {max} {what}")]
    TooLarge {
        /// What there are too many of.
        what: &'static str,
        /// How many there may be.
        max: u64,
    },
    /// A message that is longer than what is received.
    #[error("{send} matches {recv}, which is too short for it")]
    Truncated {
        /// Where it is sent.
        send: Site,
        /// Where it is received.
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
    /// Its number, from 0. (Shown as the number of a statement, from 1.)
    pub number: u32,
    /// What it is.
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
    /// The first operations that did not end for a cause of their own, by rank, at most [`Stuck::SITES_MAX`]. Operations that merely wait
    /// for these are left out. If there are none, operations that wait for each other.
    pub sites: Vec<(Site, Cause)>,
    /// How many such operations there are.
    pub causes: u64,
    /// How many operations never started.
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
    /// How many operations are named.
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
