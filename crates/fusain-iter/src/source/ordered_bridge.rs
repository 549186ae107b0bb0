//! Sequential iterators whose elements stay in order.
//!
//! Idea: one part has the iterator, and it is the last part. When another worker asks for work, the worker of this part takes some elements out of the iterator,
//! keeps them, and gives the iterator away. So the elements that it keeps come before those that it gives away, and no lock is needed. A part that has no iterator is split in
//! the middle.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::Source;
use super::bridge::IterBridge;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;

/// A chain of a sequential iterator, in its order; made by [`ordered`](IterBridge::ordered).
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct OrderedBridge<J> {
    /// `None` once it runs.
    iter: Option<J>,
}

impl<J> IterBridge<J> {
    /// Keeps the order of the elements. So `collect` gives them in the order of the sequential iterator, and `find_first` and the like can be used.
    ///
    /// Workers hand the iterator on to each other, and then fetch a few units of work ahead. So an element may have to wait until some more have been fetched, which
    /// matters if these take long to come. The iterator must not wait until an element has been processed, since that may have been fetched ahead.
    ///
    /// ```
    /// # use fusain_iter as fusain;
    /// use fusain::prelude::*;
    ///
    /// let text = "one\ntwo\nthree";
    /// let lengths: Vec<usize> = text.lines().par_bridge().ordered().map(str::len).collect();
    /// assert_eq!(lengths, [3, 3, 5]);
    /// ```
    pub fn ordered(self) -> OrderedBridge<J> {
        OrderedBridge { iter: Some(self.into_inner()) }
    }
}

impl<J: Iterator<Item: Send> + Send> ParallelIterator for OrderedBridge<J> {
    type Item = J::Item;
    type Source<'s>
        = OrderedSource<J>
    where
        Self: 's;

    fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Source<'s> {
        OrderedSource { fetched: VecDeque::new(), iter: self.iter.take(), grain: 1 }
    }
}

/// The source of an [`OrderedBridge`].
#[doc(hidden)]
#[derive(Debug)]
pub struct OrderedSource<J: Iterator> {
    /// The next elements.
    fetched: VecDeque<J::Item>,
    /// The iterator, for the elements after these; `None` if another part has it, or it has ended.
    iter: Option<J>,
    /// The number of elements of the last unit.
    grain: usize,
}

/// The number of units that are fetched ahead when the iterator is given away, so that the part that stays can be split again.
const UNITS_AHEAD: usize = 4;

/// The maximum number of elements that are fetched ahead.
const FETCHED_MAX: usize = 1 << 12;

impl<J: Iterator<Item: Send> + Send> Source for OrderedSource<J> {
    type Item = J::Item;

    fn left(&self) -> usize {
        if self.iter.is_some() { usize::MAX } else { self.fetched.len() }
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(J::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        self.grain = grain;
        let fetched = grain.min(self.fetched.len());
        if fetched > 0 {
            return self.fetched.drain(..fetched).try_for_each(each);
        }
        let Some(iter) = &mut self.iter else { return ControlFlow::Continue(()) };
        for _ in 0..grain {
            let Some(x) = iter.next() else {
                // An iterator that has ended must not be called again.
                self.iter = None;
                break;
            };
            each(x)?;
        }
        ControlFlow::Continue(())
    }

    fn split(&mut self) -> Option<Self> {
        if let Some(iter) = &mut self.iter {
            let wanted = self.grain.saturating_mul(UNITS_AHEAD).min(FETCHED_MAX);
            self.fetched.extend(iter.take(wanted - self.fetched.len().min(wanted)));
            if self.fetched.len() >= wanted {
                return Some(OrderedSource { fetched: VecDeque::new(), iter: self.iter.take(), grain: self.grain });
            }
            self.iter = None;
        }
        let kept = self.fetched.len().div_ceil(2);
        let fetched = self.fetched.split_off(kept);
        (!fetched.is_empty()).then_some(OrderedSource { fetched, iter: None, grain: self.grain })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        (n == 0).then(|| OrderedSource {
            fetched: std::mem::take(&mut self.fetched),
            iter: self.iter.take(),
            grain: self.grain,
        })
    }
}
