//! Errors of the text form.

use std::io;

/// Why a text is not a valid schedule.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text does not have what must stand at this place.
    #[error("line {line}, column {column}: expected {expected}, found {found}")]
    Unexpected {
        /// The line, from 1.
        line: u64,
        /// The column, from 1, in bytes.
        column: u64,
        /// What may stand at this place.
        expected: String,
        /// What stands at this place.
        found: String,
    },
    /// The text could not be read.
    #[error("the schedule could not be read")]
    Io(#[from] io::Error),
}
