//! A fold of a function that may fail. A failure ends the whole chain: each worker stops, at the latest after its unit.

use std::ops::ControlFlow;

use super::fold::Parts;
use super::places::{Places, ROOT};
use crate::drive::{Sink, drive};
use crate::flag::Flag;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::source::Source;

/// What a part comes to: what it has folded to, or what broke it off. `None` where it had no element.
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

    #[inline(always)]
    fn unit(&self, found: &mut Self::Found, source: &mut S, grain: usize) -> ControlFlow<()> {
        let mut part = found.part.take().or_else(|| Some(ControlFlow::Continue((self.begin)())));
        let flow = source.run(grain, |x| {
            if let Some(ControlFlow::Continue(acc)) = part.take() {
                part = Some((self.step)(acc, x));
            }
            match part {
                Some(ControlFlow::Break(_)) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        found.part = part;
        flow
    }

    fn split(&self, found: &mut Self::Found, _rest: &S) -> Self::Found {
        Found { place: self.places.insert_behind(found.place, None), part: None }
    }

    fn finish(&self, found: Self::Found) {
        if let Some(ControlFlow::Break(_)) = found.part {
            // A hint; what broke off lies behind a lock.
            self.over.raise();
        }
        self.places.set(found.place, found.part);
    }

    #[inline(always)]
    fn is_over(&self, _found: &Self::Found) -> bool {
        self.over.is_up()
    }
}

/// Folds the parts of `chain` until one breaks off: the parts in their order, or what the first of those has that broke off.
#[inline(always)]
pub(crate) fn try_fold<I, A, B, N, F>(mut chain: I, begin: N, step: F) -> ControlFlow<B, Parts<A>>
where
    I: ParallelIterator,
    N: Fn() -> A + Sync,
    F: Fn(A, I::Item) -> ControlFlow<B, A> + Sync,
    A: Send,
    B: Send,
{
    let over = Flag::default();
    let mut settings = Settings { over: Some(&over), ..Settings::default() };
    let source = chain.source(&mut settings);
    let fold = TryFold { begin, step, places: Places::new(), over: &over };
    if let Some(alone) = drive(&settings, source, &fold, Found { place: ROOT, part: None }) {
        return match alone.part {
            Some(ControlFlow::Break(residual)) => ControlFlow::Break(residual),
            Some(ControlFlow::Continue(part)) => ControlFlow::Continue(Some(part).into()),
            None => ControlFlow::Continue(Parts::default()),
        };
    }
    let mut parts = Vec::new();
    let mut broken = None;
    // All are looked at: a part in front of one that broke off may have been left undone, but not the other way round.
    for part in fold.places.in_order().flatten() {
        match part {
            ControlFlow::Continue(part) => parts.push(part),
            ControlFlow::Break(residual) => broken = broken.or(Some(residual)),
        }
    }
    broken.map_or_else(|| ControlFlow::Continue(parts.into_iter().collect()), ControlFlow::Break)
}
