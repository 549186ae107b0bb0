//! A fold of a function that may fail. A failure ends the whole chain: each worker stops, at the latest after its unit.
//!
//! With `deterministic`, each unit is folded on its own, as in a [`fold`](super::fold).

use std::ops::ControlFlow;

use super::fold::Parts;
use super::places::{Places, ROOT};
use crate::drive::{Sink, drive};
use crate::flag::Flag;
use crate::outcome::{Try, try_combine, unbroken};
use crate::settings::Settings;
use crate::source::Source;

/// What a part has folded to, and what ended it, if something has.
type Part<A, B> = (Parts<A>, Option<B>);

struct TryFold<'c, N, F, A, B> {
    begin: N,
    step: F,
    /// Whether each unit has a result of its own.
    apart: bool,
    places: Places<Part<A, B>>,
    over: &'c Flag,
}

struct Found<A, B> {
    place: usize,
    parts: Parts<A>,
    broken: Option<B>,
}

impl<S, N, F, A, B> Sink<S> for TryFold<'_, N, F, A, B>
where
    S: Source,
    N: Fn() -> A + Sync,
    F: Fn(A, S::Item) -> ControlFlow<B, A> + Sync,
    A: Send,
    B: Send,
{
    type Found = Found<A, B>;

    const WAITS: bool = true;

    #[inline(always)]
    fn unit(&self, found: &mut Self::Found, source: &mut S, grain: usize) -> ControlFlow<()> {
        if found.broken.is_some() {
            return ControlFlow::Break(());
        }
        let mut acc = Some(found.parts.take_growing().unwrap_or_else(&self.begin));
        let mut broken = None;
        // There is always an accumulator, unless a step has panicked.
        let flow = source.run(grain, |x| match acc.take().map(|acc| (self.step)(acc, x)) {
            Some(ControlFlow::Break(residual)) => {
                broken = Some(residual);
                ControlFlow::Break(())
            }
            Some(ControlFlow::Continue(next)) => {
                acc = Some(next);
                ControlFlow::Continue(())
            }
            None => ControlFlow::Continue(()),
        });
        if let Some(residual) = broken {
            // Other workers must learn of it as soon as possible. The flag is only a hint; the residual goes behind a lock later.
            self.over.raise();
            found.broken = Some(residual);
        } else if let Some(acc) = acc {
            found.parts.add(acc, self.apart);
        }
        flow
    }

    fn split(&self, found: &mut Self::Found, _rest: &S) -> Self::Found {
        let place = self.places.insert_behind(found.place, Part::default());
        Found { place, parts: Parts::default(), broken: None }
    }

    fn rejoin(&self, found: &mut Self::Found, rest: Self::Found) -> Option<Self::Found> {
        (found.broken.is_some() || !self.places.absorb(found.place, rest.place)).then_some(rest)
    }

    fn finish(&self, found: Self::Found) {
        self.places.set(found.place, (found.parts, found.broken));
    }

    #[inline(always)]
    fn is_over(&self, _found: &Self::Found) -> bool {
        self.over.is_up()
    }
}

/// Folds the parts of `source` until one fails, which raises `over`. Returns the results of the parts in their order, or what the first part that failed has ended with.
#[inline(always)]
fn try_fold<S, A, B, N, F>(
    settings: &Settings<'_>,
    source: S,
    over: &Flag,
    begin: N,
    step: F,
) -> ControlFlow<B, Parts<A>>
where
    S: Source,
    N: Fn() -> A + Sync,
    F: Fn(A, S::Item) -> ControlFlow<B, A> + Sync,
    A: Send,
    B: Send,
{
    let fold = TryFold { begin, step, apart: settings.block().is_some(), places: Places::new(), over };
    let first = Found { place: ROOT, parts: Parts::default(), broken: None };
    if let Some(alone) = drive(settings, source, &fold, first) {
        return alone.broken.map_or(ControlFlow::Continue(alone.parts), ControlFlow::Break);
    }
    let mut parts = Vec::new();
    let mut broken = None;
    // All parts are looked at: a part in front of a failed one may have been left undone, but not the other way round.
    for (of_part, residual) in fold.places.in_order() {
        parts.extend(of_part);
        broken = broken.or(residual);
    }
    broken.map_or_else(|| ControlFlow::Continue(parts.into_iter().collect()), ControlFlow::Break)
}

/// Combines the values of the elements by `op` until it or an element fails. Each part, or block, starts from `identity()`.
#[inline(always)]
pub(crate) fn reduce<S, T, N, F>(settings: &Settings<'_>, source: S, over: &Flag, identity: N, op: F) -> S::Item
where
    S: Source<Item: Try<Output = T> + Send>,
    N: Fn() -> T + Sync,
    F: Fn(T, T) -> S::Item + Sync,
    T: Send,
{
    // A failure is passed on as the element itself, which is `Send`.
    let step = |a: T, x: S::Item| match unbroken(x) {
        ControlFlow::Continue(x) => unbroken(op(a, x)),
        broken => broken,
    };
    match try_fold(settings, source, over, &identity, step) {
        ControlFlow::Break(broken) => broken,
        ControlFlow::Continue(parts) => {
            try_combine(parts.into_iter(), op).unwrap_or_else(|| S::Item::from_output(identity()))
        }
    }
}

/// Like [`reduce`], without an identity; `None` if there are no elements.
#[inline(always)]
pub(crate) fn reduce_with<S, T, F>(settings: &Settings<'_>, source: S, over: &Flag, op: F) -> Option<S::Item>
where
    S: Source<Item: Try<Output = T> + Send>,
    F: Fn(T, T) -> S::Item + Sync,
    T: Send,
{
    let step = |a: Option<T>, x: S::Item| match (a, unbroken(x)) {
        (Some(a), ControlFlow::Continue(x)) => unbroken(op(a, x)).map_continue(Some),
        (_, x) => x.map_continue(Some),
    };
    match try_fold(settings, source, over, || None, step) {
        ControlFlow::Break(broken) => Some(broken),
        ControlFlow::Continue(parts) => try_combine(parts.into_iter().flatten(), op),
    }
}
