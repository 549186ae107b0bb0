//! Fork-join recursions: tasks with declared inputs and outputs.
//!
//! A worker goes depth first with its own stacks: frames that wait for a task above them, the tasks of these frames that have not begun,
//! and the values that are known. No other worker sees the stacks, so they need no lock, no counter and no allocation. When another worker
//! wants work, the **oldest** frame that has tasks to give away is moved, with the frames under it, to a table of the rank. A worker that
//! finishes a task of such a frame stores its value there. The worker that stores the last value goes on with the frame. A value for a
//! frame of another rank returns in the result of the task that it came with.
//!
//! Memory: a frame for each level of each worker, its tasks and values, and the tasks that were given away.

use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fusain_comm::Communicator;
use fusain_pool::Algorithm;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cluster::Cluster;
use crate::data::unsent::Unsent;
use crate::distributed::Distributed;
use crate::error::{Error, Result};
use crate::program::batch::Batch;

/// A recursion that splits a task into smaller tasks and joins their values.
///
/// A task has all of its input and gives one value. It may fork, which means split into smaller tasks. The data that it must keep until
/// their values are known is its *frame*, which stays on its rank. A join may fork again, for several phases.
///
/// # Example
///
/// Fibonacci numbers; small ones are computed without a fork:
///
/// ```
/// use fusain_cluster::{Cluster, ForkJoin, Step};
/// use fusain_comm::World;
///
/// struct Fib;
///
/// impl ForkJoin for Fib {
///     type Task = u32;
///     type Tasks = [u32; 2];
///     type Value = u64;
///     type Frame = ();
///     fn begin(&self, n: u32) -> Step<Self> {
///         if n < 12 { return Step::Done(fib(n)) }
///         Step::Fork { tasks: [n - 1, n - 2], frame: () }
///     }
///     fn join(&self, (): (), [a, b]: [u64; 2]) -> Step<Self> {
///         Step::Done(a + b)
///     }
/// }
///
/// fn fib(n: u32) -> u64 { if n < 2 { n.into() } else { fib(n - 1) + fib(n - 2) } }
///
/// let numbers = World::threads(2).run(|comm| Cluster::over(comm).fork_join(&Fib, 20).unwrap());
/// assert_eq!(numbers, [6_765, 6_765]);
/// ```
pub trait ForkJoin: Sync {
    /// The input of a task.
    type Task: Serialize + DeserializeOwned + Send;
    /// The tasks of a fork: an array if their number is always the same (then nothing is allocated), else a vector.
    type Tasks: Batch<Self::Task>;
    /// The output of a task.
    type Value: Serialize + DeserializeOwned + Send;
    /// The data that a task keeps while it waits.
    type Frame: Send;

    /// Begins a task.
    fn begin(&self, task: Self::Task) -> Step<Self>;

    /// Goes on when the values of all its tasks are known. They come in the order of the tasks, in an array or a vector as the tasks did.
    fn join(&self, frame: Self::Frame, values: Values<Self>) -> Step<Self>;
}

/// The outcome of a step of a task.
pub enum Step<F: ForkJoin + ?Sized> {
    /// The task is done, with this value.
    Done(F::Value),
    /// The task needs the values of these tasks, which run in any order. If there are none, `join` is called at once.
    Fork {
        /// The tasks to run.
        tasks: F::Tasks,
        /// The data that the forking task keeps.
        frame: F::Frame,
    },
}

impl<F: ForkJoin + ?Sized> fmt::Debug for Step<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(_) => f.write_str("Done"),
            Self::Fork { .. } => f.debug_struct("Fork").finish_non_exhaustive(),
        }
    }
}

/// The values of the tasks of a fork of `F`.
pub type Values<F> = <<F as ForkJoin>::Tasks as Batch<<F as ForkJoin>::Task>>::Values<<F as ForkJoin>::Value>;

