//! The in-process world: ranks are threads.
//!
//! Every rank has an inbox with a lock and a condition variable. A sender works on the *receiver's* inbox; a rank waits on its own.
//! No thread ever holds two inbox locks. One more lock, taken last, protects the few values that the whole world shares.
//!
//! # Matching
//!
//! An inbox has two queues: *landed* messages that no receive has taken yet, and *posted* receives without a message. No message in
//! the first matches a receive in the second.
//!
//! | event | looks at | then |
//! |---|---|---|
//! | a message comes | posted, oldest first | the first that matches gets the message (copied into the receive's buffer, which is the only copy); else the message lands |
//! | a receive is posted | landed, oldest first | the receive takes the first that matches; else it is posted |
//! | a probe | landed, oldest first | returns the status of the first that matches, or takes that message out |
//!
//! All of this happens under the inbox lock, so a message and a receive cannot miss each other. Messages of one sender enter in the order they were sent, and
//! both queues are searched from their oldest end, so messages do not overtake each other. With a real-clock [`Network`], a message *flies* first: it waits in
//! a heap, ordered by arrival time. The next thread that uses the inbox lands the messages whose time has come, and notifies the threads that sleep on an event
//! count. A match takes time linear in the length of the queue.
//!
//! # Deadlock detection
//!
//! A rank that has to wait polls for some microseconds, if there is a core for each rank. Then, under its inbox lock, it notes what it waits for, and stops
//! counting as *awake* in the world's count (`seats.rs`, `guests.rs`). A thread that gives it what it waits for holds the same lock. That thread removes the
//! note, and counts the sleepers of that inbox as awake again **before** it releases the lock, and so before it can fall asleep itself. Therefore:
//!
//! > awake = 0 means that every counted thread waits, and none can send any more. This is not a guess, and needs no timeout.
//!
//! * A rank that is about to sleep and a sender at once: they meet at the inbox lock. If the sender is first, the rank finds the message. If the rank is first,
//!   the sender finds the note.
//! * Flying messages: a rank whose inbox has a flying message sleeps with a time limit and still counts as awake.
//! * The rank that brings the count to 0 collects all notes in a [`DeadlockReport`], stores it for the world and wakes all ranks; each waiting call returns it
//!   as [`Error::Deadlock`].
//! * A rank that leaves (its closure ended, or panicked) marks its inbox closed, wakes all waiters, and stops counting. Waiters that only this rank could have
//!   helped get [`Error::PeerLeft`] or [`Error::PeerPanicked`].
//! * A test of a receive fails, as a wait would, if only a rank that has left could complete it.
//! * Threads that wait for any event (a progress thread) sleep on an event count that arrivals notify. The same rule holds there: `event_count.rs`,
//!   `events.rs`.
//! * More threads: the count starts with one thread for each rank. A rank that lets another thread call (a progress thread, a thread with a
//!   [`Handle`](crate::progress::Handle) of its own) makes an [`Enlisted`] for it before it starts, and that thread calls [`Enlisted::here`]. Any other thread
//!   is counted from its first blocking call (a send or a wait) until it ends. Before that call the world does not know of it: if all counted threads wait for
//!   what such a thread is *going* to send, that is reported as a deadlock. To prevent this, give the thread a handle, or have it make a call before the others
//!   wait.
//! * A thread holds at most one place in the count. A thread may own two places: it has called by itself and then waits by a handle's clone, or it owns clones
//!   of two handles. The place that it does not hold counts as awake until it is dropped, and no deadlock is reported meanwhile.
//! * A thread changes only its own place in the count, so two waiting threads of a rank are never counted as two sleeping ranks. A thread that only drives a
//!   progress loop for others is not counted. A thread that polls never sleeps, so in such a world no deadlock is reported.
//! * A communicator or request that outlives its rank: no rank can send to it any more, so a wait for a message that has not arrived fails with
//!   [`Error::PeerLeft`].
//!
//! # Panics in user code
//!
//! Operations of collectives, closures of ranks and scopes, and the function that describes a [`Network`]'s links are called with no lock held. A panic there
//! ends the rank: it leaves, and all ranks that wait for it get [`Error::PeerPanicked`] (`tests/deadlock.rs`, `a_panic_reaches_everybody_who_waits`;
//! `tests/unwinding.rs`).
//!
//! # Checked
//!
//! By `tests/deadlock.rs`, by `tests/random_programs.rs` against a sequential interpreter, and by `tests/conformance.rs` on 1 to 64 ranks.
//!
//! [`DeadlockReport`]: crate::DeadlockReport
//! [`Error::Deadlock`]: crate::Error::Deadlock
//! [`Error::PeerLeft`]: crate::Error::PeerLeft
//! [`Error::PeerPanicked`]: crate::Error::PeerPanicked
//! [`Network`]: crate::Network

