//! The trait of communicators, and the rules that every world keeps.
//!
//! # What an implementation writes, and what it gets
//!
//! An implementation must write few methods: rank and size, sends and receives with owned buffers, matched probes
//! ([`Communicator::improbe`]), and making new communicators. The trait adds blocking calls, typed calls, borrowed buffers
//! ([`crate::borrowed`]) and collectives ([`crate::collective`]); a world overrides what it can do better. [`Host`] holds what this crate's
//! worlds do for a [progress thread](crate::progress); an implementation outside this crate writes `impl Host for MyComm {}`.
//!
//! # Rules
//!
//! * **Matching.** A message matches a receive if communicator, source and tag agree, where the receive may accept any source or any tag. A
//!   message goes to the oldest receive that it matches; a receive takes the oldest message that matches it. So messages from one sender
//!   never overtake each other.
//! * **Buffers.** A send may complete before its message is received, but programs must not rely on that: only the in-process world always
//!   buffers. The `Vec<u8>` comes back with the completion. Its length is unchanged, but a receive may return a different vector of the
//!   same length.
//! * **Threads.** A communicator may be moved to other threads and shared with them. Whether two threads may *call* at once depends on the
//!   world: in the in-process world they may; in MPI it depends on the thread level. The in-process world's documentation says which
//!   threads its [deadlock detection](crate::world#deadlock-detection) counts. All ranks call the collectives of a communicator in the same
//!   order, each from one thread.
//! * **Dropping** an incomplete receive request cancels it; over MPI, if the dropping thread may not call, the next call of one that may. Dropping a send request does not
//!   stop the message. A message not yet received when its communicator is dropped is lost. Over MPI such a message can reach a
//!   later communicator, if that is made without the message's sender. A process does not end before its long messages have been received;
//!   their receiver does that when it makes a later communicator.
//! * **Failure.** In the in-process world, a call that would wait for a rank that has ended returns an error instead. Over MPI it may wait for
//!   ever.

use std::fmt::Debug;

use crate::borrowed::{RecvInto, Scope, SendFrom};
use crate::collective::{self, Shape};
use crate::host::Host;
use crate::message::elements;
use crate::{Error, Plain, Result, Source, Status, Tag, TagMatch};

