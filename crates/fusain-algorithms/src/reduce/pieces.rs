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
use super::fold::fold;
use crate::feed::Feed;
use crate::policy::Team;
use crate::widest::widest;

pub(crate) struct Reduce<'a, T, U, M, F> {
    map: M,
    op: F,
    pieces: Aside<U>,
    elements: PhantomData<&'a T>,
}

/// What is left, and what the elements from `start` up to it fold to.
pub(crate) struct Local<'a, T, U> {
    start: usize,
    folded: Option<U>,
    left: Feed<'a, T>,
}

impl<'a, T, U, M, F> Algorithm for Reduce<'a, T, U, M, F>
where
    T: Sync,
    U: Send,
    M: Fn(&T) -> U + Sync,
    F: Fn(U, U) -> U + Sync,
{
    type Local = Local<'a, T, U>;

    fn has_local_work(&self, local: &Self::Local) -> bool {
        !local.left.is_empty()
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        let (_, part) = local.left.take(grain);
        let more = widest((fold, (part, &self.map, &self.op)));
        local.folded = match (local.folded.take(), more) {
            (Some(a), Some(b)) => Some((self.op)(a, b)),
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

impl<'a, T, U, M, F: Fn(U, U) -> U> Reduce<'a, T, U, M, F> {
    pub(super) fn new(v: &'a [T], map: M, op: F) -> (Self, Local<'a, T, U>) {
        (Reduce { map, op, pieces: Aside::new(), elements: PhantomData }, root(Feed::new(v)))
    }

    pub(super) fn finish(self, identity: U) -> U {
        self.pieces.in_order().fold(identity, self.op)
    }
}

pub(super) fn parallel<T, U, M, F>(team: Team<'_>, v: &[T], identity: U, map: M, op: F) -> U
where
    T: Sync,
    U: Send,
    M: Fn(&T) -> U + Sync,
    F: Fn(U, U) -> U + Sync,
{
    let (reduce, root) = Reduce::new(v, map, op);
    team.run(&reduce, root);
    reduce.finish(identity)
}
