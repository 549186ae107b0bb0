//! Elements folded part by part, the results in the order of the parts.
//!
//! Idea: a state folds its part from the front. The results, one for each part, come back in the order of the parts. With `deterministic`, each unit is
//! folded on its own and has a fixed length.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::places::{Places, ROOT};
use crate::drive::{Sink, drive};
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::source::Source;

/// What is done with a unit.
pub(crate) trait Kernel<S: Source>: Sync {
    /// What a part becomes.
    type Part: Send;

    /// Adds up to `grain` elements to a part, or begins one; marked `#[inline(always)]`.
    fn unit(&self, part: Option<Self::Part>, source: &mut S, grain: usize) -> Self::Part;
}

struct Fold<K, P> {
    kernel: K,
    /// Whether each unit is a part of its own.
    apart: bool,
    places: Places<Parts<P>>,
}

/// Parts in a row, the last one still growing unless units stay apart.
struct Parts<P> {
    whole: Vec<P>,
    last: Option<P>,
}

impl<P> Parts<P> {
    fn new() -> Self {
        Parts { whole: Vec::new(), last: None }
    }
}

struct Found<P> {
    place: usize,
    parts: Parts<P>,
}

impl<S: Source, K: Kernel<S>> Sink<S> for Fold<K, K::Part> {
    type Found = Found<K::Part>;

    #[inline(always)]
    fn unit(&self, found: &mut Self::Found, source: &mut S, grain: usize) -> ControlFlow<()> {
        let parts = &mut found.parts;
        let part = self.kernel.unit(parts.last.take(), source, grain);
        if self.apart {
            parts.whole.push(part);
        } else {
            parts.last = Some(part);
        }
        ControlFlow::Continue(())
    }

    fn split(&self, found: &mut Self::Found, _rest: &S) -> Self::Found {
        Found { place: self.places.insert_behind(found.place, Parts::new()), parts: Parts::new() }
    }

    fn finish(&self, found: Self::Found) {
        self.places.set(found.place, found.parts);
    }
}

/// Runs `kernel` over `source`; the results of its parts in their order, none where there is no element.
#[inline]
pub(crate) fn run<S: Source, K: Kernel<S>>(
    settings: &Settings<'_>,
    source: S,
    kernel: K,
) -> impl Iterator<Item = K::Part> + use<S, K> {
    let fold = Fold { kernel, apart: settings.block().is_some(), places: Places::new(Parts::new()) };
    drive(settings, source, &fold, Found { place: ROOT, parts: Parts::new() });
    fold.places.in_order().flat_map(|parts| parts.whole.into_iter().chain(parts.last))
}

/// Folds elements into what `begin` gives.
pub(crate) struct Steps<B, F, A> {
    begin: B,
    step: F,
    part: PhantomData<fn() -> A>,
}

impl<B, F, A> Steps<B, F, A> {
    pub(crate) fn new(begin: B, step: F) -> Self {
        Steps { begin, step, part: PhantomData }
    }
}

impl<S, B, F, A> Kernel<S> for Steps<B, F, A>
where
    S: Source,
    B: Fn() -> A + Sync,
    F: Fn(A, S::Item) -> A + Sync,
    A: Send,
{
    type Part = A;

    #[inline(always)]
    fn unit(&self, part: Option<A>, source: &mut S, grain: usize) -> A {
        source.fold(grain, part.unwrap_or_else(&self.begin), &self.step)
    }
}

/// Folds the parts of `chain`.
#[inline]
pub(crate) fn fold<I, A, B, F>(mut chain: I, begin: B, step: F) -> impl Iterator<Item = A>
where
    I: ParallelIterator,
    B: Fn() -> A + Sync,
    F: Fn(A, I::Item) -> A + Sync,
    A: Send,
{
    let mut settings = Settings::default();
    let source = chain.source(&mut settings);
    let parts: Vec<A> = run(&settings, source, Steps::new(begin, step)).collect();
    parts.into_iter()
}
