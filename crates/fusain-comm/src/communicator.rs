//! The contract every world keeps.
//!
//! # What an implementation writes, what it gets
//!
//! Required is the small part: who am I, owned-buffer sends and receives that give a [`Request`], probes that take the
//! message out ([`Communicator::improbe`]), and making new communicators. Blocking calls, typed calls, borrowed buffers
//! ([`crate::borrowed`]) and collectives ([`crate::collective`]) come with the trait; a world overrides what it can do
//! better. What only this crate's worlds can do for a [progress thread](crate::progress) is in [`Host`]; another world writes `impl Host for MyComm {}` and
//! gets what suits any.
//!
//! # Rules
//!
//! * **Matching.** A message fits a receive if the communicator is the same, the source is the one named or any is taken,
//!   and so for the tag. A message goes to the oldest receive it fits; a receive takes the oldest message that fits it.
//!   Two messages from one sender are therefore never overtaken by each other.
//! * **Buffers.** A send may complete before its message is received, and programs must not count on it: only the
//!   in-process world always buffers. The owned `Vec<u8>` comes back with the completion, its length unchanged (or, where
//!   the message came in one, another of that length).
//! * **Threads.** A communicator may be moved to and shared with other threads; whether two may *call* at once is the
//!   world's own affair (the in-process world: yes; MPI: by its thread level). Collectives of one communicator are called
//!   by all its ranks in the same order, from one thread each.
//! * **Dropping** an incomplete receive request cancels it; dropping a send request lets the message go on its way.
//! * **Failure.** A call that would wait for a rank that is gone gives an error instead.

use std::fmt::Debug;

use crate::borrowed::{RecvInto, Scope, SendFrom};
use crate::collective::{self, Shape};
use crate::host::Host;
use crate::message::elements;
use crate::{Error, Plain, Result, Source, Status, Tag, TagMatch};

/// A group of ranks and this rank's place in it. See the [module](self) for the rules.
pub trait Communicator: Host + Sized + Send + Sync + Debug + 'static {
    /// A send or receive under way.
    type Request: Request;
    /// A message that a probe took out of the queue.
    type Message: Message<Request = Self::Request>;

    /// This rank's number, below [`size`](Self::size).
    fn rank(&self) -> usize;

    /// How many ranks the communicator has.
    fn size(&self) -> usize;

    /// Starts to send `data`. The vector comes back with the completion.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`]; [`Error::PeerLeft`] and [`Error::PeerPanicked`] where the world knows.
    fn isend(&self, data: Vec<u8>, to: usize, tag: Tag) -> Result<Self::Request>;

    /// Sends `data` if the world can take it in at once, without waiting and without keeping the slice; else says so, and has sent nothing.
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
    fn irecv(&self, buffer: Vec<u8>, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Self::Request>;

    /// Takes out the oldest message that fits, if it is there; nobody else can receive it then.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`].
    fn improbe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Option<Self::Message>>;

    /// Tells whether a message that fits is there, and leaves it.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`].
    fn iprobe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Option<Status>>;

    /// Waits until a message that fits is there, and takes it out.
    ///
    /// # Errors
    /// Like [`recv_bytes`](Self::recv_bytes), but for the length.
    fn mprobe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Self::Message>;

    /// Waits until a message that fits is there, and leaves it.
    ///
    /// # Errors
    /// Like [`recv_bytes`](Self::recv_bytes), but for the length.
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

    /// Looks once at all `requests`; if one is complete, takes it out (by `swap_remove`) and returns its index.
    ///
    /// # Errors
    /// What one of the requests failed with: they are of no use then.
    fn test_any(&self, requests: &mut Vec<Self::Request>) -> Result<Option<(usize, Completion)>> {
        for (index, request) in requests.iter_mut().enumerate() {
            if let Some(completion) = request.test()? {
                drop(requests.swap_remove(index));
                return Ok(Some((index, completion)));
            }
        }
        Ok(None)
    }

    /// Waits until one of `requests` completes, takes it out (by `swap_remove`) and returns its index.
    ///
    /// # Errors
    /// [`Error::NoRequest`] if there is none; else what the completed request failed with.
    fn wait_any(&self, requests: &mut Vec<Self::Request>) -> Result<(usize, Completion)>;

    /// Collective: one new communicator for each `color`; ranks in it are ordered by `key`, then by old rank. A rank that
    /// gives no colour belongs to none. Colours are below 2^31, as MPI has them.
    ///
    /// # Errors
    /// [`Error::ColorOutOfRange`]; what the messages it takes can fail with.
    fn split(&self, color: Option<u32>, key: i32) -> Result<Option<Self>>;

    /// Collective: the same ranks, but messages of its own.
    ///
    /// # Errors
    /// As [`split`](Self::split).
    fn duplicate(&self) -> Result<Self>;

    // ---- typed point to point -------------------------------------------------------------------------------------

    /// Sends a slice of plain data.
    ///
    /// # Errors
    /// As [`isend`](Self::isend).
    fn send<T: Plain>(&self, data: &[T], to: usize, tag: Tag) -> Result<()> {
        self.send_bytes(bytemuck::cast_slice(data), to, tag)
    }

    /// Receives at most `buffer.len()` elements into the front of `buffer`.
    ///
    /// # Errors
    /// As [`recv_bytes`](Self::recv_bytes), and [`Error::Misfit`] if the message is no whole number of elements.
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

    /// Sends to one rank and receives from another, neither waiting for the other.
    ///
    /// # Errors
    /// As [`send`](Self::send) and [`recv`](Self::recv).
    fn exchange<T: Plain>(
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

    /// Starts to send a borrowed slice. The slice is copied at once; what stays borrowed stays so for symmetry with the
    /// receive, and so that a world may stop copying.
    ///
    /// # Errors
    /// As [`isend`](Self::isend).
    fn isend_from<'a, T: Plain>(&self, data: &'a [T], to: usize, tag: Tag) -> Result<SendFrom<'a, Self, T>> {
        SendFrom::start(self, data, to, tag)
    }

    /// Starts to receive into a borrowed slice, which nobody can touch until the transfer is done.
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

    /// Runs `body` with a [`Scope`] to start transfers in; all are complete when it returns.
    ///
    /// # Errors
    /// The first error of `body` or of a transfer.
    fn scope<'scope, 'env, R>(&'scope self, body: impl FnOnce(&Scope<'scope, 'env, Self>) -> Result<R>) -> Result<R> {
        Scope::enter(self, body)
    }

    // ---- collectives ----------------------------------------------------------------------------------------------

    /// Waits until every rank is here. Dissemination: ⌈log₂ p⌉ rounds.
    ///
    /// # Errors
    /// What the messages it takes can fail with.
    fn barrier(&self) -> Result<()> {
        collective::barrier(self)
    }

    /// Every rank's `data` becomes `root`'s. Binomial tree: ⌈log₂ p⌉ rounds.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`]; [`Error::Truncated`] or [`Error::LengthMismatch`] if lengths differ; what messages can
    /// fail with.
    fn broadcast<T: Plain>(&self, data: &mut [T], root: usize) -> Result<()> {
        collective::broadcast(self, data, root, Shape::Binomial, usize::MAX)
    }

    /// Element by element `op` over all ranks, in `data` of `root`; other ranks' `data` is left with partial results.
    ///
    /// `op(a, b)` is always called with `a` from lower ranks than `b`: it must be associative, it need not commute.
    ///
    /// # Errors
    /// As [`broadcast`](Self::broadcast).
    fn reduce<T: Plain>(&self, data: &mut [T], root: usize, op: impl Fn(T, T) -> T) -> Result<()> {
        collective::reduce(self, data, root, op, Shape::Binomial, usize::MAX)
    }

    /// [`reduce`](Self::reduce) whose result every rank gets.
    ///
    /// # Errors
    /// As [`broadcast`](Self::broadcast).
    fn allreduce<T: Plain>(&self, data: &mut [T], op: impl Fn(T, T) -> T) -> Result<()> {
        self.reduce(data, 0, op)?;
        self.broadcast(data, 0)
    }

    /// The prefix over ranks: rank `r` ends with `op` over ranks `0..=r`, in order.
    ///
    /// # Errors
    /// As [`broadcast`](Self::broadcast).
    fn scan<T: Plain>(&self, data: &mut [T], op: impl Fn(T, T) -> T) -> Result<()> {
        collective::scan(self, data, op)
    }

    /// Everybody's elements, at `root`, one vector for each rank. Lengths may differ.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`]; what messages can fail with.
    fn gather<T: Plain>(&self, data: &[T], root: usize) -> Result<Option<Vec<Vec<T>>>> {
        collective::gather(self, data, root)
    }

    /// Everybody's elements, everywhere, one vector for each rank. Lengths may differ.
    ///
    /// # Errors
    /// What messages can fail with.
    fn allgather<T: Plain>(&self, data: &[T]) -> Result<Vec<Vec<T>>> {
        collective::allgather(self, data)
    }

    /// Each rank gets its vector of `root`'s `parts`, which has one for each rank; other ranks' `parts` is not looked at.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`]; [`Error::LengthMismatch`] at a root that has not as many parts as ranks.
    fn scatter<T: Plain>(&self, parts: &[Vec<T>], root: usize) -> Result<Vec<T>> {
        collective::scatter(self, parts, root)
    }

    /// Rank `i` gets `parts[i]` of every rank, in the order of ranks. Lengths may differ.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] if there are not as many parts as ranks.
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

