//! `flat_map`, `flatten` and their `_iter` forms: the elements of several chains or iterators as one chain.

use std::ops::ControlFlow;

use fusain_algorithms::Par;
use fusain_algorithms::internals::{self, Plan, Team, Watch};

use super::debug_without_closures;
use crate::collect::IntoParallelIterator;
use crate::flag::Flag;
use crate::parallel::ParallelIterator;
use crate::push;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::sink::vector;
use crate::source::Source;

/// The elements of the chains that a function returns for each element.
///
/// An inner chain is shared in a call of its own if that seems to gain and it has at most 2^20 elements. Its elements are then collected, and passed on. Other inner
/// chains cost little more than with [`FlatMapIter`].
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = (1..4).into_par_iter().flat_map(|n| 0..n).collect();
/// assert_eq!(v, [0, 0, 1, 0, 1, 2]);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct FlatMap<I, F> {
    base: I,
    f: F,
}

debug_without_closures!(FlatMap < I, F > { base });

impl<I, F> FlatMap<I, F> {
    pub(crate) fn new(base: I, f: F) -> Self {
        FlatMap { base, f }
    }
}

impl<I, F, P> ParallelIterator for FlatMap<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> P + Sync + Send,
    P: IntoParallelIterator,
{
    type Item = P::Item;
    type Source<'s>
        = FlatMapSource<'s, I::Source<'s>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let inner = Inner::of(settings);
        FlatMapSource { base: self.base.source(settings), f: &self.f, inner }
    }
}

/// The source of a [`FlatMap`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FlatMapSource<'s, S, F> {
    base: S,
    f: &'s F,
    inner: Inner<'s>,
}

impl<S, F, P> Source for FlatMapSource<'_, S, F>
where
    S: Source,
    F: Fn(S::Item) -> P + Sync,
    P: IntoParallelIterator,
{
    type Item = P::Item;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(P::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let (f, inner, mut refused) = (self.f, &self.inner, Refused::default());
        self.base.run(grain, |x| inner.feed(f(x), &mut refused, &mut each))
    }

    fn split(&mut self) -> Option<Self> {
        Some(FlatMapSource { base: self.base.split()?, ..*self })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(FlatMapSource { base: self.base.split_at(n)?, ..*self })
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, P::Item) -> A) -> A {
        let (f, inner, mut refused) = (self.f, &self.inner, Refused::default());
        self.base.fold(grain, acc, |acc, x| inner.fold(f(x), &mut refused, acc, &mut step))
    }
}

/// At most so many elements of a shared inner chain are collected. A longer chain is not shared.
const KEPT_MAX: usize = 1 << 20;

/// So many elements of an inner chain are run without a look whether the whole is over.
const LOOK: usize = 1 << 12;

/// How inner chains are run.
#[derive(Clone, Copy, Debug)]
struct Inner<'s> {
    policy: Par<'s>,
    over: Option<&'s Flag>,
}

impl<'s> Inner<'s> {
    fn of(settings: &Settings<'s>) -> Self {
        Inner { policy: settings.policy, over: settings.over }
    }

