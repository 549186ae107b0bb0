//! Builds the schedule of one rank, with types.

use fusain_comm::{Plain, Tag};

use crate::function::{Function, Functions};
use crate::region::bytes;
use crate::tracker::Tracker;
use crate::{Action, Block, Element, Graph, OpId, Operator, Region, Result, Schedule, Side, compile};

/// Builds the schedule of one rank: operations on typed regions, and the dependencies between them.
///
/// There are two ways to give dependencies. With a builder from [`new`](Self::new) you state them, by [`requires`](Self::requires) and
/// [`irequires`](Self::irequires); [`compile`](Self::compile) refuses operations that touch the same bytes in an unspecified order. A
/// builder from [`in_program_order`](Self::in_program_order) finds them: the result is as if the operations ran one after another in the
/// order they were added, and each starts as soon as that allows.
///
/// Operations and dependencies are not checked before [`compile`](Self::compile). Adding an operation panics only if there are 2^32 operations or blocks already.
///
/// ```
/// use fusain_comm::{Communicator, World};
/// use fusain_schedule::{Execution, Operator, ScheduleBuilder};
///
/// // Two ranks add each other's number to theirs.
/// let sums = World::threads(2).run(|comm| {
///     let (rank, other) = (comm.rank(), 1 - comm.rank());
///     let mut builder = ScheduleBuilder::new(rank, 2);
///     let (mine, theirs) = (builder.buffer::<u64>(1), builder.scratch::<u64>(1));
///     let send = builder.send(mine, other, 0);
///     let receive = builder.recv(theirs, other, 0);
///     let add = builder.apply(Operator::Add, mine, theirs);
///     builder.requires(add, receive);
///     builder.requires(add, send); // it writes what is being sent
///     let mut run = builder.compile()?.prepare()?;
///     run.put(mine, vec![rank as u64 + 1])?;
///     let run = Execution::new(run, &comm, 0)?.wait(&comm)?;
///     Ok::<_, fusain_schedule::Error>(run.get(mine)[0])
/// });
/// assert_eq!(sums, [Ok(3), Ok(3)]);
/// ```
#[derive(Debug)]
pub struct ScheduleBuilder {
    graph: Graph,
    functions: Vec<Function>,
    tracker: Option<Tracker>,
}

impl ScheduleBuilder {
    /// A builder for `rank` of `size` ranks, in which you state the dependencies.
    pub fn new(rank: usize, size: usize) -> Self {
        // A rank past 2^32 is refused by compile(), like every rank that is not below the size.
        let narrow = |rank: usize| u32::try_from(rank).unwrap_or(u32::MAX);
        Self { graph: Graph::new(narrow(rank), narrow(size)), functions: Vec::new(), tracker: None }
    }

    /// A builder for `rank` of `size` ranks that finds the dependencies from what operations read and write. Messages between the same two
    /// ranks with the same tag start in the order they were added.
    pub fn in_program_order(rank: usize, size: usize) -> Self {
        Self { tracker: Some(Tracker::default()), ..Self::new(rank, size) }
    }

    /// Whether the builder finds dependencies by itself.
    pub fn is_in_program_order(&self) -> bool {
        self.tracker.is_some()
    }

    /// The graph so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The rank that the schedule is for.
    pub fn rank(&self) -> usize {
        self.graph.rank() as usize
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.graph.size() as usize
    }

    /// Declares a buffer of `count` elements. It is the user's memory: [`Run::put`](crate::Run::put) puts a vector of that length into each
    /// run.
    pub fn buffer<T: Plain>(&mut self, count: usize) -> Region<T> {
        Region::new(self.graph.buffer(bytes::<T>(count)), count)
    }

    /// Reserves `count` elements of the scratchpad. They are 0 when the run is made, and keep their values between its starts.
    pub fn scratch<T: Plain>(&mut self, count: usize) -> Region<T> {
        Region::new(self.graph.scratch(bytes::<T>(count)), count)
    }

    /// Sends the elements of `from`, one region after another, as one message. The message is at most as long as all buffers and the
    /// scratchpad together.
    pub fn send<T: Plain>(&mut self, from: impl AsRef<[Region<T>]>, to: usize, tag: Tag) -> OpId {
        let to = u32::try_from(to).unwrap_or(u32::MAX);
        self.add(Action::Send { to, tag: tag.into() }, &[], &blocks(from))
    }

    /// Receives one message into the elements of `into`. The message must fill them.
    pub fn recv<T: Plain>(&mut self, into: impl AsRef<[Region<T>]>, from: usize, tag: Tag) -> OpId {
        let from = u32::try_from(from).unwrap_or(u32::MAX);
        self.add(Action::Recv { from, tag: tag.into() }, &blocks(into), &[])
    }

    /// Copies `from` to `into`. Both have the same number of elements.
    pub fn copy<T: Plain>(&mut self, into: impl AsRef<[Region<T>]>, from: impl AsRef<[Region<T>]>) -> OpId {
        self.add(Action::Copy, &blocks(into), &blocks(from))
    }

