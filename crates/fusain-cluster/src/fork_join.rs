//! Fork-join recursions: tasks with declared inputs and outputs.
//!
//! A worker goes depth first with a stack of its own: frames that wait for the task above them, each with the tasks of it that nobody has begun. Nobody else sees
//! them, so there is no lock and no counter on the way. When somebody wants work, the **oldest** frame that has tasks to give away is moved, with the frames
//! under it, to a table of the rank; whoever works off a task of such a frame brings its value there, and who brings the last one goes on with the frame.
//! A value for a frame of another rank returns as the result of the task it came in.
//!
//! Memory: a frame for each level of each worker, and the tasks that were given away.

use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fusain_comm::Communicator;
use fusain_pool::Algorithm;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cluster::Cluster;
use crate::distributed::Distributed;
use crate::error::Result;

/// A recursion that splits a task into tasks, and joins their values.
///
/// A task carries all that it needs (its *input*), and gives one value (its *output*); what it remembers while its tasks are under way is its *frame*, which
/// stays on its rank. A join may fork again, so that phases follow each other.
///
/// # Example
///
/// Fibonacci numbers, by their definition down to where it is quicker not to:
///
/// ```
/// use fusain_cluster::{Cluster, ForkJoin, Step};
/// use fusain_comm::World;
///
/// struct Fib;
///
/// impl ForkJoin for Fib {
///     type Task = u32;
///     type Value = u64;
///     type Frame = ();
///     fn begin(&self, n: u32) -> Step<Self> {
///         if n < 12 { return Step::Done(fib(n)) }
///         Step::Fork { tasks: vec![n - 1, n - 2], frame: () }
///     }
///     fn join(&self, (): (), values: Vec<u64>) -> Step<Self> {
///         Step::Done(values[0] + values[1])
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
    /// Its output.
    type Value: Serialize + DeserializeOwned + Send;
    /// What it remembers while it waits.
    type Frame: Send;

    /// Begins a task.
    fn begin(&self, task: Self::Task) -> Step<Self>;

    /// Goes on when the values of all its tasks are there, in the order of the tasks.
    fn join(&self, frame: Self::Frame, values: Vec<Self::Value>) -> Step<Self>;
}

/// How far a task has come.
pub enum Step<F: ForkJoin + ?Sized> {
    /// It is done.
    Done(F::Value),
    /// It needs the values of these tasks, in any order in time. None: it is joined at once.
    Fork {
        /// What is to be done.
        tasks: Vec<F::Task>,
        /// What it remembers.
        frame: F::Frame,
    },
}

impl<F: ForkJoin + ?Sized> fmt::Debug for Step<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(_) => f.write_str("Done"),
            Self::Fork { tasks, .. } => f.debug_struct("Fork").field("tasks", &tasks.len()).finish_non_exhaustive(),
        }
    }
}

impl<C: Communicator> Cluster<'_, C> {
    /// Collective: the value of `task`, worked off on all ranks; each gets it. Rank 0's task counts.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn fork_join<F: ForkJoin>(&self, program: &F, task: F::Task) -> Result<F::Value> {
        let tasks = Tasks { program, rank: self.rank() as u32, shared: Mutex::default() };
        let branch = Branch { loose: vec![(Home::ROOT, task)], ..Branch::default() };
        let values = self.run(&tasks, branch)?;
        match values.into_iter().next() {
            Some((_, value)) => Ok(value),
            None => unreachable!("a run ends when the root's value is there"),
        }
    }
}

/// Where a value is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Home {
    rank: u32,
    node: u64,
    slot: u32,
}

impl Home {
    /// No frame: the end of all.
    const ROOT: Self = Self { rank: u32::MAX, node: 0, slot: 0 };
}

/// The recursion as an algorithm.
struct Tasks<'a, F: ForkJoin> {
    program: &'a F,
    rank: u32,
    shared: Mutex<Shared<F>>,
}

/// What the workers of a rank share.
struct Shared<F: ForkJoin> {
    next_node: u64,
    nodes: BTreeMap<u64, Node<F>>,
    /// Frames whose last value came from another rank.
    ready: Vec<Branch<F>>,
    /// Values that are waited for elsewhere.
    out: Vec<(Home, F::Value)>,
}

