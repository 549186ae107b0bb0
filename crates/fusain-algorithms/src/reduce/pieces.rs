//! `reduce`: all elements combined by an associative operation, operands in order.
//!
//! Idea: a state folds its part from the front. When the part is split or finished, the result so far is stored as a *piece*, with the
//! index where it starts. At the end the few pieces (one for each worker and each steal) are combined in the order of these indices.
//! The operation need only be associative, so strings can be concatenated and matrices multiplied.
//! C++'s `std::reduce` and `std::transform_reduce` also require commutativity.
//! Work O(n), span O(log n) splits, extra memory one result for each piece.

use std::marker::PhantomData;

use fusain_pool::Algorithm;

use super::aside::Aside;
use super::fold::{Fold, fold};
use crate::feed::Feed;
use crate::policy::Team;
use crate::widest::widest;

pub(crate) struct Reduce<'a, T, U, B> {
    by: B,
    pieces: Aside<U>,
    elements: PhantomData<&'a T>,
}

/// What is left, and what the elements from `start` up to it fold to.
pub(crate) struct Local<'a, T, U> {
    start: usize,
    folded: Option<U>,
    left: Feed<'a, T>,
}

impl<'a, T: Sync, U: Send, B: Fold<T, U>> Algorithm for Reduce<'a, T, U, B> {
    type Local = Local<'a, T, U>;

    fn has_local_work(&self, local: &Self::Local) -> bool {
        !local.left.is_empty()
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        let (_, part) = local.left.take(grain);
        let more = widest((fold, (part, &self.by)));
        local.folded = match (local.folded.take(), more) {
            (Some(a), Some(b)) => Some(self.by.both(a, b)),
            (a, b) => a.or(b),
        };
    }

    fn commit(&self, local: &mut Self::Local) {
        if let Some(piece) = local.folded.take() {
            self.pieces.lay(local.start, piece);
            local.start = local.left.start;
        }
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        victim.left.split().map(root)
    }
}

fn root<T, U>(left: Feed<'_, T>) -> Local<'_, T, U> {
    Local { start: left.start, folded: None, left }
}

impl<'a, T, U, B: Fold<T, U>> Reduce<'a, T, U, B> {
    pub(super) fn new(v: &'a [T], by: B) -> (Self, Local<'a, T, U>) {
        (Reduce { by, pieces: Aside::new(), elements: PhantomData }, root(Feed::new(v)))
    }

    pub(super) fn finish(self, identity: U) -> U {
        self.pieces.in_order().fold(identity, |a, b| self.by.both(a, b))
    }
}

pub(super) fn parallel<T: Sync, U: Send>(team: Team<'_>, v: &[T], identity: U, by: impl Fold<T, U>) -> U {
    let (reduce, root) = Reduce::new(v, by);
    team.run(&reduce, root);
    reduce.finish(identity)
}
