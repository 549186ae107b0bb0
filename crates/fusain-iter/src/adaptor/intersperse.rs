//! `intersperse`: a separator between the elements.

use std::ops::ControlFlow;

use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;
use crate::source::indexed::IndexedSource;

/// The elements, with clones of a separator between them.
///
/// If the length of the chain is unknown (after `filter` or `while_some`, say), a separator may also come before the first element: when the parts in front of that turn out to
/// be empty, as in rayon.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!([1, 2, 3].into_par_iter().intersperse(0).collect::<Vec<_>>(), [1, 0, 2, 0, 3]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Intersperse<I: ParallelIterator> {
    base: I,
    element: I::Item,
}

impl<I: ParallelIterator> Intersperse<I> {
    pub(crate) fn new(base: I, element: I::Item) -> Self {
        Intersperse { base, element }
    }
}

impl<I: ParallelIterator<Item: Clone>> ParallelIterator for Intersperse<I> {
    type Item = I::Item;
    type Source<'s>
        = IntersperseSource<I::Source<'s>, I::Item>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let len = self.base.opt_len();
        let base = self.base.source(settings);
        // A base that may end early counts elements that may never come. A unit must not end with a separator that stands before these.
        let is_counted =
            !const { <I::Source<'_> as Source>::EXACT.is_at_most() } && base.exact(Seal).or(len) == Some(base.left());
        IntersperseSource { base, element: self.element.clone(), leads: false, is_counted }
    }

    fn opt_len(&self) -> Option<usize> {
        let len = self.base.opt_len()?;
        len.checked_add(len.saturating_sub(1))
    }
}

impl<I: IndexedParallelIterator<Item: Clone>> IndexedParallelIterator for Intersperse<I> {
    type Indexed<'s>
        = IntersperseIndexed<I::Indexed<'s>, I::Item>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let base = self.base.indexed(settings);
        // The length of the source, not the length that the chain claims: memory may be written by it.
        let len = with_separators(base.left());
        IntersperseIndexed { base, element: self.element.clone(), leads: false, len }
    }

    fn len(&self) -> usize {
        with_separators(self.base.len())
    }
}

/// The number of `len` elements and the separators between them.
fn with_separators(len: usize) -> usize {
    len.checked_add(len.saturating_sub(1)).expect("the length of a chain fits in a usize")
}

/// The source of an [`Intersperse`].
#[doc(hidden)]
#[derive(Debug)]
pub struct IntersperseSource<S, T> {
    base: S,
    element: T,
    /// Whether a separator comes before the next element.
    leads: bool,
    /// Whether the base counts elements, and all of them come. Then this source counts separators, too, since the chain may be numbered by what is left. Otherwise it counts what
    /// the base counts.
    is_counted: bool,
}

impl<S: Source, T> IntersperseSource<S, T> {
    /// Whether another element is certain to come.
    fn has_more(&self) -> bool {
        self.base.exact(Seal).unwrap_or(self.base.left()) > 0
    }
}

impl<S: Source<Item = T>, T: Clone + Send> Source for IntersperseSource<S, T> {
    type Item = T;

    fn left(&self) -> usize {
        let base = self.base.left();
        match self.is_counted {
            true => base.saturating_add(if self.leads { base } else { base.saturating_sub(1) }),
            false => base,
        }
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(T) -> ControlFlow<()>) -> ControlFlow<()> {
        let elements = if self.is_counted { base_of(grain, self.leads) } else { grain };
        let ends_with_separator = self.is_counted && grain.is_multiple_of(2) != self.leads;
        if elements > 0 || !self.has_more() {
            let Self { base, element, leads, .. } = self;
            base.run(elements.max(1), |x| {
                if std::mem::replace(leads, true) {
                    each(element.clone())?;
                }
                each(x)
            })?;
        }
        // A unit must have the length that it was asked for. Otherwise a deterministic sum would depend on where the chain was split.
        if ends_with_separator && self.has_more() && std::mem::take(&mut self.leads) {
            each(self.element.clone())?;
        }
        ControlFlow::Continue(())
    }

