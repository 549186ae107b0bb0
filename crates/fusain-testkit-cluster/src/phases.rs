//! A recursion in two phases, whose tasks take a while.

use std::thread;
use std::time::Duration;

use fusain_cluster::{ForkJoin, Step};
use serde::{Deserialize, Serialize};

/// Counts its leaves. Results that make frames go on come while other ranks ask, so frames wait in states that a request could take along.
#[derive(Debug)]
pub struct Phases;

/// A task, named by its level in the tree.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Level {
    /// The whole tree.
    Root,
    /// Some leaves, and after these some more.
    Branch,
    /// One leaf.
    Leaf,
}

impl Phases {
    /// The number of leaves: some in each phase of each branch, and in the root's second phase.
    pub const LEAVES: u64 = 6 * (4 + 4) + 4;
}

impl ForkJoin for Phases {
    type Task = Level;
    type Tasks = Vec<Level>;
    type Value = u64;
    /// The count of the first phase, during the second.
    type Frame = Option<u64>;

    fn begin(&self, level: Level) -> Step<Self> {
        let tasks = match level {
            Level::Root => vec![Level::Branch; 6],
            Level::Branch => vec![Level::Leaf; 4],
            Level::Leaf => {
                thread::sleep(Duration::from_micros(100));
                return Step::Done(1);
            }
        };
        Step::Fork { tasks, frame: None }
    }

    fn join(&self, first: Option<u64>, values: Vec<u64>) -> Step<Self> {
        let sum = values.iter().sum();
        match first {
            None => Step::Fork { tasks: vec![Level::Leaf; 4], frame: Some(sum) },
            Some(first) => Step::Done(first + sum),
        }
    }
}
