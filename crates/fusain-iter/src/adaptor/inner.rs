//! Chains within a chain. An inner chain is run at once by the worker that meets it, or shared by all workers. Shared elements that take long are held, so that they can be split.

use std::fmt;
use std::ops::ControlFlow;

use fusain_algorithms::Par;
use fusain_algorithms::internals::{self, Plan, Watch};

use super::shared::{Held, shared};
use crate::collect::IntoParallelIterator;
use crate::exact::LengthBound;
use crate::flag::Flag;
use crate::parallel::ParallelIterator;
use crate::push;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;

/// The source of a chain of chains: the base, which makes inner chains, and held elements of inner chains.
///
/// The elements of inner chains are given to the sink at once. If they take long, they are held until their turn comes. So they can be split among workers, however few
/// inner chains there are.
pub(super) struct Outer<'s, S, T> {
    /// `None` where another worker has it.
    base: Option<S>,
    held: Held<T>,
    inner: Inner<'s>,
}

impl<S: fmt::Debug, T> fmt::Debug for Outer<'_, S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outer").field("base", &self.base).field("held", &self.held.len()).finish_non_exhaustive()
    }
}

impl<'s, S: Source, T: Send> Outer<'s, S, T> {
    pub(super) fn new<I: ParallelIterator<Source<'s> = S> + 's>(base: &'s mut I, settings: &mut Settings<'s>) -> Self {
        let base = base.source(settings);
        // By now `settings` has the options of the base, too.
        Outer { base: Some(base), held: Held::nothing(), inner: Inner::of(settings) }
    }

    /// A single inner chain counts as two elements, since a single element is never shared.
    #[inline(always)]
    pub(super) fn left(&self) -> usize {
        match (self.base_left(), self.held.len()) {
            (1, 0) => 2,
            (base, held) => base.saturating_add(held),
        }
    }

    /// The number of elements that come out, if the type of the inner chains fixes how many each has.
    pub(super) fn exact<P: IntoParallelIterator>(&self) -> Option<usize> {
        let LengthBound::Exactly(each) = P::LENGTH_BOUND else { return None };
        let base = match &self.base {
            Some(base) => base.exact(Seal)?,
            None => 0,
        };
        base.checked_mul(each)?.checked_add(self.held.len())
    }

    /// Whether the inner chains are known to be so short that none needs to be shared.
    #[inline(always)]
    fn are_few<P: IntoParallelIterator>(&self) -> bool {
        match const { P::LENGTH_BOUND } {
            LengthBound::Unbounded => false,
            LengthBound::AtMostOne => true,
            LengthBound::Exactly(each) => each <= FEW && self.base_left() >= MANY,
        }
    }

    #[inline(always)]
    fn base_left(&self) -> usize {
        self.base.as_ref().map_or(0, S::left)
    }

    #[inline(always)]
    pub(super) fn run<P, E>(&mut self, grain: usize, f: impl Fn(S::Item) -> P, mut each: E) -> ControlFlow<()>
    where
        P: IntoParallelIterator<Item = T>,
        E: FnMut(T) -> ControlFlow<()>,
    {
        if self.held.len() > 0 {
            return self.held.take(grain).try_for_each(each);
        }
        let are_few = self.are_few::<P>();
        let Some(base) = &mut self.base else { return ControlFlow::Continue(()) };
        if are_few {
            return base.run(grain.min(base.left()), |x| {
                f(x).fold_few(CONTINUE, |flow, x| if flow.is_continue() { each(x) } else { flow }, Seal)
            });
        }
        let (inner, held, mut refused) = (&self.inner, &mut self.held, Refused::default());
        base.run(grain.min(base.left()), |x| inner.feed(f(x), &mut refused, held, &mut each))
    }

