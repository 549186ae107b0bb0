//! Clients: the tasks that the progress thread advances.

use std::time::Instant;

use crate::{Communicator, Result};

/// A task that advances by nonblocking calls: a running schedule, a handler of messages, a timer.
///
/// The progress thread calls [`advance`](Self::advance) again and again, until it returns [`Step::Done`] or an error. The client may move
/// to another thread between two calls, but only one thread uses it at a time.
///
/// This one sends a number round a ring of ranks and keeps what comes back:
///
/// ```
/// use std::time::Instant;
/// use fusain_comm::progress::{Client, Progress, Settings, Step};
/// use fusain_comm::{Communicator, Request, Result, World};
///
/// struct Round<C: Communicator> {
///     receive: Option<C::Request>,
///     got: u8,
/// }
///
/// impl<C: Communicator> Client<C> for Round<C> {
///     fn advance(&mut self, comm: &C, _now: Instant) -> Result<Step> {
///         let (rank, size) = (comm.rank(), comm.size());
///         let Some(receive) = &mut self.receive else {
///             self.receive = Some(comm.irecv(vec![0], (rank + size - 1) % size, 1)?);
///             comm.isend(vec![rank as u8], (rank + 1) % size, 1)?;
///             return Ok(Step::Moved);
///         };
///         match receive.test()? {
///             None => Ok(Step::Idle),
///             Some(done) => {
///                 self.got = done.buffer[0];
///                 Ok(Step::Done)
///             }
///         }
///     }
/// }
///
/// World::threads(3).run(|comm| {
///     let left = (comm.rank() + 2) % 3;
///     let progress = Progress::spawn(comm, Settings::default()).unwrap();
///     let ticket = progress.handle().submit(Round { receive: None, got: 0 }).unwrap();
///     assert_eq!(ticket.wait().unwrap().got, left as u8);
///     progress.shutdown();
/// });
/// ```
pub trait Client<C: Communicator>: Send {
    /// Does what can be done now. `now` is the time when this round of the loop began.
    ///
    /// It must not block: no wait, no blocking receive, no lock that is held for long. All other clients wait while this runs. Over MPI
    /// only the loop looks for messages, so a client whose requests are incomplete returns [`Step::Idle`] and is called again.
    ///
    /// # Errors
    /// Any error ends this client: it is not called again, and its ticket returns the error. Other clients go on.
    fn advance(&mut self, comm: &C, now: Instant) -> Result<Step>;

    /// What the client waits for, one entry for each message that would let it go on. Reports of deadlocks and of abandoned clients show
    /// it.
    fn waits_for(&self) -> Vec<String> {
        vec!["a client of the progress thread".to_owned()]
    }
}

/// The result of one call of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing could be done; an arriving message may change that.
    Idle,
    /// Nothing could be done; an arriving message may change that, and the client wants to be called at this time in any case.
    IdleUntil(Instant),
    /// Something was done, and more may be possible at once.
    Moved,
    /// The client is done, and is not called again.
    Done,
}
