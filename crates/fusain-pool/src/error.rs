//! What can go wrong when a pool is built.

/// Why a pool could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// `FUSAIN_NUM_THREADS` is set to something that is no count of workers.
    #[error(
        "FUSAIN_NUM_THREADS is {value:?}, which is no number of workers; set it to a whole number from 1 to {WORKERS_MAX}, or unset it"
    )]
    BadThreadCount {
        /// What the variable holds.
        value: String,
    },
    /// More or fewer workers were asked for than a pool can have.
    #[error("a pool has 1 to {WORKERS_MAX} workers, not {asked}")]
    ThreadsOutOfRange {
        /// What was asked for.
        asked: usize,
    },
    /// The operating system did not start a thread.
    #[error(
        "the operating system did not start worker {index}: {source}; ask for fewer workers or raise the limit on threads"
    )]
    Spawn {
        /// Which worker.
        index: usize,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Pinning was asked for, but the operating system does not tell which cores there are.
    #[error("cannot pin workers: the operating system does not tell which cores this process may use")]
    Pin,
}

/// Most workers a pool can have, the caller included.
pub const WORKERS_MAX: usize = 4096;