    #[inline(always)]
    pub(super) fn fold<P, A, E>(&mut self, grain: usize, f: impl Fn(S::Item) -> P, acc: A, mut step: E) -> A
    where
        P: IntoParallelIterator<Item = T>,
        E: FnMut(A, T) -> A,
    {
        if self.held.len() > 0 {
            return self.held.take(grain).fold(acc, step);
        }
        let are_few = self.are_few::<P>();
        let Some(base) = &mut self.base else { return acc };
        if are_few {
            return base.fold(grain.min(base.left()), acc, |acc, x| f(x).fold_few(acc, &mut step, Seal));
        }
        let (inner, held, mut refused) = (&self.inner, &mut self.held, Refused::default());
        base.fold(grain.min(base.left()), acc, |acc, x| inner.fold(f(x), &mut refused, held, acc, &mut step))
    }

    #[inline(always)]
    pub(super) fn append<P>(&mut self, grain: usize, f: impl Fn(S::Item) -> P, vector: &mut Vec<T>)
    where
        P: IntoParallelIterator<Item = T>,
    {
        if self.held.len() > 0 {
            return push::extend(vector, self.held.take(grain));
        }
        let are_few = self.are_few::<P>();
        let Some(base) = &mut self.base else { return };
        if are_few {
            return base
                .fold(grain.min(base.left()), (), |(), x| f(x).fold_few((), |(), x| push::push(vector, x), Seal));
        }
        let (inner, held, mut refused) = (&self.inner, &mut self.held, Refused::default());
        base.fold(grain.min(base.left()), (), |(), x| inner.append(f(x), &mut refused, held, vector));
    }

    pub(super) fn split(&mut self) -> Option<Self> {
        let base = self.base.as_mut().filter(|base| base.left() > 0);
        match (base, self.held.len()) {
            (None, held) => self.split_at(held.div_ceil(2)),
            (Some(base), held) => match base.split() {
                Some(base) => Some(Outer { base: Some(base), held: Held::nothing(), inner: self.inner }),
                None if held > 0 => self.split_at(held),
                None => None,
            },
        }
    }

    pub(super) fn split_at(&mut self, n: usize) -> Option<Self> {
        if n >= self.base_left().saturating_add(self.held.len()) {
            return None;
        }
        // The base is cut even if all of it goes. State that it has begun, such as the value of a `map_init`, must stay on this thread: no other thread could drop it.
        let base = match &mut self.base {
            Some(base) if base.left() > 0 => Some(base.split_at(n.saturating_sub(self.held.len()))?),
            _ => None,
        };
        let elements = self.held.elements.split_off(n.min(self.held.len()));
        let held = Held { elements, unit: self.held.unit };
        Some(Outer { base, held, inner: self.inner })
    }
}

const CONTINUE: ControlFlow<()> = ControlFlow::Continue(());

/// With at least this many inner chains left, no worker runs out of work because another one runs an inner chain of at most [`FEW`] elements. The
/// compiler unrolls loops over arrays that short.
const MANY: usize = 64;
const FEW: usize = 16;

/// The number of elements of an inner chain that are run between two checks whether the whole chain is over.
const LOOK: usize = 1 << 8;

/// How inner chains are run.
#[derive(Clone, Copy, Debug)]
struct Inner<'s> {
    policy: Par<'s>,
    over: Option<&'s Flag>,
    /// Whether elements may be held. That changes where units end, so it is off with fixed blocks.
    holds: bool,
}

impl<'s> Inner<'s> {
    fn of(settings: &Settings<'s>) -> Self {
        Inner { policy: settings.policy, over: settings.over, holds: settings.block().is_none() }
    }