    fn settings(&self) -> Settings<'s> {
        Settings { policy: self.policy, over: self.over, ..Settings::default() }
    }

    /// Gives the elements of `inner` to `each`.
    #[inline(always)]
    fn feed<P, E>(&self, inner: P, refused: &mut Refused, mut each: E) -> ControlFlow<()>
    where
        P: IntoParallelIterator,
        E: FnMut(P::Item) -> ControlFlow<()>,
    {
        let mut chain = inner.into_par_iter();
        let mut settings = self.settings();
        let mut source = chain.source(&mut settings);
        let left = source.left();
        let watch = match self.plan::<P::Iter, E>(left, refused) {
            Plan::Sequential(watch) => watch.start(),
            Plan::Parallel(team) => {
                return shared(team, settings, source, ControlFlow::Continue(()), |flow, x| {
                    if flow.is_continue() { each(x) } else { flow }
                });
            }
        };
        let mut flow = ControlFlow::Continue(());
        while flow.is_continue() && source.left() > 0 {
            flow = source.run(self.unit_of(&source), &mut each);
            if self.is_over() {
                flow = ControlFlow::Break(());
            }
        }
        watch.stop(|| left - source.left().min(left));
        flow
    }

    /// Folds the elements of `inner` into `acc`.
    #[inline(always)]
    fn fold<P, A, E>(&self, inner: P, refused: &mut Refused, mut acc: A, mut step: E) -> A
    where
        P: IntoParallelIterator,
        E: FnMut(A, P::Item) -> A,
    {
        let mut chain = inner.into_par_iter();
        let mut settings = self.settings();
        let mut source = chain.source(&mut settings);
        let left = source.left();
        let watch = match self.plan::<P::Iter, E>(left, refused) {
            Plan::Sequential(watch) => watch.start(),
            Plan::Parallel(team) => return shared(team, settings, source, acc, step),
        };
        while source.left() > 0 && !self.is_over() {
            acc = source.fold(self.unit_of(&source), acc, &mut step);
        }
        watch.stop(|| left - source.left().min(left));
        acc
    }

    /// How to run an inner chain of type `P` with `left` elements, which go to an `E`.
    #[inline(always)]
    fn plan<P, E>(&self, left: usize, refused: &mut Refused) -> Plan<'s> {
        if left <= refused.0 || left > KEPT_MAX {
            return Plan::Sequential(Watch::off());
        }
        self.ask::<P, E>(left, refused)
    }

    #[cold]
    #[inline(never)]
    fn ask<P, E>(&self, left: usize, refused: &mut Refused) -> Plan<'s> {
        let plan = internals::plan::<(P, E, Self)>(&self.policy, left);
        if let Plan::Sequential(_) = plan {
            refused.0 = left;
        }
        plan
    }

    #[inline(always)]
    fn unit_of(&self, source: &impl Source) -> usize {
        if self.over.is_some() { source.left().min(LOOK) } else { source.left() }
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.over.is_some_and(Flag::is_up)
    }
}

/// Folds the elements of an inner chain into `acc`, shared by `team`. That times the call until it is dropped: to pass the elements on is a part of it, as it is where nothing is shared.
#[cold]
#[inline(never)]
fn shared<S: Source<Item: Send>, A>(
    team: Team<'_>,
    settings: Settings<'_>,
    source: S,
    acc: A,
    step: impl FnMut(A, S::Item) -> A,
) -> A {
    vector::shared(&team, &settings, source).into_iter().flatten().fold(acc, step)
}

/// The longest inner chain of a unit that was not worth sharing. No other is asked about unless it is longer: there can be many, of an element or two.
struct Refused(usize);

impl Default for Refused {
    fn default() -> Self {
        // A single element is nothing to share.
        Refused(1)
    }
}

/// The elements of the sequential iterators that a function returns for each element.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<char> = ["ab", "c"].par_iter().flat_map_iter(|s| s.chars()).collect();
/// assert_eq!(v, ['a', 'b', 'c']);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct FlatMapIter<I, F> {
    base: I,
    f: F,
}

debug_without_closures!(FlatMapIter < I, F > { base });

impl<I, F> FlatMapIter<I, F> {
    pub(crate) fn new(base: I, f: F) -> Self {
        FlatMapIter { base, f }
    }
}

impl<I, F, J> ParallelIterator for FlatMapIter<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> J + Sync + Send,
    J: IntoIterator<Item: Send>,
{
    type Item = J::Item;
    type Source<'s>
        = FlatMapIterSource<'s, I::Source<'s>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        FlatMapIterSource { base: self.base.source(settings), f: &self.f }
    }
}

/// The source of a [`FlatMapIter`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FlatMapIterSource<'s, S, F> {
    base: S,
    f: &'s F,
}

impl<S, F, J> Source for FlatMapIterSource<'_, S, F>
where
    S: Source,
    F: Fn(S::Item) -> J + Sync,
    J: IntoIterator,
{
    type Item = J::Item;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(J::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let f = self.f;
        self.base.run(grain, |x| f(x).into_iter().try_for_each(&mut each))
    }

    fn split(&mut self) -> Option<Self> {
        Some(FlatMapIterSource { base: self.base.split()?, f: self.f })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(FlatMapIterSource { base: self.base.split_at(n)?, f: self.f })
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, J::Item) -> A) -> A {
        let f = self.f;
        self.base.fold(grain, acc, |acc, x| f(x).into_iter().fold(acc, &mut step))
    }

    #[inline(always)]
    fn append(&mut self, grain: usize, vector: &mut Vec<J::Item>, _: Seal) {
        let f = self.f;
        self.base.fold(grain, (), |(), x| push::extend(vector, f(x)));
    }
}