/// A completed transfer: the buffer that was lent, and what is known of the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The vector given to `isend` or `irecv`, its length unchanged; for a receive it may be another one of that length.
    pub buffer: Vec<u8>,
    /// For a receive: of the message. For a send: this rank, its tag, its length.
    pub status: Status,
}

impl Completion {
    /// The received bytes, without the unused end of the buffer.
    pub fn received(&self) -> &[u8] {
        &self.buffer[..self.status.bytes]
    }
}

/// How a cancellation went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// Nothing was transferred; here is the buffer.
    Yes(Vec<u8>),
    /// It was too late.
    TooLate(Completion),
}

/// A send or receive under way.
pub trait Request: Send + Debug + 'static {
    /// Looks whether the transfer is done, without waiting. Once it has said so the request is spent.
    ///
    /// # Errors
    /// What the transfer failed with; [`Error::RequestDone`] on a spent request.
    fn test(&mut self) -> Result<Option<Completion>>;

    /// Waits until the transfer is done.
    ///
    /// # Errors
    /// What the transfer failed with; [`Error::RequestDone`] on a spent request.
    fn wait(self) -> Result<Completion>;

    /// Gives the transfer up if it has not begun. A send usually has.
    ///
    /// # Errors
    /// What the transfer failed with; [`Error::RequestDone`] on a spent request.
    fn cancel(self) -> Result<Cancelled>;
}

/// A message that a probe took out: only its holder can receive it.
pub trait Message: Send + Debug + 'static {
    /// A receive of it under way.
    type Request: Request;

    /// Its source, tag and length.
    fn status(&self) -> Status;

    /// Receives it.
    ///
    /// # Errors
    /// What the world reports.
    fn recv(self) -> Result<(Vec<u8>, Status)>;

    /// Starts to receive it, into a new vector.
    ///
    /// # Errors
    /// What the world reports.
    fn irecv(self) -> Result<Self::Request>;
}