impl<C: Communicator> Cluster<'_, C> {
    /// Collective: computes the value of rank 0's `task` on all ranks. Each rank gets the value.
    ///
    /// Memory: for each worker and level, a frame with its tasks and values. Messages: those of [`run`](Self::run). A part that moves
    /// carries its tasks, and its values come back. For large data that only some tasks read, use a [`Store`](crate::Store).
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn fork_join<F: ForkJoin>(&self, program: &F, task: F::Task) -> Result<F::Value> {
        let tasks = Tasks { program, rank: self.rank() as u32, shared: Mutex::default() };
        let values = self.run(&tasks, Branch::of(vec![(Home::ROOT, task)]))?;
        match values.into_iter().next() {
            Some((Home::ROOT, value)) => Ok(value),
            // A rank has sent a value for a frame that does not exist.
            _ => {
                Err(Error::Corrupt { from: 0, why: "the run has ended without the value of its first task".to_owned() })
            }
        }
    }
}

/// The frame, and the slot in it, that waits for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Home {
    rank: u32,
    node: u64,
    slot: u32,
}

impl Home {
    /// No frame: the value is that of the whole run.
    const ROOT: Self = Self { rank: u32::MAX, node: 0, slot: 0 };
}

/// The recursion as an algorithm.
struct Tasks<'a, F: ForkJoin> {
    program: &'a F,
    rank: u32,
    shared: Mutex<Shared<F>>,
}

/// The data that the workers of a rank share.
struct Shared<F: ForkJoin> {
    next_node: u64,
    nodes: BTreeMap<u64, Node<F>>,
    /// Frames whose last value came from another rank.
    ready: Vec<Branch<F>>,
    /// Values for frames of other ranks.
    out: Vec<(Home, F::Value)>,
}

impl<F: ForkJoin> Default for Shared<F> {
    fn default() -> Self {
        Self { next_node: 0, nodes: BTreeMap::new(), ready: Vec::new(), out: Vec::new() }
    }
}

/// A frame in the table. Other workers or ranks have some of its tasks.
struct Node<F: ForkJoin> {
    home: Home,
    frame: F::Frame,
    values: Vec<Option<F::Value>>,
    missing: usize,
}

impl<F: ForkJoin> Shared<F> {
    /// Stores a value. If it was the last one of its frame, returns a branch that goes on with the frame.
    fn deliver(&mut self, home: Home, value: F::Value) -> Option<Branch<F>> {
        let node = self.nodes.get_mut(&home.node)?;
        if node.values.get_mut(home.slot as usize)?.replace(value).is_none() {
            node.missing -= 1;
        }
        if node.missing > 0 {
            return None;
        }
        let node = self.nodes.remove(&home.node)?;
        let values = node.values.into_iter().flatten().collect();
        Some(Branch::going_on(node.home, node.frame, values))
    }
}

/// The work of one worker: its current task with the frames that wait for it, and tasks that belong to frames in tables.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Branch<F: ForkJoin> {
    /// Tasks that have not begun, with the slots where their values go. The next task is at the end.
    loose: Vec<(Home, F::Task)>,
    /// A task that has begun. It stays on its worker, as its frames do.
    begun: Unsent<Begun<F>>,
}

impl<F: ForkJoin> Branch<F> {
    /// A branch of tasks that have not begun.
    fn of(loose: Vec<(Home, F::Task)>) -> Self {
        Self { loose, begun: Unsent(None) }
    }

    /// A branch that goes on with a frame.
    fn going_on(home: Home, frame: F::Frame, values: Vec<F::Value>) -> Self {
        let begun = Begun { home, turn: Turn::Join(frame, values), stacks: Stacks::default() };
        Self { loose: Vec::new(), begun: Unsent(Some(begun)) }
    }
}

/// A task under way, and the frames that wait for it.
struct Begun<F: ForkJoin> {
    /// Where the value of the lowest frame goes, or that of the turn if there is no frame.
    home: Home,
    turn: Turn<F>,
    stacks: Stacks<F>,
}

/// The next step of a begun task.
enum Turn<F: ForkJoin> {
    Begin(F::Task),
    /// Joins a frame with the values, in the order of the tasks.
    Join(F::Frame, Vec<F::Value>),
}

