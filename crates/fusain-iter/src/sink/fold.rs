//! Elements folded part by part, the results in the order of the parts.
//!
//! Idea: a state folds its part from the front. The results, one for each part, come back in the order of the parts. With `deterministic`, each unit is
//! folded on its own and has a fixed length.

use std::iter::Chain;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::{option, vec};

use super::places::{Places, ROOT};
use crate::drive::{Sink, drive};
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
pub(crate) struct Parts<P> {
    whole: Vec<P>,
    last: Option<P>,
}

impl<P> Default for Parts<P> {
    #[inline(always)]
    fn default() -> Self {
        Parts { whole: Vec::new(), last: None }
    }
}

impl<P> From<Option<P>> for Parts<P> {
    #[inline(always)]
    fn from(last: Option<P>) -> Self {
        Parts { whole: Vec::new(), last }
    }
}

impl<P> FromIterator<P> for Parts<P> {
    fn from_iter<I: IntoIterator<Item = P>>(parts: I) -> Self {
        Parts { whole: parts.into_iter().collect(), last: None }
    }
}

impl<P> Parts<P> {
    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &P> {
        self.whole.iter().chain(&self.last)
    }
}

impl<P> IntoIterator for Parts<P> {
    type Item = P;
    type IntoIter = Chain<vec::IntoIter<P>, option::IntoIter<P>>;

    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.whole.into_iter().chain(self.last)
    }
}

impl<K, P> Fold<K, P> {
    #[inline(always)]
    fn new(settings: &Settings<'_>, kernel: K) -> Self {
        Fold { kernel, apart: settings.block().is_some(), places: Places::new() }
    }
}

/// The place of a part, and what its units have been folded to unless they stay apart. It is small, as it travels from core to core.
struct Found<P> {
    place: usize,
    part: Option<P>,
}

impl<P> Found<P> {
    /// What a chain begins with.
    #[inline(always)]
    fn first() -> Self {
        Found { place: ROOT, part: None }
    }
}

impl<S: Source, K: Kernel<S>> Sink<S> for Fold<K, K::Part> {
    type Found = Found<K::Part>;

    const WAITS: bool = true;

    #[inline(always)]
    fn unit(&self, found: &mut Self::Found, source: &mut S, grain: usize) -> ControlFlow<()> {
        let part = self.kernel.unit(found.part.take(), source, grain);
        if self.apart {
            self.places.look_at(found.place, |parts| parts.whole.push(part));
        } else {
            found.part = Some(part);
        }
        ControlFlow::Continue(())
    }

    fn split(&self, found: &mut Self::Found, _rest: &S) -> Self::Found {
        Found { place: self.places.insert_behind(found.place, Parts::default()), part: None }
    }

    fn finish(&self, found: Self::Found) {
        if let Some(part) = found.part {
            self.places.set(found.place, Some(part).into());
        }
    }
}

/// Runs `kernel` over `source`; the results of its parts in their order, none where there is no element.
#[inline(always)]
pub(crate) fn run<S: Source, K: Kernel<S>>(settings: &Settings<'_>, source: S, kernel: K) -> Parts<K::Part> {
    let fold = Fold::new(settings, kernel);
    match drive(settings, source, &fold, Found::first()) {
        Some(alone) if !fold.apart => alone.part.into(),
        _ => fold.places.in_order().flatten().collect(),
    }
}

/// Like [`run`], with the results combined by `op`, if there are any.
#[inline(always)]
pub(crate) fn reduce<S: Source, K: Kernel<S>>(
    settings: &Settings<'_>,
    source: S,
    kernel: K,
    op: impl Fn(K::Part, K::Part) -> K::Part,
) -> Option<K::Part> {
    let fold = Fold::new(settings, kernel);
    match drive(settings, source, &fold, Found::first()) {
        // By itself, so that it is not moved once more.
        Some(alone) if !fold.apart => alone.part,
        _ => fold.places.in_order().flatten().reduce(op),
    }
}

/// Folds elements into what `begin` gives.
pub(crate) struct Steps<B, F, A> {
    begin: B,
    step: F,
    part: PhantomData<fn() -> A>,
}

impl<B, F, A> Steps<B, F, A> {
    pub(crate) fn new<X>(begin: B, step: F) -> Self
    where
        B: Fn() -> A,
        F: Fn(A, X) -> A,
    {
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