/// The elements of chains that are elements themselves. Like [`FlatMap`] otherwise.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = vec![vec![1], vec![2, 3]].into_par_iter().flatten().collect();
/// assert_eq!(v, [1, 2, 3]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Flatten<I>(I);

impl<I> Flatten<I> {
    pub(crate) fn new(base: I) -> Self {
        Flatten(base)
    }
}

impl<I: ParallelIterator<Item: IntoParallelIterator>> ParallelIterator for Flatten<I> {
    type Item = <I::Item as IntoParallelIterator>::Item;
    type Source<'s>
        = FlattenSource<'s, I::Source<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let inner = Inner::of(settings);
        FlattenSource { base: self.0.source(settings), inner }
    }
}

/// The source of a [`Flatten`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FlattenSource<'s, S> {
    base: S,
    inner: Inner<'s>,
}

impl<S: Source<Item: IntoParallelIterator>> Source for FlattenSource<'_, S> {
    type Item = <S::Item as IntoParallelIterator>::Item;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(Self::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let (settings, mut refused) = (&self.inner, Refused::default());
        self.base.run(grain, |inner| settings.feed(inner, &mut refused, &mut each))
    }

    fn split(&mut self) -> Option<Self> {
        Some(FlattenSource { base: self.base.split()?, ..*self })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(FlattenSource { base: self.base.split_at(n)?, ..*self })
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, Self::Item) -> A) -> A {
        let (settings, mut refused) = (&self.inner, Refused::default());
        self.base.fold(grain, acc, |acc, inner| settings.fold(inner, &mut refused, acc, &mut step))
    }
}

/// The elements of sequential iterators that are elements themselves. Like [`FlatMapIter`] otherwise.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = vec![vec![1], vec![2, 3]].into_par_iter().flatten_iter().collect();
/// assert_eq!(v, [1, 2, 3]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct FlattenIter<I>(I);

impl<I> FlattenIter<I> {
    pub(crate) fn new(base: I) -> Self {
        FlattenIter(base)
    }
}

impl<I: ParallelIterator<Item: IntoIterator<Item: Send>>> ParallelIterator for FlattenIter<I> {
    type Item = <I::Item as IntoIterator>::Item;
    type Source<'s>
        = FlattenIterSource<I::Source<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        FlattenIterSource(self.0.source(settings))
    }
}

/// The source of a [`FlattenIter`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FlattenIterSource<S>(S);

impl<S: Source<Item: IntoIterator>> Source for FlattenIterSource<S> {
    type Item = <S::Item as IntoIterator>::Item;

    #[inline(always)]
    fn left(&self) -> usize {
        self.0.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(Self::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        self.0.run(grain, |inner| inner.into_iter().try_for_each(&mut each))
    }

    fn split(&mut self) -> Option<Self> {
        self.0.split().map(FlattenIterSource)
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        self.0.split_at(n).map(FlattenIterSource)
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, Self::Item) -> A) -> A {
        self.0.fold(grain, acc, |acc, inner| inner.into_iter().fold(acc, &mut step))
    }

    #[inline(always)]
    fn append(&mut self, grain: usize, vector: &mut Vec<Self::Item>, _: Seal) {
        self.0.fold(grain, (), |(), inner| push::extend(vector, inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_chain_ends_when_all_is_over() {
        let over = Flag::default();
        let mut seen = 0;
        let inner = Inner { policy: fusain_algorithms::par(), over: Some(&over) };
        let flow = inner.feed(0..u64::MAX, &mut Refused::default(), |_| {
            seen += 1;
            if seen == 10 {
                over.raise();
            }
            ControlFlow::Continue(())
        });
        assert!(flow.is_break());
        assert_eq!(seen, LOOK);
    }
}