impl<F: ForkJoin> Default for Shared<F> {
    fn default() -> Self {
        Self { next_node: 0, nodes: BTreeMap::new(), ready: Vec::new(), out: Vec::new() }
    }
}

/// A frame in the table: some of its tasks are elsewhere.
struct Node<F: ForkJoin> {
    home: Home,
    frame: F::Frame,
    values: Vec<Option<F::Value>>,
    missing: usize,
}

impl<F: ForkJoin> Shared<F> {
    /// Brings a value; gives the frame's turn back if it was the last one.
    fn bring(&mut self, home: Home, value: F::Value) -> Option<Branch<F>> {
        let node = self.nodes.get_mut(&home.node)?;
        if node.values.get_mut(home.slot as usize)?.replace(value).is_none() {
            node.missing -= 1;
        }
        if node.missing > 0 {
            return None;
        }
        let node = self.nodes.remove(&home.node)?;
        let values = node.values.into_iter().flatten().collect();
        Some(Branch { home: node.home, turn: Some(Turn::Join(node.frame, values)), ..Branch::default() })
    }
}

/// One worker's part: the task at hand with the frames that wait for it, and tasks that belong to frames in tables.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Branch<F: ForkJoin> {
    /// Tasks that nobody has begun, with where their values go. The next is at the end.
    loose: Vec<(Home, F::Task)>,
    /// Where the value of the lowest frame goes, or of the turn if there is none.
    #[serde(skip, default = "root")]
    home: Home,
    #[serde(skip)]
    turn: Option<Turn<F>>,
    /// The oldest first.
    #[serde(skip)]
    frames: Vec<Frame<F>>,
}

fn root() -> Home {
    Home::ROOT
}

impl<F: ForkJoin> Default for Branch<F> {
    fn default() -> Self {
        Self { loose: Vec::new(), home: Home::ROOT, turn: None, frames: Vec::new() }
    }
}

/// What comes next.
enum Turn<F: ForkJoin> {
    Begin(F::Task),
    Join(F::Frame, Vec<F::Value>),
}

/// A frame that only its worker knows. The task above it is the one after those whose values are there.
struct Frame<F: ForkJoin> {
    frame: F::Frame,
    /// Not begun, the next at the end.
    tasks: Vec<F::Task>,
    values: Vec<F::Value>,
}

impl<F: ForkJoin> Tasks<'_, F> {
    fn shared(&self) -> MutexGuard<'_, Shared<F>> {
        // No user's code runs with the lock.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One task begun or joined.
    #[inline]
    fn turn(&self, branch: &mut Branch<F>, turn: Turn<F>) {
        let step = match turn {
            Turn::Begin(task) => self.program.begin(task),
            Turn::Join(frame, values) => self.program.join(frame, values),
        };
        match step {
            Step::Done(value) => self.value(branch, value),
            Step::Fork { mut tasks, frame } => {
                tasks.reverse();
                let values = Vec::with_capacity(tasks.len());
                branch.turn = Some(match tasks.pop() {
                    None => Turn::Join(frame, values),
                    Some(first) => {
                        branch.frames.push(Frame { frame, tasks, values });
                        Turn::Begin(first)
                    }
                });
            }
        }
    }

    /// The task at hand has its value.
    #[inline]
    fn value(&self, branch: &mut Branch<F>, value: F::Value) {
        let Some(frame) = branch.frames.last_mut() else { return self.bring(branch, value) };
        frame.values.push(value);
        branch.turn = match frame.tasks.pop() {
            Some(task) => Some(Turn::Begin(task)),
            None => branch.frames.pop().map(|frame| Turn::Join(frame.frame, frame.values)),
        };
    }

    /// The last frame of this worker has its value.
    #[cold]
    fn bring(&self, branch: &mut Branch<F>, value: F::Value) {
        let mut shared = self.shared();
        if branch.home.rank != self.rank {
            shared.out.push((branch.home, value));
        } else if let Some(next) = shared.bring(branch.home, value) {
            (branch.home, branch.turn) = (next.home, next.turn);
        }
    }

    /// Moves the frames up to `last` to the table; returns the tasks of that one.
    fn lay_open(&self, branch: &mut Branch<F>, last: usize) -> Vec<(Home, F::Task)> {
        let mut shared = self.shared();
        let mut loose = Vec::new();
        for (at, Frame { frame, tasks, values }) in branch.frames.drain(..=last).enumerate() {
            let node = shared.next_node;
            shared.next_node += 1;
            let (begun, count) = (values.len(), tasks.len());
            let missing = 1 + count;
            let values = values.into_iter().map(Some).chain((0..missing).map(|_| None)).collect();
            shared.nodes.insert(node, Node { home: branch.home, frame, values, missing });
            let slot = |slot: usize| Home { rank: self.rank, node, slot: slot as u32 };
            branch.home = slot(begun);
            if at == last {
                // The last of the tasks comes right after the one above the frame.
                let slots = (0..count).map(|place| slot(begun + count - place));
                loose = slots.zip(tasks).collect();
            }
        }
        loose
    }
}