/// Frames that only their worker knows, the oldest first. The tasks and values of an older frame lie below those of a younger one.
///
/// The last task of a frame is begun first. So the values come in reverse order, and the last value on the stack is that of the first task.
struct Stacks<F: ForkJoin> {
    frames: Vec<Frame<F>>,
    /// Tasks that have not begun, in their order.
    tasks: Vec<F::Task>,
    values: Vec<F::Value>,
}

impl<F: ForkJoin> Default for Stacks<F> {
    fn default() -> Self {
        Self { frames: Vec::new(), tasks: Vec::new(), values: Vec::new() }
    }
}

impl<F: ForkJoin> Stacks<F> {
    /// The number of tasks of a frame that have not begun.
    fn left(&self, at: usize) -> usize {
        let above = self.frames.get(at + 1).map_or(self.tasks.len(), |frame| frame.tasks_below);
        above - self.frames[at].tasks_below
    }

    /// Returns a task's value, or the task that comes next if it has forked.
    #[inline]
    fn settle(&mut self, program: &F, mut step: Step<F>) -> ControlFlow<F::Value, F::Task> {
        loop {
            let (tasks, frame) = match step {
                Step::Done(value) => return ControlFlow::Break(value),
                Step::Fork { tasks, frame } => (tasks, frame),
            };
            let tasks_below = self.tasks.len();
            match tasks.push_onto(&mut self.tasks) {
                (count, Some(last)) => {
                    self.frames.push(Frame { frame, count, tasks_below });
                    return ControlFlow::Continue(last);
                }
                // A loop, not a recursive call, since there may be any number of such forks in a row.
                (_, None) => step = program.join(frame, F::Tasks::gather(0, None, &mut self.values)),
            }
        }
    }

    #[inline]
    fn join(
        &mut self,
        program: &F,
        frame: F::Frame,
        count: usize,
        first: Option<F::Value>,
    ) -> ControlFlow<F::Value, F::Task> {
        let step = program.join(frame, F::Tasks::gather(count, first, &mut self.values));
        self.settle(program, step)
    }
}

/// A frame on the stack. One of its tasks is under way above it.
struct Frame<F: ForkJoin> {
    frame: F::Frame,
    /// The number of its tasks.
    count: usize,
    /// The number of tasks of older frames below its own.
    tasks_below: usize,
}

impl<F: ForkJoin> Tasks<'_, F> {
    fn shared(&self) -> MutexGuard<'_, Shared<F>> {
        // No user code runs with the lock held.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on from `task` until `left` tasks have begun, or the last frame has its value. Returns the next task, or that value.
    #[inline]
    fn go(&self, stacks: &mut Stacks<F>, mut task: F::Task, left: &mut usize) -> ControlFlow<F::Value, F::Task> {
        // Local variables, so that they stay in registers during the unit.
        let (mut on, mut more) = (mem::take(stacks), *left);
        let end = 'down: loop {
            if more == 0 {
                break ControlFlow::Continue(task);
            }
            more -= 1;
            let mut value = match on.settle(self.program, self.program.begin(task)) {
                ControlFlow::Continue(first) => {
                    task = first;
                    continue;
                }
                ControlFlow::Break(value) => value,
            };
            loop {
                let Some(top) = on.frames.last() else { break 'down ControlFlow::Break(value) };
                if on.tasks.len() > top.tasks_below
                    && let Some(next) = on.tasks.pop()
                {
                    on.values.push(value);
                    task = next;
                    break;
                }
                let Some(Frame { frame, count, .. }) = on.frames.pop() else { unreachable!("it was there") };
                match on.join(self.program, frame, count, Some(value)) {
                    ControlFlow::Continue(first) => {
                        task = first;
                        break;
                    }
                    ControlFlow::Break(joined) => value = joined,
                }
            }
        };
        (*stacks, *left) = (on, more);
        end
    }

    /// Stores the value of this worker's last frame. If it was the last value of a frame in the table, returns that frame to go on with.
    #[cold]
    fn deliver(&self, home: Home, value: F::Value) -> Option<Begun<F>> {
        let mut shared = self.shared();
        if home.rank != self.rank {
            shared.out.push((home, value));
            return None;
        }
        shared.deliver(home, value)?.begun.0
    }

    /// Moves the frames up to `last` to the table; returns their tasks that have not begun.
    fn publish(&self, begun: &mut Begun<F>, last: usize) -> Vec<(Home, F::Task)> {
        let mut shared = self.shared();
        let mut loose = Vec::new();
        let left: Vec<usize> = (0..=last).map(|at| begun.stacks.left(at)).collect();
        let Stacks { frames, tasks, values } = &mut begun.stacks;
        for (Frame { frame, count, .. }, left) in frames.drain(..=last).zip(left) {
            let node = shared.next_node;
            shared.next_node += 1;
            let home = |slot: usize| Home { rank: self.rank, node, slot: slot as u32 };
            // The order is: the tasks that have not begun, the one under way, those that are done.
            let (missing, done) = (left + 1, count - left - 1);
            loose.extend(tasks.drain(..left).enumerate().map(|(slot, task)| (home(slot), task)));
            let values = (0..missing).map(|_| None).chain(values.drain(..done).rev().map(Some)).collect();
            shared.nodes.insert(node, Node { home: begun.home, frame, values, missing });
            begun.home = home(left);
        }
        frames.iter_mut().for_each(|frame| frame.tasks_below -= loose.len());
        loose
    }
}