/// A group of ranks and this rank's number in it. The [module](self) has the rules.
///
/// All ranks of the communicator must call each method that is marked *collective*, and each from [`barrier`](Self::barrier) to
/// [`all_to_all`](Self::all_to_all), in the same order.
///
/// # Example
///
/// ```
/// use fusain_comm::{Communicator, Error, World};
///
/// let results = World::threads(4).run(|comm| {
///     let rank = comm.rank() as u64;
///
///     // Messages: each rank sends its number to the next one, and receives that of the one before.
///     let (right, left) = ((comm.rank() + 1) % 4, (comm.rank() + 3) % 4);
///     let mut from_left = [0];
///     comm.sendrecv(&[rank], right, &mut from_left, left, 7)?;
///     assert_eq!(from_left[0], left as u64);
///
///     // Collectives.
///     let mut sum = [rank];
///     comm.allreduce(&mut sum, |a, b| a + b)?;
///     let mut prefix = [rank];
///     comm.scan(&mut prefix, |a, b| a + b)?;
///     let all = comm.allgather(&[rank])?.concat();
///
///     // A communicator for the even ranks, and one for the odd ones.
///     let half = comm.split(Some(comm.rank() as u32 % 2), 0)?.expect("each rank has a colour");
///     Ok::<_, Error>((sum[0], prefix[0], all, half.size()))
/// });
/// assert_eq!(results[2], Ok((6, 3, vec![0, 1, 2, 3], 2)));
/// ```
pub trait Communicator: Host + Sized + Send + Sync + Debug + 'static {
    /// A send or receive under way.
    type Request: Request;
    /// A message that a probe took out of the queue.
    type Message: Message<Request = Self::Request>;

    /// This rank's number, below [`size`](Self::size).
    #[doc(alias = "MPI_Comm_rank")]
    fn rank(&self) -> usize;

    /// The number of ranks of the communicator.
    #[doc(alias = "MPI_Comm_size")]
    fn size(&self) -> usize;

    /// Starts to send `data`. The vector comes back with the completion.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`]. Over threads [`Error::PeerLeft`] and [`Error::PeerPanicked`]. Over MPI [`Error::TooLong`] and, as from any other call,
    /// [`Error::WrongThread`] and [`Error::Mpi`].
    #[doc(alias = "MPI_Isend")]
    fn isend(&self, data: Vec<u8>, to: usize, tag: Tag) -> Result<Self::Request>;

    /// Sends `data` if that is possible at once, without waiting and without keeping the slice. Returns whether it was sent.
    ///
    /// # Errors
    /// As [`isend`](Self::isend).
    fn send_at_once(&self, data: &[u8], to: usize, tag: Tag) -> Result<bool> {
        let _ = (data, tag);
        self.check_rank(to).map(|()| false)
    }

    /// Starts to receive at most `buffer.len()` bytes into the front of `buffer`.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`] here; [`Error::Truncated`] at completion.
    #[doc(alias = "MPI_Irecv")]
    fn irecv(&self, buffer: Vec<u8>, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Self::Request>;

    /// Takes the oldest matching message out of the queue, if there is one. Only the returned value can receive it then. Over threads it gives no
    /// error if the sender has left, as a test of a receive does: it then finds nothing for ever.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`].
    #[doc(alias = "MPI_Improbe")]
    fn improbe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Option<Self::Message>>;

    /// Returns the status of a matching message, if there is one, and leaves it in the queue. As [`improbe`](Self::improbe), it gives no error if the sender has left.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`].
    #[doc(alias = "MPI_Iprobe")]
    fn iprobe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Option<Status>>;

    /// Waits for a matching message and takes it out of the queue.
    ///
    /// # Errors
    /// Like [`recv_bytes`](Self::recv_bytes), but for the length.
    #[doc(alias = "MPI_Mprobe")]
    fn mprobe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Self::Message>;

    /// Waits for a matching message and leaves it in the queue.
    ///
    /// # Errors
    /// Like [`recv_bytes`](Self::recv_bytes), but for the length.
    #[doc(alias = "MPI_Probe")]
    fn probe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Status>;

    /// Sends `data` and returns when the slice may be reused.
    ///
    /// # Errors
    /// As [`isend`](Self::isend).
    fn send_bytes(&self, data: &[u8], to: usize, tag: Tag) -> Result<()>;

    /// Waits for a message of at most `buffer.len()` bytes.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`], [`Error::Truncated`], [`Error::Deadlock`], [`Error::PeerLeft`],
    /// [`Error::PeerPanicked`].
    fn recv_bytes(&self, buffer: &mut [u8], from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Status>;

    /// Tests all `requests` once. If one is complete, removes it (by `swap_remove`) and returns its index and its completion. The requests may belong to any
    /// communicators of this rank.
    ///
    /// # Errors
    /// The error of one of the requests; the other requests are then unusable. In the world of threads, [`Error::MixedRequests`] if the
    /// requests belong to several ranks.
    #[doc(alias = "MPI_Testany")]
    fn test_any(&self, requests: &mut Vec<Self::Request>) -> Result<Option<(usize, Completion)>> {
        for (index, request) in requests.iter_mut().enumerate() {
            if let Some(completion) = request.test()? {
                drop(requests.swap_remove(index));
                return Ok(Some((index, completion)));
            }
        }
        Ok(None)
    }

    /// Waits until one of `requests` completes, removes it (by `swap_remove`) and returns its index and its completion. The requests may belong to any
    /// communicators of this rank.
    ///
    /// # Errors
    /// [`Error::NoRequest`] if there is none; the error of the request that completed; [`Error::MixedRequests`] as for
    /// [`test_any`](Self::test_any).
    #[doc(alias = "MPI_Waitany")]
    fn wait_any(&self, requests: &mut Vec<Self::Request>) -> Result<(usize, Completion)>;

    /// Collective: makes a new communicator for each `color`. Its ranks are ordered by `key`, then by old rank. A rank that gives `None`
    /// gets no communicator. Colours are below 2^31, as in MPI.
    ///
    /// # Errors
    /// [`Error::ColorOutOfRange`]; over threads [`Error::LengthMismatch`] if another rank makes a different call; the errors of sending and
    /// receiving.
    #[doc(alias = "MPI_Comm_split")]
    fn split(&self, color: Option<u32>, key: i32) -> Result<Option<Self>>;

    /// Collective: makes a communicator of the same ranks, whose messages are separate.
    ///
    /// # Errors
    /// As [`split`](Self::split).
    #[doc(alias = "MPI_Comm_dup")]
    fn duplicate(&self) -> Result<Self>;

    // ---- typed point to point -------------------------------------------------------------------------------------

    /// Sends a slice of plain data.
    ///
    /// # Errors
    /// As [`isend`](Self::isend).
    #[doc(alias = "MPI_Send")]
    fn send<T: Plain>(&self, data: &[T], to: usize, tag: Tag) -> Result<()> {
        self.send_bytes(bytemuck::cast_slice(data), to, tag)
    }

    /// Receives at most `buffer.len()` elements into the front of `buffer`.
    ///
    /// # Errors
    /// As [`recv_bytes`](Self::recv_bytes), and [`Error::PartialElement`] if the message is not a whole number of elements.
    #[doc(alias = "MPI_Recv")]
    fn recv<T: Plain>(&self, buffer: &mut [T], from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Status> {
        let status = self.recv_bytes(bytemuck::cast_slice_mut(buffer), from, tag)?;
        status.count::<T>().map(|_| status)
    }

    /// Receives a message of any length.
    ///
    /// # Errors
    /// As [`recv`](Self::recv), but for the length.
    fn recv_vec<T: Plain>(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<(Vec<T>, Status)> {
        let (bytes, status) = self.mprobe(from, tag)?.recv()?;
        Ok((elements(&bytes)?, status))
    }

    /// Sends to one rank and receives from another at the same time, so that exchanges round a ring do not deadlock.
    ///
    /// # Errors
    /// As [`send`](Self::send) and [`recv`](Self::recv).
    #[doc(alias = "MPI_Sendrecv")]
    fn sendrecv<T: Plain>(
        &self,
        data: &[T],
        to: usize,
        buffer: &mut [T],
        from: impl Into<Source>,
        tag: Tag,
    ) -> Result<Status> {
        let receive = self.irecv_into(buffer, from, tag)?;
        let send = self.isend_from(data, to, tag)?;
        let status = receive.wait()?;
        send.wait()?;
        Ok(status)
    }

    /// Starts to send a borrowed slice. The slice is copied at once, but stays borrowed until the send is complete, so that a world may do
    /// without the copy.
    ///
    /// # Errors
    /// As [`isend`](Self::isend).
    fn isend_from<'a, T: Plain>(&self, data: &'a [T], to: usize, tag: Tag) -> Result<SendFrom<'a, Self, T>> {
        SendFrom::start(self, data, to, tag)
    }

    /// Starts to receive into a borrowed slice, which stays borrowed until the transfer is done.
    ///
    /// # Errors
    /// As [`irecv`](Self::irecv).
    fn irecv_into<'a, T: Plain>(
        &self,
        buffer: &'a mut [T],
        from: impl Into<Source>,
        tag: impl Into<TagMatch>,
    ) -> Result<RecvInto<'a, Self, T>> {
        RecvInto::start(self, buffer, from.into(), tag.into())
    }

    /// Runs `body` with a [`Scope`] in which it can start transfers. If this returns `Ok`, all of them are complete.
    ///
    /// # Errors
    /// The first error of `body` or of a transfer. Transfers that have not been waited for by then are given up, as if their requests were dropped: sends go on;
    /// receives are cancelled, and do not write their slices.
    fn scope<'scope, 'env, R>(&'scope self, body: impl FnOnce(&Scope<'scope, 'env, Self>) -> Result<R>) -> Result<R> {
        Scope::enter(self, body)
    }

    // ---- collectives ----------------------------------------------------------------------------------------------

    /// Waits until every rank has called this method. Dissemination: ⌈log₂ p⌉ rounds.
    ///
    /// # Errors
    /// The errors of sending and receiving.
    #[doc(alias = "MPI_Barrier")]
    fn barrier(&self) -> Result<()> {
        collective::barrier(self)
    }

    /// Copies `root`'s `data` to every rank. Binomial tree: ⌈log₂ p⌉ rounds.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`]; [`Error::Truncated`] or [`Error::LengthMismatch`] if lengths differ; the errors of sending and receiving.
    #[doc(alias = "MPI_Bcast")]
    fn broadcast<T: Plain>(&self, data: &mut [T], root: usize) -> Result<()> {
        collective::broadcast(self, data, root, Shape::Binomial, usize::MAX)
    }

    /// Combines the `data` of all ranks by `op`, element by element, into the `data` of `root`. On other ranks `data` is left with partial
    /// results.
    ///
    /// `op(a, b)` is always called with `a` from lower ranks than `b`. So `op` must be associative, but need not be commutative.
    ///
    /// # Errors
    /// As [`broadcast`](Self::broadcast).
    #[doc(alias = "MPI_Reduce")]
    fn reduce<T: Plain>(&self, data: &mut [T], root: usize, op: impl Fn(T, T) -> T) -> Result<()> {
        collective::reduce(self, data, root, op, Shape::Binomial, usize::MAX)
    }

    /// Like [`reduce`](Self::reduce), but every rank gets the result. A reduction and a broadcast: 2·⌈log₂ p⌉ rounds.
    ///
    /// # Errors
    /// As [`broadcast`](Self::broadcast).
    #[doc(alias = "MPI_Allreduce")]
    fn allreduce<T: Plain>(&self, data: &mut [T], op: impl Fn(T, T) -> T) -> Result<()> {
        self.reduce(data, 0, op)?;
        self.broadcast(data, 0)
    }

    /// Prefix sums over ranks: rank `r` gets the data of ranks `0..=r`, combined by `op` in order. Recursive doubling: ⌈log₂ p⌉ rounds.
    ///
    /// # Errors
    /// As [`broadcast`](Self::broadcast).
    #[doc(alias = "MPI_Scan")]
    fn scan<T: Plain>(&self, data: &mut [T], op: impl Fn(T, T) -> T) -> Result<()> {
        collective::scan(self, data, op)
    }

    /// Collects all ranks' elements at `root`, one vector for each rank. Lengths may differ. Other ranks get `None`. The root receives p − 1 messages, one after the other.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`]; [`Error::ZeroSizedElement`]; the errors of sending and receiving.
    #[doc(alias = "MPI_Gather")]
    #[doc(alias = "MPI_Gatherv")]
    fn gather<T: Plain>(&self, data: &[T], root: usize) -> Result<Option<Vec<Vec<T>>>> {
        collective::gather(self, data, root)
    }

    /// Collects all ranks' elements on every rank, one vector for each rank. Lengths may differ. A gather and two broadcasts: p − 1 + 2·⌈log₂ p⌉ rounds. Each rank needs memory for all
    /// elements twice, rank 0 three times.
    ///
    /// # Errors
    /// [`Error::ZeroSizedElement`]; [`Error::NoMemory`] if all elements do not fit in memory; the errors of sending and receiving.
    #[doc(alias = "MPI_Allgather")]
    #[doc(alias = "MPI_Allgatherv")]
    fn allgather<T: Plain>(&self, data: &[T]) -> Result<Vec<Vec<T>>> {
        collective::allgather(self, data)
    }

    /// Distributes `root`'s `parts`, one vector for each rank. The `parts` of other ranks are ignored. The root sends p − 1 messages, one after the other.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`]; [`Error::LengthMismatch`] at the root if there are not as many parts as ranks; [`Error::ZeroSizedElement`]; the errors of sending and receiving.
    #[doc(alias = "MPI_Scatter")]
    #[doc(alias = "MPI_Scatterv")]
    fn scatter<T: Plain>(&self, parts: &[Vec<T>], root: usize) -> Result<Vec<T>> {
        collective::scatter(self, parts, root)
    }

    /// Rank `i` gets `parts[i]` of every rank, in the order of ranks. Lengths may differ. Pairwise exchange: p − 1 rounds.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] if there are not as many parts as ranks; [`Error::ZeroSizedElement`]; the errors of sending and receiving.
    #[doc(alias = "MPI_Alltoall")]
    #[doc(alias = "MPI_Alltoallv")]
    fn all_to_all<T: Plain>(&self, parts: &[Vec<T>]) -> Result<Vec<Vec<T>>> {
        collective::all_to_all(self, parts)
    }

    /// Refuses a rank that the communicator does not have.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`].
    fn check_rank(&self, rank: usize) -> Result<()> {
        if rank < self.size() { Ok(()) } else { Err(Error::RankOutOfRange { rank, size: self.size() }) }
    }

    /// Refuses a source that the communicator does not have.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`].
    fn check_source(&self, source: Source) -> Result<()> {
        match source {
            Source::Any => Ok(()),
            Source::Rank(rank) => self.check_rank(rank),
        }
    }
}

