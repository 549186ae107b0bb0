//! Sleeping workers are woken for work that shows itself late.

mod common;

use common::PATIENCE;
use fusain_pool::{Algorithm, Pool, Wait};
use std::sync::Mutex;
use std::thread::{self, ThreadId};
use std::time::Instant;

/// A search that begins with one node, of which no part can be split off. It has `LEAVES` children, each of which waits until two threads have come to leaves.
struct Tree {
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
            Some(Node::Leaf) => self.meet(),
            None => {}
        }
    }

    fn commit(&self, _: &mut Self::Local) {}

    fn split(&self, nodes: &mut Self::Local) -> Option<Self::Local> {
        let stolen = nodes.split_off(nodes.len().div_ceil(2));
        (!stolen.is_empty()).then_some(stolen)
    }
}

impl Tree {
    fn meet(&self) {
        let threads = || self.threads.lock().expect("no panic happens under this lock");
        let here = thread::current().id();
        if !threads().contains(&here) {
            threads().push(here);
        }
        while threads().len() < 2 && self.started.elapsed() < PATIENCE {
            thread::yield_now();
        }
    }
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn a_root_that_cannot_be_split_wakes_who_sleeps() {
    let pool = Pool::builder().threads(2).wait(Wait::Park).build().expect("a pool");
    let start = Instant::now();
    while pool.counters().parks == 0 && start.elapsed() < PATIENCE {
        thread::yield_now();
    }
    let tree = Tree { started: Instant::now(), threads: Mutex::new(Vec::new()) };
    pool.run(&tree, vec![Node::Root]);
    assert_eq!(tree.threads.into_inner().expect("no panic happens under this lock").len(), 2, "it worked alone");
}
