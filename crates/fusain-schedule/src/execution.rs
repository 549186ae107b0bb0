//! The interpreter: a run that is being executed.

use std::fmt;
use std::sync::Arc;

use fusain_comm::{Communicator, Request, Tag};

use crate::run::{Message, State};
use crate::{Error, Result, Run, TAGS};

/// The maximum number of runs that may be active at a time on one communicator; see [`Execution`].
pub const RUNS: usize = 256;

/// The first tag of runs. They use the tags from here on, below [`fusain_comm::FIRST_COLLECTIVE_TAG`].
pub const FIRST_TAG: Tag = 0xa000;

/// The outcome of an [`advance`](Execution::advance) of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// Nothing could be done; an arriving message may change that.
    Idle,
    /// Something was done, and more may be possible at once.
    Moved,
    /// All operations have ended.
    Done,
}

/// A run that is being executed. [`advance`](Self::advance) drives it.
///
/// A message starts in the first call after its last dependency is met, before local operations. These touch about 64 KiB in each call.
/// Bookkeeping costs O(1) for each operation and dependency. Only message buffers are allocated meanwhile, and the run keeps them.
///
/// # Messages of several runs
///
/// The runs of a communicator are numbered, in the same order on all ranks: the first run of each rank is number 0, and so on. Run `n` uses
/// 32 tags from `FIRST_TAG + 32 (n mod 256)` on, one for each tag of its schedule. When run `n + 256` begins, run `n` has ended on this
/// rank. Its messages were sent before, and messages of one sender with one tag do not overtake each other. So the two runs cannot be mixed
/// up, unless run `n` failed or was cancelled on this rank: messages that are sent to it afterwards are taken by run `n + 256`.
pub struct Execution<C: Communicator> {
    run: Box<State>,
    first_tag: Tag,
    /// Messages under way. The places of their operations are in the state, whose vector is reused.
    requests: Vec<C::Request>,
    /// Whether an operation has failed or panicked.
    failed: bool,
    /// Marks the number as taken for as long as this lives.
    _number: Option<Arc<()>>,
}

/// About how many bytes local operations may touch between two checks for messages. An operation counts as at least [`OPERATION_COST`]
/// bytes.
const COMPUTE_BYTES: usize = 1 << 16;
/// The cost of a small operation, as the number of bytes that could be copied in the same time.
const OPERATION_COST: usize = 64;

impl<C: Communicator> Execution<C> {
    /// Starts `run` as number `number` on `comm`.
    ///
    /// # Errors
    /// [`Error::WrongRank`] if the schedule is for another rank or number of ranks, [`Error::BufferMissing`],
    /// [`Error::BufferLength`].
    pub fn new(run: Run, comm: &C, number: usize) -> Result<Self> {
        Self::with_number(run, (comm.rank(), comm.size()), number, None)
    }

    pub(crate) fn with_number(
        Run(mut run): Run,
        (run_rank, run_size): (usize, usize),
        number: usize,
        taken: Option<Arc<()>>,
    ) -> Result<Self> {
        let (rank, size) = (run.schedule.rank(), run.schedule.size());
        if (rank, size) != (run_rank, run_size) {
            return Err(Error::WrongRank { rank, size, run_rank, run_size });
        }
        run.start()?;
        let messages = run.schedule.header().messages as usize;
        Ok(Self {
            run,
            first_tag: FIRST_TAG + ((number % RUNS) as u32 * TAGS) as Tag,
            requests: Vec::with_capacity(messages),
            failed: false,
            _number: taken,
        })
    }

    /// Does what can be done now, without waiting and for a bounded time.
    ///
    /// # Errors
    /// [`Error::Comm`] if a message fails; [`Error::ShortMessage`]; [`Error::DivisionByZero`]. Other messages are then given up, and all
    /// later calls return [`Error::GivenUp`].
    pub fn advance(&mut self, comm: &C) -> Result<Advance> {
        // A failed run must not be idle for ever, since the caller would wait for it.
        if self.failed {
            return Err(Error::GivenUp);
        }
        // Set until the operations have ended well, since a function of the user may panic.
        self.failed = true;
        let result = self.try_advance(comm);
        match &result {
            Ok(_) => self.failed = false,
            Err(_) => {
                self.requests.clear();
                self.run.under_way.clear();
            }
        }
        result
    }

    fn try_advance(&mut self, comm: &C) -> Result<Advance> {
        let (mut moved, mut budget) = (false, COMPUTE_BYTES);
        // Messages are checked after what can send other messages.
        while {
            while let Some(message) = self.run.next_message() {
                self.start(comm, &message)?;
                moved = true;
            }
            moved |= self.run.compute(&mut budget, OPERATION_COST)?;
            self.run.has_ready_messages()
        } {}
        moved |= self.look(comm)?;
        Ok(match (self.run.is_over(), moved) {
            (true, _) => Advance::Done,
            (false, true) => Advance::Moved,
            (false, false) => Advance::Idle,
        })
    }

    fn start(&mut self, comm: &C, message: &Message) -> Result<()> {
        let tag = self.first_tag + message.tag as Tag;
        if let Some(bytes) = self.run.only_source(message)
            && comm.send_at_once(bytes, message.peer, tag)?
        {
            self.run.end_send(message.at);
            return Ok(());
        }
        let mut buffer = self.run.spare_buffer();
        let request = if message.is_send {
            buffer.clear();
            self.run.gather(message, &mut buffer);
            let mut send = comm.isend(buffer, message.peer, tag)?;
            // Most sends are complete at once, so the operations that depend on them need not wait for the next check.
            if let Some(completion) = send.test()? {
                return self.run.end_message(message.at, completion);
            }
            send
        } else {
            buffer.resize(message.bytes, 0);
            // The receive is not tested before all ready messages have started: over MPI a test that finds nothing takes as long as a small
            // message.
            comm.irecv(buffer, message.peer, tag)?
        };
        self.requests.push(request);
        self.run.under_way.push(message.at as u32);
        Ok(())
    }

    /// Ends every message that is complete. Returns whether there was any.
    fn look(&mut self, comm: &C) -> Result<bool> {
        let mut moved = false;
        while let Some((index, completion)) = comm.test_any(&mut self.requests)? {
            let at = self.run.under_way.swap_remove(index) as usize;
            self.run.end_message(at, completion)?;
            moved = true;
        }
        Ok(moved)
    }

    /// Drives the run to its end on this thread, and returns it. If only messages can make it go on, it waits for them as the communicator
    /// does: in the world of threads it sleeps, and a deadlock is reported.
    ///
    /// Other runs of this rank do not advance meanwhile; for several at once use [`Engine`](crate::Engine).
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub fn wait(mut self, comm: &C) -> Result<Run> {
        loop {
            match self.advance(comm)? {
                Advance::Done => return Ok(Run(self.run)),
                Advance::Moved => {}
                Advance::Idle => {
                    let (index, completion) = comm.wait_any(&mut self.requests)?;
                    let at = self.run.under_way.swap_remove(index) as usize;
                    self.run.end_message(at, completion)?;
                }
            }
        }
    }

    /// Returns the run. If the run had not ended, its buffers hold what was received so far.
    pub fn into_run(self) -> Run {
        Run(self.run)
    }

    /// Descriptions of the messages that the run waits for.
    pub fn waits_for(&self) -> Vec<String> {
        self.run.under_way.iter().map(|&at| self.run.describe(at as usize)).collect()
    }
}

impl<C: Communicator> fmt::Debug for Execution<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execution")
            .field("run", &self.run.schedule)
            .field("under_way", &self.run.under_way.len())
            .finish()
    }
}