    /// Element by element `into = into ∘ with`.
    pub fn apply<T: Element>(
        &mut self,
        operator: Operator,
        into: impl AsRef<[Region<T>]>,
        with: impl AsRef<[Region<T>]>,
    ) -> OpId {
        let action = Action::Apply { operator, element: T::TYPE, side: Side::Left };
        self.add(action, &blocks(into), &blocks(with))
    }

    /// Element by element `into = with ∘ into`: for operators that do not commute.
    pub fn apply_before<T: Element>(
        &mut self,
        operator: Operator,
        with: impl AsRef<[Region<T>]>,
        into: impl AsRef<[Region<T>]>,
    ) -> OpId {
        let action = Action::Apply { operator, element: T::TYPE, side: Side::Right };
        self.add(action, &blocks(into), &blocks(with))
    }

    /// Calls `function(into, with)`. With several regions it is called piece by piece, each time with slices of equal length. `with` may be
    /// empty (`[]`); then it is empty in every call. Slices of zero-sized elements are empty.
    pub fn call<T: Plain + 'static>(
        &mut self,
        function: impl Fn(&mut [T], &[T]) + Send + Sync + 'static,
        into: impl AsRef<[Region<T>]>,
        with: impl AsRef<[Region<T>]>,
    ) -> OpId {
        self.functions.push(Function::new(function));
        let function = (self.functions.len() - 1) as u32;
        self.add(Action::Call { function }, &blocks(into), &blocks(with))
    }

    /// Writes the nanoseconds since the run's start.
    pub fn timestamp(&mut self, into: Region<u64>) -> OpId {
        self.add(Action::Timestamp, &[into.block()], &[])
    }

    /// Adds an operation that does nothing and starts after all of `operations` have ended. An operation that requires it need not require
    /// them all.
    pub fn join(&mut self, operations: impl IntoIterator<Item = OpId>) -> OpId {
        let join = self.add(Action::Calc { duration_ns: 0 }, &[], &[]);
        for operation in operations {
            self.requires(join, operation);
        }
        join
    }

    /// Lets `after` start once `before` has ended.
    pub fn requires(&mut self, after: OpId, before: OpId) {
        self.graph.requires(after, before);
    }

    /// Lets `after` start once `before` has started.
    pub fn irequires(&mut self, after: OpId, before: OpId) {
        self.graph.irequires(after, before);
    }

    /// Checks the graph and compiles it into its binary form.
    ///
    /// Time O((n + e) log n) for n operations and e dependencies, if conflicting operations are connected by short paths. Memory O(n + e).
    ///
    /// # Errors
    /// [`Error::Cycle`], [`Error::Race`], [`Error::UnknownOperation`], [`Error::RankOutOfRange`], and the other variants of
    /// [`Error`] that name an operation; [`Error::TooLarge`]; [`Error::Unmatched`] and [`Error::MessageTooLong`] for a message of this rank to itself.
    ///
    /// [`Error`]: crate::Error
    /// [`Error::Cycle`]: crate::Error::Cycle
    /// [`Error::Race`]: crate::Error::Race
    /// [`Error::UnknownOperation`]: crate::Error::UnknownOperation
    /// [`Error::RankOutOfRange`]: crate::Error::RankOutOfRange
    /// [`Error::TooLarge`]: crate::Error::TooLarge
    /// [`Error::Unmatched`]: crate::Error::Unmatched
    /// [`Error::MessageTooLong`]: crate::Error::MessageTooLong
    pub fn compile(self) -> Result<Schedule> {
        let words = compile::compile(&self.graph, self.functions.len())?;
        Ok(Schedule::new(words, Functions::new(self.functions)))
    }

    fn add(&mut self, action: Action, target: &[Block], source: &[Block]) -> OpId {
        let operation = self.graph.add(action, target, source);
        if let Some(tracker) = &mut self.tracker {
            tracker.follow(&mut self.graph, operation);
        }
        operation
    }
}

fn blocks<T>(regions: impl AsRef<[Region<T>]>) -> Vec<Block> {
    regions.as_ref().iter().map(Region::block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    /// The product goes beyond 2^64, and must not wrap to a short memory.
    #[test]
    #[cfg_attr(not(target_pointer_width = "64"), ignore = "no count is so large")]
    fn a_memory_of_too_many_bytes_is_refused() {
        const COUNT: usize = usize::MAX / 8 + 2;
        let compile = |add: fn(&mut ScheduleBuilder) -> Region<u64>| {
            let mut builder = ScheduleBuilder::new(0, 1);
            assert_eq!(add(&mut builder).slice(1..).len(), COUNT - 1);
            builder.compile().map(drop)
        };
        assert!(matches!(compile(|builder| builder.buffer(COUNT)), Err(Error::TooLarge { .. })));
        assert!(matches!(compile(|builder| builder.scratch(COUNT)), Err(Error::TooLarge { .. })));
    }
}
