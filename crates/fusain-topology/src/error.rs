//! Errors between a machine's description and a communicator.

/// The result of a call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a topology could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A synthetic description that this crate does not understand.
    #[error(
        "{part:?} is not part of a synthetic machine: write kinds and counts, as in \"Package:2 L2:4 Core:2 PU:1\", of at most 16,384 processing units, \
         65,536 objects and 128 levels"
    )]
    Synthetic {
        /// The part in question.
        part: String,
    },
    /// Numbers of a synthetic machine's processing units that are not one for each of them.
    #[error("indexes={indexes} of PU do not number the processing units: {reason}")]
    Indexes {
        /// The numbers as they are written.
        indexes: String,
        /// What is wrong with them.
        reason: String,
    },
    /// XML that is not a valid hwloc export.
    #[error("this is not an hwloc 2 topology: {reason}")]
    Xml {
        /// What is wrong with it.
        reason: String,
    },
    /// A cpuset that is not in hwloc's format.
    #[error("{text:?} is not a cpuset: write a mask (0x0000000f,0xffffffff) or a list (0-3,8)")]
    CpuSet {
        /// The text.
        text: String,
    },
    /// A binding that has nothing in common with the machine's processing units.
    #[error("the binding {binding} has no processing unit of the machine, which has {machine}")]
    BindingOutsideMachine {
        /// The binding.
        binding: String,
        /// The machine's processing units.
        machine: String,
    },
    /// A part of a machine, or a communicator, that cannot be split as asked.
    #[error("{what} cannot be split {wanted}: {reason}")]
    CannotSplit {
        /// What was to be split.
        what: String,
        /// How.
        wanted: String,
        /// Why not.
        reason: String,
    },
    /// A thread that cannot be bound.
    #[error("no thread can be bound to {cpuset:?}: {reason}")]
    Binding {
        /// The processing units.
        cpuset: String,
        /// The operating system's words.
        reason: String,
    },
    /// A line of a switch description that cannot be understood.
    #[error("line {line} of the network description: {reason}")]
    Network {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Coordinates that do not exist in a network.
    #[error("host {host:?} cannot be at {coords:?} of a network of {dims:?}: give a coordinate below each dimension")]
    Coordinates {
        /// The host.
        host: String,
        /// How many there are at each level.
        dims: Vec<usize>,
        /// Which it is said to be at.
        coords: Vec<usize>,
    },
    /// A host without a switch path, where others have one.
    #[error("host {host:?} has no entry in the network description; give it one, or choose Missing::UnderCluster")]
    MissingHost {
        /// The host.
        host: String,
    },
    /// Two hosts with one name: two entries for it, or ranks whose machines or switch paths differ.
    #[error("host name {host:?} is used twice: {reason}")]
    DuplicateHost {
        /// The name.
        host: String,
        /// How it was noticed.
        reason: String,
    },
    /// A rank that is not in the communicator.
    #[error("rank {rank} does not exist among {size} ranks")]
    RankOutOfRange {
        /// The rank.
        rank: usize,
        /// How many there are.
        size: usize,
    },
    /// The caller asked about ranks without being one of them, or about none.
    #[error("rank {rank} asks about a list of ranks that it is not in")]
    NotAMember {
        /// The caller.
        rank: usize,
    },
    /// An answer needs at least one rank.
    #[error("an empty list of ranks has no level")]
    NoRanks,
    /// A message between ranks failed.
    #[error(transparent)]
    Comm(#[from] fusain_comm::Error),
    /// Another rank sent bytes that are not a valid place.
    #[error("rank {rank} sent a place that cannot be read")]
    Garbled {
        /// The rank.
        rank: usize,
    },
    /// An error of the hwloc library.
    #[error("hwloc: {reason}")]
    Hwloc {
        /// Its words.
        reason: String,
    },
}
