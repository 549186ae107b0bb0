//! Errors of schedules and of runs.

/// The result of a call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a schedule was refused, or a run failed. Operations are named by their [index](crate::OpId::index).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation that this version does not support.
    #[error("operation {operation} is unknown: {why}")]
    UnknownOperation {
        /// The operation.
        operation: usize,
        /// What is not supported.
        why: String,
    },
    /// Operations that wait for each other: each requires the next, the last the first.
    #[error("operations wait for each other in a cycle: {operations:?}, each for the next one")]
    Cycle {
        /// The cycle, in order.
        operations: Vec<usize>,
    },
    /// Two operations touch the same bytes, at least one writes, and nothing says which comes first.
    #[error(
        "operations {first} and {second} both touch bytes {offset}..{end} of memory {memory} and one of them writes; \
         let one require the other"
    )]
    Race {
        /// One of the two operations.
        first: usize,
        /// The other operation.
        second: usize,
        /// 0 for the scratchpad, else the buffer's number.
        memory: u32,
        /// The first byte they share.
        offset: u64,
        /// The first byte after those they share.
        end: u64,
    },
    /// Blocks of one operation overlap.
    #[error("blocks of operation {operation} overlap: what it writes must be apart, or be exactly what it reads")]
    Overlap {
        /// The operation.
        operation: usize,
    },
    /// An operation whose two sides have different lengths.
    #[error("operation {operation} writes {target_bytes} bytes but reads {source_bytes}; the numbers must be equal")]
    Lengths {
        /// The operation.
        operation: usize,
        /// The number of bytes that it writes.
        target_bytes: u64,
        /// The number of bytes that it reads.
        source_bytes: u64,
    },
    /// A block that is not a whole number of elements.
    #[error(
        "a block of operation {operation} has {bytes} bytes, which is not a whole number of elements of {element_bytes}"
    )]
    PartialElement {
        /// The operation.
        operation: usize,
        /// The block's length.
        bytes: u64,
        /// The element's length.
        element_bytes: u64,
    },
    /// A block outside its memory; perhaps the block is of another graph.
    #[error(
        "operation {operation} touches memory {memory} up to byte {end}, which has {bytes}; is the region another graph's?"
    )]
    OutOfBounds {
        /// The operation.
        operation: usize,
        /// 0 for the scratchpad, else the buffer's number.
        memory: u32,
        /// Where the block ends.
        end: u64,
        /// The number of bytes of the memory.
        bytes: u64,
    },
    /// A rank that the communicator does not have.
    #[error("operation {operation} names rank {rank}, which does not exist among {size} ranks")]
    RankOutOfRange {
        /// The operation.
        operation: usize,
        /// The rank that it names.
        rank: u64,
        /// The number of ranks.
        size: u64,
    },
    /// The schedule's rank is not below its number of ranks.
    #[error("rank {rank} of a schedule does not exist among {size} ranks")]
    NoSuchRank {
        /// The rank.
        rank: u64,
        /// The number of ranks.
        size: u64,
    },
    /// A tag that is too large.
    #[error("operation {operation} has tag {tag}; the tags of a schedule are below {limit}")]
    TagOutOfRange {
        /// The operation.
        operation: usize,
        /// Its tag.
        tag: u32,
        /// The first tag that is too large.
        limit: u32,
    },
    /// A message that is longer than every receive that could take it.
    #[error(
        "rank {from} sends {sent_bytes} bytes to rank {to} with tag {tag}, which receives at most {received_bytes}"
    )]
    MessageTooLong {
        /// Sender.
        from: u32,
        /// Receiver.
        to: u32,
        /// Tag.
        tag: u32,
        /// The length of the message.
        sent_bytes: u64,
        /// The length of the longest receive for it.
        received_bytes: u64,
    },
    /// The numbers of sends and receives between two ranks differ.
    #[error("rank {from} sends {sends} messages to rank {to} with tag {tag}, which receives {receives}")]
    Unmatched {
        /// Sender.
        from: u32,
        /// Receiver.
        to: u32,
        /// Tag.
        tag: u32,
        /// The number of sends.
        sends: usize,
        /// The number of receives.
        receives: usize,
    },
    /// The schedule is too large for its binary form, or sends more in one message than its memories hold.
    #[error("the schedule is too large: {what}")]
    TooLarge {
        /// What is too large, and the limit.
        what: String,
    },
    /// The bytes are not a valid schedule.
    #[error("not a valid schedule: {why} (at word {word})")]
    Malformed {
        /// The index of the 32-bit word.
        word: usize,
        /// What is wrong there.
        why: String,
    },
    /// A run was started on a communicator that its schedule is not for.
    #[error("a schedule for rank {rank} of {size} cannot run as rank {run_rank} of {run_size}")]
    WrongRank {
        /// The schedule's rank.
        rank: usize,
        /// The schedule's number of ranks.
        size: usize,
        /// The communicator's rank.
        run_rank: usize,
        /// The communicator's size.
        run_size: usize,
    },
    /// A buffer was not put in, or was taken out.
    #[error("buffer {buffer} is missing: put a vector into the run before it starts")]
    BufferMissing {
        /// The buffer's number, from 1.
        buffer: u32,
    },
    /// A buffer does not have the length that the schedule declares.
    #[error("buffer {buffer} has {given_bytes} bytes where the schedule has {expected_bytes}")]
    BufferLength {
        /// The buffer's number, from 1.
        buffer: u32,
        /// The length of the vector that was given.
        given_bytes: u64,
        /// The declared length.
        expected_bytes: u64,
    },
    /// The ranks of a collective call gave lists that do not fit the number of ranks, or a vector that does not fit the lists. Also for
    /// vectors of zero-sized elements that do not fit their buffer.
    #[error("{what}: given {given}, expected {expected}")]
    Shape {
        /// What does not fit.
        what: &'static str,
        /// The number that was given.
        given: usize,
        /// The number that would fit.
        expected: usize,
    },
    /// An algorithm that cannot do this collective.
    #[error("{0}")]
    Unsuitable(&'static str),
    /// There is not enough memory for a run.
    #[error("{bytes} bytes for a run's scratchpad or result cannot be allocated")]
    OutOfMemory {
        /// The number of bytes.
        bytes: u64,
    },
    /// An integer was divided by 0.
    #[error("operation {operation} divides an integer by 0")]
    DivisionByZero {
        /// The operation.
        operation: usize,
    },
    /// A received message is shorter than its receive.
    #[error("operation {operation} received {given_bytes} bytes where it expected {expected_bytes}")]
    ShortMessage {
        /// The operation.
        operation: usize,
        /// The length of the message.
        given_bytes: u64,
        /// The length of the receive.
        expected_bytes: u64,
    },
    /// A run that began `limit` runs ago has not ended.
    #[error("a run that began {limit} runs ago is not over, or its handle has not been waited for")]
    TooManyRuns {
        /// The maximum number of runs.
        limit: usize,
    },
    /// The run had failed before.
    #[error("the run has failed before and was given up: start it again")]
    GivenUp,
    /// An error of the communicator.
    #[error(transparent)]
    Comm(#[from] fusain_comm::Error),
}
