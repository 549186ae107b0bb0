//! What can be wrong with a text.

use std::io;

/// Why a text is not a valid schedule.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text says something else than it may at this place.
    #[error("line {line}, column {column}: expected {expected}, found {found}")]
    Unexpected {
        /// From 1.
        line: u64,
        /// From 1, in bytes.
        column: u64,
        /// What may stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The text could not be read.
    #[error("the schedule could not be read")]
    Io(#[from] io::Error),
}
