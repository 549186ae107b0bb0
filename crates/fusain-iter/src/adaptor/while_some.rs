//! `while_some`, and what `collect` into a `Result` or `Option` does: values, until a worker meets an element that ends the chain for all workers.

use std::fmt;
use std::ops::ControlFlow;

use super::debug_without_closures;
use crate::exact::Exact;
use crate::flag::Flag;
use crate::memory::{Memory, Slot};
use crate::outcome::Try;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;

/// The values of the elements, until a worker meets a `None`. Each worker then stops, at the latest after its current unit of work.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let n = (0..1_000_000).into_par_iter().map(|x| (x < 500).then_some(x)).while_some().count();
/// assert!(n <= 500);
/// ```
pub type WhileSome<I> = UntilBreak<I, fn(())>;

/// The values of elements such as `Result`s, until a worker meets one that ends the chain.
///
/// `end` is called with what ended it, such as the error. Other workers may meet such elements, too, before they stop: `end` is then called for each of these.
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct UntilBreak<I, E> {
    base: I,
    over: Flag,
    end: E,
}

debug_without_closures!(UntilBreak < I, E > { base });

impl<I, E> UntilBreak<I, E> {
    pub(crate) fn new(base: I, end: E) -> Self {
        UntilBreak { base, over: Flag::default(), end }
    }
}

impl<I, R, E> ParallelIterator for UntilBreak<I, E>
where
    I: ParallelIterator<Item = R>,
    R: Try<Output: Send> + Send,
    E: Fn(R::Residual) + Sync + Send,
{
    type Item = R::Output;
    type Source<'s>
        = UntilBreakSource<'s, I::Source<'s>, E>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let base = settings.until(&self.over, |settings| self.base.source(settings));
        UntilBreakSource { base, over: &self.over, end: &self.end }
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.base.memory(seal)
    }
}

/// The source of an [`UntilBreak`].
#[doc(hidden)]
pub struct UntilBreakSource<'s, S, E> {
    base: S,
    over: &'s Flag,
    end: &'s E,
}

impl<S: fmt::Debug, E> fmt::Debug for UntilBreakSource<'_, S, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UntilBreakSource").field("base", &self.base).finish_non_exhaustive()
    }
}

impl<S, R, E> Source for UntilBreakSource<'_, S, E>
where
    S: Source<Item = R>,
    R: Try,
    E: Fn(R::Residual) + Sync,
{
    type Item = R::Output;

    const EXACT: Exact = Exact::AtMost.and(S::EXACT);

    #[inline(always)]
    fn left(&self) -> usize {
        if self.over.is_up() { 0 } else { self.base.left() }
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(R::Output) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        let mut residual = None;
        let over = self.over;
        // Such an element ends this source, but not a source that may follow it, as after `chain`.
        let _ = self.base.run(grain, |x| {
            // An element may stand for many, as in a search.
            if const { S::EXACT.is_never() } && over.is_up() {
                return ControlFlow::Break(());
            }
            match x.branch() {
                ControlFlow::Continue(x) => {
                    flow = each(x);
                    flow
                }
                ControlFlow::Break(end) => {
                    residual = Some(end);
                    ControlFlow::Break(())
                }
            }
        });
        if let Some(residual) = residual {
            // After the loop, which is shorter without it.
            self.over.raise();
            (self.end)(residual);
        }
        flow
    }

    fn split(&mut self) -> Option<Self> {
        Some(UntilBreakSource { base: self.base.split()?, over: self.over, end: self.end })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(UntilBreakSource { base: self.base.split_at(n)?, over: self.over, end: self.end })
    }

    #[inline(always)]
    fn exact(&self, seal: Seal) -> Option<usize> {
        self.base.exact(seal)
    }

    #[inline(always)]
    fn bound(&self, seal: Seal) -> Option<usize> {
        self.base.bound(seal)
    }
}
