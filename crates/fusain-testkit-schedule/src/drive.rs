//! Drives an execution on the calling thread.

use std::thread;

use fusain_comm::Communicator;
use fusain_schedule::{Advance, Execution, Result, Run};

/// The number of calls without progress after which the run counts as stuck.
const LOOKS_MAX: usize = 20_000_000;

/// Runs `run` as number `number` to its end on this thread, and returns it.
///
/// # Errors
/// The error of the run.
///
/// # Panics
/// If the run makes no progress.
pub fn drive<C: Communicator>(comm: &C, run: Run, number: usize) -> Result<Run> {
    let mut execution = Execution::new(run, comm, number)?;
    let mut looks = 0;
    loop {
        match execution.advance(comm)? {
            Advance::Done => return Ok(execution.into_run()),
            Advance::Moved => looks = 0,
            Advance::Idle => {
                looks += 1;
                assert!(looks < LOOKS_MAX, "the run waits for {:?}", execution.waits_for());
                thread::yield_now();
            }
        }
    }
}
