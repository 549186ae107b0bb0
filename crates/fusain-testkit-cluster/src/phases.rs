//! A recursion in two phases, whose tasks take a while.

use std::thread;
use std::time::Duration;

use fusain_cluster::{ForkJoin, Step};
use serde::{Deserialize, Serialize};

/// Counts its leaves. Results that make frames go on come while others ask, so such frames wait where a request could take them along.
#[derive(Debug)]
pub struct Phases;

/// A task, by how high it stands.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Level {
    /// All of it.
    Root,
    /// Some leaves, and when they are there some more.
    Branch,
    /// One.
    Leaf,
}

impl Phases {
    /// How many there are: so many in each phase of each branch, and in the root's second one.
    pub const LEAVES: u64 = 6 * (4 + 4) + 4;
}

impl ForkJoin for Phases {
    type Task = Level;
    type Tasks = Vec<Level>;
    type Value = u64;
    /// What the first phase has counted, in the second.
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
