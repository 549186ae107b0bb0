//! Vectors: filled in place if the length is known, otherwise joined from the vectors of the parts.

use fusain_algorithms::internals::Team;

use super::fold::{self, Gather, Kernel, Parts, reduce, run};
use super::slots;
use crate::push::push;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;

/// Appends elements to vectors, one for each part.
struct Append;

impl<S: Source<Item: Send>> Kernel<S> for Append {
    type Part = Vec<S::Item>;

    #[inline(always)]
    fn unit(&self, part: Option<Vec<S::Item>>, source: &mut S, grain: usize) -> Vec<S::Item> {
        let mut part = part.unwrap_or_default();
        source.append(grain, &mut part, Seal);
        part
    }
}

/// The elements of `source`, in a vector for each part.
#[inline(always)]
pub(crate) fn parts<S: Source<Item: Send>>(settings: &Settings<'_>, source: S) -> Parts<Vec<S::Item>> {
    run(settings, source, Append)
}

/// As [`parts`], shared by `team`.
pub(crate) fn shared<S: Source<Item: Send>>(
    team: &Team<'_>,
    settings: &Settings<'_>,
    source: S,
) -> Parts<Vec<S::Item>> {
    fold::shared(team, settings, source, Append)
}

/// The elements of `source`.
#[inline(always)]
pub(crate) fn collect<S: Source<Item: Send>>(settings: &Settings<'_>, source: S) -> Vec<S::Item> {
    let len = if const { S::EXACT.is_at_most() } { None } else { source.exact(Seal) };
    let mut vector = Vec::with_capacity(len.unwrap_or(0));
    append(settings, source, &mut vector);
    vector
}

/// Appends the first and the second members of pairs to `left` and to `right`.
#[inline(always)]
pub(crate) fn append_both<S, A, B>(settings: &Settings<'_>, source: S, left: &mut Vec<A>, right: &mut Vec<B>)
where
    S: Source<Item = (A, B)>,
    A: Send,
    B: Send,
{
    if const { !S::EXACT.is_never() && !S::EXACT.is_at_most() }
        && let Some(len) = source.exact(Seal)
    {
        return slots::append_both(settings, source, len, left, right);
    }
    let (more_left, more_right) = divided(settings, source, |(a, b), (left, right)| {
        push(a, left);
        push(b, right);
    });
    join(left, more_left);
    join(right, more_right);
}

/// Two vectors of the elements of `source`. `put` puts each element into one of them, or something into both.
#[inline(always)]
pub(crate) fn divided<S, A, B>(
    settings: &Settings<'_>,
    source: S,
    put: impl Fn(&mut (Vec<A>, Vec<B>), S::Item) + Sync,
) -> (Vec<A>, Vec<B>)
where
    S: Source,
    A: Send,
    B: Send,
{
    let join = |(mut a, mut b): (Vec<A>, Vec<B>), (more_a, more_b)| {
        join(&mut a, more_a);
        join(&mut b, more_b);
        (a, b)
    };
    reduce(settings, source, Gather::new(put), join).unwrap_or_default()
}

/// Appends the elements of `source` to `vector`.
#[inline(always)]
pub(crate) fn append<S: Source<Item: Send>>(settings: &Settings<'_>, source: S, vector: &mut Vec<S::Item>) {
    if const { S::EXACT.is_always() } {
        return slots::append(settings, source, vector);
    }
    if const { !S::EXACT.is_never() }
        && let Some(len) = source.exact(Seal)
        && (const { !S::EXACT.is_at_most() } || vector.try_reserve(len).is_ok())
    {
        return slots::append(settings, source, vector);
    }
    debug_assert!(source.exact(Seal).is_none() || S::EXACT.is_at_most(), "a source that can tell says so in `EXACT`");
    let parts = parts(settings, source);
    let mut more = parts.iter().map(Vec::len).sum::<usize>();
    for part in parts {
        more -= part.len();
        join(vector, part);
        vector.reserve_exact(more);
    }
}

/// Appends `part` to `vector`.
#[inline]
pub(crate) fn join<T>(vector: &mut Vec<T>, mut part: Vec<T>) {
    if vector.is_empty() && vector.capacity() < part.len() {
        // The memory of `part` serves for all.
        *vector = part;
    } else {
        vector.append(&mut part);
    }
}