    fn settings(&self) -> Settings<'s> {
        Settings { policy: self.policy, over: self.over, ..Settings::default() }
    }

    /// Gives the held elements, and then those of `inner`, to `each`; or holds those of `inner`.
    #[inline(always)]
    fn feed<P, E>(&self, inner: P, refused: &mut Refused, held: &mut Held<P::Item>, mut each: E) -> ControlFlow<()>
    where
        P: IntoParallelIterator,
        E: FnMut(P::Item) -> ControlFlow<()>,
    {
        let mut chain = inner.into_par_iter();
        let len = chain.opt_len();
        if len.is_some_and(|len| len > refused.0) {
            return self.feed_chain(chain, refused, held, &mut each);
        }
        let mut settings = self.settings();
        let mut source = chain.source(&mut settings);
        if len.is_none() && source.left() > refused.0 {
            return self.feed_source::<P::Iter, _, _>(settings, source, refused, held, &mut each);
        }
        self.run_here(&mut source, &mut each)
    }

    /// Runs `source` to its end, or until the whole chain is over.
    #[inline(always)]
    fn run_here<S: Source>(&self, source: &mut S, mut each: impl FnMut(S::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        while source.left() > 0 {
            source.run(self.unit_of(source), &mut each)?;
            if self.is_over() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// As [`feed`](Self::feed), of an inner chain that may be worth sharing. It takes the chain by value: a chain whose address is never taken need not lie in memory.
    #[cold]
    #[inline(never)]
    fn feed_chain<P: ParallelIterator, E: FnMut(P::Item) -> ControlFlow<()>>(
        &self,
        mut chain: P,
        refused: &mut Refused,
        held: &mut Held<P::Item>,
        each: E,
    ) -> ControlFlow<()> {
        let mut settings = self.settings();
        let source = chain.source(&mut settings);
        self.feed_source::<P, _, _>(settings, source, refused, held, each)
    }

    #[inline(never)]
    fn feed_source<P, S: Source<Item: Send>, E: FnMut(S::Item) -> ControlFlow<()>>(
        &self,
        settings: Settings<'_>,
        mut source: S,
        refused: &mut Refused,
        held: &mut Held<S::Item>,
        mut each: E,
    ) -> ControlFlow<()> {
        if held.len() > 0 {
            held.elements.drain(..).try_for_each(&mut each)?;
        }
        let left = source.left();
        let watch = match self.plan::<P, E>(left, refused) {
            Plan::Sequential(watch) => watch.start(),
            Plan::Parallel(team) => {
                refused.nothing();
                let held = self.holds.then_some(held);
                let step = |flow: ControlFlow<()>, x| if flow.is_continue() { each(x) } else { flow };
                return shared(team, settings, source, held, CONTINUE, step, Some(ControlFlow::is_break));
            }
        };
        let flow = self.run_here(&mut source, each);
        watch.stop(|| left - source.left().min(left));
        flow
    }

    /// Folds the held elements, and then those of `inner`, into `acc`; or holds those of `inner`.
    #[inline(always)]
    fn fold<P, A, E>(&self, inner: P, refused: &mut Refused, held: &mut Held<P::Item>, acc: A, mut step: E) -> A
    where
        P: IntoParallelIterator,
        E: FnMut(A, P::Item) -> A,
    {
        let mut chain = inner.into_par_iter();
        let len = chain.opt_len();
        if len.is_some_and(|len| len > refused.0) {
            return self.fold_chain(chain, refused, held, acc, &mut step);
        }
        let mut settings = self.settings();
        let mut source = chain.source(&mut settings);
        if len.is_none() && source.left() > refused.0 {
            return self.fold_source::<P::Iter, _, _, _>(settings, source, refused, held, acc, &mut step);
        }
        self.fold_here(&mut source, acc, step)
    }

    /// As [`run_here`](Self::run_here), for [`fold`](Self::fold).
    #[inline(always)]
    fn fold_here<S: Source, A>(&self, source: &mut S, mut acc: A, mut step: impl FnMut(A, S::Item) -> A) -> A {
        while source.left() > 0 && !self.is_over() {
            acc = source.fold(self.unit_of(source), acc, &mut step);
        }
        acc
    }

    /// As [`fold`](Self::fold), with `vector` as the accumulator.
    #[inline(always)]
    fn append<P: IntoParallelIterator>(
        &self,
        inner: P,
        refused: &mut Refused,
        held: &mut Held<P::Item>,
        vector: &mut Vec<P::Item>,
    ) {
        let mut chain = inner.into_par_iter();
        let len = chain.opt_len();
        if len.is_some_and(|len| len > refused.0) {
            return self.fold_chain(chain, refused, held, (), |(), x| push::push(vector, x));
        }
        let mut settings = self.settings();
        let mut source = chain.source(&mut settings);
        if len.is_none() && source.left() > refused.0 {
            return self
                .fold_source::<P::Iter, _, _, _>(settings, source, refused, held, (), |(), x| push::push(vector, x));
        }
        while source.left() > 0 && !self.is_over() {
            source.append(self.unit_of(&source), vector, Seal);
        }
    }

    /// As [`feed_chain`](Self::feed_chain), for [`fold`](Self::fold).
    #[cold]
    #[inline(never)]
    fn fold_chain<P: ParallelIterator, A, E: FnMut(A, P::Item) -> A>(
        &self,
        mut chain: P,
        refused: &mut Refused,
        held: &mut Held<P::Item>,
        acc: A,
        step: E,
    ) -> A {
        let mut settings = self.settings();
        let source = chain.source(&mut settings);
        self.fold_source::<P, _, _, _>(settings, source, refused, held, acc, step)
    }

    #[inline(never)]
    fn fold_source<P, S: Source<Item: Send>, A, E: FnMut(A, S::Item) -> A>(
        &self,
        settings: Settings<'_>,
        mut source: S,
        refused: &mut Refused,
        held: &mut Held<S::Item>,
        mut acc: A,
        mut step: E,
    ) -> A {
        if held.len() > 0 {
            acc = held.elements.drain(..).fold(acc, &mut step);
        }
        let left = source.left();
        let watch = match self.plan::<P, E>(left, refused) {
            Plan::Sequential(watch) => watch.start(),
            Plan::Parallel(team) => {
                refused.nothing();
                return shared(team, settings, source, self.holds.then_some(held), acc, step, None);
            }
        };
        let acc = self.fold_here(&mut source, acc, step);
        watch.stop(|| left - source.left().min(left));
        acc
    }

    /// Decides how to run an inner chain of type `P` with `left` elements, which go to a closure of type `E`.
    #[inline(always)]
    fn plan<P, E>(&self, left: usize, refused: &mut Refused) -> Plan<'s> {
        // A chain without an end is not shared: cut into halves again and again, it would have no front to begin with.
        if left <= refused.0 || left == usize::MAX {
            return Plan::Sequential(Watch::off());
        }
        self.ask::<P, E>(left, refused)
    }

    #[cold]
    #[inline(never)]
    fn ask<P, E>(&self, left: usize, refused: &mut Refused) -> Plan<'s> {
        let plan = internals::plan_tiles::<(P, E, Self)>(&self.policy, left);
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

/// The length of the longest inner chain in this unit that was not worth sharing. Only longer ones are considered: there can be many inner chains of an element or two. The others
/// are run at once by the worker that meets them.
struct Refused(usize);

impl Refused {
    /// From now on no inner chain is run without a check of what is held: held elements must be passed on first.
    fn nothing(&mut self) {
        self.0 = 0;
    }
}

impl Default for Refused {
    fn default() -> Self {
        // A single element cannot be shared.
        Refused(1)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::indexed::IndexedParallelIterator;
    use crate::source::own::from_source;

    #[test]
    fn an_inner_chain_ends_when_all_is_over() {
        let over = Flag::default();
        let mut seen = 0;
        let inner = Inner { policy: fusain_algorithms::par(), over: Some(&over), holds: true };
        let flow = inner.feed(0..u64::MAX, &mut Refused::default(), &mut Held::nothing(), |_| {
            seen += 1;
            if seen == 10 {
                over.raise();
            }
            ControlFlow::Continue(())
        });
        assert!(flow.is_break());
        assert_eq!(seen, LOOK);
    }

    /// Gives one element, however many it is asked for.
    struct OneByOne(usize);

    impl Source for OneByOne {
        type Item = usize;

        fn left(&self) -> usize {
            self.0
        }

        fn run(&mut self, grain: usize, mut each: impl FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
            assert!((1..=self.0).contains(&grain), "a grain of {grain} where {} are left", self.0);
            self.0 -= 1;
            each(self.0)
        }

        fn split(&mut self) -> Option<Self> {
            None
        }
    }

    #[test]
    fn inner_chains_that_give_less_than_a_unit_are_run_to_their_end() {
        let chain = || (0..60_usize).into_par_iter().sequential().flat_map(|n| from_source(OneByOne(n % 4)));
        let all: Vec<_> = (0..60).flat_map(|n| (0..n % 4).rev()).collect();
        assert_eq!(chain().collect::<Vec<_>>(), all);
        assert_eq!(chain().sum::<usize>(), all.iter().sum());
        assert_eq!(chain().find_first(|x| *x == 9), None);
    }

    #[test]
    fn elements_of_vectors_and_arrays_are_moved_once() {
        let count = Arc::new(());
        let vectors: Vec<_> =
            (0..9_usize).into_par_iter().sequential().flat_map(|n| vec![count.clone(); 100 * (n % 3)]).collect();
        assert_eq!((vectors.len(), Arc::strong_count(&count)), (900, 901));
        let arrays: Vec<_> =
            [1, 2].into_par_iter().sequential().flat_map(|_| [const { Vec::<u8>::new() }; 3]).collect();
        let pairs: Vec<_> = vectors.into_par_iter().sequential().flat_map(|x| [x.clone(), x]).collect();
        assert_eq!((arrays.len(), pairs.len(), Arc::strong_count(&count)), (6, 1_800, 1_801));
        drop(pairs);
        assert_eq!(Arc::strong_count(&count), 1);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Run(usize),
        Split,
        SplitAt(usize),
    }

    proptest! {
        #[test]
        fn however_parts_are_split_all_comes_out_in_order(
            lens in proptest::collection::vec(0..6_u32, 0..9),
            script in proptest::collection::vec(
                (0..9_usize, prop_oneof![(1..5_usize).prop_map(Step::Run), Just(Step::Split), (0..9_usize).prop_map(Step::SplitAt)]),
                0..30,
            ),
        ) {
            let mut chain = lens.clone().into_par_iter().enumerate();
            let mut settings = Settings { policy: fusain_algorithms::par().always(), ..Settings::default() };
            let inner = |(i, len): (usize, u32)| (0..len).into_par_iter().map(move |x| (i, x));
            // The parts in their order, and what has come out of each.
            let mut parts = vec![(Outer::new(&mut chain, &mut settings), Vec::new())];
            let run = |(outer, out): &mut (Outer<'_, _, _>, Vec<_>), grain: usize| {
                if outer.left() > 0 {
                    let _ = outer.run(grain.min(outer.left()), inner, |x| {
                        out.push(x);
                        ControlFlow::Continue(())
                    });
                }
            };
            for (at, step) in script {
                let at = at % parts.len();
                let rest = match step {
                    Step::Run(grain) => {
                        run(&mut parts[at], grain);
                        None
                    }
                    Step::Split => parts[at].0.split(),
                    Step::SplitAt(n) if n < parts[at].0.left() => parts[at].0.split_at(n),
                    Step::SplitAt(_) => None,
                };
                if let Some(rest) = rest {
                    parts.insert(at + 1, (rest, Vec::new()));
                }
            }
            for part in &mut parts {
                while part.0.left() > 0 {
                    run(part, 3);
                }
            }
            let out: Vec<_> = parts.into_iter().flat_map(|(_, out)| out).collect();
            let all: Vec<_> = lens.iter().enumerate().flat_map(|(i, len)| (0..*len).map(move |x| (i, x))).collect();
            prop_assert_eq!(out, all);
        }
    }
}
