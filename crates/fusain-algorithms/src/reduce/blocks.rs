//! Deterministic `reduce`: the same grouping of operands for the same length and grain, on any number of workers.
//!
//! Idea: the elements lie in blocks of a fixed length. A block is folded by one worker in one unit, and the results are combined
//! from left to right. Splits happen between blocks only. In the words of Demmel & Nguyen (2013): reproducible for a fixed blocking.
//! Work O(n), extra memory one result a block.

use std::marker::PhantomData;

use fusain_pool::Algorithm;

use super::aside::Aside;
use super::fold::{Fold, fold};
use crate::feed::Feed;
use crate::policy::Team;
use crate::widest::widest;

/// Elements in a block if the caller sets no grain: so many that storing a result costs next to nothing, and few enough for a
/// unit. It must not depend on the machine, since the result depends on it.
const BLOCK: usize = 1 << 11;

pub(crate) struct Blocks<'a, T, U, B> {
    by: B,
    block: usize,
    /// Results of consecutive blocks.
    runs: Aside<Vec<U>>,
    elements: PhantomData<&'a T>,
}

pub(crate) struct Local<'a, T, U> {
    start: usize,
    results: Vec<U>,
    left: Feed<'a, T>,
}

impl<'a, T: Sync, U: Send, B: Fold<T, U>> Algorithm for Blocks<'a, T, U, B> {
    type Local = Local<'a, T, U>;

    fn has_local_work(&self, local: &Self::Local) -> bool {
        !local.left.is_empty()
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        for _ in 0..(grain / self.block).max(1) {
            let (_, block) = local.left.take(self.block);
            local.results.extend(widest((fold, (block, &self.by))));
        }
    }

    fn commit(&self, local: &mut Self::Local) {
        if !local.results.is_empty() {
            self.runs.lay(local.start, std::mem::take(&mut local.results));
            local.start = local.left.start;
        }
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        victim.left.split_at_multiple_of(self.block).map(root)
    }
}

fn root<T, U>(left: Feed<'_, T>) -> Local<'_, T, U> {
    Local { start: left.start, results: Vec::new(), left }
}

impl<'a, T, U, B: Fold<T, U>> Blocks<'a, T, U, B> {
    pub(super) fn new(v: &'a [T], block: Option<usize>, by: B) -> (Self, Local<'a, T, U>) {
        let block = block.unwrap_or(BLOCK);
        (Blocks { by, block, runs: Aside::new(), elements: PhantomData }, root(Feed::new(v)))
    }

    pub(super) fn finish(self, identity: U) -> U {
        self.runs.in_order().flatten().fold(identity, |a, b| self.by.both(a, b))
    }
}

pub(super) fn parallel<T: Sync, U: Send>(team: Team<'_>, v: &[T], identity: U, by: impl Fold<T, U>) -> U {
    let (blocks, root) = Blocks::new(v, team.grain(), by);
    team.run(&blocks, root);
    blocks.finish(identity)
}

/// The same grouping on the calling thread.
pub(super) fn sequential<T, U>(v: &[T], block: Option<usize>, identity: U, by: impl Fold<T, U>) -> U {
    v.chunks(block.unwrap_or(BLOCK)).fold(identity, |acc, run| match widest((fold, (run, &by))) {
        Some(result) => by.both(acc, result),
        None => acc,
    })
}
