//! `take_any`, `skip_any` and their `_while`: some of the elements, no matter which.

use std::ops::ControlFlow;

use super::debug_without_closures;
use crate::flag::{Count, Flag};
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::source::Source;

/// Splits off all of `base` if `n` is 0. Other cuts are refused: they are for results that must be the same each time, and here the result depends on which worker comes first.
fn all_behind<S: Source>(base: &mut S, n: usize) -> Option<S> {
    if n > 0 { None } else { base.split_at(0) }
}

/// At most `n` of the elements: those that workers meet first.
///
/// If the elements come from an iterator that waits for them, such as that of a channel, a worker may still be waiting for one more element when all `n` have come.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((0..1000).into_par_iter().take_any(7).count(), 7);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct TakeAny<I> {
    base: I,
    more: Count,
}

impl<I> TakeAny<I> {
    pub(crate) fn new(base: I, n: usize) -> Self {
        TakeAny { base, more: Count::new(n) }
    }
}

impl<I: ParallelIterator> ParallelIterator for TakeAny<I> {
    type Item = I::Item;
    type Source<'s>
        = TakeAnySource<'s, I::Source<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        TakeAnySource { base: self.base.source(settings), more: &self.more }
    }
}

/// The source of a [`TakeAny`].
#[doc(hidden)]
#[derive(Debug)]
pub struct TakeAnySource<'s, S> {
    base: S,
    more: &'s Count,
}

impl<S: Source> Source for TakeAnySource<'_, S> {
    type Item = S::Item;

    fn left(&self) -> usize {
        if self.more.is_used_up() { 0 } else { self.base.left() }
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(S::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        let more = self.more;
        let _ = self.base.run(grain, |x| {
            if !more.take() {
                return ControlFlow::Break(());
            }
            flow = each(x);
            // The base is not asked for one more element: it may have to wait for that.
            if more.is_used_up() { ControlFlow::Break(()) } else { flow }
        });
        flow
    }

    fn split(&mut self) -> Option<Self> {
        Some(TakeAnySource { base: self.base.split()?, more: self.more })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        all_behind(&mut self.base, n).map(|base| TakeAnySource { base, more: self.more })
    }
}

/// All elements except `n`: those that workers meet first.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((0..1000).into_par_iter().skip_any(7).count(), 993);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct SkipAny<I> {
    base: I,
    more: Count,
}

impl<I> SkipAny<I> {
    pub(crate) fn new(base: I, n: usize) -> Self {
        SkipAny { base, more: Count::new(n) }
    }
}

impl<I: ParallelIterator> ParallelIterator for SkipAny<I> {
    type Item = I::Item;
    type Source<'s>
        = SkipAnySource<'s, I::Source<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        SkipAnySource { base: self.base.source(settings), more: &self.more }
    }
}

/// The source of a [`SkipAny`].
#[doc(hidden)]
#[derive(Debug)]
pub struct SkipAnySource<'s, S> {
    base: S,
    more: &'s Count,
}

impl<S: Source> Source for SkipAnySource<'_, S> {
    type Item = S::Item;

    fn left(&self) -> usize {
        self.base.left()
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(S::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let more = self.more;
        self.base.run(grain, |x| if more.take() { ControlFlow::Continue(()) } else { each(x) })
    }

    fn split(&mut self) -> Option<Self> {
        Some(SkipAnySource { base: self.base.split()?, more: self.more })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        all_behind(&mut self.base, n).map(|base| SkipAnySource { base, more: self.more })
    }
}

/// Elements that satisfy a predicate, until some worker meets one that does not.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = (0..1000).into_par_iter().take_any_while(|x| *x < 100).collect();
/// assert!(v.iter().all(|x| *x < 100));
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct TakeAnyWhile<I, P> {
    base: I,
    predicate: P,
    over: Flag,
}

debug_without_closures!(TakeAnyWhile < I, P > { base });

impl<I, P> TakeAnyWhile<I, P> {
    pub(crate) fn new(base: I, predicate: P) -> Self {
        TakeAnyWhile { base, predicate, over: Flag::default() }
    }
}

impl<I, P> ParallelIterator for TakeAnyWhile<I, P>
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync + Send,
{
    type Item = I::Item;
    type Source<'s>
        = TakeAnyWhileSource<'s, I::Source<'s>, P>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let base = settings.until(&self.over, |settings| self.base.source(settings));
        TakeAnyWhileSource { base, predicate: &self.predicate, over: &self.over }
    }
}

/// The source of a [`TakeAnyWhile`].
#[doc(hidden)]
#[derive(Debug)]
pub struct TakeAnyWhileSource<'s, S, P> {
    base: S,
    predicate: &'s P,
    over: &'s Flag,
}

impl<S: Source, P: Fn(&S::Item) -> bool + Sync> Source for TakeAnyWhileSource<'_, S, P> {
    type Item = S::Item;

    fn left(&self) -> usize {
        if self.over.is_up() { 0 } else { self.base.left() }
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(S::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        let (predicate, over) = (self.predicate, self.over);
        let _ = self.base.run(grain, |x| {
            if over.is_up() || !predicate(&x) {
                over.raise();
                return ControlFlow::Break(());
            }
            flow = each(x);
            flow
        });
        flow
    }

    fn split(&mut self) -> Option<Self> {
        Some(TakeAnyWhileSource { base: self.base.split()?, ..*self })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        all_behind(&mut self.base, n).map(|base| TakeAnyWhileSource { base, ..*self })
    }
}

/// Skips elements until some worker meets one that does not satisfy a predicate. That element is kept, and so is what workers meet afterwards.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<i32> = (0..1000).into_par_iter().skip_any_while(|x| *x < 100).collect();
/// assert!(v.len() >= 900);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct SkipAnyWhile<I, P> {
    base: I,
    predicate: P,
    begun: Flag,
}

debug_without_closures!(SkipAnyWhile < I, P > { base });

impl<I, P> SkipAnyWhile<I, P> {
    pub(crate) fn new(base: I, predicate: P) -> Self {
        SkipAnyWhile { base, predicate, begun: Flag::default() }
    }
}

impl<I, P> ParallelIterator for SkipAnyWhile<I, P>
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync + Send,
{
    type Item = I::Item;
    type Source<'s>
        = SkipAnyWhileSource<'s, I::Source<'s>, P>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        SkipAnyWhileSource { base: self.base.source(settings), predicate: &self.predicate, begun: &self.begun }
    }
}

/// The source of a [`SkipAnyWhile`].
#[doc(hidden)]
#[derive(Debug)]
pub struct SkipAnyWhileSource<'s, S, P> {
    base: S,
    predicate: &'s P,
    begun: &'s Flag,
}

impl<S: Source, P: Fn(&S::Item) -> bool + Sync> Source for SkipAnyWhileSource<'_, S, P> {
    type Item = S::Item;

    fn left(&self) -> usize {
        self.base.left()
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(S::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let (predicate, begun) = (self.predicate, self.begun);
        self.base.run(grain, |x| {
            if !begun.is_up() {
                if predicate(&x) {
                    return ControlFlow::Continue(());
                }
                begun.raise();
            }
            each(x)
        })
    }

    fn split(&mut self) -> Option<Self> {
        Some(SkipAnyWhileSource { base: self.base.split()?, ..*self })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        all_behind(&mut self.base, n).map(|base| SkipAnyWhileSource { base, ..*self })
    }
}
