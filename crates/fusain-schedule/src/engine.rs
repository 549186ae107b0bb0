//! Runs of schedules on the progress loop of a rank.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use fusain_comm::Communicator;
use fusain_comm::progress::{Client, Handle, Step, Ticket};

use crate::collective::Choice;
use crate::{Advance, Error, Execution, RUNS, Result, Run};

/// Starts runs on the [progress loop](fusain_comm::progress) of a rank. Several runs, each with a handle, advance while the application
/// computes. Under [`Progress::manual`](fusain_comm::progress::Progress::manual) they advance whenever the application waits or tests.
///
/// All ranks start their runs in the same order, as with collective calls. Each communicator has one engine, which belongs to one thread.
/// It numbers the runs, which keeps their messages apart (see [`Execution`]).
///
/// The engine also starts the collectives of [`collective`](crate::collective): [`allreduce`](Self::allreduce) and the like take a vector
/// and return one.
///
/// ```
/// use fusain_comm::progress::{Progress, Settings};
/// use fusain_comm::{Communicator, World};
/// use fusain_schedule::{Engine, Error, collective::Reduction};
///
/// let sums = World::threads(5).run(|comm| {
///     let rank = comm.rank() as u64;
///     let progress = Progress::spawn(comm, Settings::default())?;
///     let engine = Engine::new(progress.handle());
///     let sum = engine.allreduce(vec![rank, 1], &Reduction::sum())?;
///     let all = engine.allgather(vec![rank], &[1; 5])?;
///     // ... something else meanwhile; then in any order:
///     assert_eq!(all.wait()?, [0, 1, 2, 3, 4]);
///     Ok::<_, Error>(sum.wait()?)
/// });
/// assert!(sums.iter().all(|sum| sum.as_deref() == Ok(&[10, 5])));
/// ```
pub struct Engine<C: Communicator> {
    handle: Handle<C>,
    pub(crate) choice: Choice,
    /// The number of the next run.
    next: Cell<usize>,
    /// One entry for each number. It has a second owner while the number is taken.
    numbers: RefCell<Vec<Arc<()>>>,
}

impl<C: Communicator> Engine<C> {
    /// An engine with the default choice of algorithms.
    pub fn new(handle: Handle<C>) -> Self {
        Self { handle, choice: Choice::default(), next: Cell::new(0), numbers: RefCell::default() }
    }

    /// Sets which algorithm is used from which size on. It must be the same on all ranks.
    #[must_use]
    pub fn choice(self, choice: Choice) -> Self {
        Self { choice, ..self }
    }

    /// This rank's number.
    pub fn rank(&self) -> usize {
        self.handle.rank()
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.handle.size()
    }

    /// Starts a run.
    ///
    /// # Errors
    /// As [`Execution::new`]; [`Error::TooManyRuns`] if the run that began 256 runs ago has not ended, or has not been waited for; [`Error::Comm`] if the progress loop
    /// has ended.
    pub fn start(&self, run: Run) -> Result<Running<C>> {
        let number = self.next.get();
        let mut numbers = self.numbers.borrow_mut();
        if numbers.len() <= number % RUNS {
            numbers.push(Arc::default());
        }
        let taken = &numbers[number % RUNS];
        if Arc::strong_count(taken) > 1 {
            return Err(Error::TooManyRuns { limit: RUNS });
        }
        let execution = Execution::with_number(run, (self.rank(), self.size()), number, Some(Arc::clone(taken)))?;
        let ticket = self.handle.submit(Job { execution, failure: None })?;
        self.next.set(number + 1);
        Ok(Running { ticket })
    }

    /// Runs a round of the progress loop if the loop is manual; otherwise does nothing.
    pub fn poll(&self) {
        self.handle.poll();
    }
}

impl<C: Communicator> fmt::Debug for Engine<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("handle", &self.handle).field("next", &self.next).finish_non_exhaustive()
    }
}

/// A run as a client of the progress loop.
struct Job<C: Communicator> {
    execution: Execution<C>,
    /// The error of the run, if it is not an error of the communicator.
    failure: Option<Error>,
}

impl<C: Communicator> Client<C> for Job<C> {
    fn advance(&mut self, comm: &C, _now: Instant) -> fusain_comm::Result<Step> {
        match self.execution.advance(comm) {
            Ok(Advance::Idle) => Ok(Step::Idle),
            Ok(Advance::Moved) => Ok(Step::Moved),
            Ok(Advance::Done) => Ok(Step::Done),
            Err(Error::Comm(error)) => Err(error),
            Err(error) => {
                self.failure = Some(error);
                Ok(Step::Done)
            }
        }
    }

    fn waits_for(&self) -> Vec<String> {
        self.execution.waits_for()
    }
}

/// A run that has been started. Dropping this does not stop the run, but the run's result is lost.
#[must_use = "a run is waited for"]
pub struct Running<C: Communicator> {
    ticket: Ticket<C, Job<C>>,
}

impl<C: Communicator> Running<C> {
    /// Whether the run has ended. If the loop is manual, this also runs a round of it.
    pub fn test(&self) -> bool {
        self.ticket.test()
    }

    /// Waits until the run has ended, and returns it; it can be read and started again. Other runs go on meanwhile.
    ///
    /// # Errors
    /// As [`Execution::advance`]; [`Error::Comm`] with the error that ended the progress loop.
    pub fn wait(self) -> Result<Run> {
        let (job, result) = self.ticket.join();
        result?;
        match job.failure {
            None => Ok(job.execution.into_run()),
            Some(failure) => Err(failure),
        }
    }

    /// Stops the run where it is, and returns it. Its partners are not told. A message that they send to it from now on is taken by the next
    /// run with the same number, 256 runs later.
    pub fn cancel(self) -> Run {
        let (job, _) = self.ticket.cancel();
        job.execution.into_run()
    }
}

impl<C: Communicator> fmt::Debug for Running<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Running").field(&self.ticket).finish()
    }
}