    fn split(&mut self) -> Option<Self> {
        let base = self.base.split()?;
        Some(IntersperseSource { base, element: self.element.clone(), leads: true, is_counted: self.is_counted })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        if n > 0 {
            return None;
        }
        Some(IntersperseSource { base: self.base.split_at(0)?, element: self.element.clone(), ..*self })
    }
}

/// The source of an [`Intersperse`] that is split by index.
#[doc(hidden)]
#[derive(Debug)]
pub struct IntersperseIndexed<S, T> {
    base: S,
    element: T,
    leads: bool,
    /// The number of elements left, separators included.
    len: usize,
}

/// The number of elements of the base among `n` in a row, which begin with a separator if `leads`.
fn base_of(n: usize, leads: bool) -> usize {
    n / 2 + usize::from(!leads && !n.is_multiple_of(2))
}

impl<S: IndexedSource<Item = T>, T: Clone + Send> IndexedSource for IntersperseIndexed<S, T> {
    type Item = T;
    type Piece<'p>
        = InterspersePiece<'p, S::Piece<'p>, T>
    where
        Self: 'p;

    const EXACT: Exact = S::EXACT;

    fn left(&self) -> usize {
        self.len
    }

    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        let n = n.min(self.len);
        let (base, leads) = (base_of(n, self.leads), self.leads);
        let piece = InterspersePiece::new(self.base.front(base), &self.element, n, leads);
        // Only now, since the base may panic.
        self.len -= n;
        self.leads ^= n % 2 == 1;
        piece
    }

    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        let n = n.min(self.len);
        let front = self.len - n;
        let leads = self.leads ^ (front % 2 == 1);
        // The length is this source's own. What the base has left is more if the base has panicked, and memory is written by this length.
        let piece = InterspersePiece::new(self.base.back(base_of(n, leads)), &self.element, n, leads);
        self.len = front;
        piece
    }

    fn split_at(&mut self, n: usize) -> Self {
        let n = n.min(self.len);
        let base = self.base.split_at(base_of(n, self.leads));
        let len = std::mem::replace(&mut self.len, n) - n;
        IntersperseIndexed { base, element: self.element.clone(), leads: self.leads ^ (n % 2 == 1), len }
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        self.base.swap_begun(&mut other.base, seal);
    }
}

/// A piece of an [`Intersperse`].
#[doc(hidden)]
#[derive(Debug)]
pub struct InterspersePiece<'p, P, T> {
    base: P,
    element: &'p T,
    /// Whether the piece begins, or ends, with a separator.
    leads: bool,
    trails: bool,
}

impl<'p, P, T> InterspersePiece<'p, P, T> {
    /// A piece of `n` elements.
    fn new(base: P, element: &'p T, n: usize, leads: bool) -> Self {
        let trails = n > 1 && (n.is_multiple_of(2) != leads);
        InterspersePiece { base, element, leads: leads && n > 0, trails }
    }
}

impl<P: ExactSizeIterator<Item = T>, T: Clone> Iterator for InterspersePiece<'_, P, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if std::mem::take(&mut self.leads) {
            return Some(self.element.clone());
        }
        let next = self.base.next();
        if next.is_none() {
            return std::mem::take(&mut self.trails).then(|| self.element.clone());
        }
        self.leads = self.base.len() > 0;
        next
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let base = self.base.len();
        let left = base + base.saturating_sub(1) + usize::from(self.leads) + usize::from(self.trails);
        (left, Some(left))
    }
}

impl<P: ExactSizeIterator<Item = T> + DoubleEndedIterator, T: Clone> DoubleEndedIterator
    for InterspersePiece<'_, P, T>
{
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        if std::mem::take(&mut self.trails) {
            return Some(self.element.clone());
        }
        let next = self.base.next_back();
        if next.is_none() {
            return std::mem::take(&mut self.leads).then(|| self.element.clone());
        }
        self.trails = self.base.len() > 0;
        next
    }
}

impl<P: ExactSizeIterator<Item = T>, T: Clone> ExactSizeIterator for InterspersePiece<'_, P, T> {}
