//! Errors of this crate.

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
        /// The part of the description.
        part: String,
    },
    /// Numbers for a synthetic machine's processing units that do not give each unit one number.
    #[error("indexes={indexes} of PU do not number the processing units: {reason}")]
    Indexes {
        /// The numbers as written.
        indexes: String,
        /// What is wrong with the numbers.
        reason: String,
    },
    /// XML that is not a valid hwloc export.
    #[error("this is not an hwloc 2 topology: {reason}")]
    Xml {
        /// What is wrong with the XML.
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
        /// The part or communicator that was to be split.
        what: String,
        /// The kind of split that was asked for.
        wanted: String,
        /// Why the split is not possible.
        reason: String,
    },
    /// A thread that cannot be bound.
    #[error("no thread can be bound to {cpuset:?}: {reason}")]
    Binding {
        /// The processing units.
        cpuset: String,
        /// The operating system's message.
        reason: String,
    },
    /// A line of a switch description that cannot be understood.
    #[error("line {line} of the network description: {reason}")]
    Network {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with the line.
        reason: String,
    },
    /// Coordinates that do not exist in a network.
    #[error("host {host:?} cannot be at {coords:?} of a network of {dims:?}: give a coordinate below each dimension")]
    Coordinates {
        /// The host.
        host: String,
        /// The number of switches at each level.
        dims: Vec<usize>,
        /// The coordinates that were given.
        coords: Vec<usize>,
    },
    /// A host without a switch path, although other hosts have one.
    #[error("host {host:?} has no entry in the network description; give it one, or choose Missing::UnderCluster")]
    MissingHost {
        /// The host.
        host: String,
    },
    /// Two hosts with the same name: two entries for the name, or ranks whose machines or switch paths differ.
    #[error("host name {host:?} is used twice: {reason}")]
    DuplicateHost {
        /// The name.
        host: String,
        /// How the two hosts differ.
        reason: String,
    },
    /// A rank that is not in the communicator.
    #[error("rank {rank} does not exist among {size} ranks")]
    RankOutOfRange {
        /// The rank.
        rank: usize,
        /// The number of ranks.
        size: usize,
    },
    /// The caller asked about ranks of which it is not one.
    #[error("rank {rank} asks about a list of ranks that it is not in")]
    NotAMember {
        /// The caller's rank.
        rank: usize,
    },
    /// A list of ranks is empty, where at least one is needed.
    #[error("an empty list of ranks has no level")]
    NoRanks,
    /// A message between ranks failed.
    #[error(transparent)]
    Comm(#[from] fusain_comm::Error),
    /// Another rank sent bytes that are not a valid place.
    #[error("rank {rank} sent a place that cannot be read")]
    Garbled {
        /// The rank that sent the bytes.
        rank: usize,
    },
    /// An error of the hwloc library.
    #[error("hwloc: {reason}")]
    Hwloc {
        /// The library's message.
        reason: String,
    },
}