mod comm;
mod event_count;
mod events;
mod guests;
mod inbox;
mod request;
mod seats;
mod shared;

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread;

pub use comm::ThreadComm;
#[doc(hidden)]
pub use event_count::EventCount;
pub(crate) use event_count::Wants;
#[doc(hidden)]
pub use events::Flag;
pub use request::{ThreadMessage, ThreadRequest};
#[doc(hidden)]
pub use shared::Enlisted;

use crate::Network;
use crate::panics::discard;
use inbox::Leave;
use shared::Shared;

/// A world whose ranks are threads of this process.
///
/// ```
/// use fusain_comm::{Communicator, World};
/// let sums = World::threads(3).run(|comm| {
///     let mut sum = [comm.rank() as u64 + 1];
///     comm.allreduce(&mut sum, |a, b| a + b).unwrap();
///     sum[0]
/// });
/// assert_eq!(sums, [6, 6, 6]);
/// ```
#[derive(Clone, Debug)]
pub struct World {
    ranks: usize,
    network: Option<Network>,
}

/// A rank that panicked, and the payload of its panic.
pub struct RankPanic {
    /// The rank's number in the world.
    pub rank: usize,
    /// The payload, as from [`std::thread::JoinHandle::join`].
    pub payload: Box<dyn Any + Send>,
}

impl fmt::Debug for RankPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| self.payload.downcast_ref::<String>().cloned());
        f.debug_struct("RankPanic").field("rank", &self.rank).field("payload", &text).finish()
    }
}

impl World {
    /// A world of `ranks` threads.
    ///
    /// # Panics
    /// If `ranks` is 0.
    pub fn threads(ranks: usize) -> Self {
        assert!(ranks > 0, "a world has at least one rank");
        Self { ranks, network: None }
    }

    /// Puts a modelled network between the ranks.
    #[must_use]
    pub fn network(self, network: Network) -> Self {
        Self { network: Some(network), ..self }
    }

    /// Runs `body` on every rank and returns what each returned.
    ///
    /// # Panics
    /// If a rank panics, with the payload of the first one that did, after all have ended. If the operating system does not start a thread for a rank; the
    /// others treat that rank as one that has panicked.
    pub fn run<R: Send>(&self, body: impl Fn(ThreadComm) -> R + Sync) -> Vec<R> {
        let (results, first_panic) = self.run_all(body, thread_of);
        let mut values = Vec::with_capacity(results.len());
        let mut panics = Vec::new();
        for result in results {
            match result {
                Ok(value) => values.push(value),
                Err(panic) => panics.push(panic),
            }
        }
        // The first panic is the cause; other ranks may have panicked because of it.
        if let Some(at) = panics.iter().position(|panic| Some(panic.rank) == first_panic) {
            let first = panics.swap_remove(at).payload;
            // Not while this thread unwinds: a second panic would abort the process.
            panics.into_iter().for_each(|panic| discard(panic.payload));
            resume_unwind(first);
        }
        values
    }

