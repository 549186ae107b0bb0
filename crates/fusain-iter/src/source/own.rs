//! Chains of sources that other crates have written.

use super::Source;
use super::indexed::{IndexedSource, Pieces};
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;

/// A chain of a [`Source`]; made by [`from_source`].
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct FromSource<S>(Option<S>);

/// Makes a chain of your own source. [`Source`] has a longer example.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::iter::{Source, from_source};
/// use fusain::prelude::*;
///
/// fn doubled<S: Source<Item = u32>>(source: S) -> Vec<u32> {
///     from_source(source).map(|x| 2 * x).collect()
/// }
/// ```
pub fn from_source<S: Source<Item: Send>>(source: S) -> FromSource<S> {
    FromSource(Some(source))
}

impl<S: Source<Item: Send>> ParallelIterator for FromSource<S> {
    type Item = S::Item;
    type Source<'s>
        = S
    where
        Self: 's;

    fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> S {
        self.0.take().expect("a chain is run once")
    }
}

/// A chain of an [`IndexedSource`]; made by [`from_indexed_source`].
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct FromIndexedSource<S>(Option<S>);

/// Makes a chain of your own indexed source.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::iter::{IndexedSource, from_indexed_source};
/// use fusain::prelude::*;
///
/// /// Even numbers.
/// struct Evens(std::ops::Range<usize>);
///
/// type Doubled = std::iter::Map<std::ops::Range<usize>, fn(usize) -> usize>;
///
/// impl IndexedSource for Evens {
///     type Item = usize;
///     type Piece<'p> = Doubled;
///
///     fn left(&self) -> usize {
///         self.0.len()
///     }
///
///     fn front(&mut self, n: usize) -> Doubled {
///         let start = self.0.start;
///         self.0.start += n;
///         (start..start + n).map(|x| 2 * x)
///     }
///
///     fn back(&mut self, n: usize) -> Doubled {
///         let end = self.0.end;
///         self.0.end -= n;
///         (end - n..end).map(|x| 2 * x)
///     }
///
///     fn split_at(&mut self, n: usize) -> Self {
///         let end = std::mem::replace(&mut self.0.end, self.0.start + n);
///         Evens(self.0.end..end)
///     }
/// }
///
/// let v: Vec<usize> = from_indexed_source(Evens(0..4)).rev().collect();
/// assert_eq!(v, [6, 4, 2, 0]);
/// ```
pub fn from_indexed_source<S: IndexedSource<Item: Send>>(source: S) -> FromIndexedSource<S> {
    FromIndexedSource(Some(source))
}

impl<S: IndexedSource<Item: Send>> ParallelIterator for FromIndexedSource<S> {
    type Item = S::Item;
    type Source<'s>
        = Pieces<S>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Pieces<S> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<S: IndexedSource<Item: Send>> IndexedParallelIterator for FromIndexedSource<S> {
    type Indexed<'s>
        = S
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> S {
        self.0.take().expect("a chain is run once")
    }

    fn len(&self) -> usize {
        self.0.as_ref().map_or(0, S::left)
    }
}
