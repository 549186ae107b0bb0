//! The times at which the operations of a run started and ended, and pictures of them.

mod picture;

use std::time::Instant;

use crate::binary::Record;
use crate::{Action, Schedule};

/// The times at which one operation began and ended, in nanoseconds from the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Span {
    /// The operation's index in the graph.
    pub operation: usize,
    /// What it did.
    pub action: Action,
    /// Its start.
    pub start_ns: u64,
    /// Its end.
    pub end_ns: u64,
}

/// The times at which each operation of a run started and ended. [`Run::trace`](crate::Run::trace) turns the recording on.
///
/// ```
/// use fusain_comm::World;
/// use fusain_schedule::{Error, Execution, ScheduleBuilder};
///
/// let spans = World::threads(1).run(|comm| {
///     let mut builder = ScheduleBuilder::in_program_order(0, 1);
///     let (a, b) = (builder.scratch::<u64>(4), builder.scratch::<u64>(4));
///     builder.copy(b, a);
///     let mut run = builder.compile()?.prepare()?;
///     run.trace(true);
///     let run = Execution::new(run, &comm, 0)?.wait(&comm)?;
///     Ok::<_, Error>(run.traced().expect("it was recorded").spans().len())
/// });
/// assert_eq!(spans, [Ok(1)]);
/// ```
#[derive(Clone, Debug)]
pub struct Trace {
    rank: usize,
    /// The spans, by index in the graph.
    spans: Vec<Span>,
}

impl Trace {
    pub(crate) fn new(schedule: &Schedule) -> Self {
        let header = schedule.header();
        let nothing = Span { operation: 0, action: Action::Copy, start_ns: 0, end_ns: 0 };
        let mut spans = vec![nothing; header.operations as usize];
        let mut at = header.first_operation();
        for _ in 0..header.operations {
            let record = Record::at(schedule.words(), at);
            let operation = record.number as usize;
            let action = record.action().expect("a valid schedule's operations are known");
            spans[operation] = Span { operation, action, ..nothing };
            at += record.words();
        }
        Self { rank: schedule.rank(), spans }
    }

    /// The rank of the run.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// All operations, in the order of their index.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    pub(crate) fn clear(&mut self) {
        for span in &mut self.spans {
            (span.start_ns, span.end_ns) = (0, 0);
        }
    }

    pub(crate) fn starts(&mut self, operation: u32, since: Instant) {
        self.spans[operation as usize].start_ns = since.elapsed().as_nanos() as u64;
    }

    pub(crate) fn ends(&mut self, operation: u32, since: Instant) {
        // Not 0, which stands for what has not ended.
        self.spans[operation as usize].end_ns = (since.elapsed().as_nanos() as u64).max(1);
    }
}
