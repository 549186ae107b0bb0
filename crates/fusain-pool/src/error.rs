//! What can go wrong when a pool is built.

use std::fmt;

/// Why a pool could not be built. Its message says what to do about it.
///
/// # Example
/// ```
/// # use fusain_pool as fusain;
/// let error = fusain::Pool::builder().threads(0).build().unwrap_err();
/// assert!(matches!(error, fusain::Error::ThreadsOutOfRange { asked: 0 }));
/// assert_eq!(error.to_string(), "a pool has 1 to 4096 workers, not 0; leave the number out for a worker for each core");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// `FUSAIN_NUM_THREADS` is set to something that is not a valid number of workers.
    BadThreadCount {
        /// The value of the variable.
        value: String,
    },
    /// No workers were asked for, or more than a pool can have.
    ThreadsOutOfRange {
        /// The number that was asked for.
        asked: usize,
    },
    /// The operating system did not start a thread.
    Spawn {
        /// The number of the worker, as in its thread's name: 1 for the first started thread.
        index: usize,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The global pool has already been built or used.
    GlobalAlreadyInitialized,
    /// Pinning was asked for, but this is not Linux, or the operating system does not say which cores there are.
    Pin,
    /// Workers were to be pinned, but the number of processing units that were named is not that of the workers.
    PinTo {
        /// How many were named.
        named: usize,
        /// How many workers there are.
        workers: usize,
    },
    /// A worker's list of victims does not name each other worker once, or there is not one list for each worker.
    Victims {
        /// The number of the worker; 0 is the calling thread.
        worker: usize,
    },
}

// Written by hand: a derive would bring four crates into every build, for seven messages.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadThreadCount { value } => write!(
                f,
                "FUSAIN_NUM_THREADS is {value:?}, which is no number of workers; set it to a whole number from 1 to {WORKERS_MAX}, or unset it"
            ),
            Self::ThreadsOutOfRange { asked } => write!(
                f,
                "a pool has 1 to {WORKERS_MAX} workers, not {asked}; leave the number out for a worker for each core"
            ),
            Self::Spawn { index, source } => write!(
                f,
                "the operating system did not start worker {index}: {source}; ask for fewer workers or raise the limit on threads"
            ),
            Self::GlobalAlreadyInitialized => f.write_str(
                "the global pool is there already; call build_global before anything runs in parallel, and once",
            ),
            Self::Pin => {
                f.write_str("cannot pin workers: the operating system does not tell which cores this process may use")
            }
            Self::PinTo { named, workers } => write!(
                f,
                "{workers} workers cannot be pinned to {named} processing units; name one for each worker, the calling thread's first"
            ),
            Self::Victims { worker } => write!(
                f,
                "worker {worker} has no list of whom to ask that has each other worker once; give one for each worker, the calling thread's first"
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Spawn { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl Error {
    /// A copy of the error, for a caller that has only a reference to it.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::BadThreadCount { value } => Self::BadThreadCount { value: value.clone() },
            Self::ThreadsOutOfRange { asked } => Self::ThreadsOutOfRange { asked: *asked },
            Self::Spawn { index, source } => {
                let source =
                    source.raw_os_error().map_or_else(|| source.kind().into(), std::io::Error::from_raw_os_error);
                Self::Spawn { index: *index, source }
            }
            Self::GlobalAlreadyInitialized => Self::GlobalAlreadyInitialized,
            Self::Pin => Self::Pin,
            Self::PinTo { named, workers } => Self::PinTo { named: *named, workers: *workers },
            Self::Victims { worker } => Self::Victims { worker: *worker },
        }
    }
}

/// The largest number of workers of a pool, the calling thread included.
pub(crate) const WORKERS_MAX: usize = 4096;