/// A completed transfer: the buffer that was lent, and the message's status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The vector given to `isend` or `irecv`, its length unchanged. A receive may give a different vector of the same length.
    pub buffer: Vec<u8>,
    /// For a receive: the status of the message. For a send: this rank, the tag and the length.
    pub status: Status,
}

impl Completion {
    /// The received bytes, without the unused end of the buffer.
    pub fn received(&self) -> &[u8] {
        &self.buffer[..self.status.bytes]
    }
}

/// The outcome of a cancellation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// Nothing was transferred; this is the buffer.
    Yes(Vec<u8>),
    /// The transfer had completed already.
    TooLate(Completion),
}

/// A send or receive under way.
pub trait Request: Send + Debug + 'static {
    /// Checks without waiting whether the transfer is done. Once it has returned a completion, the request is spent.
    ///
    /// # Errors
    /// What the transfer failed with; [`Error::RequestDone`] on a spent request.
    fn test(&mut self) -> Result<Option<Completion>>;

    /// Waits until the transfer is done.
    ///
    /// # Errors
    /// What the transfer failed with; [`Error::RequestDone`] on a spent request.
    fn wait(self) -> Result<Completion>;

    /// Gives the transfer up if it has not begun. A send usually has begun; over MPI this waits until it is done. (To leave a send alone, drop
    /// its request.)
    ///
    /// # Errors
    /// What the transfer failed with; [`Error::RequestDone`] on a spent request.
    fn cancel(self) -> Result<Cancelled>;
}

/// A message that a probe took out: only its holder can receive it.
pub trait Message: Send + Debug + 'static {
    /// A receive of this message, under way.
    type Request: Request;

    /// Its source, tag and length.
    fn status(&self) -> Status;

    /// Receives the message.
    ///
    /// # Errors
    /// What the world reports.
    fn recv(self) -> Result<(Vec<u8>, Status)>;

    /// Starts to receive the message into a new vector.
    ///
    /// # Errors
    /// What the world reports.
    fn irecv(self) -> Result<Self::Request>;
}