    /// Runs `body` on every rank. A rank that panics gives an error in its place.
    ///
    /// ```
    /// use fusain_comm::{Communicator, Error, World};
    /// let ends = World::threads(2).try_run(|comm| match comm.rank() {
    ///     0 => panic!("no more"),
    ///     _ => comm.recv_vec::<u8>(0, 1).unwrap_err(),
    /// });
    /// assert_eq!(ends[0].as_ref().unwrap_err().rank, 0);
    /// assert_eq!(*ends[1].as_ref().unwrap(), Error::PeerPanicked { rank: 0 });
    /// ```
    ///
    /// # Panics
    /// If the operating system does not start a thread for a rank, as [`run`](Self::run).
    pub fn try_run<R: Send>(&self, body: impl Fn(ThreadComm) -> R + Sync) -> Vec<Result<R, RankPanic>> {
        self.run_all(body, thread_of).0
    }

    fn run_all<R: Send>(
        &self,
        body: impl Fn(ThreadComm) -> R + Sync,
        thread_of: impl Fn(usize) -> thread::Builder,
    ) -> (Vec<Result<R, RankPanic>>, Option<usize>) {
        let shared = Arc::new(Shared::new(self.ranks, self.network.clone()));
        // All communicators are made before any thread starts, so that a rank that leaves early cannot be taken for the last one.
        let comms: Vec<_> = (0..self.ranks).map(|rank| ThreadComm::world(&shared, rank)).collect();
        let results = thread::scope(|scope| {
            let ranks: Vec<_> = comms
                .into_iter()
                .enumerate()
                .map(|(rank, comm)| {
                    let (shared, body) = (&shared, &body);
                    let run = move || {
                        shared.take_seat(rank, thread::current().id());
                        let result = catch_unwind(AssertUnwindSafe(|| body(comm)));
                        shared.leave(rank, if result.is_ok() { Leave::Finished } else { Leave::Panicked });
                        result.map_err(|payload| RankPanic { rank, payload })
                    };
                    let started = thread_of(rank).spawn_scoped(scope, run);
                    if started.is_err() {
                        // The ranks that have started may already wait for this one, and are joined before the panic goes on.
                        shared.leave(rank, Leave::Panicked);
                    }
                    started
                })
                .collect();
            let join = |rank: std::io::Result<thread::ScopedJoinHandle<'_, _>>| match rank {
                Ok(handle) => handle.join().unwrap_or_else(|payload| resume_unwind(payload)),
                Err(error) => panic!("the operating system did not start a thread for a rank: {error}"),
            };
            ranks.into_iter().map(join).collect()
        });
        (results, shared.first_panic())
    }
}

fn thread_of(rank: usize) -> thread::Builder {
    thread::Builder::new().name(format!("rank {rank}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Communicator, Error};

    #[test]
    #[cfg_attr(miri, ignore = "Miri starts threads whatever their stack")]
    fn a_rank_without_a_thread_has_panicked_for_the_others() {
        /// More than any address space has, in whole pages.
        const TOO_MUCH: usize = (usize::MAX / 4 * 3) & !0xffff;
        let ends = std::sync::Mutex::new(Vec::new());
        let run = || {
            let body = |comm: ThreadComm| {
                let end = comm.recv_vec::<u8>(2, 1);
                ends.lock().unwrap().push(end.unwrap_err());
            };
            World::threads(4).run_all(body, |rank| match rank {
                2 => thread_of(rank).stack_size(TOO_MUCH),
                _ => thread_of(rank),
            })
        };
        let message = catch_unwind(AssertUnwindSafe(run)).expect_err("rank 2 has no thread");
        let message = message.downcast_ref::<String>().expect("a message with what the system says");
        assert!(message.contains("did not start a thread for a rank"), "{message}");
        assert_eq!(ends.into_inner().unwrap(), vec![Error::PeerPanicked { rank: 2 }; 3]);
    }
}