impl<F: ForkJoin> Algorithm for Tasks<'_, F> {
    type Local = Branch<F>;

    fn has_local_work(&self, branch: &Branch<F>) -> bool {
        branch.begun.0.is_some() || !branch.loose.is_empty()
    }

    /// One unit: begins `grain` tasks.
    fn do_unit(&self, branch: &mut Branch<F>, grain: usize) {
        let mut left = grain;
        let mut begun = branch.begun.0.take();
        while left > 0 {
            let Begun { home, turn, mut stacks } = match begun.take() {
                Some(begun) => begun,
                None => {
                    let Some((home, task)) = branch.loose.pop() else { return };
                    Begun { home, turn: Turn::Begin(task), stacks: Stacks::default() }
                }
            };
            let first = match turn {
                Turn::Begin(task) => ControlFlow::Continue(task),
                Turn::Join(frame, joined) => {
                    left -= 1;
                    let count = joined.len();
                    stacks.values.extend(joined.into_iter().rev());
                    stacks.join(self.program, frame, count, None)
                }
            };
            let end = match first {
                ControlFlow::Continue(task) => self.go(&mut stacks, task, &mut left),
                value => value,
            };
            begun = match end {
                ControlFlow::Continue(task) => Some(Begun { home, turn: Turn::Begin(task), stacks }),
                ControlFlow::Break(value) => self.deliver(home, value),
            };
        }
        branch.begun.0 = begun;
    }

    /// Does nothing: values are stored as they come.
    fn commit(&self, _branch: &mut Branch<F>) {}

    /// Splits off half of the oldest tasks.
    fn split(&self, branch: &mut Branch<F>) -> Option<Branch<F>> {
        if branch.loose.is_empty()
            && let Some(begun) = &mut branch.begun.0
        {
            let oldest = (0..begun.stacks.frames.len()).find(|at| begun.stacks.left(*at) > 0)?;
            branch.loose = self.publish(begun, oldest);
        }
        let count = branch.loose.len();
        let given = if branch.begun.0.is_some() { count.div_ceil(2) } else { count / 2 };
        let rest = branch.loose.split_off(given);
        let loose = mem::replace(&mut branch.loose, rest);
        (!loose.is_empty()).then(|| Branch::of(loose))
    }
}

impl<F: ForkJoin> Distributed for Tasks<'_, F> {
    type Output = Brought<F>;

    fn take(&self) -> Brought<F> {
        mem::take(&mut self.shared().out)
    }

    fn merge(&self, whole: &mut Brought<F>, part: Brought<F>) {
        let mut shared = self.shared();
        for (home, value) in part {
            if home.rank != self.rank {
                whole.push((home, value));
            } else if let Some(branch) = shared.deliver(home, value) {
                shared.ready.push(branch);
            }
        }
    }

    fn resume(&self) -> Option<Branch<F>> {
        self.shared().ready.pop()
    }

    /// Only a frame's own rank knows it.
    fn can_migrate(&self, branch: &Branch<F>) -> bool {
        branch.begun.0.is_none()
    }
}

