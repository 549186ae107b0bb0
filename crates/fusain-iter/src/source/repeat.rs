//! Chains without an element, of one element, and of one element repeated.

use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::indexed::{IndexedSource, Pieces};
use super::option::One;
use super::{Source, option};
use crate::adaptor::Zip;
use crate::collect::IntoParallelIterator;
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;

/// A chain without elements; made by [`empty`].
#[must_use = "a chain does nothing before it is run"]
pub struct Empty<T>(PhantomData<fn() -> T>);

impl<T> Clone for Empty<T> {
    fn clone(&self) -> Self {
        Empty(PhantomData)
    }
}

impl<T> fmt::Debug for Empty<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Empty")
    }
}

/// A chain of one element; made by [`once`].
pub type Once<T> = option::IntoIter<T>;

/// A chain without elements.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
/// assert_eq!(fusain::iter::empty::<i32>().count(), 0);
/// ```
pub fn empty<T: Send>() -> Empty<T> {
    Empty(PhantomData)
}

impl<T: Send> ParallelIterator for Empty<T> {
    type Item = T;
    type Source<'s>
        = Pieces<One<T>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(0)
    }
}

impl<T: Send> IndexedParallelIterator for Empty<T> {
    type Indexed<'s>
        = One<T>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> One<T> {
        One::default()
    }

    fn len(&self) -> usize {
        0
    }
}

/// A chain of one element.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
/// assert_eq!(fusain::iter::once(7).sum::<i32>(), 7);
/// ```
pub fn once<T: Send>(element: T) -> Once<T> {
    Some(element).into_par_iter()
}

/// An element repeated a number of times; made by [`repeat_n`].
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct RepeatN<T> {
    /// `None` if `n` is 0.
    element: Option<T>,
    n: usize,
}

/// A chain of `n` times `element`. If all are used, these are `element` itself and `n - 1` clones.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
/// assert_eq!(fusain::iter::repeat_n(7, 3).collect::<Vec<_>>(), [7, 7, 7]);
/// ```
pub fn repeat_n<T: Clone + Send>(element: T, n: usize) -> RepeatN<T> {
    RepeatN { element: (n > 0).then_some(element), n }
}

/// The former name of [`repeat_n`], for programs that were written for rayon.
///
/// ```
/// # #![allow(deprecated)]
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
/// assert_eq!(fusain::iter::repeatn(7, 3).sum::<i32>(), 21);
/// ```
#[deprecated(note = "use `repeat_n`")]
pub fn repeatn<T: Clone + Send>(element: T, n: usize) -> RepeatN<T> {
    repeat_n(element, n)
}

impl<T: Clone + Send> ParallelIterator for RepeatN<T> {
    type Item = T;
    type Source<'s>
        = Pieces<RepeatSource<T>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.n)
    }
}

impl<T: Clone + Send> IndexedParallelIterator for RepeatN<T> {
    type Indexed<'s>
        = RepeatSource<T>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        RepeatSource { element: self.element.take(), n: std::mem::take(&mut self.n) }
    }

    fn len(&self) -> usize {
        self.n
    }
}

/// Endless clones of an element; made by [`repeat`].
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Repeat<T>(T);

/// An endless chain of clones of `element`, for use with `take`, `zip` or a search.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
/// assert_eq!(fusain::iter::repeat(7).take(2).collect::<Vec<_>>(), [7, 7]);
/// ```
pub fn repeat<T: Clone + Send>(element: T) -> Repeat<T> {
    Repeat(element)
}

impl<T: Clone + Send> Repeat<T> {
    /// A chain of `n` times the element, as by [`repeat_n`].
    pub fn take(self, n: usize) -> RepeatN<T> {
        repeat_n(self.0, n)
    }

    /// Pairs each element of `other` with a clone; one of them is paired with the element itself.
    pub fn zip<Z>(self, other: Z) -> Zip<RepeatN<T>, Z::Iter>
    where
        Z: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        let other = other.into_par_iter();
        self.take(other.len()).zip(other)
    }
}

impl<T: Clone + Send> ParallelIterator for Repeat<T> {
    type Item = T;
    type Source<'s>
        = EndlessSource<T>
    where
        Self: 's;

    fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Source<'s> {
        EndlessSource(self.0.clone())
    }
}

/// The source of [`Repeat`].
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct EndlessSource<T>(T);

impl<T: Clone + Send> Source for EndlessSource<T> {
    type Item = T;

    fn left(&self) -> usize {
        usize::MAX
    }

    fn run(&mut self, grain: usize, each: impl FnMut(T) -> ControlFlow<()>) -> ControlFlow<()> {
        std::iter::repeat_n(&self.0, grain).cloned().try_for_each(each)
    }

    fn split(&mut self) -> Option<Self> {
        Some(self.clone())
    }
}

/// The source of [`RepeatN`].
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct RepeatSource<T> {
    /// `None` if `n` is 0.
    element: Option<T>,
    n: usize,
}

/// An element a number of times: clones, and as the last one the element itself.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Clones<T>(Option<std::iter::RepeatN<T>>);

impl<T: Clone> Iterator for Clones<T> {
    type Item = T;

    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        self.0.as_mut()?.next()
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.as_ref().map_or(0, |clones| clones.len());
        (left, Some(left))
    }
}

impl<T: Clone> DoubleEndedIterator for Clones<T> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<T> {
        self.next()
    }
}

impl<T: Clone> ExactSizeIterator for Clones<T> {}

impl<T: Clone + Send> IndexedSource for RepeatSource<T> {
    type Item = T;
    type Piece<'p>
        = Clones<T>
    where
        Self: 'p;

    const EXACT: Exact = Exact::Always;

    #[inline(always)]
    fn left(&self) -> usize {
        self.n
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        let n = n.min(self.n);
        self.n -= n;
        let element = match (n, self.n) {
            (_, 0) => self.element.take(),
            (0, _) => None,
            _ => self.element.clone(),
        };
        Clones(element.map(|element| std::iter::repeat_n(element, n)))
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        self.front(n)
    }

    fn split_at(&mut self, n: usize) -> Self {
        let n = n.min(self.n);
        let rest = std::mem::replace(&mut self.n, n) - n;
        let element = match (n, rest) {
            (_, 0) => None,
            (0, _) => self.element.take(),
            _ => self.element.clone(),
        };
        RepeatSource { element, n: rest }
    }
}
