//! Two collections at once: of the two members of pairs, or of elements that go to one or the other.

use either::Either;

use super::{FromParallelIterator, IntoParallelIterator, ParallelExtend};
use crate::parallel::run;
use crate::push::push;
use crate::sink::vector;

/// Vectors of the first and of the second members of pairs.
fn sides<A: Send, B: Send>(chain: impl IntoParallelIterator<Item = (A, B)>) -> (Vec<A>, Vec<B>) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    run(&mut chain.into_par_iter(), |settings, source| vector::append_both(settings, source, &mut left, &mut right));
    (left, right)
}

/// Vectors of the `Left` and of the `Right` values.
fn either<L: Send, R: Send>(chain: impl IntoParallelIterator<Item = Either<L, R>>) -> (Vec<L>, Vec<R>) {
    run(&mut chain.into_par_iter(), |settings, source| {
        vector::divided(settings, source, |(a, b), x| match x {
            Either::Left(x) => push(a, x),
            Either::Right(x) => push(b, x),
        })
    })
}

impl<A, B, FromA, FromB> ParallelExtend<(A, B)> for (FromA, FromB)
where
    A: Send,
    B: Send,
    FromA: Send + ParallelExtend<A>,
    FromB: Send + ParallelExtend<B>,
{
    fn par_extend<I: IntoParallelIterator<Item = (A, B)>>(&mut self, chain: I) {
        let (a, b) = sides(chain);
        self.0.extend_by(a);
        self.1.extend_by(b);
    }
}

impl<A, B, FromA, FromB> FromParallelIterator<(A, B)> for (FromA, FromB)
where
    A: Send,
    B: Send,
    FromA: Send + FromParallelIterator<A>,
    FromB: Send + FromParallelIterator<B>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = (A, B)>>(chain: I) -> Self {
        let (a, b) = sides(chain);
        (FromA::from_par_iter(a), FromB::from_par_iter(b))
    }
}

impl<L, R, A, B> ParallelExtend<Either<L, R>> for (A, B)
where
    L: Send,
    R: Send,
    A: Send + ParallelExtend<L>,
    B: Send + ParallelExtend<R>,
{
    fn par_extend<I: IntoParallelIterator<Item = Either<L, R>>>(&mut self, chain: I) {
        let (a, b) = either(chain);
        self.0.extend_by(a);
        self.1.extend_by(b);
    }
}

impl<L, R, A, B> FromParallelIterator<Either<L, R>> for (A, B)
where
    L: Send,
    R: Send,
    A: Send + FromParallelIterator<L>,
    B: Send + FromParallelIterator<R>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = Either<L, R>>>(chain: I) -> Self {
        let (a, b) = either(chain);
        (A::from_par_iter(a), B::from_par_iter(b))
    }
}