/// Values for frames of other ranks.
type Brought<F> = Vec<(Home, <F as ForkJoin>::Value)>;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fuzz::{drive, drive_ranks, events, moves};

    enum Phase {
        First(String),
        Second(String),
    }
    use Phase::{First, Second};

    /// Writes the leaves of a tree in order: a join that does not commute, in two phases.
    struct Spell;

    impl ForkJoin for Spell {
        type Task = (u32, u32);
        type Tasks = Vec<(u32, u32)>;
        type Value = String;
        type Frame = Phase;
        fn begin(&self, (depth, at): (u32, u32)) -> Step<Self> {
            if depth == 0 {
                return Step::Done(format!("{at} "));
            }
            let tasks = (0..at % 4).map(|child| (depth - 1, 3 * at + child)).collect();
            Step::Fork { tasks, frame: First(format!("({at} ")) }
        }
        fn join(&self, phase: Phase, values: Vec<String>) -> Step<Self> {
            match phase {
                First(front) => {
                    let first = front + &values.concat();
                    let tasks = (0..first.len() as u32 % 3).map(|at| (0, at)).collect();
                    Step::Fork { tasks, frame: Second(first) }
                }
                Second(first) => Step::Done(first + "/" + &values.concat() + ")"),
            }
        }
    }

    /// The plain recursion.
    fn spell(task: (u32, u32)) -> String {
        finish(Spell.begin(task))
    }

    fn finish(step: Step<Spell>) -> String {
        match step {
            Step::Done(value) => value,
            Step::Fork { tasks, frame } => finish(Spell.join(frame, tasks.into_iter().map(spell).collect())),
        }
    }

    /// A task forks again as often as its number says, each time without tasks.
    struct Rounds;

    impl ForkJoin for Rounds {
        type Task = u32;
        type Tasks = Vec<u32>;
        type Value = u8;
        type Frame = u32;
        fn begin(&self, left: u32) -> Step<Self> {
            Step::Fork { tasks: Vec::new(), frame: left }
        }
        fn join(&self, left: u32, _: Vec<u8>) -> Step<Self> {
            if left == 0 { Step::Done(7) } else { Step::Fork { tasks: Vec::new(), frame: left - 1 } }
        }
    }

    #[test]
    fn forks_without_tasks_take_no_stack() {
        let tasks = Tasks { program: &Rounds, rank: 0, shared: Mutex::default() };
        let input = Branch::of(vec![(Home::ROOT, 1_000_000)]);
        assert_eq!(drive(&tasks, input, &[]), [(Home::ROOT, 7)]);
    }

    proptest! {
        #[test]
        fn any_splits_give_the_value_of_the_recursion(depth in 0..6_u32, at in 0..100_u32, moves in moves()) {
            let tasks = Tasks { program: &Spell, rank: 3, shared: Mutex::default() };
            let input = Branch::of(vec![(Home::ROOT, (depth, at))]);
            let values = drive(&tasks, input, &moves);
            prop_assert_eq!(values, [(Home::ROOT, spell((depth, at)))]);
            let shared = tasks.shared();
            prop_assert!(shared.nodes.is_empty() && shared.ready.is_empty());
        }

        /// A result of several workers' parts completes several frames at once. Those that wait stay on their rank, whichever rank asks
        /// meanwhile.
        #[test]
        fn ranks_of_several_workers_give_the_value_of_the_recursion(
            depth in 0..6_u32, at in 0..100_u32, ranks in 1..4_u32, workers in 1..4_usize, events in events(),
        ) {
            let ranks: Vec<_> = (0..ranks).map(|rank| Tasks { program: &Spell, rank, shared: Mutex::default() }).collect();
            let input = Branch::of(vec![(Home::ROOT, (depth, at))]);
            let values = drive_ranks(&ranks, workers, input, &events);
            prop_assert_eq!(values, [(Home::ROOT, spell((depth, at)))]);
            prop_assert!(ranks.iter().all(|tasks| tasks.shared().nodes.is_empty()));
        }
    }
}
