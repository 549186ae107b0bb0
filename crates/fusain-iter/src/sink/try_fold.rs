//! A fold of a function that may fail. A failure ends the whole chain: each worker stops, at the latest after its unit.

use std::ops::ControlFlow;

use super::fold::Parts;
use super::places::{Places, ROOT};
use crate::drive::{Sink, drive};
use crate::flag::Flag;
use crate::outcome::{Try, try_combine, unbroken};
use crate::settings::Settings;
use crate::source::Source;

/// The result of a part: what it has folded to, or what ended it. `None` if it has had no element.
type Part<A, B> = Option<ControlFlow<B, A>>;

struct TryFold<'c, N, F, A, B> {
    begin: N,
    step: F,
    places: Places<Part<A, B>>,
    over: &'c Flag,
}

struct Found<A, B> {
    place: usize,
    part: Part<A, B>,
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
        let mut acc = match found.part.take() {
            None => Some((self.begin)()),
            Some(ControlFlow::Continue(acc)) => Some(acc),
            broken => {
                found.part = broken;
                return ControlFlow::Break(());
            }
        };
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
        found.part = match broken {
            Some(residual) => {
                // Other workers must learn of it as soon as possible. The flag is only a hint; the residual goes behind a lock later.
                self.over.raise();
                Some(ControlFlow::Break(residual))
            }
            None => acc.map(ControlFlow::Continue),
        };
        flow
    }

    fn split(&self, found: &mut Self::Found, _rest: &S) -> Self::Found {
        Found { place: self.places.insert_behind(found.place, None), part: None }
    }

    fn rejoin(&self, found: &mut Self::Found, rest: Self::Found) -> Option<Self::Found> {
        let has_broken = matches!(found.part, Some(ControlFlow::Break(_)));
        (has_broken || !self.places.absorb(found.place, rest.place)).then_some(rest)
    }

    fn finish(&self, found: Self::Found) {
        self.places.set(found.place, found.part);
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
    let fold = TryFold { begin, step, places: Places::new(), over };
    if let Some(alone) = drive(settings, source, &fold, Found { place: ROOT, part: None }) {
        return match alone.part {
            Some(ControlFlow::Break(residual)) => ControlFlow::Break(residual),
            Some(ControlFlow::Continue(part)) => ControlFlow::Continue(Some(part).into()),
            None => ControlFlow::Continue(Parts::default()),
        };
    }
    let mut parts = Vec::new();
    let mut broken = None;
    // All parts are looked at: a part in front of a failed one may have been left undone, but not the other way round.
    for part in fold.places.in_order().flatten() {
        match part {
            ControlFlow::Continue(part) => parts.push(part),
            ControlFlow::Break(residual) => broken = broken.or(Some(residual)),
        }
    }
    broken.map_or_else(|| ControlFlow::Continue(parts.into_iter().collect()), ControlFlow::Break)
}

/// Combines the values of the elements by `op` until it or an element fails. Each part starts from `identity()`.
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
