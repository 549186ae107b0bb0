//! Sleeping workers are woken for work that shows itself late.

mod common;

use common::PATIENCE;
use fusain_pool::{Algorithm, Pool, Wait};
use std::sync::Mutex;
use std::thread::{self, ThreadId};
use std::time::Instant;

/// A search whose root has `LEAVES` children, each of which stays until so many threads have come to leaves. Of the root alone no part can be split off.
struct Tree {
    meet: usize,
    started: Instant,
    threads: Mutex<Vec<ThreadId>>,
}

const LEAVES: usize = 8;

enum Node {
    Root,
    Leaf,
}

impl Algorithm for Tree {
    type Local = Vec<Node>;

    fn has_local_work(&self, nodes: &Self::Local) -> bool {
        !nodes.is_empty()
    }

    fn do_unit(&self, nodes: &mut Self::Local, _: usize) {
        match nodes.pop() {
            Some(Node::Root) => nodes.extend((0..LEAVES).map(|_| Node::Leaf)),
            Some(Node::Leaf) if !self.is_met() => nodes.push(Node::Leaf),
            Some(Node::Leaf) | None => {}
        }
    }

    fn commit(&self, _: &mut Self::Local) {}

    fn split(&self, nodes: &mut Self::Local) -> Option<Self::Local> {
        let stolen = nodes.split_off(nodes.len().div_ceil(2));
        (!stolen.is_empty()).then_some(stolen)
    }
}

impl Tree {
    /// Whether as many threads have come to leaves as should, or too much time has passed.
    fn is_met(&self) -> bool {
        let mut threads = self.threads.lock().expect("no panic happens under this lock");
        let here = thread::current().id();
        if !threads.contains(&here) {
            threads.push(here);
        }
        thread::yield_now();
        threads.len() >= self.meet || self.started.elapsed() >= PATIENCE
    }
}

/// How many threads work on the nodes, on a pool whose workers sleep when they are found.
fn meet_on_sleepers(workers: usize, nodes: Vec<Node>) -> usize {
    let pool = Pool::builder().threads(workers).wait(Wait::Park).build().expect("a pool");
    let start = Instant::now();
    while pool.counters().parks < workers as u64 - 1 && start.elapsed() < PATIENCE {
        thread::yield_now();
    }
    let tree = Tree { meet: workers, started: Instant::now(), threads: Mutex::new(Vec::new()) };
    pool.run(&tree, nodes);
    tree.threads.into_inner().expect("no panic happens under this lock").len()
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_root_that_cannot_be_split_wakes_who_sleeps() {
    assert_eq!(meet_on_sleepers(2, vec![Node::Root]), 2, "it worked alone");
}

/// That each wakes two only is tested in `others.rs`: here those who have got up may wake others for other reasons, too.
#[test]
#[cfg_attr(fusain_single, ignore = "needs started workers")]
fn all_sleepers_come_to_a_call_that_lasts() {
    let leaves = (0..2 * LEAVES).map(|_| Node::Leaf).collect();
    assert_eq!(meet_on_sleepers(LEAVES, leaves), LEAVES, "somebody slept on");
}