impl<F: ForkJoin> Algorithm for Tasks<'_, F> {
    type Local = Branch<F>;

    fn has_local_work(&self, branch: &Branch<F>) -> bool {
        branch.turn.is_some() || !branch.loose.is_empty()
    }

    /// `grain` tasks begun or joined.
    fn do_unit(&self, branch: &mut Branch<F>, grain: usize) {
        for _ in 0..grain {
            match branch.turn.take() {
                Some(turn) => self.turn(branch, turn),
                None => {
                    let Some((home, task)) = branch.loose.pop() else { return };
                    branch.home = home;
                    branch.turn = Some(Turn::Begin(task));
                }
            }
        }
    }

    /// Values are brought as they come.
    fn commit(&self, _branch: &mut Branch<F>) {}

    /// Half of the oldest tasks.
    fn steal(&self, branch: &mut Branch<F>) -> Option<Branch<F>> {
        if branch.loose.is_empty() {
            let oldest = branch.frames.iter().position(|frame| !frame.tasks.is_empty())?;
            branch.loose = self.lay_open(branch, oldest);
        }
        let count = branch.loose.len();
        let given = if branch.turn.is_some() { count.div_ceil(2) } else { count / 2 };
        let rest = branch.loose.split_off(given);
        let loose = mem::replace(&mut branch.loose, rest);
        (!loose.is_empty()).then(|| Branch { loose, ..Branch::default() })
    }
}

impl<F: ForkJoin> Distributed for Tasks<'_, F> {
    type Output = Values<F>;

    fn take(&self) -> Values<F> {
        mem::take(&mut self.shared().out)
    }

    fn merge(&self, whole: &mut Values<F>, part: Values<F>) {
        let mut shared = self.shared();
        for (home, value) in part {
            if home.rank != self.rank {
                whole.push((home, value));
            } else if let Some(branch) = shared.bring(home, value) {
                shared.ready.push(branch);
            }
        }
    }

    fn resume(&self) -> Option<Branch<F>> {
        self.shared().ready.pop()
    }
}

/// Values on their way home.
type Values<F> = Vec<(Home, <F as ForkJoin>::Value)>;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fuzz::{drive, moves};

    enum Phase {
        First(String),
        Second(String),
    }
    use Phase::{First, Second};

    /// Spells the leaves of a tree in order: a join that does not commute, in two phases.
    struct Spell;

    impl ForkJoin for Spell {
        type Task = (u32, u32);
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

    proptest! {
        #[test]
        fn any_splits_give_the_value_of_the_recursion(depth in 0..6_u32, at in 0..100_u32, moves in moves()) {
            let tasks = Tasks { program: &Spell, rank: 3, shared: Mutex::default() };
            let input = Branch { loose: vec![(Home::ROOT, (depth, at))], ..Branch::default() };
            let values = drive(&tasks, input, &moves);
            prop_assert_eq!(values, [(Home::ROOT, spell((depth, at)))]);
            let shared = tasks.shared();
            prop_assert!(shared.nodes.is_empty() && shared.ready.is_empty());
        }
    }
}
