//! `panic_fuse`: a chain that ends early on all workers after a panic on one.

use std::ops::ControlFlow;
use std::thread::panicking;

use crate::exact::Exact;
use crate::flag::Flag;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;
use crate::source::indexed::IndexedSource;

/// Stops as soon as possible after a panic.
///
/// After a panic in any chain, each worker stops at the end of its unit of work. With this adaptor, each worker checks before every element.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((0..10).into_par_iter().panic_fuse().sum::<i32>(), 45);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct PanicFuse<I> {
    base: I,
    panicked: Flag,
}

impl<I> PanicFuse<I> {
    pub(crate) fn new(base: I) -> Self {
        PanicFuse { base, panicked: Flag::default() }
    }
}

impl<I: ParallelIterator> ParallelIterator for PanicFuse<I> {
    type Item = I::Item;
    type Source<'s>
        = PanicFuseSource<'s, I::Source<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        PanicFuseSource { base: self.base.source(settings), panicked: &self.panicked }
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for PanicFuse<I> {
    type Indexed<'s>
        = PanicFuseSource<'s, I::Indexed<'s>>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        PanicFuseSource { base: self.base.indexed(settings), panicked: &self.panicked }
    }

    fn len(&self) -> usize {
        self.base.len()
    }
}

/// The source of a [`PanicFuse`].
#[doc(hidden)]
#[derive(Debug)]
pub struct PanicFuseSource<'s, S> {
    base: S,
    panicked: &'s Flag,
}

/// Raises the flag when it is dropped by a panic.
#[derive(Debug)]
struct RaiseOnPanic<'s> {
    flag: &'s Flag,
    /// A destructor may run the chain because of another panic.
    was_panicking: bool,
}

impl<'s> RaiseOnPanic<'s> {
    fn new(flag: &'s Flag) -> Self {
        RaiseOnPanic { flag, was_panicking: panicking() }
    }
}

impl Drop for RaiseOnPanic<'_> {
    fn drop(&mut self) {
        if !self.was_panicking && panicking() {
            self.flag.raise();
        }
    }
}

impl<S: Source> Source for PanicFuseSource<'_, S> {
    type Item = S::Item;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        if self.panicked.is_up() { 0 } else { self.base.left() }
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(S::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let _raise_on_panic = RaiseOnPanic::new(self.panicked);
        let panicked = self.panicked;
        self.base.run(grain, |x| if panicked.is_up() { ControlFlow::Break(()) } else { each(x) })
    }

    fn split(&mut self) -> Option<Self> {
        Some(PanicFuseSource { base: self.base.split()?, panicked: self.panicked })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(PanicFuseSource { base: self.base.split_at(n)?, panicked: self.panicked })
    }

    #[inline(always)]
    fn exact(&self, seal: Seal) -> Option<usize> {
        self.base.exact(seal)
    }
}

impl<S: IndexedSource> IndexedSource for PanicFuseSource<'_, S> {
    type Item = S::Item;
    type Piece<'p>
        = PanicFusePiece<'p, S::Piece<'p>>
    where
        Self: 'p;

    fn left(&self) -> usize {
        self.base.left()
    }

    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        PanicFusePiece { base: self.base.front(n), raise: RaiseOnPanic::new(self.panicked) }
    }

    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        PanicFusePiece { base: self.base.back(n), raise: RaiseOnPanic::new(self.panicked) }
    }

    fn split_at(&mut self, n: usize) -> Self {
        PanicFuseSource { base: self.base.split_at(n), panicked: self.panicked }
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.base.swap_begun(&mut other.base, seal);
    }
}

/// A piece of a [`PanicFuse`]. It ends when the flag is raised, even if it has said that it is longer.
#[doc(hidden)]
#[derive(Debug)]
pub struct PanicFusePiece<'p, P> {
    base: P,
    raise: RaiseOnPanic<'p>,
}

impl<P: Iterator> Iterator for PanicFusePiece<'_, P> {
    type Item = P::Item;

    #[inline]
    fn next(&mut self) -> Option<P::Item> {
        if self.raise.flag.is_up() { None } else { self.base.next() }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // Otherwise an adaptor that goes on while elements are left, as `chunks` does, would never end.
        if self.raise.flag.is_up() { (0, Some(0)) } else { self.base.size_hint() }
    }
}

impl<P: DoubleEndedIterator> DoubleEndedIterator for PanicFusePiece<'_, P> {
    #[inline]
    fn next_back(&mut self) -> Option<P::Item> {
        if self.raise.flag.is_up() { None } else { self.base.next_back() }
    }
}

impl<P: ExactSizeIterator> ExactSizeIterator for PanicFusePiece<'_, P> {}
