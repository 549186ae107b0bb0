//! Folds elements part by part.
//!
//! Idea: a state folds its part from the front. The results, one for each part, come back in the order of the parts. With `deterministic`, each unit is
//! folded on its own and has a fixed length.

use std::iter::Chain;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::{option, vec};

use fusain_algorithms::internals::Team;

use super::places::{Places, ROOT};
use crate::drive::{Sink, drive, drive_shared};
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
    /// Whether each unit has a result of its own.
    apart: bool,
    places: Places<Parts<P>>,
}

/// The results of a part's units. It is small, since it moves from core to core.
pub(crate) enum Parts<P> {
    /// One result, to which more units are added; `None` before the first unit.
    One(Option<P>),
    /// A result for each of several units.
    Many(Vec<P>),
}

impl<P> Default for Parts<P> {
    #[inline(always)]
    fn default() -> Self {
        Parts::One(None)
    }
}

impl<P> From<Option<P>> for Parts<P> {
    #[inline(always)]
    fn from(one: Option<P>) -> Self {
        Parts::One(one)
    }
}

impl<P> FromIterator<P> for Parts<P> {
    fn from_iter<I: IntoIterator<Item = P>>(parts: I) -> Self {
        Parts::Many(parts.into_iter().collect())
    }
}

impl<P> Parts<P> {
    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &P> {
        let (many, one): (&[P], _) = match self {
            Parts::One(one) => (&[], one.as_ref()),
            Parts::Many(many) => (many, None),
        };
        many.iter().chain(one)
    }

    /// Takes out the result to which more units are added.
    #[inline(always)]
    pub(super) fn take_growing(&mut self) -> Option<P> {
        match self {
            Parts::One(one) => one.take(),
            Parts::Many(_) => None,
        }
    }

    /// Adds the result of the next unit: its own if `apart`, otherwise that of all units so far.
    #[inline(always)]
    pub(super) fn add(&mut self, part: P, apart: bool) {
        match self {
            Parts::One(one) if !apart => *one = Some(part),
            Parts::One(_) => *self = Parts::Many(vec![part]),
            Parts::Many(many) => many.push(part),
        }
    }
}

impl<P> IntoIterator for Parts<P> {
    type Item = P;
    type IntoIter = Chain<vec::IntoIter<P>, option::IntoIter<P>>;

    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        let (many, one) = match self {
            Parts::One(one) => (Vec::new(), one),
            Parts::Many(many) => (many, None),
        };
        many.into_iter().chain(one)
    }
}

impl<K, P> Fold<K, P> {
    #[inline(always)]
    fn new(settings: &Settings<'_>, kernel: K) -> Self {
        Fold { kernel, apart: settings.block().is_some(), places: Places::new() }
    }
}

struct Found<P> {
    place: usize,
    parts: Parts<P>,
}

impl<P> Found<P> {
    /// The state that a chain begins with.
    #[inline(always)]
    fn first() -> Self {
        Found { place: ROOT, parts: Parts::default() }
    }
}

impl<S: Source, K: Kernel<S>> Sink<S> for Fold<K, K::Part> {
    type Found = Found<K::Part>;

    const WAITS: bool = true;

    #[inline(always)]
    fn unit(&self, found: &mut Self::Found, source: &mut S, grain: usize) -> ControlFlow<()> {
        let part = self.kernel.unit(found.parts.take_growing(), source, grain);
        found.parts.add(part, self.apart);
        ControlFlow::Continue(())
    }

    fn split(&self, found: &mut Self::Found, _rest: &S) -> Self::Found {
        Found { place: self.places.insert_behind(found.place, Parts::default()), parts: Parts::default() }
    }

    fn rejoin(&self, found: &mut Self::Found, rest: Self::Found) -> Option<Self::Found> {
        // Refused if a part between the two has been split off and given away.
        (!self.places.absorb(found.place, rest.place)).then_some(rest)
    }

    fn finish(&self, found: Self::Found) {
        self.places.set(found.place, found.parts);
    }
}

/// Runs `kernel` over `source`. Returns the results of the parts in their order; none if there are no elements.
#[inline(always)]
pub(crate) fn run<S: Source, K: Kernel<S>>(settings: &Settings<'_>, source: S, kernel: K) -> Parts<K::Part> {
    let fold = Fold::new(settings, kernel);
    match drive(settings, source, &fold, Found::first()) {
        Some(alone) => alone.parts,
        None => fold.places.in_order().flatten().collect(),
    }
}

/// Like [`run`], shared by `team`.
pub(crate) fn shared<S: Source, K: Kernel<S>>(
    team: &Team<'_>,
    settings: &Settings<'_>,
    source: S,
    kernel: K,
) -> Parts<K::Part> {
    let fold = Fold::new(settings, kernel);
    drive_shared(team, settings, source, &fold, Found::first());
    fold.places.in_order().flatten().collect()
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
        // A case of its own, so that the result is not moved once more.
        Some(Found { parts: Parts::One(one), .. }) => one,
        Some(Found { parts: Parts::Many(many), .. }) => many.into_iter().reduce(op),
        None => fold.places.in_order().flatten().reduce(op),
    }
}

/// Folds elements, starting from the result of `begin`.
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

/// Puts elements into collections, one for each part.
pub(crate) struct Gather<C, P> {
    put: P,
    part: PhantomData<fn() -> C>,
}

impl<C, P> Gather<C, P> {
    pub(crate) fn new<X>(put: P) -> Self
    where
        P: Fn(&mut C, X),
    {
        Gather { put, part: PhantomData }
    }
}

impl<S, C, P> Kernel<S> for Gather<C, P>
where
    S: Source,
    C: Default + Send,
    P: Fn(&mut C, S::Item) + Sync,
{
    type Part = C;

    #[inline(always)]
    fn unit(&self, part: Option<C>, source: &mut S, grain: usize) -> C {
        let mut part = part.unwrap_or_default();
        source.fold(grain, (), |(), x| (self.put)(&mut part, x));
        part
    }
}
