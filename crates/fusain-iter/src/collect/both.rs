//! Two collections at once: of the members of pairs, and of elements that go to one or the other.

use either::Either;

use super::{FromParallelIterator, IntoParallelIterator, ParallelExtend};
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::sink::fold::{Steps, reduce};

/// Vectors of the elements of `chain`, each of which `put` puts into one of the two, or something into both.
#[inline]
fn vectors<I, A, B, P>(mut chain: I, put: P) -> (Vec<A>, Vec<B>)
where
    I: ParallelIterator,
    P: Fn(&mut (Vec<A>, Vec<B>), I::Item) + Sync,
    A: Send,
    B: Send,
{
    let mut settings = Settings::default();
    let source = chain.source(&mut settings);
    let step = |mut both, x| {
        put(&mut both, x);
        both
    };
    let join = |(mut a, mut b): (Vec<A>, Vec<B>), (mut more_a, mut more_b)| {
        a.append(&mut more_a);
        b.append(&mut more_b);
        (a, b)
    };
    reduce(&settings, source, Steps::new(Default::default, step), join).unwrap_or_default()
}

/// Collections of the left and the right sides.
pub(crate) fn unzip<I, A, B, FromA, FromB>(chain: I) -> (FromA, FromB)
where
    I: ParallelIterator<Item = (A, B)>,
    A: Send,
    B: Send,
    FromA: Default + ParallelExtend<A>,
    FromB: Default + ParallelExtend<B>,
{
    let mut collections = (FromA::default(), FromB::default());
    extend_sides(&mut collections, chain);
    collections
}

fn extend_sides<I, A, B, FromA, FromB>((a, b): &mut (FromA, FromB), chain: I)
where
    I: ParallelIterator<Item = (A, B)>,
    A: Send,
    B: Send,
    FromA: ParallelExtend<A>,
    FromB: ParallelExtend<B>,
{
    let (more_a, more_b) = vectors(chain, |(a, b), (left, right)| {
        a.push(left);
        b.push(right);
    });
    a.extend_by(more_a);
    b.extend_by(more_b);
}

/// Collections of what `side` says is left, and is right.
pub(crate) fn partition_map<I, A, B, F, L, R>(chain: I, side: F) -> (A, B)
where
    I: ParallelIterator,
    F: Fn(I::Item) -> Either<L, R> + Sync,
    A: Default + ParallelExtend<L>,
    B: Default + ParallelExtend<R>,
    L: Send,
    R: Send,
{
    let mut collections = (A::default(), B::default());
    extend_parts(&mut collections, chain, side);
    collections
}

fn extend_parts<I, A, B, F, L, R>((a, b): &mut (A, B), chain: I, side: F)
where
    I: ParallelIterator,
    F: Fn(I::Item) -> Either<L, R> + Sync,
    A: ParallelExtend<L>,
    B: ParallelExtend<R>,
    L: Send,
    R: Send,
{
    let (more_a, more_b) = vectors(chain, |(a, b), x| match side(x) {
        Either::Left(x) => a.push(x),
        Either::Right(x) => b.push(x),
    });
    a.extend_by(more_a);
    b.extend_by(more_b);
}

impl<A, B, FromA, FromB> ParallelExtend<(A, B)> for (FromA, FromB)
where
    A: Send,
    B: Send,
    FromA: Send + ParallelExtend<A>,
    FromB: Send + ParallelExtend<B>,
{
    fn par_extend<I: IntoParallelIterator<Item = (A, B)>>(&mut self, chain: I) {
        extend_sides(self, chain.into_par_iter());
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
        let (a, b) = vectors(chain.into_par_iter(), |(a, b), (left, right)| {
            a.push(left);
            b.push(right);
        });
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
        extend_parts(self, chain.into_par_iter(), |x| x);
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
        let (a, b) = vectors(chain.into_par_iter(), |(a, b), x| match x {
            Either::Left(x) => a.push(x),
            Either::Right(x) => b.push(x),
        });
        (A::from_par_iter(a), B::from_par_iter(b))
    }
}
